//! Killed with SIGKILL at random instants while two threads record flat out, a program loses no call that had come back,
//! and the trace opens.
//!
//! The program is this test's own, in a child process: it counts each call in a shared page after the call returned. The
//! writer runs here, so that it outlives the program as in life.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, dead_code)]

#[path = "../every_method_calls/program.rs"]
mod program;

use program::{DRAW, call, object};
use reprise_d3d12::abi::Convention;
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_trace::read::Trace;
use reprise_trace::record::{GapReason, Kind};
use reprise_trace::session::{Config, Session};
use reprise_trace::writer_process;
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tempfile::TempDir;

const CHILD: &str = "REPRISE_TEST_KILLED";
const NODES: MethodId = method("ID3D12Device", "GetNodeCount");
const THREADS: usize = 2;
const KILLS: u64 = 200;

/// Counters shared between the program and us: per thread, draws and node counts that had come back.
struct Counters(*const AtomicU64);
// SAFETY: atomics in a shared mapping that is never unmapped.
unsafe impl Sync for Counters {}
// SAFETY: the mapping belongs to the process, not to a thread.
unsafe impl Send for Counters {}

impl Counters {
    fn map(path: &Path) -> Self {
        let file: File = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).unwrap();
        file.set_len(4096).unwrap();
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a fresh shared mapping of a file of that size.
        let at = unsafe { libc::mmap(core::ptr::null_mut(), 4096, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        assert_ne!(at, libc::MAP_FAILED);
        Self(at.cast())
    }

    fn get(&self, thread: usize, kind: usize) -> &AtomicU64 {
        // SAFETY: inside the page.
        unsafe { &*self.0.add(thread * 16 + kind) }
    }
}

/// Not a test: the program that is killed.
#[test]
#[ignore = "run by the test about kills, in a process of its own"]
fn no_test_process() {
    let Ok(folder) = std::env::var(CHILD) else { return };
    let folder = PathBuf::from(folder);
    let counters: &'static Counters = Box::leak(Box::new(Counters::map(&folder.join("counters"))));
    let config = Config { ring_capacity: 1 << 20, ..Config::default() };
    reprise_capture::session::begin(Session::create(&folder.join("trace.rings"), &config).unwrap());
    reprise_null::control::set_logging(false);
    for thread in 0..THREADS {
        let convention = if thread == 0 { Convention::Win64 } else { Convention::SystemV };
        std::thread::spawn(move || record(convention, thread, counters));
    }
    loop {
        std::thread::park();
    }
}

fn record(convention: Convention, thread: usize, counters: &Counters) {
    let list = object(convention, "ID3D12GraphicsCommandList", true);
    let device = object(convention, "ID3D12Device", true);
    for number in 1u64.. {
        call(convention, list, DRAW, &[number & 0xffff_ffff, thread as u64, 7, 9]);
        counters.get(thread, 0).store(number, Ordering::Release);
        if number % 8 == 0 {
            call(convention, device, NODES, &[]);
            counters.get(thread, 1).fetch_add(1, Ordering::Release);
        }
    }
}

/// A small generator, so that a failure can be repeated.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[test]
fn killed_at_any_instant_every_completed_call_is_in_the_trace() {
    let mut state = 2024;
    let mut calls = 0;
    for kill in 0..KILLS {
        let folder = TempDir::with_prefix(format!("reprise-kill-{kill}-")).unwrap();
        calls += one_kill(folder.path(), random(&mut state) % 4000, kill);
        folder.close().unwrap();
    }
    println!("{KILLS} kills, {calls} calls had come back, all of them are in the traces");
}

fn one_kill(folder: &Path, microseconds: u64, kill: u64) -> u64 {
    let counters = Counters::map(&folder.join("counters"));
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "no_test_process", "--ignored"])
        .env(CHILD, folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let output = folder.join("trace.reprise");
    let (rings, trace, program) = (folder.join("trace.rings"), output.clone(), Some(child.id()));
    let writing = std::thread::spawn(move || {
        let schema = Box::new(|_: &[u16]| Vec::new());
        writer_process::run(writer_process::Options {
            session: rings,
            output: trace,
            program,
            max_bytes: None,
            compression: Default::default(),
            schema,
        })
        .map(|summary| summary.gaps)
    });
    while (0..THREADS).any(|thread| counters.get(thread, 0).load(Ordering::Acquire) == 0) {
        assert!(child.try_wait().unwrap().is_none(), "the program died by itself");
        std::thread::yield_now();
    }
    std::thread::sleep(Duration::from_micros(microseconds));
    child.kill().unwrap();
    child.wait().unwrap();
    let done: Vec<[u64; 2]> =
        (0..THREADS).map(|t| [0, 1].map(|kind| counters.get(t, kind).load(Ordering::Acquire))).collect();
    let gaps = writing.join().unwrap().unwrap();
    // A thread may have died between taking a sequence number and publishing its record, or while it read the arguments:
    // a call that never began.
    assert!(gaps <= 2 * THREADS as u64, "kill {kill}: {gaps} gaps");

    let trace = Trace::open(&output).unwrap();
    let mut events = trace.events();
    let mut draws = [0u64; THREADS];
    let mut left = 0;
    while let Some(event) = events.next().unwrap() {
        if event.kind == Kind::Gap {
            let reason = event.fact().map(|f| f.0);
            let text = event.gap_text();
            let expected = [GapReason::MissingSequence as u32, GapReason::UnreadArguments as u32];
            assert!(reason.is_some_and(|reason| expected.contains(&reason)), "kill {kill}: {text}");
        }
        if event.kind == Kind::Enter && event.method == DRAW.0 {
            let word = |at: usize| u32::from_le_bytes(event.payload[at..at + 4].try_into().unwrap());
            let thread = word(4) as usize;
            draws[thread] += 1;
            assert_eq!(
                u64::from(word(0)),
                draws[thread],
                "kill {kill}: calls of thread {thread} in order, none left out"
            );
            assert_eq!((word(8), word(12)), (7, 9), "kill {kill}");
        }
        left += u64::from(event.kind == Kind::Leave && event.method == NODES.0);
    }
    for (thread, done) in done.iter().enumerate() {
        let recorded = draws[thread];
        assert!(recorded >= done[0], "kill {kill}: thread {thread} made {} calls, {recorded} are recorded", done[0]);
        assert!(
            recorded <= done[0] + 1,
            "kill {kill}: thread {thread} made {} calls, {recorded} are recorded",
            done[0]
        );
    }
    let came_back: u64 = done.iter().map(|d| d[1]).sum();
    assert!(left >= came_back, "kill {kill}: {came_back} calls had come back, {left} leaves are recorded");
    done.iter().map(|d| d[0] + d[1]).sum()
}
