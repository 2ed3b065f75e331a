//! Opens a trace for reading.
//!
//! Invariant: what is opened here is understood by the tables in use ([`api::model`]).

use crate::terminal::exit::{self, Failure, OrExit};
use crate::terminal::output;
use crate::terminal::progress::Progress;
use crate::trace::api;
use anyhow::Context;
use reprise_codec::schema::{self, SchemaError};
use reprise_trace::read::{Checked, Event, Trace};
use reprise_trace::session;
use std::os::unix::fs::MetadataExt;
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
    /// Opens it to be played: its model must be ours.
    ///
    /// # Errors
    /// With the exit code for traces, and a message that says what is wrong where; a usage failure when there are no
    /// rings where they were said to be.
    pub(crate) fn open(&self) -> Result<Trace, Failure> {
        let trace = self.any()?;
        let known = schema::check(api::model(), trace.schema());
        known.with_context(|| self.cannot()).or_exit(exit::TRACE)?;
        Ok(trace)
    }

    /// Opens it to be looked at, not played: where its model is not ours, it is read with the one it carries.
    ///
    /// # Errors
    /// As [`Source::open`], but not for another model.
    pub(crate) fn look(&self) -> Result<Trace, Failure> {
        let trace = self.any()?;
        match schema::check(api::model(), trace.schema()) {
            Err(SchemaError::Differs { .. }) => {
                let theirs = schema::model(trace.schema());
                api::set_model(theirs.with_context(|| self.cannot()).or_exit(exit::TRACE)?);
            }
            known => known.with_context(|| self.cannot()).or_exit(exit::TRACE)?,
        }
        Ok(trace)
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
        let file = |path: &Path| std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()));
        match (file(&self.trace), file(output)) {
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
