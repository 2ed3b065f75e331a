//! What people see of a trace: its calls as lines, the state at a call, summaries, differences, findings. For programs as JSON, for people as text.
//!
//! Invariants: the JSON is made first, and the text from it, so a text says nothing that the JSON does not say. Nothing here prints, ends a
//! process or knows of a command line; what is wrong is an error that says what, where, and what to do. Texts from a trace are hostile: they
//! are escaped where they become text for a terminal, and are JSON strings otherwise.
//!
//! ```
//! use reprise_codec::translate::{self, Extended};
//! use reprise_d3d12::MODEL;
//! use reprise_trace::read::Trace;
//! use reprise_view::dump::filter::{Filter, Selection};
//! use reprise_view::dump::{Dump, for_people};
//! use std::path::Path;
//!
//! let trace = Trace::open(Path::new("../cli/tests/golden/v3/gears.reprise"))?;
//! translate::attach(&trace, &Extended::new(MODEL))?; // Its build may have had another model.
//! let filter = Filter::new(&Selection { methods: vec!["DrawIndexedInstanced".into()], ..Selection::default() })?;
//! let mut dump = Dump::new(filter, for_people);
//! let (mut events, mut lines) = (trace.events(), Vec::new());
//! while let Some(event) = events.next()? {
//!     dump.event(&event);
//!     lines.extend(std::iter::from_fn(|| dump.next()));
//! }
//! assert!(!lines.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod api;
pub mod count;
pub mod damage;
pub mod diff;
pub mod dump;
pub mod finding;
pub mod notes;
pub mod open;
pub mod paint;
pub mod ray_shaders;
pub mod root_signature;
pub mod shaders;
pub mod state;
pub mod summary;
pub mod uses;
