//! Damaged traces: cut anywhere, flipped anywhere, they give an error or a part, quickly, and never a crash.

use crate::bench::Bench;
use crate::programs;
use reprise_testing::program;
use reprise_trace::chunk::{ChunkHeader, ChunkKind, HEADER};
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

/// `info` names each part of the file that has a flipped bit; other commands name the parts that they used.
#[test]
fn a_flipped_bit_is_named_wherever_it_is() {
    let bench = Bench::new();
    let ours = programs::ours().to_string_lossy().into_owned();
    programs::capture(&bench, "compute", &programs::ours());
    let whole = std::fs::read(bench.path("trace.reprise")).unwrap();
    let sound = bench.run(&["info", "trace.reprise"]);
    assert_eq!((sound.status.code(), sound.errors()), (Some(0), String::new()));
    assert!(sound.text().contains("every byte was checked"), "{}", sound.text());
    // A writer that runs for more than a second writes the schema again; the last one counts (FORMAT.md, "Schema").
    let (mut at, mut schema) = (64, 0);
    while let Some(header) = whole.get(at..at + HEADER).and_then(|b| ChunkHeader::from_bytes(b.first_chunk()?).ok()) {
        schema = if header.kind == ChunkKind::Schema { at } else { schema };
        at += header.total() as usize;
    }
    let (mut at, mut kinds) = (64, Vec::new());
    while let Some(header) = whole.get(at..at + HEADER).and_then(|b| ChunkHeader::from_bytes(b.first_chunk()?).ok()) {
        kinds.push(header.kind);
        let end = at + header.total() as usize;
        for flipped in [at + 20, at + HEADER, end - 1] {
            let mut bytes = whole.clone();
            bytes[flipped] ^= 4;
            std::fs::write(bench.path("flipped.reprise"), bytes).unwrap();
            let what = format!("byte {flipped} of the {} chunk at {at}", header.kind.name());
            let info = bench.run(&["info", "flipped.reprise"]);
            assert_eq!(info.status.code(), Some(3), "{what}: {}", info.errors());
            assert!(info.errors().contains(&format!("offset {at}, ")), "{what}: {}", info.errors());
            assert!(info.errors().contains("reprise repair flipped.reprise"), "{what}: {}", info.errors());
            // The tables are used by everything; the address table and the first meta by nothing else.
            let counts = header.kind != ChunkKind::Schema || at == schema;
            if counts
                && matches!(header.kind, ChunkKind::Footer | ChunkKind::Index | ChunkKind::Events | ChunkKind::Schema)
            {
                for command in [&["dump"][..], &["stat"], &["info", "--brief"]] {
                    let finished = bench.run(&[command, &["flipped.reprise"]].concat());
                    if command[0] == "info" && header.kind == ChunkKind::Events {
                        continue;
                    }
                    assert_eq!(finished.status.code(), Some(3), "{what}: {command:?}: {}", finished.errors());
                    let place = format!("offset {at}, ");
                    assert!(finished.errors().contains(&place), "{what}: {command:?}: {}", finished.errors());
                }
            }
        }
        at = end;
    }
    use ChunkKind::{Events, Footer, Index, Meta, Ranges, Schema};
    for kind in [Events, Schema, Meta, Ranges, Index, Footer] {
        assert!(kinds.contains(&kind), "{kind:?} was not tried");
    }
    // The trailer.
    assert_eq!(at + 32, whole.len());
    let mut bytes = whole.clone();
    bytes[at + 9] ^= 1;
    std::fs::write(bench.path("flipped.reprise"), bytes).unwrap();
    for command in [&["info"][..], &["dump"], &["replay", "--runtime", &ours], &["verify", "--runtime", &ours]] {
        let finished = bench.run(&[command, &["flipped.reprise"]].concat());
        assert_eq!(finished.status.code(), Some(3), "{command:?}: {}", finished.errors());
        assert!(finished.errors().contains(&format!("offset {at}, trailer")), "{command:?}: {}", finished.errors());
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
    // Commands about a call or a frame, too, whose answer may be in what cannot be read.
    for command in [
        &["state", "cut.reprise", "5", "--object", "1"][..],
        &["scene", "cut.reprise", "5"],
        &["debug", "cut.reprise", "5", "--thread=0,0,0"],
        &["debug", "cut.reprise", "5", "--vertex=0"],
        &["edit", "--check", "-e", "every Dispatch: drop", "cut.reprise"],
        &["lint", "cut.reprise"],
        &["diagnose", "cut.reprise"],
        &["mesh", "--call", "5", "cut.reprise"],
        &["pixel", "--frame", "1", "--at", "1,1", "cut.reprise"],
        &["overdraw", "--frame", "1", "cut.reprise"],
        &["draws", "--frame", "1", "cut.reprise"],
        &["trim", "-f", "--frames", "1", "-o", "part.reprise", "cut.reprise"],
        &["show", "--call", "5", "--target", "0", "cut.reprise"],
    ] {
        let finished = bench.run(command);
        assert_eq!(finished.status.code(), Some(3), "{command:?}: {}", finished.errors());
        assert!(finished.errors().contains("damaged"), "{command:?}: {}", finished.errors());
    }
    // What is damaged may be why a frame is not there.
    let beyond = bench.run(&["replay", "--frames", "99", "--runtime", &ours, "cut.reprise"]);
    assert_eq!(beyond.status.code(), Some(3));
    assert!(beyond.errors().contains("1 place is damaged"), "{}", beyond.errors());
}

/// Commands that find nothing to work with, because it cannot be read, say that, and not that there is nothing.
#[test]
fn damage_is_named_before_what_is_missing_for_it() {
    let bench = Bench::new();
    let whole =
        std::fs::read(reprise_testing::artifact::workspace().join("crates/cli/tests/golden/v3/gears.reprise")).unwrap();
    std::fs::write(bench.path("cut.reprise"), &whole[..whole.len() / 2]).unwrap();
    for arguments in [&["verify"][..], &["thumbnails", "--frames", "3"], &["draws", "--frame", "3"]] {
        let finished = bench.run(&[arguments, &["cut.reprise"]].concat());
        assert_eq!(finished.status.code(), Some(3), "{arguments:?}: {}{}", finished.text(), finished.errors());
    }
}

/// Where what cannot be read may be what ends frames.
#[test]
fn damage_is_named_where_nothing_ends_a_frame() {
    let bench = Bench::new();
    let whole = small(&bench);
    for boundary in ["submissions", "present", "marker=Frame"] {
        let damaged = flipped(&bench, &whole);
        for command in [&["info"][..], &["dump"], &["thumbnails"], &["edit", "--check", "-e", "every Dispatch: drop"]] {
            let finished = bench.run(&[command, &["--frame-boundary", boundary, damaged]].concat());
            assert_eq!(finished.status.code(), Some(3), "{command:?} {boundary}: {}", finished.errors());
            assert!(finished.errors().contains("damaged"), "{command:?} {boundary}: {}", finished.errors());
        }
    }
    // The control: a sound trace has nothing that ends such a frame.
    std::fs::write(bench.path("whole.reprise"), &whole).unwrap();
    let finished = bench.run(&["info", "--frame-boundary", "marker=Frame", "whole.reprise"]);
    assert_eq!(finished.status.code(), Some(2), "{}", finished.errors());
}

/// The tables of the original count what is lost, too.
#[test]
fn a_repaired_trace_has_the_calls_that_are_there() {
    let bench = Bench::new();
    let whole = small(&bench);
    let info = |trace: &str| -> serde_json::Value {
        let finished = bench.run(&["info", "--json", trace]);
        serde_json::from_str(&finished.text()).unwrap()
    };
    std::fs::write(bench.path("whole.reprise"), &whole).unwrap();
    let before = info("whole.reprise");
    assert!(before["calls"].as_u64().unwrap() > 20 && before["complete"] == true, "{before}");
    let damaged = flipped(&bench, &whole);
    assert_eq!(info(damaged)["complete"], false);
    let said = bench.output(&["repair", "--json", "-f", "-o", "repaired.reprise", damaged]);
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["calls"], &said["frames"]), (&0.into(), &0.into()), "{said}");
    let after = info("repaired.reprise");
    assert_eq!((&after["calls"], &after["calls_kept"], &after["complete"]), (&0.into(), &0.into(), &false.into()));
    // The control: of a trace whose tables alone are damaged nothing is lost.
    let mut bytes = whole.clone();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(bench.path("tail.reprise"), bytes).unwrap();
    bench.output(&["repair", "-f", "-o", "repaired.reprise", "tail.reprise"]);
    assert_eq!(info("repaired.reprise")["calls"], before["calls"]);
}

/// A trace of few calls.
fn small(bench: &Bench) -> Vec<u8> {
    programs::capture(bench, "compute", &programs::ours());
    std::fs::read(bench.path("trace.reprise")).unwrap()
}

/// The same with a flipped bit in each chunk of events.
fn flipped<'f>(bench: &Bench, whole: &[u8]) -> &'f str {
    let (mut bytes, mut at) = (whole.to_vec(), 64);
    while let Some(header) = whole.get(at..at + HEADER).and_then(|b| ChunkHeader::from_bytes(b.first_chunk()?).ok()) {
        if header.kind == ChunkKind::Events {
            bytes[at + HEADER + 3] ^= 4;
        }
        at += header.total() as usize;
    }
    assert_ne!(bytes, whole);
    std::fs::write(bench.path("flipped.reprise"), bytes).unwrap();
    "flipped.reprise"
}
