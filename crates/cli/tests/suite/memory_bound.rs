//! By how much the memory of a captured program grows: by what the README of `reprise-capture` states, and no more however long it runs.
//!
//! The program asks the kernel about itself; the same run without us is what it is compared with. `REPRISE_OBJECTS` and
//! `REPRISE_THREADS` are how many objects and threads are made.

use crate::bench::PATIENCE;
use crate::control::Work;
use reprise_testing::program;
use reprise_testing::worker::Link;
use std::collections::HashMap;
use std::process::{Command, Stdio};

/// KiB of the program's own and of shared memory, at each place where it told.
type Told = HashMap<String, (i64, i64)>;

fn told(text: &str) -> Told {
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        (words[0].to_owned(), (words[1].parse().unwrap(), words[2].parse().unwrap()))
    };
    text.lines().map(line).collect()
}

fn bare(work: &Work, mode: &[&str]) -> Told {
    let mut command = Command::new(&work.worker);
    command.arg(work.path("log")).args(mode).env("REPRISE_NULL_LOG", "off").stdin(Stdio::null());
    told(&program::run(&mut command, PATIENCE).unwrap().text())
}

fn captured(work: &Work, mode: &[&str]) -> Told {
    let finished = work.capture(&["--ring-size", "512K"], mode);
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    assert!(!finished.errors().contains("not recorded"), "{}", finished.errors());
    let info = work.info("trace.reprise");
    assert_eq!(info["gap_count"], serde_json::json!(0), "{}", info["gaps"]);
    work.clear();
    told(&finished.text())
}

/// What a run grew by between two places.
fn growth(told: &Told, from: &str, to: &str) -> (i64, i64) {
    (told[to].0 - told[from].0, told[to].1 - told[from].1)
}

/// Objects that are gone leave nothing behind; one that lives costs less than 1 KiB.
#[test]
fn objects() {
    let Some(work) = Work::new(Link::Linked) else { return };
    let count = std::env::var("REPRISE_OBJECTS").unwrap_or("100000".into());
    let mode = ["objects", &count];
    let (bare, captured) = (bare(&work, &mode), captured(&work, &mode));
    let (without, with) = (growth(&bare, "tenth", "all"), growth(&captured, "tenth", "all"));
    println!("{count} objects made and released: grown by {with:?} KiB with us, by {without:?} without");
    assert!(with.0 - without.0 <= 1024 && with.1 - without.1 <= 256, "{with:?} {without:?}");
    let (without, with) = (growth(&bare, "all", "living"), growth(&captured, "all", "living"));
    println!("10,000 objects that live: {with:?} KiB with us, {without:?} without");
    assert!(with.0 - without.0 <= 10_000, "{with:?} {without:?}");
}

/// Threads that are gone leave nothing behind, however many there were. Those that live cost their ring.
#[test]
fn threads() {
    let Some(work) = Work::new(Link::Linked) else { return };
    // With 5,000 there are more than a session has places for at one time.
    let count = std::env::var("REPRISE_THREADS").unwrap_or("600".into());
    let mode = ["threads", &count];
    let (bare, captured) = (bare(&work, &mode), captured(&work, &mode));
    let (without, with) = (growth(&bare, "tenth", "all"), growth(&captured, "tenth", "all"));
    println!("{count} threads, one after the other: grown by {with:?} KiB with us, by {without:?} without");
    assert!(with.0 - without.0 <= 1024 && with.1 - without.1 <= 1024, "{with:?} {without:?}");
    let (without, with) = (growth(&bare, "all", "living"), growth(&captured, "all", "living"));
    println!("200 threads that live: {with:?} KiB with us, {without:?} without");
    assert!(with.1 - without.1 <= 200 * (512 + 4) + 1024 && with.0 - without.0 <= 200 * 64, "{with:?} {without:?}");
    let with = growth(&captured, "all", "ended");
    assert!(with.1 <= 2048, "rings of threads that have ended are still there: {with:?} KiB");
}
