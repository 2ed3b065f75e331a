//! Changes calls and contents of a trace, as a small language says, into a trace like any other.
//!
//! [`Edits`] reads the language ([`language`](mod@language)). [`plan()`] checks every edit against the whole trace, by the model and by the state
//! at each call, and refuses by name what cannot be ([`Refusal`]): only then [`write()`] copies the records, with those that changed.
//!
//! [`undo()`] makes the trace before the last edit out of the edited one, which keeps what an edit replaced.
//!
//! Invariant: what no edit names is as it was, byte for byte in the payloads of calls, stores and facts. A new trace says that it was edited,
//! and how (`edited` of its meta). Results that the old trace recorded stay what they are: results of the old one.
//!
//! ```no_run
//! use reprise_edit::{Edits, plan, write};
//! use reprise_trace::read::Trace;
//! use reprise_trace::trace_writer::FileOutput;
//! use std::path::Path;
//!
//! let trace = Trace::open(Path::new("game.reprise"))?;
//! let edits = Edits::parse("call 1234: drop", "example", &mut |_| Err("no files here".to_owned()))?;
//! let plan = plan(&trace, &edits, &mut |_, _| Err("no files here".to_owned()))?;
//! let written = write(&trace, &plan, FileOutput::create(Path::new("without.reprise"))?)?;
//! println!("{} calls", written.calls);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bundle;
mod check;
mod contents;
mod descent;
mod dropping;
mod editor;
mod error;
mod force;
mod insertion;
mod kept;
mod known;
pub mod language;
mod limits;
mod masks;
mod needed;
mod output;
mod place;
mod plan;
mod replacement;
mod room;
mod shader;
mod survey;
mod touched;
mod undo;
mod unrolling;
mod values;

pub use check::plan;
pub use descent::are_related;
pub use error::{Error, Refusal};
pub use language::Edits;
pub use output::{Written, write};
pub use place::{Place, SyntaxError, shortened};
pub use plan::{Files, Plan, Source};
pub use touched::{Touched, touched};
pub use undo::{last_edits, undo};
