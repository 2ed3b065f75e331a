//! Golden traces: recorded once by the build of their day (`cargo xtask golden`), read and replayed by every later one.
//!
//! Each folder beside this file is a set; its README.md says what the traces are. What a trace must say was recorded with it.
//! Later builds may say more, never less and nothing else: every key that was there has the value that it had.

#![allow(clippy::unwrap_used, missing_docs)]

mod covers;
mod place;
mod reader;
mod set;
mod sums;

use covers::covers;
use place::Place;
use serde_json::Value as Json;
use set::{Golden, sets};
use std::path::PathBuf;

/// A hash of each set. What is recorded never changes: a set whose hash differs was damaged, or changed to pass.
const HASHES: [(&str, &str); 2] =
    [("v2", "99a6cf22e17d45f5134cc23aa2b5c121"), ("v3", "468d5f5f00083fa70889a80e29f08815")];

#[test]
fn no_golden_file_has_changed() {
    let found: Vec<(String, String)> = sets().iter().map(|set| (set.name.clone(), set.hash())).collect();
    let expected: Vec<(String, String)> = HASHES.iter().map(|(name, hash)| ((*name).into(), (*hash).into())).collect();
    assert_eq!(found, expected);
}

/// Every golden trace, in as many threads as the machine has processors; `check` names what is wrong by panicking.
fn each(check: impl Fn(&Golden) + Sync) {
    let all: Vec<Golden> = sets().into_iter().flat_map(|set| set.traces).collect();
    assert!(!all.is_empty());
    let next = std::sync::atomic::AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(golden) = all.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    check(golden);
                }
            });
        }
    });
}

fn lines(text: &str) -> Vec<Json> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// Line by line what the build of the recording said, and nothing left out.
fn check_dump(golden: &Golden, text: &str) {
    let (expected, found) = (golden.lines(), lines(text));
    for (expected, found) in expected.iter().zip(&found) {
        covers(expected, found)
            .unwrap_or_else(|what| panic!("{golden}: {what}\nexpected {expected}\nfound    {found}"));
    }
    assert_eq!(found.len(), expected.len(), "{golden}: lines");
}

/// What the builds of the recordings got wrong: trace, member of `info`, what it was and what it is.
///
/// A thread was counted again when salvage went on with it in a ring; the program of `unfinished` has one thread. A trace that lacks what was damaged was
/// called complete.
const MENDED: [(&str, &str, &str, &str); 2] =
    [("unfinished", "threads", "2", "1"), ("facts", "complete", "true", "false")];

/// What `info` said on the day of the recording, with what was wrong then put right.
fn said_of(golden: &Golden) -> Json {
    let mut info = golden.info();
    for (_, member, was, is) in MENDED.iter().filter(|(name, ..)| *name == golden.name) {
        assert_eq!(info[member].to_string(), *was, "{golden}: {member} needs no mending");
        info[member] = serde_json::from_str(is).unwrap();
    }
    info
}

#[test]
fn each_says_what_it_said() {
    each(|golden| {
        let place = Place::with(golden);
        let (info, code) = place.said(&["info", "--json", "trace.reprise"]);
        assert_eq!(code, golden.exit, "{golden}: info");
        let found: Json = serde_json::from_str(&info).unwrap();
        covers(&said_of(golden), &found).unwrap_or_else(|what| panic!("{golden}: info: {what}\n{found}"));
        let (dump, code) = place.said(&["dump", "--json", "trace.reprise"]);
        assert_eq!(code, golden.exit, "{golden}: dump");
        check_dump(golden, &dump);
    });
}

/// What a replay must report: it played all of the trace, and nothing came out otherwise.
fn check_replay(golden: &Golden, place: &Place, runtime: &[&str]) -> Json {
    let (text, code) = place.said(&[&["replay", "--json"], runtime, &["trace.reprise"]].concat());
    assert_eq!(code, 0, "{golden}: replay");
    let report: Json = serde_json::from_str(&text).unwrap();
    assert_eq!(report["calls"], golden.info()["calls"], "{golden}: calls played");
    let damaged = report["damaged"].as_u64();
    assert_eq!((damaged, report["different_bytes"].as_u64()), (Some(0), Some(0)), "{golden}: {report}");
    report
}

#[test]
fn each_plays_on_our_runtime() {
    each(|golden| {
        if golden.replay.as_deref() != Some("ours") {
            return;
        }
        let place = Place::with(golden);
        let report = check_replay(golden, &place, &[]);
        assert_eq!(report["difference_count"].as_u64(), Some(0), "{golden}: {report}");
        if golden.verify && place.has_runtime_of(golden) {
            let (text, code) = place.said(&["verify", "trace.reprise"]);
            assert_eq!(code, 0, "{golden}: verify: {text}");
        }
    });
}

/// The null runtime makes its results up, so numbers that it answers with may differ, and what is missing in the trace is named.
/// Nothing else may differ.
#[test]
fn each_plays_on_the_null_runtime() {
    let runtime = reprise_testing::artifact::null_library().unwrap();
    let runtime = ["--runtime", runtime.to_str().unwrap(), "--convention", "win64"];
    each(|golden| {
        if golden.replay.as_deref() != Some("null-win64") {
            return;
        }
        let report = check_replay(golden, &Place::with(golden), &runtime);
        let made_up = |difference: &&Json| {
            (difference["method"].as_str(), difference["field"].as_str())
                == (Some("ID3D12Device::GetNodeCount"), Some("result"))
        };
        let gap = |difference: &&Json| difference["what"].as_str().is_some_and(|what| what.contains("has a gap here"));
        let differences = report["differences"].as_array().unwrap();
        let (gaps, others): (Vec<&Json>, Vec<&Json>) =
            differences.iter().filter(|difference| !made_up(difference)).partition(gap);
        assert!(others.is_empty(), "{golden}: {others:?}");
        assert_eq!(Some(gaps.len() as u64), golden.info()["gap_count"].as_u64(), "{golden}: {gaps:?}");
    });
}

/// A complete trace made of an unfinished one and its rings says the same.
#[test]
fn an_unfinished_one_is_repaired() {
    let mut repaired = 0;
    for golden in sets().into_iter().flat_map(|set| set.traces).filter(|golden| golden.rings) {
        let place = Place::with(&golden);
        let (text, code) = place.said(&["repair", "-o", "whole.reprise", "trace.reprise"]);
        assert_eq!(code, 0, "{golden}: {text}");
        let (dump, code) = place.said(&["dump", "--json", "whole.reprise"]);
        assert_eq!(code, 0, "{golden}");
        check_dump(&golden, &dump);
        repaired += 1;
    }
    assert!(repaired > 0, "no golden trace has rings");
}

/// A trace that ends in the middle, as after the death of a machine, says what it has: a beginning of what it said whole.
#[test]
fn one_that_is_cut_says_its_beginning() {
    for set in sets() {
        let golden = set.traces.iter().find(|golden| golden.name == "pipelines").unwrap();
        let place = Place::with(golden);
        let path: PathBuf = place.path("trace.reprise");
        let bytes = std::fs::read(&path).unwrap();
        let expected = golden.lines();
        for part in [6, 9] {
            std::fs::write(&path, &bytes[..bytes.len() * part / 10]).unwrap();
            let (dump, code) = place.said(&["dump", "--json", "trace.reprise"]);
            assert!(code == 0 || code == 3, "{golden} cut: {code}");
            let found = lines(&dump);
            // The cut is a gap, and a call whose end lies behind it has not returned.
            let whole = |line: &&Json| line["event"] != "gap" && line["returned"] != false;
            let found: Vec<&Json> = found.iter().filter(whole).collect();
            assert!(!found.is_empty() && found.len() <= expected.len(), "{golden} cut: {} lines", found.len());
            for (expected, found) in expected.iter().zip(found) {
                let timeless = |line: &Json| {
                    let mut line = line.clone();
                    // Without a footer there is nothing that turns ticks into time exactly.
                    line.as_object_mut().unwrap().remove("time_ns");
                    line
                };
                covers(&timeless(expected), found)
                    .unwrap_or_else(|what| panic!("{golden} cut: {what}\n{expected}\n{found}"));
            }
        }
    }
}
