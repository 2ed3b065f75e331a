//! Opens a trace for reading.
//!
//! Invariant: the calls of what is opened here are in the tables in use ([`api::tables`]).

use crate::terminal::exit::{self, Failure, OrExit};
use crate::terminal::progress::Progress;
use crate::terminal::{identity, output};
use crate::trace::api;
use anyhow::Context;
use reprise_codec::translate::{self, Translation};
use reprise_trace::read::{Checked, Event, Trace};
use reprise_trace::session;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    /// Opens it. Its calls are given in today's numbers and layouts, also where another build recorded them. Those that today's
    /// model does not have are shown by the trace's own ([`api::tables`]).
    ///
    /// # Errors
    /// With the exit code for traces, and a message that says what is wrong where; a usage failure when there are no
    /// rings where they were said to be.
    pub(crate) fn open(&self) -> Result<Trace, Failure> {
        Ok(self.open_translated()?.0)
    }

    /// As [`Source::open`], with what is made of a trace that another build recorded.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub(crate) fn open_translated(&self) -> Result<(Trace, Option<Arc<Translation>>), Failure> {
        let trace = self.any()?;
        let translation = translate::attach(&trace, api::tables());
        let translation = translation.with_context(|| self.cannot()).or_exit(exit::TRACE)?;
        if let Some(translation) = &translation {
            api::set_tables(translation.extended());
        }
        Ok((trace, translation))
    }

    /// Reads and checks all of it, gives every event to `each`, and says on a terminal how far it is. The trace knows afterwards
    /// what is damaged.
    ///
    /// # Errors
    /// With the exit code for traces, when the file cannot be read.
    pub(crate) fn check(&self, trace: &Trace, each: impl FnMut(&Event<'_>)) -> Result<(), Failure> {
        let mut progress = Progress::new("checking");
        let show = |checked: Checked| {
            progress.show(|| format!("{} of {}", output::bytes(checked.bytes), output::bytes(checked.of)));
        };
        trace.check(each, show).with_context(|| self.trace.display().to_string()).or_exit(exit::TRACE)
    }

    /// Refuses a file to write that is the trace itself, under whatever name.
    ///
    /// # Errors
    /// A usage failure when it is.
    pub(crate) fn spare(&self, output: &Path) -> Result<(), Failure> {
        match (identity::of(&self.trace), identity::of(output)) {
            (Some(trace), Some(output)) if trace == output => {
                let message = format!("{} is the trace that is read: name another file to write", self.trace.display());
                Err(Failure::message(exit::USAGE, message))
            }
            _ => Ok(()),
        }
    }

    fn cannot(&self) -> String {
        format!("cannot read the trace {}", self.trace.display())
    }

    fn any(&self) -> Result<Trace, Failure> {
        let opened = match &self.rings {
            Some(rings) => {
                check_rings(rings)?;
                Trace::open_with_rings(&self.trace, rings)
            }
            None => Trace::open(&self.trace),
        };
        // The error names the file.
        opened.context("cannot read the trace").or_exit(exit::TRACE)
    }
}

/// The fingerprint of the model that a trace was recorded with; without a schema of its own it must be one that this build knows.
///
/// # Errors
/// With the exit code for traces when it is not, or the trace cannot be opened.
pub(crate) fn check_build(trace: &Path, rings: Option<&Path>) -> Result<u64, Failure> {
    let source = Source { rings: rings.map(Path::to_path_buf), trace: trace.to_path_buf() };
    let trace = source.any()?;
    if trace.schema().is_empty() {
        translate::attach(&trace, api::tables()).with_context(|| source.cannot()).or_exit(exit::TRACE)?;
    }
    Ok(trace.api().1)
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
