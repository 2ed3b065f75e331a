//! What became of a recording: the closing line of a capture, and whether it lost anything.

use crate::terminal::exit;
use crate::terminal::output;
use reprise_trace::read::Trace;
use reprise_trace::wanted_frames::StopReason;
#[cfg(unix)]
use reprise_trace::wanted_frames::WantedFrames;
use std::path::PathBuf;

/// A finished trace.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) path: PathBuf,
    pub(crate) frames: u64,
    pub(crate) calls: u64,
    pub(crate) bytes: u64,
    gaps: u64,
    /// Why it ended before the program did, where the user asked for that.
    pub(crate) stopped: Option<StopReason>,
    /// What of the recording is lost, and why.
    pub(crate) loss: Option<String>,
    /// Calls that the program made, where the trace has fewer.
    made: Option<u64>,
}

impl Finished {
    /// Of a trace of these frames, calls, bytes and gaps, stopped for this reason (0 for none), which says itself what it lacks.
    pub(crate) fn of(path: PathBuf, [frames, calls, bytes, gaps, stopped]: [u64; 5]) -> Finished {
        let trace = Trace::open(&path).ok();
        let loss = trace.as_ref().and_then(|trace| trace.loss().map(str::to_owned));
        let made = trace.as_ref().and_then(|trace| trace.statistics().calls_made);
        let stopped = StopReason::from_u32(u32::try_from(stopped).unwrap_or(0));
        Finished { path, frames, calls, bytes, gaps, stopped, loss, made }
    }

    /// Whether the trace says that some of its frames are wanted.
    #[cfg(unix)]
    pub(crate) fn has_wanted_frames(&self) -> bool {
        Trace::open(&self.path).is_ok_and(|trace| WantedFrames::of(trace.meta()).is_some())
    }

    /// The closing line: what is missing is told in any case.
    pub(crate) fn tell(&self, quiet: bool) {
        let frames = output::plural(self.frames, "frame");
        let calls = match self.made {
            None => output::plural(self.calls, "call"),
            Some(made) => format!("{} of {}", self.calls, output::plural(made, "call")),
        };
        let size = output::bytes(self.bytes);
        let because = self.stopped.map(|reason| format!("; ended because {}", because(reason))).unwrap_or_default();
        let told = format!("{}: {frames}, {calls}, {size}{because}", self.path.display());
        let gaps = output::plural(self.gaps, "gap");
        match &self.loss {
            Some(loss) => reprise_log::error(format_args!("{told}; not complete: {loss}")),
            None if self.gaps > 0 => {
                reprise_log::warning(format_args!("{told}; {gaps} (reprise info names what is missing)"));
            }
            None if quiet => {}
            None => reprise_log::info(told),
        }
    }
}

/// The exit code of a capture whose program ended with `code`: its own, unless that hides a loss.
pub(crate) fn code(code: u8, is_lost: bool) -> u8 {
    if is_lost && code == 0 { exit::CAPTURE } else { code }
}

/// Why the user's orders ended a recording.
pub(crate) fn because(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Frames => "the last wanted frame is captured",
        StopReason::Trigger => "the trigger ended it",
        StopReason::Size => "it has the size that was asked for (--max-size)",
        StopReason::Hang => "nothing moved any more (--hang-after); `reprise diagnose` tells where it stands",
    }
}
