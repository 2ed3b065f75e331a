//! What of a program is captured: frames by number, by file, by signal; so many bytes; which of its processes; and how it
//! comes to its runtime. The program is of ours, on the null runtime, and keeps a log of its own.

use crate::bench::{Bench, PATIENCE};
use reprise_testing::worker::{self, Link, Log};
use reprise_testing::{Display, Finished, missing, program, require};
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// A bench with the program in a folder beside it, so that what is in the folder is what a capture left.
pub(crate) struct Work {
    pub(crate) bench: Bench,
    pub(crate) place: Place,
    pub(crate) worker: PathBuf,
}

/// A folder that goes with the test.
pub(crate) struct Place(PathBuf);

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Work {
    pub(crate) fn new(link: Link) -> Option<Work> {
        let bench = Bench::new();
        let place = Place(bench.folder.with_extension("work"));
        std::fs::create_dir_all(&place.0).unwrap();
        let worker = require(worker::build(&place.0, link))?;
        Some(Work { bench, place, worker })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.0.join(name)
    }

    pub(crate) fn log(&self) -> Log {
        Log::read(&self.path("log"))
    }

    /// `reprise capture OPTIONS -o trace.reprise -- worker LOG MODE...`.
    pub(crate) fn command(&self, options: &[&str], mode: &[&str]) -> Command {
        let mut command = self.bench.command();
        command.arg("capture").args(options).args(["-o", "trace.reprise", "--"]).arg(&self.worker);
        command.arg(self.path("log")).args(mode).env("REPRISE_NULL_LOG", "off").stdin(Stdio::null());
        command
    }

    pub(crate) fn capture(&self, options: &[&str], mode: &[&str]) -> Finished {
        let finished = program::run(&mut self.command(options, mode), PATIENCE).unwrap();
        assert!(!finished.timed_out, "{options:?} {mode:?} hangs: {}", finished.errors());
        finished
    }

    pub(crate) fn info(&self, trace: &str) -> Json {
        serde_json::from_str(&self.bench.output(&["info", "--json", trace])).unwrap()
    }

    /// Replays on the runtime of the capture.
    pub(crate) fn replay(&self, trace: &str) {
        let runtime = worker::runtime();
        let runtime = runtime.to_str().unwrap();
        self.bench.output(&["replay", "--quiet", "--runtime", runtime, "--convention", "win64", trace]);
    }

    /// Forgets what the last capture left.
    pub(crate) fn clear(&self) {
        for file in self.bench.files() {
            std::fs::remove_file(self.bench.path(&file)).unwrap();
        }
        let _ = std::fs::remove_file(self.path("log"));
        let _ = std::fs::remove_file(self.path("log.child"));
    }
}

const BY_SUBMISSIONS: [&str; 2] = ["--frame-boundary", "submissions"];

/// The numbers of the frames that the program drew, as the trace has them.
fn drawn(work: &Work) -> Vec<u64> {
    let dump = work.bench.output(&["dump", "--json", "trace.reprise"]);
    let draws = dump.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let draws = draws.filter(|line| line["method"].as_str().is_some_and(|name| name.ends_with("DrawInstanced")));
    draws.map(|line| line["args"]["VertexCountPerInstance"].as_u64().unwrap()).collect()
}

#[test]
fn frames_by_number_end_the_recording_and_not_the_program() {
    let Some(work) = Work::new(Link::Linked) else { return };
    let finished = work.capture(&[&BY_SUBMISSIONS[..], &["--frames", "5-7,10"]].concat(), &["frames", "100"]);
    assert_eq!((finished.status.code(), finished.text().as_str()), (Some(0), "100 frames\n"), "{}", finished.errors());
    assert_eq!(work.log().draws[0], 100);
    assert_eq!(work.bench.files(), ["trace.reprise"]);
    let info = work.info("trace.reprise");
    assert_eq!(info["frames"], json!(10));
    assert_eq!(info["wanted_frames"], json!([[5, 7], [10, 10]]));
    assert_eq!(info["stopped"], json!({"because": "frames", "after_frame": 10}));
    assert_eq!((&info["gap_count"], &info["complete"]), (&json!(0), &json!(true)));
    // What comes before the wanted frames is there, because they need it; what comes after is not.
    assert_eq!(drawn(&work), (1..=10).collect::<Vec<u64>>());
    work.replay("trace.reprise");
}

#[test]
fn screenshots_of_frames_that_nobody_sees_are_an_error() {
    let Some(work) = Work::new(Link::Linked) else { return };
    work.capture(&BY_SUBMISSIONS, &["frames", "3"]);
    let runtime = worker::runtime();
    let runtime = ["replay", "--runtime", runtime.to_str().unwrap(), "--convention", "win64"];
    for frames in ["2", "4-"] {
        let finished = work.bench.run(&[&runtime[..], &["--screenshots", frames, "trace.reprise"]].concat());
        assert_eq!(finished.status.code(), Some(1), "{frames}: {}", finished.errors());
        assert!(finished.errors().contains("no screenshot was written"), "{frames}: {}", finished.errors());
    }
}

#[test]
fn a_program_that_ends_before_the_wanted_frames_is_named() {
    let Some(work) = Work::new(Link::Linked) else { return };
    let finished = work.capture(&[&BY_SUBMISSIONS[..], &["--frames", "50-60"]].concat(), &["frames", "20"]);
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    assert!(finished.errors().contains("no wanted frame"), "{}", finished.errors());
    assert_eq!(drawn(&work).len(), 20);
}

#[test]
fn frames_while_a_file_is_there() {
    let Some(work) = Work::new(Link::Linked) else { return };
    let file = work.path("trigger");
    let file = file.to_str().unwrap();
    let options = [&BY_SUBMISSIONS[..], &["--trigger-file", file]].concat();
    let finished = work.capture(&options, &["frames", "30", file]);
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    let info = work.info("trace.reprise");
    assert_eq!(info["wanted_frames"], json!([[5, 7]]));
    assert_eq!(info["stopped"], json!({"because": "trigger", "after_frame": 7}));
    assert_eq!(drawn(&work), (1..=7).collect::<Vec<u64>>());
}

#[test]
fn frames_from_a_signal_on_and_the_end_of_the_program() {
    let Some(work) = Work::new(Link::Linked) else { return };
    let options = ["--trigger-signal", "USR1", "--trigger-frames", "5", "--quit-after-capture-frames"];
    // It draws until it is ended.
    let mut command = work.command(&[&BY_SUBMISSIONS[..], &options].concat(), &["frames", "0"]);
    let mut launcher = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    while work.log().draws[0] < 20 {
        assert!(started.elapsed() < PATIENCE, "the program does not draw");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let before = work.log().draws[0];
    // SAFETY: a process that this test started, by its id; no memory is involved.
    assert_eq!(unsafe { libc::kill(launcher.id().cast_signed(), libc::SIGUSR1) }, 0);
    let (status, timed_out) = program::wait(&mut launcher, PATIENCE).unwrap();
    assert!(!timed_out && status.code() == Some(0), "{status}");
    let info = work.info("trace.reprise");
    let (first, last) = (&info["wanted_frames"][0][0], &info["wanted_frames"][0][1]);
    let (first, last) = (first.as_u64().unwrap(), last.as_u64().unwrap());
    assert!(first > before && last == first + 4, "{first} to {last}, asked for after {before}");
    assert_eq!(drawn(&work), (1..=last).collect::<Vec<u64>>());
    work.replay("trace.reprise");
}

#[test]
fn a_trace_ends_before_it_is_larger_than_asked_for() {
    let Some(work) = Work::new(Link::Linked) else { return };
    // 24 MiB that do not compress.
    let finished = work.capture(&["--max-size", "8M"], &["noise", "3000"]);
    assert_eq!((finished.status.code(), finished.text().as_str()), (Some(0), "worked\n"), "{}", finished.errors());
    assert_eq!(work.log().data[0], 3000);
    let bytes = std::fs::metadata(work.bench.path("trace.reprise")).unwrap().len();
    assert!((2 << 20..=8 << 20).contains(&bytes), "{bytes}");
    let info = work.info("trace.reprise");
    assert_eq!(info["stopped"]["because"], json!("size"));
    assert_eq!((&info["gap_count"], &info["complete"]), (&json!(0), &json!(true)));
    assert_eq!(work.bench.files(), ["trace.reprise"]);
    work.replay("trace.reprise");
}

#[test]
fn options_that_make_no_sense() {
    let bench = Bench::new();
    for options in [
        &["--frames", "0-3"][..],
        &["--frames", "1-3", "--trigger-file", "x"],
        &["--trigger-frames", "3"],
        &["--quit-after-capture-frames"],
        &["--max-size", "1K"],
        &["--trigger-signal", "KILL"],
        &["--children", "some"],
    ] {
        let finished = bench.run(&[&["capture"][..], options, &["--", "true"]].concat());
        assert_eq!(finished.status.code(), Some(2), "{options:?}: {}", finished.errors());
    }
    assert_eq!(bench.files(), [""; 0]);
}

/// The traces of a capture, each with its program's first argument, which is its log.
fn traces(work: &Work) -> Vec<(String, Json)> {
    let files = work.bench.files();
    files.into_iter().map(|file| (file.clone(), work.info(&file))).collect()
}

/// Every trace is whole and holds what its own process did, by that process's own log.
fn each_is_whole(work: &Work) {
    for (file, info) in traces(work) {
        assert_eq!((&info["gap_count"], &info["complete"]), (&json!(0), &json!(true)), "{file}");
        work.replay(&file);
    }
}

fn draws(info: &Json) -> u64 {
    info["methods"]["ID3D12GraphicsCommandList::DrawInstanced"].as_u64().unwrap_or(0)
}

#[test]
fn every_process_that_makes_a_device_has_its_trace() {
    let Some(work) = Work::new(Link::Linked) else { return };
    for mode in ["fork", "exec", "vfork"] {
        let finished = work.capture(&[], &[mode, "500"]);
        assert_eq!((finished.status.code(), finished.text().as_str()), (Some(0), "worked\n"), "{mode}");
        let (parent, child) = (work.log(), Log::read(&work.path("log.child")));
        assert!(parent.calls() > 0 && child.calls() > 0 && parent.pid != child.pid, "{mode}");
        let traces = traces(&work);
        assert_eq!(traces.len(), 2, "{mode}: {traces:?}");
        // A parent that goes on to work after its fork has made the calls of its log twice.
        let rounds = if mode == "fork" { 2 } else { 1 };
        let mut expected = [parent.draws.iter().sum::<u64>() * rounds, child.draws.iter().sum()];
        let mut found = [draws(&traces[0].1), draws(&traces[1].1)];
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{mode}");
        each_is_whole(&work);
        work.clear();
    }
}

#[test]
fn only_the_first_process_or_only_one_name() {
    let Some(work) = Work::new(Link::Linked) else { return };
    for mode in ["fork", "exec", "vfork"] {
        let finished = work.capture(&["--children", "none"], &[mode, "100"]);
        assert_eq!(finished.status.code(), Some(0), "{mode}: {}", finished.errors());
        assert_eq!(work.bench.files(), ["trace.reprise"], "{mode}");
        // Of the process that was started, and not of its child.
        let arguments = work.info("trace.reprise")["arguments"].clone();
        assert_eq!(arguments[1], json!(mode), "{arguments}");
        work.clear();
    }
    let script = format!("{0} {1} end 50 && exec {0} {1} end 50", work.worker.display(), work.path("log").display());
    for (name, count) in [("worker", 2), ("other", 0)] {
        let mut command = work.bench.command();
        command.args(["capture", "-o", "trace.reprise", "--process-name", name, "--", "sh", "-c", &script]);
        let finished = program::run(command.env("REPRISE_NULL_LOG", "off"), PATIENCE).unwrap();
        assert_eq!(finished.text(), "worked\nworked\n", "{}", finished.errors());
        assert_eq!(finished.status.code(), Some(if count == 0 { 124 } else { 0 }), "{}", finished.errors());
        assert_eq!(work.bench.files().len(), count, "{:?}", work.bench.files());
        assert!(count > 0 || finished.errors().contains("no process named other"), "{}", finished.errors());
        each_is_whole(&work);
        work.clear();
    }
}

/// A layer of somebody else's before us or after us: it sees what it would see without us, and so do we.
#[test]
fn another_preloaded_layer_on_either_side() {
    let Some(work) = Work::new(Link::Linked) else { return };
    let Some(shim) = require(worker::shim(&work.place.0)) else { return };
    let library = reprise_testing::capture_library().unwrap().canonicalize().unwrap();
    for preload in [shim.display().to_string(), format!("{}:{}", shim.display(), library.display())] {
        let mut command = work.command(&[], &["end", "500"]);
        let finished = program::run(command.env("LD_PRELOAD", &preload), PATIENCE).unwrap();
        assert_eq!((finished.status.code(), finished.text().as_str()), (Some(0), "worked\n"), "{}", finished.errors());
        assert_eq!(finished.errors().matches("shim: 1").count(), 1, "{preload}: {}", finished.errors());
        assert_eq!(draws(&work.info("trace.reprise")), work.log().draws.iter().sum::<u64>(), "{preload}");
        each_is_whole(&work);
        work.clear();
    }
}

/// The program opens its runtime for itself alone, and asks for the function behind the handle.
#[test]
fn functions_behind_a_handle_are_recorded() {
    let Some(work) = Work::new(Link::Opened) else { return };
    let Some(shim) = require(worker::shim(&work.place.0)) else { return };
    let finished = work.capture(&[], &["end", "500"]);
    assert_eq!((finished.status.code(), finished.text().as_str()), (Some(0), "worked\n"), "{}", finished.errors());
    assert_eq!(draws(&work.info("trace.reprise")), work.log().draws.iter().sum::<u64>());
    each_is_whole(&work);
    work.clear();
    // Such a lookup passes by a layer that stands in front of the function for everybody: it must do so with us, too.
    let mut command = work.command(&[], &["end", "500"]);
    let finished = program::run(command.env("LD_PRELOAD", &shim), PATIENCE).unwrap();
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    assert!(!finished.errors().contains("shim: 1"), "{}", finished.errors());
    assert_eq!(draws(&work.info("trace.reprise")), work.log().draws.iter().sum::<u64>());
}

/// A program that runs with another's rights is unsupported, and not started.
#[test]
fn a_set_user_id_program_is_refused() {
    // Nobody else can make such a program.
    let Some(()) = require(missing::root()) else { return };
    let bench = Bench::new();
    let program = bench.path("program");
    std::fs::copy("/bin/true", &program).unwrap();
    std::os::unix::fs::chown(&program, Some(65_534), Some(65_534)).unwrap();
    let refused = |mode: u32, what: &str| {
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
        let finished = bench.run(&["capture", "-o", "t.reprise", "--", "./program"]);
        assert_eq!(finished.status.code(), Some(126), "{}", finished.errors());
        assert!(finished.errors().contains(what), "{}", finished.errors());
    };
    refused(0o4755, "set-user-id");
    refused(0o2755, "set-group-id");
    assert_eq!(bench.files(), ["program"]);
    assert!(Path::new("/bin/true").exists());
}

/// Of a real program: only wanted frames have hashes, in the capture and in a replay of it, and they are equal.
#[test]
#[ignore = "slow: captures a real program"]
fn wanted_frames_of_a_real_program() {
    let Some(gears) = require(missing::program("vkd3d-gears", "vkd3d-demos")) else { return };
    let Some(()) = require(Display::available()) else { return };
    let (bench, display) = (Bench::new(), Display::start().unwrap());
    let mut command = bench.command();
    command.args(["capture", "--frames", "20-22,25", "--quit-after-capture-frames", "--frame-hashes", "hashes.txt"]);
    command.args(["-o", "trace.reprise", "--"]).arg(gears).env("DISPLAY", display.name());
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    let frames = |file: &str| -> Vec<String> {
        let text = std::fs::read_to_string(bench.path(file)).unwrap();
        text.lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    };
    assert_eq!(frames("hashes.txt"), ["20", "21", "22", "25"]);
    let info: Json = serde_json::from_str(&bench.output(&["info", "--json", "trace.reprise"])).unwrap();
    assert_eq!((&info["frames"], &info["gap_count"]), (&json!(25), &json!(0)));
    bench.output(&["replay", "--quiet", "--frame-hashes", "replayed.txt", "trace.reprise"]);
    assert_eq!(frames("replayed.txt"), ["20", "21", "22", "25"]);
    let shots = ["replay", "--quiet", "--screenshot-all", "--screenshot-dir", "shots", "trace.reprise"];
    bench.output(&shots);
    assert_eq!(std::fs::read_dir(bench.path("shots")).unwrap().count(), 4);
    assert!(bench.output(&["verify", "trace.reprise"]).starts_with("4 frames equal"));
}
