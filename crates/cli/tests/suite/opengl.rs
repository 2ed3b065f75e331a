//! Programs that others wrote, on Mesa's OpenGL driver on our runtime: conformance tests, benchmarks that check their own pictures, a game.
//! What they say of themselves is the expectation.

use crate::bench::{Bench, PATIENCE};
use crate::programs::ours;
use reprise_testing::piglit::{self, Test, Verdict};
use reprise_testing::{Display, missing, program, require};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// As many as the machine that tests are made for has processors.
const AT_A_TIME: usize = 2;

/// `reprise run --gl` on our runtime, with a display.
fn run_gl(bench: &Bench, display: &Display) -> Command {
    let mut command = bench.command();
    command.env("REPRISE_RUNTIME_LIBRARY", ours()).env("DISPLAY", display.name());
    command.args(["run", "--gl", "--quiet", "--"]);
    command
}

/// Of all groups of piglit's tests some: each says what is known of it, which is nearly always that it passes.
#[test]
#[ignore = "slow: runs 300 programs"]
fn piglits_tests_say_what_is_known_of_them() {
    if require(piglit::available()).is_none() || require(Display::available()).is_none() {
        return;
    }
    let (bench, display) = (Bench::new(), Display::start().unwrap());
    let tests = piglit::chosen().unwrap();
    assert_eq!(tests.len(), 300);
    let done = piglit::run_all(&tests, AT_A_TIME, |test| test.run(Some(run_gl(&bench, &display)), &display)).unwrap();
    let other: Vec<String> = done
        .iter()
        .filter(|(test, verdict)| test.known != Some(*verdict))
        .map(|(test, verdict)| format!("{}: {verdict}", test.name))
        .collect();
    let list = piglit::chosen_path();
    assert!(other.is_empty(), "other than {} says:\n{}", list.display(), other.join("\n"));
}

/// The control: where each operation of the GPU loses the device, tests that look at what was drawn fail.
#[test]
fn piglits_tests_fail_on_a_runtime_that_draws_nothing() {
    if require(piglit::available()).is_none() || require(Display::available()).is_none() {
        return;
    }
    let (bench, display) = (Bench::new(), Display::start().unwrap());
    let passing = piglit::chosen().unwrap().into_iter().filter(|test| test.known == Some(Verdict::Pass));
    let tests: Vec<Test> = passing.filter(|test| test.name.starts_with("shaders@glsl-fs")).take(6).collect();
    assert_eq!(tests.len(), 6);
    let run = |lost: bool| {
        let done = piglit::run_all(&tests, AT_A_TIME, |test| {
            let mut command = run_gl(&bench, &display);
            if lost {
                command.env("REPRISE_FAULT", "lost@1");
            }
            test.run(Some(command), &display)
        });
        done.unwrap().iter().map(|(_, verdict)| *verdict).collect::<Vec<_>>()
    };
    assert_eq!(run(false), [Verdict::Pass; 6]);
    let lost = run(true);
    assert!(lost.iter().all(|verdict| matches!(verdict, Verdict::Fail | Verdict::Crash)), "{lost:?}");
}

/// What `glmark2 --validate` says of its scenes: the words behind `Validation:`, and how often.
fn validations(command: &mut Command) -> BTreeMap<String, u32> {
    let finished = program::run(command.args(["-s", "320x240", "--validate"]), 3 * PATIENCE).unwrap();
    assert!(finished.status.success() && !finished.timed_out, "{}", finished.errors());
    let mut words = BTreeMap::new();
    let text = finished.text();
    for word in text.lines().filter_map(|line| Some(line.split_once("Validation: ")?.1.trim().to_owned())) {
        *words.entry(word).or_default() += 1;
    }
    words
}

/// glmark2 looks at pixels of its own scenes. Of some it has no expectation, and says `Unknown`.
#[test]
#[ignore = "slow: draws 33 scenes"]
fn glmark2_finds_its_scenes_right() {
    let Some(glmark2) = require(missing::program("glmark2", "glmark2-x11")) else { return };
    if require(Display::available()).is_none() {
        return;
    }
    let (bench, display) = (Bench::new(), Display::start().unwrap());
    let words = validations(run_gl(&bench, &display).arg(&glmark2));
    assert_eq!(words, BTreeMap::from([("Success".to_owned(), 27), ("Unknown".to_owned(), 6)]));
    // The control: the device is lost before anything is drawn.
    let mut lost = run_gl(&bench, &display);
    lost.env("REPRISE_FAULT", "lost@1").arg(&glmark2).args(["-b", "build:use-vbo=true"]);
    let finished = program::run(lost.args(["-s", "320x240", "--validate"]), PATIENCE).unwrap();
    assert!(!finished.text().contains("Validation: Success"), "{}", finished.text());
}

/// A screen with a game on it has more.
const COLOURS: usize = 100;
/// How long the game plays, once it is on the screen.
const PLAYED: Duration = Duration::from_secs(20);

/// Frames that are captured of it: each is replayed three times.
const CAPTURED: &str = "1-16";

/// A game draws by its clock, so no picture of it is known beforehand. The replay is compared with what the game itself read back,
/// which is in the trace.
#[test]
#[ignore = "slow: a game plays for 20 seconds"]
fn a_game_is_captured_and_each_of_its_frames_replays_the_same() {
    let game = missing::file(&["/usr/games/neverball"], "neverball");
    let Some(game) = require(game) else { return };
    if require(Display::available()).is_none() {
        return;
    }
    let (bench, display) = (Bench::new(), Display::start().unwrap());
    let home = bench.path("home");
    std::fs::create_dir(&home).unwrap();
    let mut command = bench.command();
    command.env("REPRISE_RUNTIME_LIBRARY", ours()).env("DISPLAY", display.name()).env("HOME", &home);
    command
        .env("SDL_AUDIODRIVER", "dummy")
        .args(["capture", "--gl", "--frames", CAPTURED, "-o", "trace.reprise", "--"])
        .arg(&game);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while colours(&display.screen().unwrap().2) <= COLOURS && begun.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(500));
    }
    assert!(program::wait_until(&mut child, PLAYED).unwrap().is_none(), "the game ended by itself");
    let (width, height, pixels) = display.screen().unwrap();
    // `reprise` passes it on.
    program::terminate(child.id());
    let (status, timed_out) = program::wait(&mut child, PATIENCE).unwrap();
    assert!(!timed_out, "{status}");
    assert!(colours(&pixels) > COLOURS, "the screen of {width} x {height} shows no game");
    check_trace(&bench, Path::new("trace.reprise"));
}

fn colours(pixels: &[u8]) -> usize {
    pixels.chunks_exact(4).map(|pixel| &pixel[..3]).collect::<std::collections::BTreeSet<_>>().len()
}

/// Equal, and a change of what the GPU does is noticed.
fn check_trace(bench: &Bench, trace: &Path) {
    let mut verify = bench.command();
    verify.args(["verify", "--control", "--json", "--fence-timeout", "300"]).arg(trace);
    // Three replays of all that the game drew.
    let said = program::run(&mut verify, 4 * PATIENCE).unwrap();
    let said: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!((&said["passed"], &said["control"]["holds"]), (&true.into(), &true.into()), "{said}");
    assert!(said["gpu_written_bytes"].as_u64().unwrap() > 20 << 20, "{said}");
}
