//! Damaged traces: cut anywhere, flipped anywhere, they give an error or a part, quickly, and never a crash.

use crate::bench::Bench;
use crate::programs;
use reprise_testing::program;
use std::time::Duration;

/// Longest that one command may take on a small trace; a hang, not a slow machine, exceeds it.
const LIMIT: Duration = Duration::from_secs(300);

/// How often each is tried through the program; every single byte is tried in the reader's own tests.
const CUTS: u64 = 40;
const FLIPS: u64 = 60;

/// Runs the readers over the bytes; they may end with success, 3, or a usage error, never by a signal or a panic.
fn check(bench: &Bench, bytes: &[u8], what: &str) {
    std::fs::write(bench.path("damaged.reprise"), bytes).unwrap();
    for arguments in [["info", "--json"], ["dump", "--json"], ["extract", "--json"], ["stat", "--json"]] {
        let mut command = bench.command();
        // An allocation without bound fails here instead of taking the machine down.
        command.args(arguments).arg("damaged.reprise");
        let finished = program::run(&mut command, LIMIT).unwrap();
        assert!(!finished.timed_out, "{what}: {arguments:?} hangs");
        let code = finished.status.code();
        assert!(matches!(code, Some(0 | 3)), "{what}: {arguments:?}: {}\n{}", finished.status, finished.errors());
        assert!(!finished.errors().contains("panicked"), "{what}: {}", finished.errors());
        assert_eq!(code == Some(3), !finished.errors().is_empty(), "{what}: {arguments:?} {}", finished.errors());
        for line in finished.text().lines() {
            assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{what}: {line}");
        }
    }
}

#[test]
#[ignore = "slow: captures a real program"]
fn cut_and_flipped() {
    let bench = Bench::new();
    if bench.capture("vkd3d-triangle", 1).is_none() {
        return;
    }
    let whole = std::fs::read(bench.path("trace.reprise")).unwrap();
    let length = whole.len() as u64;
    for cut in 0..CUTS {
        let length = (length * cut / CUTS) as usize;
        check(&bench, &whole[..length], &format!("the first {length} of {} bytes", whole.len()));
    }
    // A walk through the file with a step that meets every kind of field.
    let step = (length / FLIPS).max(1) | 1;
    for place in (0..length).step_by(step as usize) {
        let mut bytes = whole.clone();
        bytes[place as usize] ^= 1 << (place % 8);
        check(&bench, &bytes, &format!("byte {place} flipped"));
    }
}

/// What is sound of a cut trace is read and played, and every command says by its exit code that it is not all.
#[test]
fn a_cut_trace_ends_with_3_everywhere() {
    let bench = Bench::new();
    let ours = programs::ours().to_string_lossy().into_owned();
    programs::capture(&bench, "compute", &programs::ours());
    assert_eq!(bench.run(&["replay", "trace.reprise", "--runtime", &ours]).status.code(), Some(0));
    let whole = std::fs::read(bench.path("trace.reprise")).unwrap();
    for percent in [30, 60, 90] {
        std::fs::write(bench.path("cut.reprise"), &whole[..whole.len() * percent / 100]).unwrap();
        for command in [&["info"][..], &["dump"], &["stat"], &["extract"], &["replay", "--runtime", &ours]] {
            let finished = bench.run(&[command, &["cut.reprise"]].concat());
            assert_eq!(finished.status.code(), Some(3), "{percent} %: {command:?}: {}", finished.errors());
            assert!(finished.errors().contains("1 place is damaged"), "{command:?}: {}", finished.errors());
        }
    }
    let beyond = bench.run(&["replay", "--frames", "99", "--runtime", &ours, "trace.reprise"]);
    assert_eq!(beyond.status.code(), Some(1));
    assert!(beyond.errors().contains("frame 99 is not there"), "{}", beyond.errors());
}
