//! An OpenGL game, which Mesa draws by Direct3D 12 on our runtime: captured, one frame cut out, its draws one by one on two runtimes.
//!
//! Invariant: the second runtime shows what ours shows, byte for byte. A machine that lacks the game or the runtime is told so, and the
//! demo goes on.

use super::picture;
use super::tour::{Stop, Tour, typed};
use anyhow::{Context, Result, ensure};
use reprise_testing::{Display, missing, program};
use std::path::Path;
use std::time::Duration;

/// The game, its package, and Mesa's driver.
const GAME: &str = "/usr/games/neverball";
const PACKAGE: &str = "neverball";
const DRIVER: &str = "/usr/lib/x86_64-linux-gnu/dri/d3d12_dri.so";
/// A small window, and neither stars nor mirrors: the demo is built without optimisation, and each draw is looked at.
const SETTINGS: &str = "width 320\nheight 240\nbackground 0\nreflection 0\n";
/// The frame that is cut out is the last that is captured.
const FRAME: &str = "5";
const TRACE: &str = "neverball.reprise";
const PART: &str = "frame.reprise";
/// Builds that are not optimised start the game in some seconds, on a busy machine in many.
const PATIENCE: Duration = Duration::from_secs(300);
/// A runtime that plays what Mesa asks for. Debian's libvkd3d is too old for that.
const SECOND: &str = "vkd3d-proton";

/// Captures the game in the tour's folder, and shows one of its frames.
///
/// # Errors
/// A command fails, or the runtimes differ.
pub(super) fn play(tour: &Tour<'_>) -> Result<Vec<Stop>> {
    let words = ["capture", "--gl", "--frames", "1-5", "--quit-after-capture-frames", "-o", TRACE, "--", PACKAGE];
    let captured = |said| Stop {
        title: "A game",
        why: "An OpenGL game, which Mesa's driver draws by Direct3D 12, on our runtime.",
        command: typed(&words),
        said,
        picture: None,
    };
    let needed =
        missing::file(&[GAME], PACKAGE).and_then(|game| Ok((game, missing::file(&[DRIVER], "libgl1-mesa-dri")?)));
    let game = match needed {
        Ok((game, _)) => game,
        Err(missing) => return Ok(vec![captured(format!("not on this machine: {missing}"))]),
    };
    let first = captured(capture(tour, &words, &game)?);
    let cut = ["trim", "--force", "--frames", FRAME, "-o", PART, TRACE];
    let second = Stop {
        title: "One of its frames, cut out",
        why: "A trace of one frame, which begins with what the frame needs.",
        command: typed(&cut),
        said: tour.run(&cut)?,
        picture: None,
    };
    let mut stops = vec![first, second, draws(tour, "ours", "The frame, draw by draw")?];
    stops.push(other_runtime(tour, stops[2].picture.as_deref())?);
    Ok(stops)
}

/// Gives what the capture said; the game itself prints much.
fn capture(tour: &Tour<'_>, words: &[&str], game: &Path) -> Result<String> {
    let home = tour.folder.join("home");
    let settings = home.join(".neverball");
    std::fs::create_dir_all(&settings).with_context(|| settings.display().to_string())?;
    std::fs::write(settings.join("neverballrc"), SETTINGS).with_context(|| settings.display().to_string())?;
    let display = Display::start()?;
    let (_, options) = words.split_last().context("no words")?;
    let mut command = tour.command(options);
    command.arg(game).env("DISPLAY", display.name()).env("HOME", &home).env("SDL_AUDIODRIVER", "dummy");
    let finished = program::run_quietly(&mut command, PATIENCE)?;
    let said = finished.errors();
    ensure!(
        finished.status.success() && !finished.timed_out,
        "{} ended with {}:\n{said}",
        typed(words),
        finished.status
    );
    Ok(said.lines().filter(|line| line.starts_with("reprise: ")).collect::<Vec<_>>().join("\n"))
}

fn draws(tour: &Tour<'_>, runtime: &str, title: &'static str) -> Result<Stop> {
    let picture = format!("{runtime}.png");
    let words = ["draws", "--frame", "1", "--runtime", runtime, "-o", &picture, PART];
    Ok(Stop {
        title,
        why: "Each picture is the target behind a command that changed it.",
        command: typed(&words),
        said: tour.run(&words)?,
        picture: Some(picture::read(&tour.folder.join(&picture))?),
    })
}

/// The same pictures on another runtime, which must be equal.
fn other_runtime(tour: &Tour<'_>, ours: Option<&[u8]>) -> Result<Stop> {
    const TITLE: &str = "The same frame on a second runtime";
    let words = ["replay", "--runtime", SECOND, PART];
    let finished = program::run_quietly(&mut tour.command(&words), PATIENCE)?;
    if finished.errors().contains("cannot load the runtime") {
        return Ok(Stop {
            title: TITLE,
            why: "vkd3d-proton's native library, where the loader finds it. Debian has no package of it, and its libvkd3d lacks what Mesa asks for.",
            command: typed(&words),
            said: finished.errors().trim().to_owned(),
            picture: None,
        });
    }
    let stop = Stop { why: "The pictures are those of our runtime, byte for byte.", ..draws(tour, SECOND, TITLE)? };
    ensure!(
        stop.picture.as_deref() == ours,
        "the pictures of {SECOND} and of our runtime differ: see {}",
        tour.folder.display()
    );
    Ok(stop)
}
