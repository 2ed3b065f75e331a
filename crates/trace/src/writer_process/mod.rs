//! The writer: a process of its own that turns the rings of a program into a trace file while the program runs.
//!
//! [`run`](mod@run) is its loop. [`drain`] moves records from the rings to the file; `salvage` uses it, too. [`rings`] knows
//! which rings are open.

pub(crate) mod drain;
pub(crate) mod rings;
mod run;

pub use crate::trace_writer::MIN_LIMIT;
pub use run::{Options, SchemaOf, Summary, WriteError, is_attached, run, run_knowing};
