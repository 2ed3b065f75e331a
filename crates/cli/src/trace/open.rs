//! Which trace, as the command line says it.

use crate::terminal::exit::{self, Failure, OrExit};
use crate::terminal::place;
use crate::terminal::progress::Progress;
use crate::terminal::{identity, output};
use crate::trace::boundary::Boundary;
use anyhow::Context;
use reprise_codec::translate::Translation;
use reprise_trace::read::{Checked, Event, Trace};
use reprise_view::damage::Met;
use reprise_view::open;
use reprise_view::summary::info;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Which trace, and where the rest of it is.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Source {
    /// The folder with the rings of a capture whose writer died [default: TRACE.rings, if it is there]
    #[arg(long, value_name = "DIR")]
    pub(crate) rings: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) boundary: Boundary,
    /// The trace
    #[arg(value_name = "TRACE")]
    pub(crate) trace: PathBuf,
    /// Files that are read beside it, or that it was made of: nothing may be written to them either.
    #[arg(skip)]
    pub(crate) others: Vec<PathBuf>,
}

impl Source {
    /// A trace alone.
    pub(crate) fn new(trace: PathBuf, rings: Option<PathBuf>) -> Source {
        Source { rings, trace, boundary: Boundary::default(), others: Vec::new() }
    }

    /// The same with frames that end where the user says.
    pub(crate) fn by(self, boundary: &Boundary) -> Source {
        Source { boundary: boundary.clone(), ..self }
    }

    /// Files that are read: nothing may be written to them.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.trace).chain(&self.others).map(PathBuf::as_path)
    }

    /// Opens it. Its calls are given in today's numbers and layouts, also where another build recorded them. Those that today's
    /// model does not have are shown by the trace's own ([`reprise_view::api::tables`]).
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
        let opened = open::open(&self.trace, self.rings.as_deref())?;
        self.boundary.apply(&opened.0, &self.trace)?;
        Ok(opened)
    }

    /// As [`Source::open`], for commands that give totals: says on standard error that they are of a part, where they are.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub(crate) fn open_to_count(&self) -> Result<Trace, Failure> {
        let trace = self.open()?;
        if let Some(part) = info::part(&trace) {
            reprise_log::warning(format_args!("{}: {part}", self.trace.display()));
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
            let state = || format!("{} of {}", output::bytes(checked.bytes), output::bytes(checked.of));
            progress.show_part(checked.bytes, checked.of, state);
        };
        trace.check(each, show).with_context(|| self.trace.display().to_string()).or_exit(exit::TRACE)
    }

    /// Refuses a frame behind the last one. All of a trace without frames and submissions is frame 1.
    ///
    /// # Errors
    /// A usage failure, or what is damaged: the frame may be in what cannot be read.
    pub(crate) fn has_frame(&self, trace: &Trace, frame: u64) -> Result<(), Failure> {
        let frames = u64::from(trace.frame_count());
        if frame <= frames.max(1) {
            return Ok(());
        }
        Met::of(trace).sound(&self.trace)?;
        let hint = match (trace.chosen_ends(), trace.is_by_submissions()) {
            (Some(ends), _) => format!(", as --frame-boundary {} ends them", ends.by),
            (None, true) => {
                ", which are submissions, because nothing ended a frame; --frame-boundary names what ends one"
                    .to_owned()
            }
            (None, false) => String::new(),
        };
        let behind = match frame == frames + 1 {
            true => format!("; what follows the end of frame {frames} is of no frame"),
            false => String::new(),
        };
        Err(Failure::message(exit::USAGE, format!("there is no frame {frame}: the trace has {frames}{hint}{behind}")))
    }

    /// Refuses a file to write that is the trace itself or another one that is read, under whatever name, or none.
    ///
    /// # Errors
    /// A usage failure when it is.
    pub(crate) fn spare(&self, output: &Path) -> Result<(), Failure> {
        place::named(output)?;
        let there = identity::of(output);
        let Some(read) = self.files().find(|file| there.is_some() && identity::of(file) == there) else {
            return Ok(());
        };
        let what = match read == self.trace {
            true => "the trace",
            false => "a file",
        };
        let message = format!("{} is {what} that is read: name another file to write", read.display());
        Err(Failure::message(exit::USAGE, message))
    }

    /// The same for several files, which must be different ones, too.
    ///
    /// # Errors
    /// A usage failure when one is the trace, or two are one.
    pub(crate) fn spare_all<'p>(&self, outputs: impl IntoIterator<Item = &'p Path>) -> Result<(), Failure> {
        let mut names = HashSet::new();
        for output in outputs {
            self.spare(output)?;
            place::apart(&mut names, output)?;
        }
        Ok(())
    }
}
