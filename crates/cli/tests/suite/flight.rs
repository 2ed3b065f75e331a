//! `reprise capture --flight-recorder`: what is left of long runs that end badly, and `--hang-after`.

use crate::bench::{Bench, PATIENCE};
use crate::programs;
use reprise_testing::{Display, artifact, autopsy, missing, program, require};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A capture of one of our programs; a submission ends a frame, because they show nothing.
fn capture(bench: &Bench, options: &[&str], words: &[&str], fault: Option<&str>) -> Command {
    let mut command = bench.command();
    command.args(["capture", "-o", "trace.reprise", "--frame-boundary", "submissions"]).args(options).arg("--");
    command.arg(artifact::programs().unwrap()).args(words);
    command.args(["--shaders", "dxil", "--library"]).arg(programs::ours()).stdin(Stdio::null()).stdout(Stdio::null());
    if let Some(fault) = fault {
        command.env("REPRISE_FAULT", fault);
    }
    command
}

fn info(bench: &Bench, trace: &str) -> Json {
    serde_json::from_str(&bench.output(&["info", "--json", trace])).unwrap()
}

/// The report of `diagnose`, which must have found something.
fn diagnosed(bench: &Bench, trace: &str) -> Json {
    let finished = bench.run(&["diagnose", "--json", trace]);
    assert_eq!(finished.status.code(), Some(6), "{}{}", finished.text(), finished.errors());
    let mut report: Json = serde_json::from_str(&finished.text()).unwrap();
    report["diagnosis"].take()
}

/// What a call was passed, without addresses and handles, which are other ones in each run.
fn call(bench: &Bench, trace: &str, number: u64) -> (Json, Json, Json) {
    let text = bench.output(&["dump", "--json", "--calls", &number.to_string(), trace]);
    let line: Json = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    (line["method"].clone(), line["args"]["DstOffset"].clone(), line["args"]["NumBytes"].clone())
}

fn kill(pid: u32) {
    // SAFETY: a signal to a process that this test has started.
    assert_eq!(unsafe { libc::kill(pid.cast_signed(), libc::SIGKILL) }, 0);
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < PATIENCE, "no {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The process that a launcher has started under this name.
fn child(launcher: &Child, name: &str) -> Option<u32> {
    // The kernel keeps 15 bytes of a name.
    let name = &name[..name.len().min(15)];
    let named = |pid: &u32| std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|comm| comm.trim() == name);
    autopsy::family(launcher.id()).into_iter().skip(1).find(named)
}

/// The same operation as in a trace of the whole run, by a recorder that kept three frames of it.
#[test]
fn the_operation_that_a_crash_was_at_is_named_from_the_last_frames() {
    let bench = Bench::new();
    let words = ["streaming"];
    for at in [40, 280] {
        let fault = format!("lost@{at}");
        let mut whole = capture(&bench, &["-q", "--force", "--breadcrumbs"], &words, Some(&fault));
        assert!(!program::run(&mut whole, PATIENCE).unwrap().status.success());
        let suspects = diagnosed(&bench, "trace.reprise")["suspects"].clone();
        let expected = call(&bench, "trace.reprise", suspects[0].as_u64().unwrap());
        let options = ["--force", "--breadcrumbs", "--flight-recorder=3"];
        let finished = program::run(&mut capture(&bench, &options, &words, Some(&fault)), PATIENCE).unwrap();
        assert!(finished.errors().contains("a device was removed"), "{}", finished.errors());
        let found = diagnosed(&bench, "trace.reprise");
        let suspects = found["suspects"].as_array().unwrap();
        assert_eq!(suspects.len(), 1, "{found}");
        assert_eq!(call(&bench, "trace.reprise", suspects[0].as_u64().unwrap()), expected, "{fault}");
        let info = info(&bench, "trace.reprise");
        assert_eq!(info["flight_recorder"]["reason"], "removed");
        assert_eq!(info["damage"], Json::Array(Vec::new()));
        assert_eq!(bench.files(), ["trace.reprise"], "something is left behind");
    }
}

/// The size of everything in a folder.
fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|data| data.len()).sum()
}

/// The whole recording has 26 MB. Of what there is at any time, a part is reduced and another one waits for that.
#[test]
fn a_long_run_takes_bounded_room() {
    const MOST: u64 = 14 << 20;
    let bench = Bench::new();
    let options = ["--flight-recorder=5", "--flight-size", "4M", "--flight-at-end"];
    let mut launcher = capture(&bench, &options, &["streaming", "--frames", "1000"], None).spawn().unwrap();
    let (mut most, mut reduced) = (0, false);
    let folder = bench.path("trace.reprise.flight");
    let status = loop {
        most = most.max(size(&folder));
        let names = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        reduced |= names.filter_map(|entry| entry.file_name().into_string().ok()).any(|name| name.starts_with("base"));
        if let Some(status) = launcher.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(status.success());
    assert!(reduced && most < MOST, "{most} bytes");
    let info = info(&bench, "trace.reprise");
    assert_eq!((&info["flight_recorder"]["reason"], &info["damage"]), (&"end".into(), &Json::Array(Vec::new())));
    let (frames, first) = (info["frames"].as_u64().unwrap(), info["flight_recorder"]["first_frame"].as_u64().unwrap());
    assert_eq!((frames > 900, first), (true, frames - 4));
    assert!(info["calls_kept"].as_u64().unwrap() < 1500 && info["calls"].as_u64().unwrap() > 50_000, "{info}");
    assert!(size(&bench.folder) < 2 << 20);
    bench.output(&["lint", "trace.reprise"]);
    let replayed = bench.run(&["replay", "trace.reprise"]);
    assert!(replayed.status.success() && replayed.errors().contains("without what the GPU had written"));
}

/// The barriers that brought textures to their states are in older frames, and not in the trace. What the part reads back is as wrong as in
/// the whole, which lacks what the GPU wrote before, and no more.
#[test]
fn frames_are_cut_out_that_find_textures_in_their_states() {
    let bench = Bench::new();
    let options = ["--flight-recorder=3", "--flight-at-end"];
    assert!(program::run(&mut capture(&bench, &options, &["passes"], None), PATIENCE).unwrap().status.success());
    let first = info(&bench, "trace.reprise")["flight_recorder"]["first_frame"].as_u64().unwrap();
    assert!(first > 1);
    bench.output(&["trim", "--frames", &format!("{first}-"), "-o", "part.reprise", "trace.reprise"]);
    assert_eq!(bench.output(&["lint", "part.reprise"]).lines().next(), Some("no findings"));
    assert_eq!(info(&bench, "part.reprise")["flight_recorder"], Json::Null, "all of a part is whole");
    let bytes = |trace: &str| -> [u64; 2] {
        let report: Json = serde_json::from_str(&bench.output(&["replay", "--json", trace])).unwrap();
        ["compared_bytes", "different_bytes"].map(|name| report[name].as_u64().unwrap())
    };
    assert_eq!(bytes("part.reprise"), bytes("trace.reprise"));
}

/// Without a reason nothing is written, and nothing is left.
#[test]
fn a_run_that_ends_well_leaves_nothing_unasked() {
    let bench = Bench::new();
    let finished = program::run(&mut capture(&bench, &["--flight-recorder"], &["vertices"], None), PATIENCE).unwrap();
    assert!(finished.status.success(), "{}", finished.errors());
    assert!(finished.errors().contains("--flight-at-end"), "{}", finished.errors());
    assert_eq!(bench.files(), Vec::<String>::new());
}

/// A program that takes its back buffer anew in each frame. Its frames keep their numbers.
#[test]
fn a_back_buffer_that_is_given_again_is_kept() {
    let bench = Bench::new();
    let mut command = bench.command();
    command.args(["capture", "-o", "trace.reprise", "--flight-recorder=2", "--flight-at-end", "--"]);
    command.arg(artifact::programs().unwrap()).args(["presents", "--library"]).arg(programs::ours());
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert!(finished.status.success(), "{}", finished.errors());
    bench.output(&["replay", "--quiet", "--frame-hashes", "played.txt", "trace.reprise"]);
    let played = std::fs::read_to_string(bench.path("played.txt")).unwrap();
    let last = played.lines().last().and_then(|line| line.split(' ').next()).unwrap();
    assert!(last.parse::<u64>().unwrap() > 2, "{played}");
    bench.output(&["replay", "--frames", last, "trace.reprise"]);
}

/// A program whose GPU never comes to an end: the recorder writes while it hangs, and without one the recording ends.
#[test]
fn a_hang_is_written_while_the_program_hangs() {
    for options in [&["--hang-after", "5", "--flight-recorder"][..], &["--hang-after", "5"]] {
        let bench = Bench::new();
        let mut launcher =
            capture(&bench, options, &["vertices"], Some("hang@3")).stderr(Stdio::null()).spawn().unwrap();
        let is_whole = || bench.run(&["info", "--json", "trace.reprise"]).text().contains("\"complete\":true");
        wait_until("trace", || bench.path("trace.reprise").exists() && is_whole());
        let found = diagnosed(&bench, "trace.reprise");
        assert_eq!(found["queues"][0]["at"], "submission", "{options:?}: {found}");
        kill(child(&launcher, "reprise-programs").expect("the program hangs"));
        program::wait(&mut launcher, PATIENCE).unwrap();
    }
}

/// Pictures of the last frames are those of the program, which ran for hundreds of frames before them and was killed.
#[test]
#[ignore = "slow: captures a real program"]
fn the_last_frames_of_a_real_program_are_played() {
    let Some(gears) = require(missing::program("vkd3d-gears", "vkd3d-demos")) else { return };
    let Some(()) = require(Display::available()) else { return };
    let (bench, display) = (Bench::new(), Display::start().unwrap());
    let mut command = bench.command();
    command.args(["capture", "--flight-recorder=10", "--trigger-file", "now", "--frame-hashes", "hashes.txt"]);
    command.args(["-o", "trace.reprise", "--"]).arg(gears).env("DISPLAY", display.name()).env("VKD3D_DEBUG", "none");
    let mut launcher = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let hashed = || std::fs::read_to_string(bench.path("hashes.txt")).map_or(0, |text| text.lines().count());
    wait_until("300 frames", || hashed() > 300);
    std::fs::write(bench.path("now"), "").unwrap();
    wait_until("trace at the trigger", || bench.path("trace.reprise").exists());
    kill(child(&launcher, "vkd3d-gears").unwrap());
    let (status, _) = program::wait(&mut launcher, PATIENCE).unwrap();
    assert_eq!(status.code(), Some(137));
    assert_eq!(bench.files(), ["hashes.txt", "now", "trace-2.reprise", "trace.reprise"]);
    let hashes = |file: &str| -> BTreeMap<String, String> {
        let text = std::fs::read_to_string(bench.path(file)).unwrap();
        text.lines().filter_map(|line| line.split_once(' ')).map(|(frame, hash)| (frame.into(), hash.into())).collect()
    };
    let program = hashes("hashes.txt");
    for (trace, reason) in [("trace.reprise", "trigger"), ("trace-2.reprise", "ended badly")] {
        let info = info(&bench, trace);
        assert_eq!(info["flight_recorder"]["reason"], reason);
        assert!(info["calls_kept"].as_u64().unwrap() < 400, "{info}");
        // Our runtime rounds a few of its frames otherwise (docs/measurements.md, "Pixels that differ between runtimes").
        bench.output(&["replay", "--quiet", "--runtime", "vkd3d", "--frame-hashes", "played.txt", trace]);
        let played = hashes("played.txt");
        assert!(played.len() >= 9, "{played:?}");
        for (frame, hash) in &played {
            // The capture may have died before it wrote the last ones down.
            assert!(program.get(frame).is_none_or(|own| own == hash), "{trace}, frame {frame}");
        }
        assert!(played.keys().filter(|frame| program.contains_key(*frame)).count() >= 8);
        assert_eq!(bench.output(&["lint", trace]).lines().next(), Some("no findings"));
    }
}
