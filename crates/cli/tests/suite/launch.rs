//! `reprise capture` around programs that use no Direct3D: what it passes on, and what it leaves behind.

use crate::bench::{Bench, PATIENCE};
use reprise_testing::program;
use reprise_trace::record::Kind;
use reprise_trace::session::{Config, Session};
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

fn shell(script: &str) -> Vec<&str> {
    vec!["capture", "--", "sh", "-c", script]
}

#[test]
fn the_exit_code_is_the_programs() {
    let bench = Bench::new();
    for (script, code) in [("exit 7", 7), ("exit 1", 1), ("kill -TERM $$", 143), ("kill -KILL $$", 137)] {
        let finished = bench.run(&shell(script));
        assert_eq!(finished.status.code(), Some(code), "{script}: {}", finished.errors());
        assert!(finished.errors().contains("no trace"), "{}", finished.errors());
    }
    assert_eq!(bench.files(), [""; 0], "something is left behind");
}

#[test]
fn a_program_without_direct3d_is_told_apart() {
    let bench = Bench::new();
    let finished = bench.run(&["capture", "--", "true"]);
    assert_eq!(finished.status.code(), Some(124));
    assert!(finished.errors().contains("without calling Direct3D 12"), "{}", finished.errors());
    assert_eq!(bench.files(), [""; 0]);
}

#[test]
fn programs_that_cannot_be_started() {
    let bench = Bench::new();
    std::fs::write(bench.path("text"), "no program").unwrap();
    for (program, code) in [("no-such-program", 127), ("./missing", 127), ("./text", 126)] {
        let finished = bench.run(&["capture", "--", program]);
        assert_eq!(finished.status.code(), Some(code), "{program}: {}", finished.errors());
        assert!(finished.errors().contains(program), "{}", finished.errors());
    }
    assert_eq!(bench.files(), ["text"]);
}

#[test]
fn a_missing_capture_library_is_our_failure() {
    let bench = Bench::new();
    let mut command = bench.command();
    command.args(["capture", "--", "true"]).env("REPRISE_CAPTURE_LIBRARY", "/nowhere/lib.so");
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert_eq!(finished.status.code(), Some(125));
    assert!(finished.errors().contains("/nowhere/lib.so"));
}

#[test]
fn arguments_and_environment_arrive() {
    let bench = Bench::new();
    let script = "printf '%s\\n' \"$@\" \"$LD_PRELOAD\" \"$REPRISE_OUTPUT\" \"$REPRISE_SESSION\"";
    let mut command = bench.command();
    command.args(["capture", "--", "sh", "-c", script, "sh", "--output", "a b", ""]);
    // The loader passes over an empty entry; a real one would have to exist.
    command.env("LD_PRELOAD", "libm.so.6");
    let finished = program::run(&mut command, PATIENCE).unwrap();
    let text = finished.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..3], ["--output", "a b", ""]);
    let preload: Vec<&str> = lines[3].split(':').collect();
    assert!(preload[0].ends_with("libreprise_capture.so"), "{preload:?}");
    assert_eq!(preload[1..], ["libm.so.6"]);
    assert_eq!(lines[4], bench.path("sh.reprise").to_string_lossy());
    assert!(lines[5].ends_with(".rings"), "{}", lines[5]);
}

#[test]
fn an_existing_file_is_not_overwritten() {
    let bench = Bench::new();
    std::fs::write(bench.path("sh.reprise"), "precious").unwrap();
    let refused = bench.run(&["capture", "-o", "sh.reprise", "--", "sh", "-c", "exit 0"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(refused.errors().contains("--force"), "{}", refused.errors());
    let numbered = bench.run(&shell("echo $REPRISE_OUTPUT"));
    assert_eq!(numbered.text().trim(), bench.path("sh-2.reprise").to_string_lossy());
    assert_eq!(std::fs::read(bench.path("sh.reprise")).unwrap(), b"precious");
}

/// A session that a program left in `folder`, dead or running, with or without a record that is in no trace.
fn leave_session(folder: &Path, runs: bool, unsaved: bool) {
    let session = Session::create(folder, &Config::default()).unwrap();
    let mut ring = session.create_ring("").unwrap();
    if unsaved {
        ring.record(Kind::Gap, 0, 0, 0, 0, &[&[0; 8]]);
    }
    drop((ring, session));
    if !runs {
        let mut gone = Command::new("true").spawn().unwrap();
        gone.wait().unwrap();
        // Its process id has a fixed place.
        let file = std::fs::File::options().write(true).open(folder.join("session")).unwrap();
        file.write_all_at(&gone.id().to_le_bytes(), 12).unwrap();
    }
}

#[test]
fn what_an_unfinished_capture_left_is_not_thrown_away() {
    let bench = Bench::new();
    let rings = bench.path("sh.reprise.rings");
    leave_session(&rings, false, true);
    let capture = |force: bool| {
        let mut arguments = vec!["capture", "-o", "sh.reprise", "--", "sh", "-c", "echo started"];
        if force {
            arguments.insert(1, "--force");
        }
        bench.run(&arguments)
    };
    let refused = capture(false);
    assert_eq!(refused.status.code(), Some(2), "{}", refused.errors());
    assert!(refused.errors().contains("repair") && refused.errors().contains("--force"), "{}", refused.errors());
    assert_eq!(refused.text(), "", "the program is not started");
    assert!(rings.join("session").exists() && rings.join("ring-0").exists());
    let forced = capture(true);
    assert_eq!(forced.status.code(), Some(124), "{}", forced.errors());
    assert_eq!(bench.files(), [""; 0]);
}

#[test]
fn what_holds_nothing_is_cleared_away() {
    let bench = Bench::new();
    let cleared = |folder: &str, what: &str| {
        let finished = bench.run(&["capture", "-o", "sh.reprise", "--", "true"]);
        assert_eq!(finished.status.code(), Some(124), "{what} in {folder}: {}", finished.errors());
        assert_eq!(bench.files(), [""; 0], "{what} in {folder}");
    };
    let first = bench.path("sh.reprise.rings");
    std::fs::create_dir(&first).unwrap();
    cleared("sh.reprise.rings", "nothing");
    std::fs::create_dir(&first).unwrap();
    std::fs::write(first.join("session.new"), "").unwrap();
    cleared("sh.reprise.rings", "half a session");
    for (folder, unsaved) in
        [("sh.reprise.rings", false), ("sh.reprise.123.rings", false), ("sh.reprise.rings.9234", true)]
    {
        leave_session(&bench.path(folder), false, unsaved);
        cleared(folder, "a session");
    }
}

#[test]
fn a_running_capture_is_left_alone() {
    let bench = Bench::new();
    leave_session(&bench.path("sh.reprise.rings"), true, true);
    for arguments in [&["capture", "-o"][..], &["capture", "--force", "-o"]] {
        let refused = bench.run(&[arguments, &["sh.reprise", "--", "true"]].concat());
        assert_eq!(refused.status.code(), Some(2), "{}", refused.errors());
        assert!(refused.errors().contains(&std::process::id().to_string()), "{}", refused.errors());
    }
    assert_eq!(bench.files(), ["sh.reprise.rings"]);
}

/// A signal sent to `reprise` alone reaches the program; one from the terminal reaches both, and `reprise` outlives it.
#[test]
fn signals_are_for_the_program() {
    for (signal, group) in [(libc::SIGTERM, false), (libc::SIGINT, false), (libc::SIGINT, true)] {
        let bench = Bench::new();
        let mut command = bench.command();
        // The inner sleep is short, so that the trap runs soon; it ends with the shell at the latest.
        let script = "trap 'exit 42' TERM INT; echo ready; while :; do sleep 0.05; done";
        command.args(shell(script)).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        // A test that was started in the background ignores Ctrl-C, and so would everything below it.
        // SAFETY: only a system call that may be made between fork and exec.
        unsafe {
            command.pre_exec(|| {
                libc::signal(libc::SIGINT, libc::SIG_DFL);
                Ok(())
            })
        };
        let mut child = command.spawn().unwrap();
        program::lines(child.stdout.take()).wait_for("ready", PATIENCE).unwrap();
        let pid = child.id().cast_signed();
        // SAFETY: signals the process started above, or the group made for it.
        assert_eq!(unsafe { libc::kill(if group { -pid } else { pid }, signal) }, 0);
        let (status, timed_out) = program::wait(&mut child, PATIENCE).unwrap();
        assert!(!timed_out);
        assert_eq!(status.code(), Some(42), "signal {signal}, group {group}");
        assert_eq!(bench.files(), [""; 0]);
    }
}
