//! `cargo xtask demo`: a real program captured and replayed, every frame compared, and a page that shows it.
//!
//! Invariant: ends with an exit code other than 0 when a single frame differs, and leaves everything it made under
//! `target/demo` and nothing elsewhere.

mod figures;
mod page;
mod picture;

use crate::cargo;
use anyhow::{Context, Result, bail, ensure};
use figures::Figures;
use reprise_testing::{Display, artifact, missing, program};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Seconds that the program runs once its window is there.
const RUNNING: Duration = Duration::from_secs(4);
/// The frames that the page shows side by side, as far as the program got.
const SHOWN: &[u64] = &[1, 25, 100, 200, 400, 800];
/// A program that does not end by then is ended.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if let Some(other) = arguments.first() {
        bail!("demo takes no options (got {other:?})");
    }
    crate::setup::run(&[])?;
    let reprise = cargo::release("demo", &["reprise", "reprise-capture"])?.join("reprise");
    let folder = artifact::workspace().join("target/demo");
    fresh(&folder)?;
    let files = Files::in_folder(&folder);
    let captured = capture(&reprise, &files)?;
    let replayed = replay(&reprise, &files)?;
    let figures = Figures::read(&reprise, &files.trace, captured, replayed)?;
    let verdict = Verdict::compare(&files)?;
    let pairs = picture::pairs(&files, SHOWN)?;
    std::fs::write(&files.page, page::html(&figures, &verdict, &pairs)).context("cannot write the page")?;
    println!("demo: {}", figures.line());
    println!("demo: {}", verdict.line());
    println!("demo: {}", files.page.display());
    ensure!(verdict.passed(), "frames differ between capture and replay");
    Ok(())
}

/// Everything the demo leaves behind.
struct Files {
    trace: PathBuf,
    captured_hashes: PathBuf,
    replayed_hashes: PathBuf,
    captured_frames: PathBuf,
    replayed_frames: PathBuf,
    page: PathBuf,
}

impl Files {
    fn in_folder(folder: &Path) -> Files {
        Files {
            trace: folder.join("vkd3d-gears.reprise"),
            captured_hashes: folder.join("captured.txt"),
            replayed_hashes: folder.join("replayed.txt"),
            captured_frames: folder.join("captured"),
            replayed_frames: folder.join("replayed"),
            page: folder.join("index.html"),
        }
    }
}

fn fresh(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot empty {}", folder.display()));
        }
        _ => {}
    }
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}

/// Captures the program under a virtual display until it is asked to close its window; gives the wall time.
fn capture(reprise: &Path, files: &Files) -> Result<Duration> {
    let gears = missing::program("vkd3d-gears", "vkd3d-demos")?;
    let display = Display::start()?;
    println!("demo: captures {} on display {} for {} s", gears.display(), display.name(), RUNNING.as_secs());
    let shown: Vec<String> = SHOWN.iter().map(u64::to_string).collect();
    std::fs::create_dir_all(&files.captured_frames)?;
    let started = Instant::now();
    let mut child = Command::new(reprise)
        .arg("capture")
        .arg("--output")
        .arg(&files.trace)
        .arg("--frame-hashes")
        .arg(&files.captured_hashes)
        .arg("--")
        .arg(gears)
        .env("DISPLAY", display.name())
        // The runtime's remarks about what it does not know are not what this shows.
        .env("VKD3D_DEBUG", "none")
        .env("REPRISE_FRAME_DUMP", format!("{}:{}", files.captured_frames.display(), shown.join(",")))
        .stdin(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot run {}", reprise.display()))?;
    let appeared = display.wait_for_window(PATIENCE)?;
    if appeared {
        std::thread::sleep(RUNNING);
    }
    display.close_windows()?;
    let (status, timed_out) = program::wait(&mut child, PATIENCE)?;
    ensure!(appeared, "vkd3d-gears showed no window within {} s", PATIENCE.as_secs());
    ensure!(!timed_out, "vkd3d-gears did not end within {} s after it was asked to", PATIENCE.as_secs());
    ensure!(status.success(), "reprise capture ended with {status}");
    Ok(started.elapsed())
}

/// Replays the trace without a display; gives the wall time.
fn replay(reprise: &Path, files: &Files) -> Result<Duration> {
    println!("demo: replays it without a display, on the same library");
    let shown: Vec<String> = SHOWN.iter().map(u64::to_string).collect();
    let mut command = Command::new(reprise);
    command.arg("replay").arg("--frame-hashes").arg(&files.replayed_hashes);
    command.arg("--screenshots").arg(shown.join(",")).arg("--screenshot-dir").arg(&files.replayed_frames);
    command.arg(&files.trace).env_remove("DISPLAY").env("VKD3D_DEBUG", "none");
    let finished = program::run(&mut command, Duration::from_secs(300))?;
    ensure!(finished.status.success(), "reprise replay ended with {}:\n{}", finished.status, finished.errors());
    Ok(finished.elapsed)
}

/// The comparison of the two hash files, line by line: no code is shared with what made them.
pub(crate) struct Verdict {
    /// Frames that were presented at capture.
    pub(crate) captured: usize,
    /// Of these, frames with the same line from the replay.
    pub(crate) equal: usize,
    /// Lines that only one of the files has.
    pub(crate) different: usize,
    /// The first frame that differs.
    pub(crate) first: Option<String>,
}

impl Verdict {
    fn compare(files: &Files) -> Result<Verdict> {
        let read = |path: &Path| {
            std::fs::read_to_string(path).with_context(|| format!("cannot read the hashes {}", path.display()))
        };
        Ok(Verdict::of(&read(&files.captured_hashes)?, &read(&files.replayed_hashes)?))
    }

    fn of(captured: &str, replayed: &str) -> Verdict {
        let (left, right): (Vec<&str>, Vec<&str>) = (captured.lines().collect(), replayed.lines().collect());
        let equal = left.iter().zip(&right).filter(|(left, right)| left == right).count();
        let first = (0..left.len().max(right.len())).find(|&index| left.get(index) != right.get(index));
        let first = first.and_then(|index| left.get(index).or(right.get(index)));
        let first = first.and_then(|line| line.split_whitespace().next()).map(str::to_owned);
        Verdict { captured: left.len(), equal, different: left.len().max(right.len()) - equal, first }
    }

    pub(crate) fn passed(&self) -> bool {
        self.equal > 0 && self.different == 0
    }

    fn line(&self) -> String {
        match &self.first {
            None => format!("{} of {} frames equal", self.equal, self.captured),
            Some(first) => {
                format!("{} of {} frames equal, the first that differs is frame {first}", self.equal, self.captured)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_frame_is_a_difference() {
        assert!(Verdict::of("1 a\n2 b\n", "1 a\n2 b\n").passed());
        assert!(!Verdict::of("", "").passed());
        let short = Verdict::of("1 a\n2 b\n", "1 a\n");
        assert_eq!((short.passed(), short.first.as_deref()), (false, Some("2")));
        let other = Verdict::of("1 a\n2 b\n3 c\n", "1 a\n2 x\n3 c\n");
        assert_eq!((other.equal, other.different, other.first.as_deref()), (2, 1, Some("2")));
    }
}
