//! The writer: a process of its own that turns the rings of a program into a trace file while the program runs.
//!
//! [`process`] is its loop, [`drain`] empties the rings into the file, as salvage does, too.

pub(crate) mod drain;
mod process;
pub(crate) mod rings;

pub use crate::write::MIN_LIMIT;
pub use process::{Options, SchemaOf, Summary, WriteError, is_attached, run, run_knowing};
