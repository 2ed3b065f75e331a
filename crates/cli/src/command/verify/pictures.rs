//! `reprise verify --pictures`: plays a trace and compares its frames with pictures of another machine, by a tolerance.
//!
//! A trace has hashes of its frames, which tell only whether all bytes are the same. How far another driver is apart, pictures tell.

use super::against::side_arguments;
use super::{Arguments, from_other_driver, of_capture};
use crate::child_replay::picture_pipe::Message;
use crate::child_replay::process::{Around, ChildReplay};
use crate::frame_picture;
use crate::metric::{Measured, Metric};
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::{self, Output};
use anyhow::Context;
use reprise_replay::{Machine, Picture};
use reprise_view::damage::Met;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// So many frames are named, and so many have their pictures written.
const SHOWN: usize = 10;

/// What was found.
#[derive(Default)]
struct Found {
    /// Frames that were compared.
    compared: u64,
    /// Frames of which not every byte is the same.
    unlike: u64,
    /// Frames beyond the tolerance, and what is said of each.
    beyond: Vec<(u64, String)>,
    worst: Option<Worst>,
    /// Read-backs that were compared, and those that differ by more than is allowed.
    reads: u64,
    different_reads: u64,
}

/// The frame that is furthest apart.
struct Worst {
    frame: u64,
    measured: Measured,
    pictures: [Picture; 2],
    /// Where its pictures were written.
    written: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, folder: &Path) -> Ended {
    let trace = arguments.source.open()?;
    let damage = Met::of(&trace);
    let recorded = Machine::recorded(trace.meta());
    let runtime = arguments.runtime.name().map(str::to_owned);
    let runtime = runtime.or_else(|| if arguments.gpu.is_some() { None } else { of_capture(&trace) });
    drop(trace);
    let mut frames = frames(folder)?;
    let mut words = vec!["--reads".into(), format!("--read-steps={}", arguments.read_steps()).into()];
    words.extend(side_arguments(arguments, runtime.as_deref()));
    let name = runtime.as_deref().unwrap_or("this runtime");
    let mut replay = ChildReplay::start(name.to_owned(), words, Around::default())?;
    let mut found = Found::default();
    while let Some(message) = replay.message()? {
        match message {
            Message::Picture(frame, picture) if frames.remove(&frame) => {
                let golden = frame_picture::read(folder, frame, picture.format);
                let golden = golden.map_err(|what| Failure::message(exit::USAGE, what))?;
                found.compare(arguments, frame, [golden, picture])?;
            }
            Message::Read(read) => {
                found.reads += 1;
                found.different_reads += u64::from(read.differs);
            }
            Message::Picture(..) | Message::End { .. } => {}
        }
    }
    if found.compared == 0 {
        damage.sound(&arguments.source.trace)?;
        let what = format!(
            "{}: no frame of the trace has a picture in {}",
            arguments.source.trace.display(),
            folder.display()
        );
        return Err(Failure::message(exit::USAGE, what));
    }
    found.beyond.extend(frames.iter().map(|frame| (*frame, "the replay does not show it".to_owned())));
    if let (Some(folder), Some(worst)) = (&arguments.difference_dir, &mut found.worst) {
        worst.written = Some(write(folder, worst.frame, &worst.pictures)?);
    }
    let passed = found.beyond.is_empty() && found.different_reads == 0;
    let other = from_other_driver(&recorded, &replay.device);
    let mut output = Output::new();
    let printed = match arguments.json {
        true => output.line(&found.json(arguments, &replay, &recorded, passed).to_string()).map(|_| ()),
        false => found.describe(&mut output, arguments, &replay.runtime, other.as_deref()),
    };
    printed.and_then(|()| output.flush()).context("cannot write to standard output").or_exit(exit::FAILED)?;
    damage.sound(&arguments.source.trace)?;
    Ok(if passed { 0 } else { exit::FAILED })
}

/// The frames of a folder's pictures, `frame_000001.png` for one.
fn frames(folder: &Path) -> Result<BTreeSet<u64>, Failure> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string()).or_exit(exit::USAGE)?;
    let number = |name: &str| name.strip_prefix("frame_")?.strip_suffix(".png")?.parse().ok();
    Ok(entries.flatten().filter_map(|entry| number(entry.file_name().to_str()?)).collect())
}

/// Writes both pictures of a frame and where they differ; the path of the last one.
fn write(folder: &Path, frame: u64, [expected, shown]: &[Picture; 2]) -> Result<PathBuf, Failure> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string()).or_exit(exit::FAILED)?;
    let path = |what: &str| folder.join(format!("frame_{frame:06}_{what}.png"));
    expected.write_png(&path("expected")).or_exit(exit::FAILED)?;
    shown.write_png(&path("shown")).or_exit(exit::FAILED)?;
    let difference = path("difference");
    if (expected.width, expected.height) == (shown.width, shown.height) {
        expected.write_difference(shown, &difference).or_exit(exit::FAILED)?;
    }
    Ok(difference)
}

impl Found {
    fn compare(&mut self, arguments: &Arguments, frame: u64, pictures: [Picture; 2]) -> Result<(), Failure> {
        let metric = arguments.metric();
        let [expected, shown] = &pictures;
        let measured = metric.measure(expected, shown, arguments.max_pixels);
        self.compared += 1;
        if measured.is_same {
            return Ok(());
        }
        self.unlike += 1;
        if !measured.passes {
            if let Some(folder) = arguments.difference_dir.as_ref().filter(|_| self.beyond.len() < SHOWN) {
                write(folder, frame, &pictures)?;
            }
            self.beyond.push((frame, measured.said.clone()));
        }
        if self.worst.as_ref().is_none_or(|worst| metric.is_worse(&measured, &worst.measured)) {
            self.worst = Some(Worst { frame, measured, pictures, written: None });
        }
        Ok(())
    }

    fn describe(
        &self,
        output: &mut Output,
        arguments: &Arguments,
        runtime: &str,
        other: Option<&str>,
    ) -> std::io::Result<()> {
        let (metric, frames) = (arguments.metric(), output::plural(self.compared, "frame"));
        let pixels = match arguments.max_pixels {
            0 => String::new(),
            most => format!(" but for {} a frame", output::plural(most, "pixel")),
        };
        let place = if other.is_some() { " on another driver" } else { "" };
        output.line(&match self.beyond.len() as u64 {
            0 if self.unlike == 0 => format!("{frames} equal on {runtime}, pixel for pixel"),
            0 => {
                format!("{frames} equal within {metric}{pixels} on {runtime}{place}; {} not byte for byte", self.unlike)
            }
            count => {
                let verb = output::agree(count, "is", "are");
                format!(
                    "{} {verb} beyond {metric}{pixels} on {runtime}{place}, of {frames}",
                    output::plural(count, "frame")
                )
            }
        })?;
        for (frame, what) in self.beyond.iter().take(SHOWN) {
            output.line(&format!("  frame {frame}: {what}"))?;
        }
        if self.beyond.len() > SHOWN {
            output.line(&format!("  and {} more (--json lists them all)", self.beyond.len() - SHOWN))?;
        }
        if let Some(worst) = &self.worst {
            let written = match &worst.written {
                Some(path) => format!(" ({})", path.display()),
                None => " (--difference-dir DIR writes it)".to_owned(),
            };
            output.line(&format!("  the worst is frame {}: {}{written}", worst.frame, worst.measured.said))?;
        }
        if self.reads > 0 {
            let reads = output::plural(self.reads, "read-back");
            let apart = match arguments.read_steps() {
                0 => "differ",
                _ => "differ by more in texels, or at all elsewhere",
            };
            output.line(&format!("  {} of {reads} {apart}", self.different_reads))?;
        }
        other.map_or(Ok(()), |other| output.line(other).map(|_| ()))
    }

    fn json(&self, arguments: &Arguments, replay: &ChildReplay, recorded: &Machine, passed: bool) -> Json {
        let worst = self.worst.as_ref().map(|worst| {
            json!({
                "frame": worst.frame,
                "value": worst.measured.value,
                "text": worst.measured.said,
                "picture": worst.written.as_ref().map(|path| path.display().to_string()),
            })
        });
        let beyond = self.beyond.iter().map(|(frame, text)| json!({ "frame": frame, "text": text }));
        json!({
            "runtime": replay.runtime,
            "passed": passed,
            "tolerance": arguments.metric().to_string(),
            "max_pixels": arguments.max_pixels,
            "captured_on": recorded.to_string(),
            "played_on": replay.device,
            "other_driver": from_other_driver(recorded, &replay.device).is_some(),
            "frames": self.compared,
            "different_frames": self.unlike,
            "frames_beyond": self.beyond.len(),
            "beyond": beyond.collect::<Vec<_>>(),
            "worst": worst,
            "reads": self.reads,
            "different_reads": self.different_reads,
        })
    }
}

impl Arguments {
    /// How far frames may be apart.
    pub(super) fn metric(&self) -> Metric {
        self.tolerance.unwrap_or(Metric::MaxStep(self.max_step))
    }

    /// How far texels that are read back may be apart: measures of pictures have no steps.
    pub(super) fn read_steps(&self) -> u8 {
        if let Metric::MaxStep(steps) = self.metric() { steps.min(255) as u8 } else { 0 }
    }
}
