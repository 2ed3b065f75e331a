//! `reprise run`: native programs on our own runtime, and what a run leaves behind.
//!
//! `crates/programs/expected.txt` has the hash that each program must print. The log says whether our runtime was loaded.

use crate::bench::{Bench, PATIENCE};
use crate::programs::{expected, ours};
use reprise_testing::{Finished, artifact, missing, program, require};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The name under which programs look for vkd3d-proton's library.
const LIBRARY: &str = "libvkd3d-proton-d3d12.so";

/// `reprise` with temporary folders in a folder of the bench's own, which must be empty in the end.
struct Place {
    bench: Bench,
    temporary: PathBuf,
}

impl Place {
    fn new() -> Place {
        let bench = Bench::new();
        let temporary = bench.path("temporary");
        std::fs::create_dir(&temporary).unwrap();
        Place { bench, temporary }
    }

    fn reprise(&self, arguments: &[&str]) -> Command {
        let mut command = self.bench.command();
        command.args(arguments).env("TMPDIR", &self.temporary).env("REPRISE_RUNTIME_LIBRARY", ours());
        command
    }

    /// Runs one of our test programs on what it finds as vkd3d-proton's library.
    fn program(&self, options: &[&str], name: &str) -> Command {
        let mut command = self.reprise(options);
        command.arg("--").arg(artifact::programs().unwrap()).args([name, "--library", LIBRARY]);
        command
    }

    fn finished(&self, mut command: Command) -> Finished {
        let finished = program::run(&mut command, PATIENCE).unwrap();
        assert!(!finished.timed_out, "{command:?} hangs");
        self.is_empty();
        finished
    }

    fn is_empty(&self) {
        assert_eq!(std::fs::read_dir(&self.temporary).unwrap().count(), 0, "something is left behind");
    }
}

#[test]
fn a_native_program_runs_on_ours() {
    let place = Place::new();
    let finished = place.finished(place.program(&["run"], "compute"));
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    assert_eq!(finished.text(), format!("compute {}\n", expected("compute")));
    assert!(finished.errors().contains("libvkd3d-proton-d3d12.so"), "{}", finished.errors());
    let quiet = place.finished(place.program(&["run", "--quiet"], "compute"));
    assert_eq!((quiet.status.code(), quiet.errors().as_str()), (Some(0), ""));
    // It is ours that the process has mapped: its log says so.
    let debug = place.finished(place.program(&["run", "--log-level", "debug"], "compute"));
    assert!(debug.errors().contains("shader model"), "{}", debug.errors());
}

#[test]
fn exit_codes_and_reasons() {
    let place = Place::new();
    for (script, code) in [("exit 7", 7), ("kill -TERM $$", 143), ("true", 124)] {
        let finished = place.finished(place.reprise(&["run", "--", "sh", "-c", script]));
        assert_eq!(finished.status.code(), Some(code), "{script}: {}", finished.errors());
        assert!(finished.errors().contains("no process loaded our runtime"), "{script}: {}", finished.errors());
    }
    for (program, code) in [("no-such-program", 127), ("./missing", 127)] {
        let finished = place.finished(place.reprise(&["run", "--", program]));
        assert_eq!(finished.status.code(), Some(code), "{program}: {}", finished.errors());
    }
    let refused = place.finished(place.program(&["run", "--adapter", "no adapter of this name"], "compute"));
    assert_ne!(refused.status.code(), Some(0));
    assert!(refused.errors().contains("without a device of our runtime"), "{}", refused.errors());
    assert!(refused.errors().contains("no adapter of this name"), "{}", refused.errors());
    let mut missing = place.program(&["run"], "compute");
    missing.env("REPRISE_RUNTIME_LIBRARY", "/nowhere/lib.so");
    let missing = place.finished(missing);
    assert_eq!(missing.status.code(), Some(125), "{}", missing.errors());
    assert!(missing.errors().contains("/nowhere/lib.so"), "{}", missing.errors());
    let checks = ["run", "--check-descriptors", "--", "sh", "-c", "echo $REPRISE_CHECK_DESCRIPTORS"];
    assert_eq!(place.finished(place.reprise(&checks)).text(), "1\n");
}

#[test]
fn the_environment_is_the_programs() {
    let place = Place::new();
    let mut command = place.reprise(&["run", "--adapter", "1", "--", "sh", "-c"]);
    command.arg("echo $LD_LIBRARY_PATH; echo $REPRISE_ADAPTER; echo $REPRISE_LOG_LEVEL; ls ${LD_LIBRARY_PATH%%:*}");
    command.env("LD_LIBRARY_PATH", "/a:/b").env_remove("REPRISE_LOG_LEVEL");
    let finished = place.finished(command);
    let text = finished.text();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with(place.temporary.to_str().unwrap()), "{text}");
    assert!(lines[0].ends_with("/lib:/a:/b"), "{text}");
    assert_eq!(lines[1..3], ["1", ""], "what was not asked for is not set");
    assert!(lines[3..].contains(&LIBRARY), "{text}");
}

/// A process that the program leaves keeps its libraries; whoever started it does not wait.
#[test]
fn a_launcher_that_ends() {
    let place = Place::new();
    // It runs until somebody writes to the pipe.
    let pipe = place.bench.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let script = "cat pipe >/dev/null 2>&1 & exit 3";
    let mut command = place.reprise(&["run", "--", "sh", "-c", script]);
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert_eq!(finished.status.code(), Some(3), "{}", finished.errors());
    assert!(finished.errors().contains("still runs"), "{}", finished.errors());
    assert_eq!(std::fs::read_dir(&place.temporary).unwrap().count(), 1);
    std::fs::write(&pipe, "end").unwrap();
    wait_until_empty(&place);
}

#[test]
fn a_run_that_is_killed_leaves_nothing() {
    let place = Place::new();
    let mut command = place.reprise(&["run", "--", "sh", "-c", "echo ready; exec sleep 1"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    program::lines(child.stdout.take()).wait_for("ready", PATIENCE).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until_empty(&place);
}

fn wait_until_empty(place: &Place) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while std::fs::read_dir(&place.temporary).unwrap().count() > 0 {
        assert!(Instant::now() < deadline, "something is left behind");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn validation_of_a_native_program() {
    if require(missing::validation_layer()).is_none() {
        return;
    }
    let place = Place::new();
    let finished = place.finished(place.program(&["run", "--validate", "--log-file", "log"], "overlaps"));
    assert_eq!(finished.status.code(), Some(0), "the exit code is the program's: {}", finished.errors());
    let log = std::fs::read_to_string(place.bench.path("log")).unwrap();
    let rule = "VUID-vkCmdCopyBuffer-pRegions-00117";
    assert!(log.contains(rule) && finished.errors().contains(rule), "{log}");
}

#[test]
fn a_capture_of_a_run_on_ours() {
    let place = Place::new();
    let options = ["capture", "--runtime", "ours", "-o", "t.reprise"];
    let finished = place.finished(place.program(&options, "compute"));
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    assert_eq!(finished.text(), format!("compute {}\n", expected("compute")));
    let info = place.bench.output(&["info", "t.reprise"]);
    assert!(info.contains("libreprise_d3d12.so"), "{info}");
    let replayed = place.bench.output(&["replay", "t.reprise"]);
    assert!(replayed.contains("12.2 KiB that the program saw the GPU write compared"), "{replayed}");
    assert_eq!(place.bench.files(), ["t.reprise", "temporary"]);
}

/// Debian's libvkd3d is none that our runtime can stand in for. The capture says so; the trace is that of the other library.
#[test]
fn a_capture_that_did_not_run_on_ours() {
    let place = Place::new();
    let mut command = place.reprise(&["capture", "--runtime", "ours", "-o", "t.reprise", "--"]);
    command.arg(artifact::programs().unwrap()).args(["compute", "--library", "vkd3d"]);
    let finished = place.finished(command);
    assert_eq!(finished.status.code(), Some(125), "{}", finished.errors());
    assert!(finished.errors().contains("the program ran on another library"), "{}", finished.errors());
}
