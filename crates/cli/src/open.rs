//! Opens a trace for reading.
//!
//! Invariant: what is opened here is understood by the tables of this program.

use crate::api;
use crate::exit::{self, Failure, OrExit};
use anyhow::Context;
use reprise_codec::schema;
use reprise_trace::read::Trace;
use std::path::Path;

/// Opens a trace file.
///
/// # Errors
/// With the exit code for traces, and a message that says what is wrong where.
pub(crate) fn trace(path: &Path) -> Result<Trace, Failure> {
    // The error names the file.
    let trace = Trace::open(path).context("cannot read the trace").or_exit(exit::TRACE)?;
    let known = schema::check(api::model(), trace.schema());
    known.with_context(|| format!("cannot read the trace {}", path.display())).or_exit(exit::TRACE)?;
    Ok(trace)
}
