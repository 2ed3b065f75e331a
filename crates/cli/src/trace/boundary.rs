//! `--frame-boundary` of commands that read a trace.

use crate::terminal::exit::{self, Failure};
use reprise_timeline::frames::{self, FrameBoundary, NoFrames};
use reprise_trace::read::{Ends, Trace};
use reprise_view::damage::Met;
use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;

/// What ends a frame, where the user says it.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Boundary {
    /// What ends a frame, whatever did when the trace was recorded: present, present=N, submissions or marker=REGEX, as for `reprise capture`
    /// [default: as recorded; submissions, where nothing ended a frame]
    #[arg(long, value_name = "WHAT", value_parser = FrameBoundary::named)]
    frame_boundary: Option<FrameBoundary>,
    /// Looked for once, however often the trace is opened.
    #[arg(skip)]
    ends: OnceLock<Option<Ends>>,
}

impl Boundary {
    /// Has the frames of a trace that was just opened end there.
    ///
    /// # Errors
    /// A usage failure where nothing in it ends such a frame; with the exit code for traces, where it cannot be read.
    pub(crate) fn apply(&self, trace: &Trace, file: &Path) -> Result<(), Failure> {
        let Some(boundary) = &self.frame_boundary else { return Ok(()) };
        if let Some(ends) = self.ends.get() {
            ends.iter().for_each(|ends| _ = trace.end_frames(ends.clone()));
            return Ok(());
        }
        if let Err(error) = frames::end_by(trace, boundary) {
            let is_nothing = matches!(error, NoFrames::Nothing(_));
            if is_nothing {
                // What would end a frame may be in what cannot be read.
                Met::of(trace).sound(file)?;
            }
            let code = if is_nothing { exit::USAGE } else { exit::TRACE };
            return Err(Failure::message(code, format!("{}: --frame-boundary {error}", file.display())));
        }
        _ = self.ends.set(trace.chosen_ends().cloned());
        Ok(())
    }

    /// What it says, if anything.
    pub(crate) fn given(&self) -> Option<&FrameBoundary> {
        self.frame_boundary.as_ref()
    }

    /// Forgets where frames end: the trace is another one now.
    pub(crate) fn look_again(&mut self) {
        self.ends = OnceLock::new();
    }

    /// For a process that reads the trace, too.
    pub(crate) fn words(&self) -> Vec<OsString> {
        self.frame_boundary
            .iter()
            .flat_map(|boundary| ["--frame-boundary".into(), boundary.to_string().into()])
            .collect()
    }
}
