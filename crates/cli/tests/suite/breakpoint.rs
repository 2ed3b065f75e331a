//! `replay --break-at`, with a debugger and without.

use crate::bench::{Bench, PATIENCE};
use crate::programs;
use reprise_testing::{missing, program, require};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The debugger stops in a function that is called with the call's number; let go, the replay ends well.
#[test]
fn a_debugger_stops_before_the_call() {
    let Some(gdb) = require(missing::program("gdb", "gdb")) else { return };
    let bench = Bench::new();
    programs::capture(&bench, "compute", &programs::ours());
    let mut command = Command::new(gdb);
    command.current_dir(&bench.folder).args(["-nx", "-batch", "-ex", "run", "-ex", "backtrace"]);
    command.args(["-ex", "print (long) reprise_break_call", "-ex", "continue", "--args"]);
    command.arg(env!("CARGO_BIN_EXE_reprise")).args(["replay", "--break-at", "23", "trace.reprise"]);
    let finished = program::run(&mut command, PATIENCE).unwrap();
    let text = finished.text();
    assert!(text.contains("received signal SIGTRAP") && text.contains("reprise_break ("), "{text}");
    assert!(text.contains("$1 = 23") && finished.errors().contains("next is call 23 (frame 1), ID3D12"), "{text}");
    assert!(text.contains("calls replayed on") && text.contains("exited normally"), "{text}");
}

/// Without one the process stops, says what to do, and goes on when it is told to.
#[test]
fn without_a_debugger_it_stops_and_can_go_on() {
    let bench = Bench::new();
    programs::capture(&bench, "compute", &programs::ours());
    let mut command = bench.command();
    command.args(["replay", "--break-at", "23", "trace.reprise"]).stdout(Stdio::null());
    let mut child = command.stderr(std::fs::File::create(bench.path("said")).unwrap()).spawn().unwrap();
    let pid = child.id();
    let started = Instant::now();
    let state = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        stat.rsplit_once(") ").unwrap().1.chars().next().unwrap()
    };
    while state() != 'T' {
        assert!(started.elapsed() < PATIENCE && state() != 'Z', "it does not stop, and is in state {}", state());
        std::thread::sleep(Duration::from_millis(20));
    }
    // SAFETY: a signal to a child of this test that has not been waited for.
    unsafe { libc::kill(pid.cast_signed(), libc::SIGCONT) };
    let (status, timed_out) = program::wait(&mut child, PATIENCE).unwrap();
    let errors = std::fs::read_to_string(bench.path("said")).unwrap();
    assert!(status.success() && !timed_out, "{status}\n{errors}");
    assert!(errors.contains("stopped before call 23") && errors.contains("gdb --args"), "{errors}");
}
