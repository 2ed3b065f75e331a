//! The options that measure a range of frames, and the file that says what was measured.

use crate::terminal::exit::{self, Failure, OrExit};
use crate::terminal::whole_file;
use anyhow::{Context, anyhow};
use reprise_replay::{Measure, MeasureRange, Measured, Report};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Which frames are measured, and where to.
#[derive(Debug, clap::Args)]
pub(crate) struct Measuring {
    /// Measure frames A up to, and without, B: time, frames a second, time of processors. Writing pictures, hashes and pauses
    /// are measured, too
    #[arg(long = "measurement-frame-range", visible_alias = "mfr", value_name = "A-B", id = "measured")]
    range: Option<MeasureRange>,
    /// Write what was measured to this file, as JSON
    #[arg(long = "measurement-file", value_name = "FILE", requires = "measured")]
    file: Option<PathBuf>,
    /// Stop after the last frame measured
    #[arg(long = "quit-after-measurement-range", requires = "measured")]
    quit: bool,
    /// Let the GPU finish before the first frame measured begins and before the last one ends
    #[arg(long = "flush-measurement-range", requires = "measured")]
    flush: bool,
}

impl Measuring {
    /// The file to write.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// As replay takes it.
    pub(crate) fn measure(&self) -> Option<Measure> {
        self.range.map(|range| Measure { range, quit: self.quit, flush: self.flush })
    }

    /// Writes the file that was asked for.
    ///
    /// # Errors
    /// No frame was measured, or the file cannot be written.
    pub(crate) fn write(&self, report: &Report) -> Result<(), Failure> {
        let Some(range) = self.range else { return Ok(()) };
        let measured = report.measured.as_ref().ok_or_else(|| {
            anyhow!("nothing was measured: the replay ended with frame {}, before {range}", report.frames.len())
        });
        let measured = measured.or_exit(exit::FAILED)?;
        let Some(path) = &self.file else { return Ok(()) };
        let text = format!("{:#}\n", as_json(measured));
        whole_file::write(path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))
            .or_exit(exit::FAILED)
    }
}

/// What was measured, for programs; times are in seconds.
pub(crate) fn as_json(measured: &Measured) -> Value {
    json!({
        "frame_range": {
            "start_frame": measured.range.start,
            "end_frame": measured.range.end,
            "frame_count": measured.frames.len(),
            "fps": measured.rate(),
        },
        "seconds": measured.total.as_secs_f64(),
        "cpu_seconds": measured.processor.map(|time| time.as_secs_f64()),
        "frame_seconds": measured.frames.iter().map(std::time::Duration::as_secs_f64).collect::<Vec<_>>(),
    })
}

/// The same for people.
pub(crate) fn in_words(measured: &Measured) -> String {
    let processor = measured.processor.map(|time| format!(", {:.3} s of processor time", time.as_secs_f64()));
    format!(
        "frames {} to {}: {:.3} s, {:.1} frames a second{}",
        measured.range.start,
        measured.range.end - 1,
        measured.total.as_secs_f64(),
        measured.rate(),
        processor.unwrap_or_default(),
    )
}
