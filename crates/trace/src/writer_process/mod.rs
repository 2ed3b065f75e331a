//! The writer: a process of its own that turns the rings of a program into a trace file while the program runs.
//!
//! [`run`](mod@run) is its loop. [`drain`] moves records from the rings to the file; `salvage` uses it, too. [`rings`] knows
//! which rings are open. [`flight`] keeps only the last frames of the file. [`motion`] knows whether the program moves.

mod api;
pub(crate) mod drain;
mod flight;
pub(crate) mod motion;
pub(crate) mod rings;
mod run;

pub use crate::trace_writer::MIN_LIMIT;
pub use api::{Gives, SchemaOf};
pub use flight::{Flight, Reason, Written};
pub use motion::Role;
pub use run::{Knowing, Options, Summary, WriteError, is_attached, run, run_knowing};
