//! Programs that are harsh to their own process: they clear their environment, become another program, protect mapped memory
//! themselves, let children store to it, limit their files. Each goes on as it would without us, and its trace has it all or
//! says what it lacks. The program's own comparison and the replay's are the expectation.

use crate::bench::{Bench, PATIENCE};
use crate::programs::ours;
use reprise_testing::{Finished, missing, program, require};
use serde_json::{Value as Json, json};
use std::path::PathBuf;
use std::process::Command;

const PROGRAM: &str = include_str!("harsh/harsh.c");

struct Harsh {
    bench: Bench,
    program: PathBuf,
}

impl Harsh {
    fn new() -> Option<Harsh> {
        let compiler = require(missing::program("gcc", "gcc"))?;
        require(missing::file(&["/usr/include/vkd3d/vkd3d.h"], "libvkd3d-dev"))?;
        let bench = Bench::new();
        // The folder that goes with the bench, so that what is in the bench's own is what a capture left.
        let folder = bench.folder.with_extension("hook");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("harsh.c"), PROGRAM).unwrap();
        // The name by which captured programs know the runtime's convention.
        std::os::unix::fs::symlink(ours(), folder.join("libvkd3d-proton-d3d12.so")).unwrap();
        let mut command = Command::new(compiler);
        command.current_dir(&folder).args(["-O1", "-Wall", "-I/usr/include/vkd3d", "-o", "harsh", "harsh.c"]);
        command.args(["-L.", "-l:libvkd3d-proton-d3d12.so", "-lpthread", "-Wl,-rpath,$ORIGIN"]);
        let built = program::run(&mut command, PATIENCE).unwrap();
        assert!(built.status.success(), "{}", built.errors());
        let program = folder.join("harsh");
        Some(Harsh { bench, program })
    }

    /// Runs the program without us and captured: it has to end well both times.
    fn capture(&self, options: &[&str], what: &[&str]) -> Finished {
        self.capture_that_ends_with(0, options, what)
    }

    /// As [`Harsh::capture`], of a capture whose own exit code is another one.
    fn capture_that_ends_with(&self, code: i32, options: &[&str], what: &[&str]) -> Finished {
        let bare = program::run(Command::new(&self.program).args(what), PATIENCE).unwrap();
        assert_eq!(bare.status.code(), Some(0), "{what:?} without us: {}", bare.errors());
        let mut command = self.bench.command();
        command.arg("capture").args(options).args(["-o", "trace.reprise", "--"]).arg(&self.program).args(what);
        let captured = program::run(&mut command, PATIENCE).unwrap();
        assert!(!captured.timed_out, "{what:?} hangs");
        assert_eq!(captured.status.code(), Some(code), "{what:?} captured: {}", captured.errors());
        captured
    }

    fn info(&self, trace: &str) -> Json {
        serde_json::from_str(&self.bench.output(&["info", "--json", trace])).unwrap()
    }

    /// Nothing is missing in a trace, and a replay reads back what the program did.
    fn is_whole(&self, trace: &str) {
        let info = self.info(trace);
        assert_eq!((&info["complete"], &info["gap_count"]), (&json!(true), &json!(0)), "{trace}: {info}");
        let text = self.bench.output(&["verify", "--runtime", "ours", trace]);
        assert!(text.contains("that the program read back equal"), "{trace}: {text}");
    }
}

#[test]
fn a_cleared_environment_changes_nothing() {
    let Some(harsh) = Harsh::new() else { return };
    harsh.capture(&[], &["environment"]);
    harsh.is_whole("trace.reprise");
    assert_eq!(harsh.bench.files(), ["trace.reprise"]);
}

/// `exec`: one process, three programs, each with a device.
#[test]
fn what_a_process_becomes_is_recorded_too() {
    let Some(harsh) = Harsh::new() else { return };
    let captured = harsh.capture(&[], &["image", "2"]);
    let files = harsh.bench.files();
    assert_eq!(files.len(), 3, "{files:?}: {}", captured.errors());
    for trace in &files {
        assert!(trace.ends_with(".reprise"), "{files:?}");
        harsh.is_whole(trace);
    }
}

#[test]
fn a_forked_child_may_store_to_mapped_memory() {
    let Some(harsh) = Harsh::new() else { return };
    harsh.capture(&[], &["fork"]);
    harsh.is_whole("trace.reprise");
}

#[test]
fn memory_that_the_program_protects_itself_is_recorded() {
    let Some(harsh) = Harsh::new() else { return };
    for mode in ["pages", "mprotect", "compare"] {
        harsh.capture(&["--force", "--memory-tracking", mode], &["protect"]);
        harsh.is_whole("trace.reprise");
    }
}

/// A ring that cannot be made: no signal for the program, the thread is named in the trace, and the exit code says that calls are missing.
#[test]
fn a_limit_of_file_sizes_does_not_end_the_program() {
    let Some(harsh) = Harsh::new() else { return };
    let captured = harsh.capture_that_ends_with(125, &[], &["limit"]);
    assert!(captured.errors().contains("a thread is not recorded"), "{}", captured.errors());
    let info = harsh.info("trace.reprise");
    assert_eq!(info["gap_count"], json!(1), "{info}");
    let gap = info["gaps"][0]["text"].as_str().unwrap();
    assert!(gap.contains("is not recorded: its ring could not be made"), "{gap}");
}

/// A container counts its processes by itself: the program's number there is another's, or nobody's, outside, with and without
/// a `/proc` of its own.
#[test]
fn a_program_in_a_container_is_recorded_to_its_end() {
    let Some(harsh) = Harsh::new() else { return };
    let Some(unshare) = require(missing::program("unshare", "util-linux")) else { return };
    for options in [&["--pid", "--fork", "--mount-proc"][..], &["--pid", "--fork"]] {
        let mut allowed = Command::new(&unshare);
        if !program::run(allowed.args(options).arg("true"), PATIENCE).unwrap().status.success() {
            eprintln!("not tested: {options:?} is not allowed here");
            continue;
        }
        let mut command = harsh.bench.command();
        command.args(["capture", "--force", "-o", "trace.reprise", "--"]).arg(&unshare).args(options);
        let captured = program::run(command.arg(&harsh.program).arg("plain"), PATIENCE).unwrap();
        assert!(!captured.timed_out, "{options:?} hangs");
        assert_eq!(captured.status.code(), Some(0), "{options:?}: {}", captured.errors());
        harsh.is_whole("trace.reprise");
    }
}
