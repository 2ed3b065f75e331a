//! The end of a capture with `--trim`: the wanted frames are cut out of the recording, and take its place.
//!
//! Invariant: the recording is there until the part is whole: the part replaces it, or it stays as it is.

use crate::terminal::exit::{self, Failure};
use crate::terminal::output;
use anyhow::Context;
use reprise_trace::read::Trace;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::{Command, Stdio};

/// Cuts these frames out of a trace, by a process of its own: contents come from a replay, and a driver may end the process that plays.
/// `runtime` is what `reprise trim --runtime` takes, if anything.
///
/// # Errors
/// The trace cannot be cut there; it is whole then, under its name.
pub(crate) fn cut(
    trace: &Path,
    frames: &RangeInclusive<u32>,
    runtime: Option<&str>,
    quiet: bool,
) -> Result<(), Failure> {
    let kept = || format!("the recording is not trimmed, and is kept whole: {}", trace.display());
    let failed = |error: anyhow::Error| Failure::new(exit::CAPTURE, error.context(kept()));
    let there = Trace::open(trace).context("it cannot be read").map_err(failed)?.statistics().frames;
    // The program may have ended before the last one.
    let last = (*frames.end()).min(there);
    if last < *frames.start() {
        return Err(failed(anyhow::anyhow!("it has {there} frames, and the wanted ones begin later")));
    }
    let part = trace.with_extension("trimming");
    let own = std::env::current_exe().context("cannot find the program itself").map_err(failed)?;
    let mut command = Command::new(own);
    command
        .args(["trim", "--quiet", "--force", "--frames", &format!("{}-{last}", frames.start()), "--output"])
        .arg(&part)
        .arg(trace);
    if let Some(runtime) = runtime {
        command.args(["--runtime", runtime]);
    }
    let status = command.stdin(Stdio::null()).status().context("cannot begin reprise trim").map_err(failed)?;
    if !status.success() {
        let _ = std::fs::remove_file(&part);
        return Err(failed(anyhow::anyhow!("reprise trim ended with {status}")));
    }
    std::fs::rename(&part, trace).with_context(|| format!("cannot move {} there", part.display())).map_err(failed)?;
    if !quiet {
        let bytes = std::fs::metadata(trace).map_or(0, |file| file.len());
        let (trace, frames) = (trace.display(), format!("{}-{last}", frames.start()));
        reprise_log::info(format_args!("{trace}: trimmed to frames {frames}, {}", output::bytes(bytes)));
    }
    Ok(())
}
