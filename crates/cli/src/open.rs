//! Opens a trace for reading.

use crate::exit::{self, Failure, OrExit};
use anyhow::Context;
use reprise_trace::read::Trace;
use std::path::Path;

/// Opens a trace file.
///
/// # Errors
/// With the exit code for traces, and a message that says what is wrong where.
pub(crate) fn trace(path: &Path) -> Result<Trace, Failure> {
    Trace::open(path).with_context(|| format!("cannot read the trace {}", path.display())).or_exit(exit::TRACE)
}
