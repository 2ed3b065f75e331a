//! Notes of a trace that go along to one that is made out of it.
//!
//! Invariant: what could keep them from being written is refused before the new trace is written, and notes that are there already are replaced only
//! where that is asked for, and by notes.

use crate::terminal::exit::{self, Failure};
use crate::terminal::output::plural;
use crate::terminal::place;
use crate::trace::open;
use reprise_timeline::index::{Chronicle, Index};
use reprise_trace::read::Trace;
use reprise_trace::rewriter::Numbers;
use reprise_view::notes::{self, Note};
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Notes on their way.
pub(crate) struct Carried {
    notes: Vec<Note>,
    beside: PathBuf,
    quiet: bool,
}

impl Carried {
    /// The notes of a trace that is read, for one that will be written.
    ///
    /// # Errors
    /// A usage failure where their place is taken.
    pub(crate) fn of(
        source: &Path,
        trace: &Trace,
        output: &Path,
        force: bool,
        quiet: bool,
    ) -> Result<Carried, Failure> {
        let none = |why: &dyn Display| {
            reprise_log::warning(format_args!("no notes are taken along: {why}"));
            Vec::new()
        };
        let mut all = notes::read(&notes::beside(source), trace).unwrap_or_else(|error| none(&error));
        let beside = notes::beside(output);
        if !all.is_empty() {
            if std::fs::metadata(output).is_ok_and(|there| !there.is_file()) {
                all = none(&format_args!("{} is no file that they could stand beside", output.display()));
            } else {
                notes::is_there(&beside).map_err(|error| Failure::message(exit::USAGE, error))?;
                place::free(&beside, force)?;
            }
        }
        Ok(Carried { notes: all, beside, quiet })
    }

    /// Writes those that are about what the new trace has beside it; how many these are. `frame` says what a frame became; where nothing ended
    /// frames, submissions stand for them, and calls say what these became.
    ///
    /// # Errors
    /// The new trace cannot be read, or the notes cannot be written.
    pub(crate) fn put(
        self,
        whole: &Trace,
        output: &Path,
        numbers: &Numbers,
        frame: impl Fn(u64) -> Option<u64>,
    ) -> Result<usize, Failure> {
        let Carried { notes, beside, quiet } = self;
        let mut kept = Vec::new();
        if !notes.is_empty() {
            let part = open::Source::new(output.to_owned(), None).open()?;
            let by_submissions = whole.statistics().frames == 0 && notes.iter().any(|note| note.frame.is_some());
            let there = if by_submissions { chronicle(whole)? } else { Chronicle::default() };
            let needs = by_submissions || notes.iter().any(|note| note.object.is_some());
            let here = if needs { chronicle(&part)? } else { Chronicle::default() };
            let frame = |old: u64| {
                if !by_submissions {
                    return frame(old);
                }
                let place = usize::try_from(old.checked_sub(1)?).ok()?;
                let call = numbers.of(there.submissions.get(place)?.call)?;
                Some(here.submissions.iter().position(|submission| submission.call == call)? as u64 + 1)
            };
            let lost;
            (kept, lost) = notes::moved(notes, |call| numbers.of(call), frame, |object| here.life(object).is_some());
            if lost > 0 && !quiet {
                let (count, are) = (plural(lost as u64, "note"), if lost == 1 { "is" } else { "are" });
                reprise_log::info(format_args!("{count} about what is not in the new trace {are} left out"));
            }
            if !kept.is_empty() {
                let kept = notes::replace(&beside, &part, kept);
                return kept.map(|kept| kept.len()).map_err(|error| Failure::message(exit::FAILED, error));
            }
        }
        if beside.exists() && !quiet {
            reprise_log::warning(format_args!(
                "{} is left as it is: it has no notes of the new trace",
                beside.display()
            ));
        }
        Ok(kept.len())
    }
}

fn chronicle(trace: &Trace) -> Result<Chronicle, Failure> {
    let index = Index::open(trace, None, &mut |_| {}).map_err(|error| Failure::message(exit::TRACE, error))?;
    Ok(index.chronicle().clone())
}
