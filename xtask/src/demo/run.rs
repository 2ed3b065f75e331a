//! One program's way through the demo: its capture, its replays, and the files that they leave.

use super::Program;
use super::difference::{Differences, POINTS};
use anyhow::{Context, Result, ensure};
use reprise_testing::{Display, missing, program};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A program that does not end by then is ended.
const PATIENCE: Duration = Duration::from_secs(60);
/// The same for a replay.
const REPLAYING: Duration = Duration::from_secs(300);
/// What rounding explains on our runtime, but for a whole edge that moves: docs/measurements.md says where it comes from.
const ROUNDED: [&str; 2] = ["--max-step", "1"];

/// What one run of the frames leaves: its hashes and some of its pictures.
pub(super) struct Frames {
    pub(super) hashes: PathBuf,
    pub(super) pictures: PathBuf,
}

/// The commands for one program.
pub(super) struct Run<'a> {
    reprise: &'a Path,
    program: &'a Program,
    pub(super) trace: PathBuf,
    pub(super) captured: Frames,
    /// Replayed on the library of the capture.
    pub(super) theirs: Frames,
    /// Replayed on our runtime.
    pub(super) ours: Frames,
    /// Both pictures of each frame that is not the same in both replays.
    pub(super) differences: PathBuf,
}

impl<'a> Run<'a> {
    pub(super) fn new(reprise: &'a Path, program: &'a Program, folder: &Path) -> Result<Run<'a>> {
        let frames = |name: &str| Frames { hashes: folder.join(format!("{name}.txt")), pictures: folder.join(name) };
        std::fs::create_dir_all(folder.join("captured"))?;
        Ok(Run {
            reprise,
            program,
            trace: folder.join(format!("{}.reprise", program.name)),
            captured: frames("captured"),
            theirs: frames("libvkd3d"),
            ours: frames("ours"),
            differences: folder.join("differences"),
        })
    }

    fn shown(&self) -> String {
        self.program.shown.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
    }

    /// Captures the program under a virtual display until it is asked to close its window; gives the wall time.
    pub(super) fn capture(&self) -> Result<Duration> {
        let Program { name, running, .. } = self.program;
        let found = missing::program(name, "vkd3d-demos")?;
        let display = Display::start()?;
        println!("demo: {name}: captures it on display {} for {:.1} s", display.name(), running.as_secs_f64());
        let started = Instant::now();
        let mut child = Command::new(self.reprise)
            .args(["capture", "--quiet", "--output"])
            .arg(&self.trace)
            .arg("--frame-hashes")
            .arg(&self.captured.hashes)
            .arg("--")
            .arg(found)
            .env("DISPLAY", display.name())
            // The runtime's remarks about what it does not know are not what this shows.
            .env("VKD3D_DEBUG", "none")
            .env("REPRISE_FRAME_DUMP", format!("{}:{}", self.captured.pictures.display(), self.shown()))
            .stdin(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot run {}", self.reprise.display()))?;
        let appeared = display.wait_for_window(PATIENCE)?;
        if appeared {
            std::thread::sleep(*running);
        }
        display.close_windows()?;
        let (status, timed_out) = program::wait(&mut child, PATIENCE)?;
        ensure!(appeared, "{name} showed no window within {} s", PATIENCE.as_secs());
        ensure!(!timed_out, "{name} did not end within {} s after it was asked to", PATIENCE.as_secs());
        ensure!(status.success(), "reprise capture ended with {status}");
        Ok(started.elapsed())
    }

    /// Replays the trace without a display; gives the wall time.
    pub(super) fn replay(&self, runtime: &str, frames: &Frames) -> Result<Duration> {
        println!("demo: {}: replays it without a display, on {runtime}", self.program.name);
        let mut command = self.command("replay");
        command.args(["--runtime", runtime, "--screenshots", &self.shown()]);
        command.arg("--screenshot-dir").arg(&frames.pictures).arg("--frame-hashes").arg(&frames.hashes);
        let finished = program::run_quietly(command.arg(&self.trace), REPLAYING)?;
        ensure!(finished.status.success(), "reprise replay ended with {}:\n{}", finished.status, finished.errors());
        Ok(finished.elapsed)
    }

    /// Compares the pixels of both replays.
    pub(super) fn compare(&self) -> Result<Differences> {
        let mut command = self.command("verify");
        command.args(["--json", "--against", "vkd3d"]).args(ROUNDED);
        command.args(["--max-pixels", &POINTS.to_string()]);
        command.arg("--difference-dir").arg(&self.differences);
        let finished = program::run_quietly(command.arg(&self.trace), REPLAYING)?;
        // 1: there are more differences than that, which the page is to show.
        let said = matches!(finished.status.code(), Some(0 | 1));
        ensure!(said, "reprise verify ended with {}:\n{}", finished.status, finished.errors());
        Differences::read(&finished.stdout).with_context(|| finished.errors())
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.reprise);
        command.arg(name).env_remove("DISPLAY").env("VKD3D_DEBUG", "none");
        command
    }
}
