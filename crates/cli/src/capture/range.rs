//! What of a program is captured: which frames, how many bytes, which processes; and how the library in it is told.
//!
//! Owns the options and their environment. The plan itself is carried out in the program (frames, the trigger file), by the
//! writer (the size) and by [`crate::capture::writer`] (signals).

use crate::launch::signal;
use crate::terminal::exit::{self, Failure};
use reprise_environment::{FrameBoundary, capture as variable};
use reprise_trace::wanted_frames;
use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// When to begin and to end
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "What to capture")]
pub(crate) struct Control {
    /// The frames that are wanted, such as 10-20 or 1,100-105, counted from 1; what they need of earlier frames is in the
    /// trace, too; recording ends with the last one, the program goes on
    #[arg(long, value_name = "FRAMES", value_parser = frames)]
    frames: Option<String>,
    /// When the program has ended well, cut the wanted frames out of the recording, as `reprise trim` does, and keep only them; what
    /// cannot be cut is kept whole, with a message. Of programs with several processes, the first trace is cut
    #[arg(long, requires = "frames", conflicts_with = "flight_recorder")]
    trim: bool,
    /// End the program when the last wanted frame is captured
    #[arg(long)]
    quit_after_capture_frames: bool,
    /// Frames are wanted from this signal to reprise on (USR1, USR2 or HUP) until it comes again
    #[arg(long, value_name = "SIGNAL", value_parser = signal::named, conflicts_with = "frames")]
    trigger_signal: Option<libc::c_int>,
    /// Frames are wanted that begin while this file is there
    #[arg(long, value_name = "FILE", conflicts_with = "frames")]
    trigger_file: Option<PathBuf>,
    /// Capture N frames from the trigger on
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "frames")]
    trigger_frames: Option<u64>,
    /// What ends a frame: present (every present), present=N (presents of the program's N-th swap chain alone, from 1), submissions
    /// (every ExecuteCommandLists, for programs that show nothing), or marker=REGEX (the program's own BeginEvent and SetMarker of PIX
    /// whose text matches: one on a queue at once, one in a list with the submission that runs the list)
    #[arg(long, value_name = "WHAT", value_parser = FrameBoundary::named, default_value_t)]
    frame_boundary: FrameBoundary,
    /// The trace ends before it is larger than this, such as 500M or 2G; the program goes on
    #[arg(long, value_name = "BYTES", value_parser = size)]
    max_size: Option<u64>,
    /// Keep the last frames only, 60 unless stated, and of those before what is still there; write them when a device is removed, the
    /// program crashes, fails or is killed, or at a trigger (--trigger-signal, --trigger-file), each time into a file of its own
    #[arg(
        long,
        value_name = "FRAMES",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "60",
        value_parser = clap::value_parser!(u32).range(1..),
        conflicts_with_all = ["frames", "trigger_frames", "max_size", "quit_after_capture_frames"]
    )]
    flight_recorder: Option<u32>,
    /// Bytes on the disk that the last frames may take; where they need more, fewer are kept
    #[arg(long, value_name = "BYTES", value_parser = size, default_value = "1G", requires = "flight_recorder")]
    flight_size: u64,
    /// Write the last frames at the program's end, too, where it ended well
    #[arg(long, requires = "flight_recorder")]
    flight_at_end: bool,
    /// Report a hang when for so many seconds no frame ends, no fence rises, and no call does more than ask: the flight recorder writes;
    /// without it the recording ends. With --markers state more than 2: they are read when nothing has moved for two seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    hang_after: Option<u64>,
    /// Which of the program's processes are captured: all, each into a trace of its own, or none besides the first
    #[arg(long, value_name = "WHICH", value_parser = variable::WHICH_CHILDREN, default_value = variable::ALL)]
    children: String,
    /// Capture only processes of this name: the file name of the executable, or of its first argument
    #[arg(long, value_name = "NAME")]
    process_name: Option<OsString>,
}

impl Control {
    /// What the library in the program reads.
    ///
    /// # Errors
    /// A usage failure where options do not go together.
    pub(crate) fn environment(&self) -> Result<Vec<(&'static str, OsString)>, Failure> {
        if self.trigger_frames.is_some() && !self.has_trigger() {
            let message = "--trigger-frames counts from a trigger: add --trigger-signal or --trigger-file";
            return Err(Failure::message(exit::USAGE, message));
        }
        if self.quit_after_capture_frames && self.frames.is_none() && !self.has_trigger() {
            let message = "--quit-after-capture-frames needs --frames or a trigger: nothing else says when";
            return Err(Failure::message(exit::USAGE, message));
        }
        if self.trim && self.trimmed().is_none() {
            let message = "--trim cuts out one range of frames, such as --frames 100-110";
            return Err(Failure::message(exit::USAGE, message));
        }
        let mut environment = vec![(variable::FRAME_BOUNDARY, OsString::from(self.frame_boundary.to_string()))];
        let mut put = |name, value: Option<OsString>| environment.extend(value.map(|value| (name, value)));
        put(variable::FRAMES, self.frames.as_ref().map(OsString::from));
        // The flight recorder's triggers are for the writer.
        if self.flight_recorder.is_none() {
            put(variable::TRIGGER, self.trigger_signal.map(|_| "1".into()));
            put(variable::TRIGGER_FILE, self.trigger_file().map(PathBuf::into_os_string));
        }
        put(variable::TRIGGER_FRAMES, self.trigger_frames.map(|frames| frames.to_string().into()));
        put(variable::CHILDREN, Some(OsString::from(&self.children)));
        put(variable::LAUNCHER, Some(std::process::id().to_string().into()));
        put(variable::PROCESS_NAME, self.process_name.clone());
        Ok(environment)
    }

    /// Refuses hashes of what presents show where no present ends a frame.
    ///
    /// # Errors
    /// A usage failure.
    pub(crate) fn presents_frames(&self) -> Result<(), Failure> {
        match &self.frame_boundary {
            FrameBoundary::Presents | FrameBoundary::SwapChain(_) => Ok(()),
            other => Err(Failure::message(
                exit::USAGE,
                format!(
                    "--frame-hashes hashes what presents show, and with --frame-boundary {other} none ends a frame: leave one out"
                ),
            )),
        }
    }

    /// The frames that are cut out of the recording in the end.
    pub(crate) fn trimmed(&self) -> Option<RangeInclusive<u32>> {
        let ranges = wanted_frames::ranges(self.frames.as_deref().filter(|_| self.trim)?).ok()?;
        let [range] = &ranges[..] else { return None };
        Some(u32::try_from(*range.start()).ok()?..=u32::try_from(*range.end()).unwrap_or(u32::MAX))
    }

    fn has_trigger(&self) -> bool {
        self.trigger_signal.is_some() || self.trigger_file.is_some()
    }

    /// Whether only some frames are wanted.
    pub(crate) fn has_plan(&self) -> bool {
        self.frames.is_some() || (self.has_trigger() && self.flight_recorder.is_none())
    }

    /// The file whose appearance is a trigger; the program may be in another folder by then.
    fn trigger_file(&self) -> Option<PathBuf> {
        self.trigger_file.as_ref().map(|file| std::path::absolute(file).unwrap_or(file.clone()))
    }

    /// Whether the last frames only are kept.
    pub(crate) fn is_flight(&self) -> bool {
        self.flight_recorder.is_some()
    }

    /// What a writer is told of all this.
    pub(crate) fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        let mut put = |name: &str, value: OsString| words.extend([name.into(), value]);
        if let Some(bytes) = self.max_size {
            put("--max-size", bytes.to_string().into());
        }
        if let Some(seconds) = self.hang_after {
            put("--hang-after", seconds.to_string().into());
        }
        if let Some(frames) = self.flight_recorder {
            put("--flight-frames", frames.to_string().into());
            put("--flight-size", self.flight_size.to_string().into());
            if let Some(file) = self.trigger_file() {
                put("--flight-trigger", file.into());
            }
            if self.flight_at_end {
                words.push("--flight-at-end".into());
            }
        }
        words
    }

    /// The signal that begins and ends what is wanted.
    pub(crate) fn signal(&self) -> Option<libc::c_int> {
        self.trigger_signal
    }

    /// Whether the program is to be ended with the recording.
    pub(crate) fn quits(&self) -> bool {
        self.quit_after_capture_frames
    }

    /// The name that a process must have to be captured.
    pub(crate) fn process_name(&self) -> Option<&OsString> {
        self.process_name.as_ref()
    }
}

/// What the library in the program will understand.
fn frames(text: &str) -> Result<String, String> {
    wanted_frames::ranges(text).map(|_| text.to_owned())
}

/// Bytes, or with K, M or G.
pub(crate) fn bytes(text: &str) -> Option<u64> {
    let (digits, unit) = match text.char_indices().next_back()? {
        (at, 'K' | 'k') => (&text[..at], 1 << 10),
        (at, 'M' | 'm') => (&text[..at], 1 << 20),
        (at, 'G' | 'g') => (&text[..at], 1 << 30),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

fn size(text: &str) -> Result<u64, String> {
    let least = reprise_trace::writer_process::MIN_LIMIT;
    bytes(text)
        .filter(|bytes| *bytes >= least)
        .ok_or_else(|| "must be a size from 4M on, such as 500M or 2G".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("2G"), Some(2 << 30));
        assert_eq!(bytes("512k"), Some(512 << 10));
        assert_eq!(bytes("7"), Some(7));
        for wrong in ["", "G", "1T", "-1", "1.5G", "99999999999999999999G"] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
        assert!(size("3M").is_err());
        assert_eq!(size("4M"), Ok(4 << 20));
    }
}
