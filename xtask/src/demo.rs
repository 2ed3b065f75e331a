//! `cargo xtask demo`: real programs captured, replayed on their own library and on our runtime, a tour of what else their trace is
//! good for, a game, and a page that shows all of it.
//!
//! Invariant: ends with an exit code other than 0 when a single frame differs on the library of the capture, or more pixels of a
//! frame than rounding explains on our runtime; leaves everything it made under `target/demo` and nothing elsewhere.

mod crop;
mod difference;
mod figures;
mod game;
mod page;
mod picture;
mod run;
mod tour;
mod verdict;

use crate::cargo;
use anyhow::{Context, Result, bail, ensure};
use difference::Differences;
use figures::Figures;
use picture::Row;
use reprise_testing::artifact;
use run::Run;
use std::path::Path;
use std::time::Duration;
use verdict::Verdict;

/// A program that is shown.
struct Program {
    name: &'static str,
    /// How long it runs once its window is there.
    running: Duration,
    /// The frames that the page shows side by side, as far as the program got.
    shown: &'static [u64],
}

const PROGRAMS: [Program; 2] = [
    Program { name: "vkd3d-gears", running: Duration::from_secs(2), shown: &[1, 250, 1000] },
    Program { name: "vkd3d-triangle", running: Duration::from_millis(500), shown: &[1] },
];
/// So many frames that differ are shown closely.
const CLOSE: usize = 3;

/// One program, with everything the page says of it.
struct Shown {
    name: &'static str,
    figures: Figures,
    /// On the library of the capture.
    theirs: Verdict,
    /// On our runtime.
    ours: Verdict,
    differences: Differences,
    rows: Vec<Row>,
    crops: Vec<crop::Crop>,
}

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if let Some(other) = arguments.first() {
        bail!("demo takes no options (got {other:?})");
    }
    crate::setup::prepare(crate::setup::For::Run)?;
    println!("demo: builds what it shows; from nothing this takes some minutes");
    let reprise = cargo::build("demo", &["reprise", "reprise-capture", "reprise-runtime-library"])?.join("reprise");
    // A web server without a database engine: what `reprise inspect` shows is a part of the demo.
    crate::edge::build(&["reprise-inspect"], false)?;
    let folder = artifact::workspace().join("target/demo");
    fresh(&folder)?;
    let shown = PROGRAMS.iter().map(|program| show(&reprise, program, &folder.join(program.name)));
    let shown = shown.collect::<Result<Vec<Shown>>>()?;
    let page = folder.join("index.html");
    let write =
        |stops: &[tour::Stop]| std::fs::write(&page, page::html(&shown, stops)).context("cannot write the page");
    // Whatever becomes of the tour and the game, the page shows what was compared.
    write(&[])?;
    let toured = tour(&reprise, &folder.join(PROGRAMS[0].name), &PROGRAMS[0], &shown[0])?;
    write(&toured)?;
    write(&[played(&reprise, &folder.join("neverball"))?, toured].concat())?;
    println!("demo: {}", page.display());
    for program in &shown {
        ensure!(program.theirs.passed(), "{}: frames differ on the library of the capture", program.name);
        ensure!(program.differences.rounding, "{}: more differs on our runtime than rounding explains", program.name);
    }
    Ok(())
}

/// Captures, replays and compares one program.
fn show(reprise: &Path, program: &Program, folder: &Path) -> Result<Shown> {
    let run = Run::new(reprise, program, folder)?;
    let captured = run.capture()?;
    let theirs = run.replay("vkd3d", &run.theirs)?;
    let ours = run.replay("ours", &run.ours)?;
    let differences = run.compare()?;
    let shown = Shown {
        name: program.name,
        figures: Figures::read(reprise, &run.trace, captured, [theirs, ours])?,
        theirs: Verdict::compare(&run.captured.hashes, &run.theirs.hashes)?,
        ours: Verdict::compare(&run.captured.hashes, &run.ours.hashes)?,
        rows: picture::rows(&run, program.shown)?,
        crops: crop::largest(&differences, &run.differences, CLOSE)?,
        differences,
    };
    // Pixels were compared by `reprise verify`, hashes by code of this task: they must agree.
    ensure!(
        !shown.theirs.passed() || shown.ours.different as u64 == shown.differences.frames,
        "{} frames have other hashes on our runtime, and {} other pixels",
        shown.ours.different,
        shown.differences.frames
    );
    println!("demo: {}: {}", shown.name, shown.figures.line());
    println!("demo: {}: on the library of the capture {}", shown.name, shown.theirs.line());
    println!("demo: {}: on our runtime {}; {}", shown.name, shown.ours.line(), shown.differences.line());
    Ok(shown)
}

/// Shows what else the first program's trace is good for, with the last of its frames that the page shows.
fn tour(reprise: &Path, folder: &Path, program: &Program, shown: &Shown) -> Result<Vec<tour::Stop>> {
    let frame = shown.rows.last().map_or(1, |row| row.frame);
    tour::take(reprise, folder, &format!("{}.reprise", program.name), frame, &folder.join("ours.txt"))
}

/// Shows a game, which needs a folder of its own.
fn played(reprise: &Path, folder: &Path) -> Result<Vec<tour::Stop>> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let stops = game::play(&tour::Tour { reprise, folder })?;
    tour::tell(&stops);
    Ok(stops)
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
