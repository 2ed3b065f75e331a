//! Kills at any instant: every call that the program had completed is in the trace, and the trace opens.
//!
//! The program and, in some tests, the writer are this test binary started again. They count their completed calls in a shared
//! page of their own; the test compares the trace with these counts.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod common;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use common::*;
use reprise_trace::os::Mapping;
use reprise_trace::read::Trace;
use reprise_trace::record::{GapReason, Kind, ORDERED, SEQUENCE};
use reprise_trace::session::{self, folder_beside};
use reprise_trace::writer_process;

const THREADS: u32 = 2;
const ROLE: &str = "REPRISE_TEST_ROLE";
const OUTPUT: &str = "REPRISE_TEST_OUTPUT";
/// Nothing here takes as long, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(300);

fn start(role: &str, output: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "--quiet", "no_test_process"]);
    command.env(ROLE, role).env(OUTPUT, output).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// The counters that the program keeps of itself.
struct Completed(Mapping);

impl Completed {
    fn of(&self, thread: u32) -> &AtomicU64 {
        // SAFETY: the page has room for `THREADS` lines of 128 bytes; atomics are valid for any bits.
        unsafe { &*self.0.address().add(128 * thread as usize).cast() }
    }
}

/// Not a test: what the other tests start as a process.
#[test]
#[ignore = "started by the other tests"]
fn no_test_process() {
    let (Ok(role), Ok(output)) = (std::env::var(ROLE), std::env::var(OUTPUT)) else { return };
    let output = PathBuf::from(output);
    if role == "writer" {
        writer_process::run(options(&output)).unwrap();
        return;
    }
    let completed = Completed(Mapping::create(&output.with_extension("completed"), 4096).unwrap().into_mapping());
    let session = session(&output);
    std::thread::scope(|scope| {
        for t in 0..THREADS {
            let (session, completed) = (&session, &completed);
            scope.spawn(move || produce(session, t, completed.of(t)));
        }
    });
}

/// Calls of all sorts, flat out, until killed. Every call carries its number as its first word.
fn produce(session: &session::Session, t: u32, completed: &AtomicU64) {
    let mut p = session.create_ring(&format!("t{t}")).unwrap();
    let (mut ordinal, object) = (0, 100 + t);
    let blob = noise(u64::from(t), 9000);
    for i in 0u64.. {
        let word = i.to_le_bytes();
        let recorded = match i % 64 {
            0 => p.blob(i as u32, &blob) && enter(&mut p, 3, 1, &word) && leave(&mut p, 3, 1, &word),
            16 => p.record(Kind::Enter, 2, SEQUENCE, 1, 0, &[&word]),
            32 => p.record(Kind::Enter, 4, 0, 1, 0, &[&word, &[7; 20_000]]),
            48 => {
                ordinal += 1;
                p.record(Kind::Enter, 2, SEQUENCE | ORDERED, object, ordinal - 1, &[&word])
            }
            _ => {
                ordinal += 1;
                light(&mut p, 1, object, ordinal - 1, &[i])
            }
        };
        if !recorded {
            return;
        }
        completed.store(i + 1, Ordering::Release);
    }
}

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "no {what}");
        std::thread::sleep(Duration::from_micros(200));
    }
}

fn wait_for(path: &Path) {
    wait_until(&path.display().to_string(), || path.exists());
}

/// Waits until each thread has completed so many calls, however much else the machine has to do.
fn wait_for_calls(completed: &Completed, calls: u64) {
    wait_until("calls", || (0..THREADS).all(|t| completed.of(t).load(Ordering::Acquire) >= calls));
}

/// Each thread's calls are 0, 1, 2 … without a hole or a repetition, at least as many as were completed, at most one more.
fn check(trace: &Trace, completed: &Completed, writer_dies: bool) -> u64 {
    let mut next = [0u64; THREADS as usize];
    let mut sequence = 0;
    let mut thread_of = std::collections::HashMap::new();
    for t in trace.meta()["threads"].as_array().unwrap() {
        let name = t["name"].as_str().unwrap();
        thread_of.insert(t["thread"].as_u64().unwrap() as u32, name[1..].parse::<usize>().unwrap());
    }
    let mut events = trace.events();
    while let Some(e) = events.next().unwrap() {
        if e.kind == Kind::Gap {
            // A number that was taken and never published: its call was not completed. A thread killed between the pieces
            // of one call had not completed it either. Without a writer the ring fills up and the thread stops, says so,
            // and completes no further call here.
            use GapReason::*;
            let allowed = [MissingSequence as u32, Unfinished as u32, if writer_dies { Overflow as u32 } else { 0 }];
            assert!(allowed.contains(&e.fact().unwrap().0), "{}", e.gap_text());
        }
        if e.sequence != 0 {
            assert!(e.sequence > sequence);
            sequence = e.sequence;
        }
        if e.kind == Kind::Enter {
            let t = thread_of[&e.thread];
            assert_eq!(e.payload[..8], next[t].to_le_bytes(), "thread {t}");
            next[t] += 1;
            match e.method {
                3 => assert!(trace.blob(&e, (next[t] - 1) as u32).unwrap()[..] == noise(t as u64, 9000)[..]),
                4 => assert!(e.payload.len() == 20_008 && e.payload[8..].iter().all(|&b| b == 7)),
                _ => {}
            }
        }
    }
    for t in 0..THREADS {
        let (found, done) = (next[t as usize], completed.of(t).load(Ordering::Acquire));
        assert!(found == done || found == done + 1, "thread {t}: {found} calls in the trace, {done} completed");
    }
    assert_eq!(trace.statistics().calls, next.iter().sum::<u64>());
    sound(trace);
    next.iter().sum()
}

/// Whether a thread says that it stopped because its ring was full.
fn stopped_recording(trace: &Trace) -> bool {
    let mut events = trace.events();
    while let Some(e) = events.next().unwrap() {
        if e.kind == Kind::Gap && e.fact().unwrap().0 == GapReason::Overflow as u32 {
            return true;
        }
    }
    false
}

/// Arbitrary but repeatable instants.
fn instants(seed: u64, most_us: u64) -> impl Iterator<Item = Duration> {
    noise(seed, 4000).into_iter().map(move |b| Duration::from_micros(u64::from(b) * most_us / 255))
}

#[test]
fn the_program_is_killed_at_200_instants() {
    let mut calls = 0;
    for (number, instant) in instants(1, 8000).take(200).enumerate() {
        let folder = Folder::new();
        let output = folder.join("a.reprise");
        let mut program = start("program", &output);
        wait_for(&folder_beside(&output).join(session::FILE));
        let writer = std::thread::spawn({
            let output = output.clone();
            move || write(&output)
        });
        let completed = Completed(Mapping::open(&output.with_extension("completed"), 4096, true).unwrap());
        // Every other one comes when there is much to lose.
        wait_for_calls(&completed, if number % 2 == 0 { 0 } else { 500 });
        std::thread::sleep(instant);
        program.kill().unwrap();
        let summary = writer.join().unwrap();
        program.wait().unwrap();
        assert!(!folder_beside(&output).exists());
        let trace = Trace::open(&output).unwrap();
        assert!(trace.statistics().complete);
        assert_eq!(check(&trace, &completed, false), summary.calls);
        calls += summary.calls;
    }
    assert!(calls >= 100 * 500 * u64::from(THREADS), "{calls} calls in all are too few to have tested anything");
}

#[test]
fn the_writer_is_killed_and_then_the_program() {
    let mut salvaged = 0;
    for (number, (instant, later)) in instants(2, 12_000).zip(instants(3, 3000)).take(40).enumerate() {
        let folder = Folder::new();
        let output = folder.join("a.reprise");
        let mut program = start("program", &output);
        wait_for(&folder_beside(&output).join(session::FILE));
        let mut writer = start("writer", &output);
        // Every other one comes when there is something to lose; the rings alone hold so many calls.
        let enough = if number % 2 == 0 { 300 } else { 0 };
        wait_for(&output);
        wait_until("header", || enough == 0 || std::fs::metadata(&output).unwrap().len() > 0);
        let completed = Completed(Mapping::open(&output.with_extension("completed"), 4096, true).unwrap());
        std::thread::sleep(instant);
        writer.kill().unwrap();
        writer.wait().unwrap();
        wait_for_calls(&completed, enough);
        std::thread::sleep(later);
        program.kill().unwrap();
        program.wait().unwrap();
        if std::fs::metadata(&output).unwrap().len() == 0 {
            // Killed between making the file and writing its header.
            continue;
        }
        let trace = Trace::open(&output).unwrap();
        assert!(!trace.statistics().complete);
        let calls = check(&trace, &completed, true);
        salvaged += calls;
        // Reading took nothing from the rings: it works again, and so does repairing.
        assert_eq!(check(&Trace::open(&output).unwrap(), &completed, true), calls);
        let repaired = folder.join("b.reprise");
        let summary = reprise_trace::repair(&output, None, &repaired, &|_, _| Vec::new()).unwrap();
        assert_eq!(summary.calls, calls);
        let again = Trace::open(&repaired).unwrap();
        assert!(again.statistics().finished);
        assert_eq!(again.statistics().complete, !stopped_recording(&again), "{:?}", again.loss());
        assert_eq!(check(&again, &completed, true), calls);
        assert_eq!(again.statistics().open, trace.statistics().open);
        assert_eq!(again.statistics().gaps, trace.statistics().gaps);
    }
    assert!(salvaged >= 20 * 300 * u64::from(THREADS), "{salvaged} calls in all are too few to have tested anything");
}
