//! `reprise verify --control`: plays a trace with a change that must show, and says what of it the comparison notices.

use super::Arguments;
use super::against::side_arguments;
use crate::child_replay::process::{Around, ChildReplay};
use crate::control::{self, Outcome, Things};
use crate::terminal::exit::Failure;
use reprise_replay::{Control, FrameLine, Read, Report};

/// Keeps what the program reads back, where it is what it was at capture.
pub(super) fn keep(things: &mut Things, read: &Read) {
    for (thing, hash) in control::of_read(read) {
        match read.differs {
            true => things.remove(&thing),
            false => things.insert(thing, hash),
        };
    }
}

/// All that was compared and is equal: frames, and `reads`.
pub(super) fn things(expected: &[FrameLine], report: &Report, reads: Things) -> Things {
    let frames = report.hash_lines_for(expected).into_iter().filter(|line| expected.contains(line));
    frames.map(|line| control::of_frame(line.frame, line.hash)).chain(reads).collect()
}

/// Plays with each change, in processes of their own: a runtime that crashes ends nothing else.
pub(super) fn run(arguments: &Arguments, runtime: Option<&str>, things: Things) -> Outcome {
    control::run(things, |change| played(arguments, runtime, change).map_err(|failure| failure.to_string()))
}

fn played(arguments: &Arguments, runtime: Option<&str>, change: Control) -> Result<Things, Failure> {
    let mut words = vec!["--reads".into(), "--control".into(), change.name().into()];
    words.extend(side_arguments(arguments, runtime));
    let mut replay = ChildReplay::start(runtime.unwrap_or("this runtime").to_owned(), words, Around::default())?;
    let mut shown = Things::new();
    while let Some(message) = replay.message()? {
        shown.extend(control::of_message(&message));
    }
    Ok(shown)
}
