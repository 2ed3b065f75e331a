//! `capture --trim`: what stands before the wanted frames is cut off each trace once the program has ended.
//!
//! Invariant: a trace is replaced only by a whole part of it; where it cannot be cut, it stays as it was recorded, and a message says why.

use crate::capture::writer::Finished;
use crate::terminal::exit::{self, Failure};
use crate::terminal::output;
use std::process::{Command, Stdio};

/// Frames that alone are to stay, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    first: u64,
    last: u64,
}

impl Range {
    /// The range that `--frames` names.
    ///
    /// # Errors
    /// A usage failure: it names more than one.
    pub(crate) fn of(frames: &str) -> Result<Range, Failure> {
        let (first, last) = frames.split_once('-').unwrap_or((frames, frames));
        match (first.trim().parse(), last.trim().parse()) {
            (Ok(first), Ok(last)) => Ok(Range { first, last }),
            _ => Err(Failure::message(
                exit::USAGE,
                format!(
                    "--trim cuts one range out, and --frames names {frames}: capture without --trim, then use `reprise trim`"
                ),
            )),
        }
    }
}

/// Cuts the frames out of a trace, in a process of its own: it plays the trace, and a driver may crash.
///
/// # Errors
/// It cannot be cut, for a reason that the process has printed.
pub(crate) fn cut(trace: &Finished, range: Range, quiet: bool) -> Result<(), Failure> {
    let part = trace.path.with_extension("part.reprise");
    let kept = |why: String| {
        let _ = std::fs::remove_file(&part);
        let message = format!("--trim: {why}; the whole recording is kept: {}", trace.path.display());
        Err(Failure::message(exit::CAPTURE, message))
    };
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return kept(format!("cannot find reprise itself: {error}")),
    };
    // The program may have ended before the last wanted frame.
    let Range { first, last } = range;
    if trace.frames < first {
        // That none is wanted has been said.
        return Ok(());
    }
    let frames = format!("{first}-{}", last.min(trace.frames).max(first));
    let mut command = Command::new(program);
    command.args(["trim", "--quiet", "--frames", &frames, "--output"]).arg(&part).arg("--").arg(&trace.path);
    match command.stdin(Stdio::null()).status() {
        Ok(status) if status.success() => {}
        Ok(status) => return kept(format!("cutting ended with {status}, see above")),
        Err(error) => return kept(format!("cannot run reprise trim: {error}")),
    }
    let bytes = std::fs::metadata(&part).map_or(0, |file| file.len());
    if let Err(error) = std::fs::rename(&part, &trace.path) {
        return kept(format!("cannot replace it by its part: {error}"));
    }
    if !quiet {
        let (bytes, of) = (output::bytes(bytes), output::bytes(trace.bytes));
        reprise_log::info(format_args!("{}: frames {frames} alone, {bytes} of {of}", trace.path.display()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_one() {
        let range =
            |text| Range::of(text).map(|Range { first, last }| (first, last)).map_err(|failure| failure.to_string());
        assert_eq!(range("7"), Ok((7, 7)));
        assert_eq!(range("7-12"), Ok((7, 12)));
        for several in ["1,7", "1-2,7", "7-12,14-15"] {
            assert!(range(several).is_err_and(|error| error.contains("reprise trim")), "{several}");
        }
    }
}
