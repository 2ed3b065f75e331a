//! Rings, the writer, and the trace file.
//!
//! The modules follow the way of a record. A thread of the program writes it into a [`ring`] of its [`session`]. The
//! [`writer_process`] puts the records of all rings into one order ([`merge`]). A [`trace_writer`] writes them as [`chunk`]s of
//! a file, in the [`layout`] of a trace. [`read`] gives them back as events. An [`excerpt`] is a trace of a part of them, and a [`rewriter`] makes one of records that are changed or added. `salvage` opens and repairs traces that are
//! unfinished or damaged. [`record`] is the framing that all of them share. Of the API this crate knows ids only.
//!
//! Invariants: a published record survives the death of the program; every byte that is read back is untrusted.
//!
//! ```
//! use reprise_trace::read::Trace;
//! use reprise_trace::record::Kind;
//! use std::path::Path;
//!
//! let trace = Trace::open(Path::new("../cli/tests/golden/v3/gears.reprise"))?;
//! let mut events = trace.events();
//! let mut frames = 0;
//! while let Some(event) = events.next()? {
//!     frames += u32::from(event.kind == Kind::Frame);
//! }
//! assert!(frames > 0 && trace.damage().0.is_empty());
//! # Ok::<(), reprise_trace::read::ReadError>(())
//! ```

pub mod apart;
pub mod clock;
pub mod excerpt;
pub mod fact;
mod file;
pub mod frame_hash;
pub mod merge;
pub mod os;
pub mod read;
pub mod record;
pub mod rewriter;
mod salvage;
mod shared;
pub mod trace_writer;
pub mod wanted_frames;
pub mod writer_process;

pub use file::{chunk, layout};
pub use salvage::{Describe, repair};
pub use shared::{ring, session};
