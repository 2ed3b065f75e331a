//! Opens a trace for reading.
//!
//! Invariant: what is opened here is understood by the tables of this program.

use crate::api;
use crate::exit::{self, Failure, OrExit};
use anyhow::Context;
use reprise_codec::schema;
use reprise_trace::read::Trace;
use reprise_trace::session;
use std::path::{Path, PathBuf};

/// Which trace, and where the rest of it is.
#[derive(Debug, clap::Args)]
pub(crate) struct Source {
    /// The folder with the rings of a capture whose writer died [default: FILE.rings, if it is there]
    #[arg(long, value_name = "DIR")]
    pub(crate) rings: Option<PathBuf>,
    /// The trace
    #[arg(value_name = "FILE")]
    pub(crate) trace: PathBuf,
}

impl Source {
    /// Opens it: as [`trace`], with the rings that were named.
    ///
    /// # Errors
    /// As [`trace`]; a usage failure when there are no rings where they were said to be.
    pub(crate) fn open(&self) -> Result<Trace, Failure> {
        let Some(rings) = &self.rings else { return trace(&self.trace) };
        check_rings(rings)?;
        let opened =
            Trace::open_with_rings(&self.trace, rings).context("cannot read the trace").or_exit(exit::TRACE)?;
        understood(opened, &self.trace)
    }
}

/// Whether a folder that was named holds a session.
///
/// # Errors
/// A usage failure when it does not.
pub(crate) fn check_rings(folder: &Path) -> Result<(), Failure> {
    if folder.join(session::FILE).exists() {
        return Ok(());
    }
    Err(Failure::message(exit::USAGE, format!("--rings: {} holds no session", folder.display())))
}

/// Opens a trace file.
///
/// # Errors
/// With the exit code for traces, and a message that says what is wrong where.
pub(crate) fn trace(path: &Path) -> Result<Trace, Failure> {
    // The error names the file.
    let trace = Trace::open(path).context("cannot read the trace").or_exit(exit::TRACE)?;
    understood(trace, path)
}

fn understood(trace: Trace, path: &Path) -> Result<Trace, Failure> {
    let known = schema::check(api::model(), trace.schema());
    known.with_context(|| format!("cannot read the trace {}", path.display())).or_exit(exit::TRACE)?;
    Ok(trace)
}
