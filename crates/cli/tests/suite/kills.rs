//! Deaths of every sort, and what a trace must hold after each: every call that the program's own log says had returned.
//!
//! `REPRISE_KILLS` is how many kills at random instants the first test makes; `cargo xtask kills` makes 1,000.

use crate::bench::PATIENCE;
use crate::control::Work;
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_testing::worker::{Link, Log, THREADS};
use reprise_testing::{autopsy, missing, program};
use reprise_trace::read::{Event, Trace};
use reprise_trace::record::{GapReason, Kind};
use serde_json::json;
use std::collections::HashMap;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const DRAW: MethodId = method("ID3D12GraphicsCommandList", "DrawInstanced");
const NODES: MethodId = method("ID3D12Device", "GetNodeCount");
const SIGNAL: MethodId = method("ID3D12CommandQueue", "Signal");
const DATA: MethodId = method("ID3D12Object", "SetPrivateData");
/// Kills without being asked for more.
const FEW: u64 = 40;

/// A small generator, so that a failure can be repeated.
pub(crate) fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

fn word(event: &Event<'_>, at: usize) -> u32 {
    u32::from_le_bytes(event.payload[at..at + 4].try_into().unwrap())
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// What a trace says of the program's calls, checked to be in their order, without a hole or a repetition.
pub(crate) fn told(trace: &Trace, allowed: &[GapReason]) -> Log {
    let mut log = Log::default();
    let mut of_ring: HashMap<u32, usize> = HashMap::new();
    let mut pending_nodes: HashMap<u32, u64> = HashMap::new();
    let mut events = trace.events();
    while let Some(event) = events.next().unwrap() {
        match (event.kind, MethodId(event.method)) {
            (Kind::Gap, _) => {
                let reason = event.fact().map_or(0, |(reason, _)| reason);
                assert!(allowed.iter().any(|allowed| *allowed as u32 == reason), "{}", event.gap_text());
            }
            (Kind::Enter, DRAW) => {
                let thread = word(&event, 4) as usize;
                of_ring.insert(event.thread, thread);
                log.draws[thread] += 1;
                assert_eq!(u64::from(word(&event, 0)), log.draws[thread], "draws of thread {thread} in order");
                assert_eq!((word(&event, 8), word(&event, 12)), (7, 9));
            }
            (Kind::Leave, NODES) => *pending_nodes.entry(event.thread).or_default() += 1,
            (Kind::Enter, SIGNAL) => {
                let value = long(event.payload, 8);
                let thread = (value & 0xff) as usize;
                log.signals[thread] += 1;
                assert_eq!(value >> 8, log.signals[thread], "signals of thread {thread} in order");
            }
            (Kind::Enter, DATA) => {
                let (number, _) = *event.blobs.last().unwrap();
                let bytes = trace.blob(&event, number).unwrap();
                let thread = long(&bytes, 8) as usize;
                log.data[thread] += 1;
                assert_eq!((long(&bytes, 0), bytes.len()), (log.data[thread], 512), "data of thread {thread} in order");
            }
            _ => {}
        }
    }
    for (ring, count) in pending_nodes {
        if let Some(thread) = of_ring.get(&ring) {
            log.nodes[*thread] = count;
        }
    }
    log
}

/// What the trace has is what had returned, and at most one call more of each kind and thread.
pub(crate) fn compare(done: &Log, told: &Log) {
    for thread in 0..THREADS {
        let kinds = [
            ("draws", done.draws, told.draws),
            ("signals", done.signals, told.signals),
            ("data", done.data, told.data),
            ("node counts", done.nodes, told.nodes),
        ];
        for (kind, done, told) in kinds {
            let (done, told) = (done[thread], told[thread]);
            assert!(
                told == done || told == done + 1,
                "{kind} of thread {thread}: {done} returned, {told} in the trace"
            );
        }
    }
}

fn kill(pid: u32, signal: libc::c_int) {
    // SAFETY: a process that this test started, by its id; no memory is involved.
    assert_eq!(unsafe { libc::kill(pid.cast_signed(), signal) }, 0, "process {pid}");
}

pub(crate) fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < PATIENCE, "no {what}");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// The writer that a launcher has started: the process of its own name among its children. None when it has ended.
pub(crate) fn writer_of(launcher: &Child) -> Option<u32> {
    let named = |pid: &u32| std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name == "reprise\n");
    autopsy::family(launcher.id()).into_iter().skip(1).find(named)
}

fn ended(launcher: &mut Child) -> Option<i32> {
    let (status, timed_out) = program::wait(launcher, PATIENCE).unwrap();
    assert!(!timed_out, "the launcher hangs");
    status.code()
}

pub(crate) const OF_A_KILL: [GapReason; 3] =
    [GapReason::MissingSequence, GapReason::UnreadArguments, GapReason::Unfinished];

/// SIGKILL at random instants, from before the device is made on: no call that had returned is lost, the trace is complete,
/// and replays up to there.
#[test]
fn killed_at_random_instants() {
    let Some(work) = Work::new(Link::Linked) else { return };
    let kills = std::env::var("REPRISE_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(FEW);
    let (mut state, mut calls, mut asked, mut inside, mut without) = (2026, 0, 0, 0, 0);
    let started = Instant::now();
    for number in 0..kills {
        let mut launcher = work.command(&["--quiet"], &["end", "0"]).stderr(Stdio::null()).spawn().unwrap();
        wait_until("program", || work.log().pid != 0);
        // One in four comes early, perhaps before there is a device; the others when there is something to lose.
        let enough = if number % 4 == 0 { 0 } else { 500 + random(&mut state) % 1000 };
        wait_until("calls", || work.log().calls() >= enough);
        std::thread::sleep(Duration::from_micros(random(&mut state) % 20_000));
        kill(work.log().pid, libc::SIGKILL);
        asked += enough;
        assert_eq!(ended(&mut launcher), Some(137), "kill {number}");
        let done = work.log();
        if done.calls() == 0 && work.bench.files().is_empty() {
            without += 1;
        } else {
            assert_eq!(work.bench.files(), ["trace.reprise"], "kill {number}");
            let trace = Trace::open(&work.bench.path("trace.reprise")).unwrap();
            assert!(trace.statistics().complete, "kill {number}");
            inside += u64::from(!trace.statistics().open.is_empty());
            compare(&done, &told(&trace, &OF_A_KILL));
            drop(trace);
            work.replay("trace.reprise");
        }
        calls += done.calls();
        work.clear();
    }
    let seconds = started.elapsed().as_secs();
    println!(
        "{kills} kills in {seconds} s: {calls} calls had returned and all are in the traces; {inside} died inside a call, \
         {without} before the first one"
    );
    assert!(calls >= asked && asked >= kills / 4 * 1500, "{calls} calls in all, {asked} were waited for");
}

/// Every way to end but being killed: exit code and output are the program's own, and the trace has all of its calls.
#[test]
fn ended_in_other_ways() {
    let Some(work) = Work::new(Link::Linked) else { return };
    let segmentation = 128 + libc::SIGSEGV;
    let cases = [
        ("end", 0, "worked\n"),
        ("abort", 128 + libc::SIGABRT, ""),
        ("outside", segmentation, ""),
        ("_exit", 7, ""),
        ("quick_exit", 7, ""),
        ("closed", 0, "worked\n"),
    ];
    for (mode, code, text) in cases {
        let finished = work.capture(&[], &[mode, "300"]);
        assert_eq!((finished.status.code(), finished.text().as_str()), (Some(code), text), "{mode}");
        let trace = Trace::open(&work.bench.path("trace.reprise")).unwrap();
        assert!(trace.statistics().complete && trace.statistics().open.is_empty(), "{mode}");
        let (done, told) = (work.log(), told(&trace, &[]));
        assert_eq!(done.draws, [300; THREADS]);
        assert_eq!(Log { pid: 0, ..done }, told, "{mode}");
        work.replay("trace.reprise");
        work.clear();
    }
}

/// A crash of the runtime inside a call, and one of ours on bad arguments, each name the call.
#[test]
fn a_crash_inside_a_call_is_named() {
    let Some(work) = Work::new(Link::Linked) else { return };
    let mut command = work.command(&[], &["inside", "300"]);
    // The fortieth of the three threads' is somewhere in their work.
    command.env("REPRISE_NULL", "ID3D12Device::GetNodeCount@40=crash");
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert_eq!(finished.status.code(), Some(128 + libc::SIGSEGV), "{}", finished.errors());
    let info = work.info("trace.reprise");
    let open = info["open"].as_array().unwrap();
    assert!(open.iter().any(|call| call["method"] == json!("ID3D12Device::GetNodeCount")), "{open:?}");
    let text = work.bench.output(&["info", "trace.reprise"]);
    assert!(text.contains("ID3D12Device::GetNodeCount"), "{text}");
    let trace = Trace::open(&work.bench.path("trace.reprise")).unwrap();
    compare(&work.log(), &told(&trace, &OF_A_KILL));
    work.clear();

    let finished = work.capture(&[], &["argument", "300"]);
    assert_eq!(finished.status.code(), Some(128 + libc::SIGSEGV), "{}", finished.errors());
    let info = work.info("trace.reprise");
    assert_eq!(info["gaps"][0]["method"], json!("ID3D12Device::CreateCommandQueue"), "{}", info["gaps"]);
    assert_eq!(info["gap_count"], json!(1));
}

/// The writer killed at random instants: the program ends as it would have, and what it did is in the trace and the rings.
#[test]
fn the_writer_is_killed_at_random_instants() {
    let Some(work) = Work::new(Link::Linked) else { return };
    let (end, mut state) = (work.path("end"), 7);
    for number in 0..16 {
        // While the program runs, which it does until it is told to end; the last ones also while the writer itself ends.
        let held = number < 12;
        let mode = ["end", "3000", end.to_str().unwrap()];
        let mut command = work.command(&["--quiet"], &mode[..if held { 3 } else { 2 }]);
        let said = std::fs::File::create(work.path("said")).unwrap();
        let mut launcher = command.stdout(Stdio::piped()).stderr(said).spawn().unwrap();
        wait_until("program", || work.log().pid != 0);
        std::thread::sleep(Duration::from_micros(random(&mut state) % 30_000));
        match writer_of(&launcher) {
            Some(writer) if held => kill(writer, libc::SIGKILL),
            // SAFETY: a process that this test has started, by its id, unless it has just ended; no memory is involved.
            Some(writer) => _ = unsafe { libc::kill(writer.cast_signed(), libc::SIGKILL) },
            None => assert!(!held, "run {number}: no writer"),
        }
        std::fs::write(&end, "").unwrap();
        let code = ended(&mut launcher);
        let mut text = String::new();
        std::io::Read::read_to_string(launcher.stdout.as_mut().unwrap(), &mut text).unwrap();
        let said = std::fs::read_to_string(work.path("said")).unwrap();
        assert_eq!(text, "worked\n", "run {number}: {said}");
        let done = work.log();
        assert_eq!(done.draws, [3000; THREADS], "run {number}: {said}");
        // The capture has failed and says so, unless it was too late to do harm.
        assert!(code == Some(125) || !held && code == Some(0), "run {number}: {code:?} {said}");
        let output = work.bench.path("trace.reprise");
        let began = std::fs::metadata(&output).is_ok_and(|data| data.len() > 0);
        if began {
            let trace = Trace::open(&output).unwrap();
            assert_eq!(Log { pid: 0, ..done }, told(&trace, &[]), "run {number}: {said}");
        }
        for folder in ["trace.reprise.rings"].map(|name| work.bench.path(name)).iter().filter(|path| path.exists()) {
            std::fs::remove_dir_all(folder).unwrap();
        }
        std::fs::remove_file(&end).unwrap();
        work.clear();
    }
}

/// A writer that stands still holds a program up only while it does, and nothing is lost.
#[test]
fn a_stopped_writer_goes_on() {
    let Some(work) = Work::new(Link::Linked) else { return };
    let end = work.path("end");
    let mut command = work.command(&["--quiet", "--ring-size", "512K"], &["end", "0", end.to_str().unwrap()]);
    let mut launcher = command.stdout(Stdio::null()).spawn().unwrap();
    wait_until("draw", || work.log().draws.iter().all(|draws| *draws > 0));
    let writer = writer_of(&launcher).expect("a writer");
    kill(writer, libc::SIGSTOP);
    std::thread::sleep(Duration::from_millis(600));
    kill(writer, libc::SIGCONT);
    // More than the rings hold: a draw takes more than 16 bytes of one.
    let (before, full) = (work.log().draws, (512 << 10) / 16);
    wait_until("draws", || work.log().draws.iter().zip(before).all(|(now, before)| *now > before + full));
    std::fs::write(&end, "").unwrap();
    assert_eq!(ended(&mut launcher), Some(0));
    let trace = Trace::open(&work.bench.path("trace.reprise")).unwrap();
    assert_eq!(Log { pid: 0, ..work.log() }, told(&trace, &[]));
}

/// The folder of trace and rings disappears, or no ring can be made: the program does not notice.
#[test]
fn a_folder_that_disappears_and_one_without_room() {
    let Some(work) = Work::new(Link::Linked) else { return };
    let gone = work.path("gone");
    std::fs::create_dir_all(&gone).unwrap();
    let mut command = work.bench.command();
    command.args(["capture", "-o"]).arg(gone.join("t.reprise")).arg("--").arg(&work.worker).arg(work.path("log"));
    let end = work.path("end");
    command.args(["end", "0"]).arg(&end).env("REPRISE_NULL_LOG", "off").stdout(Stdio::piped()).stderr(Stdio::null());
    let mut launcher = command.spawn().unwrap();
    // With a writer that is at work.
    wait_until("trace", || gone.join("t.reprise").exists());
    // The writer and threads that begin may make files in it meanwhile.
    wait_until("folder removed", || std::fs::remove_dir_all(&gone).is_ok() || !gone.exists());
    let before = work.log().draws;
    wait_until("draws", || work.log().draws.iter().zip(before).all(|(now, before)| *now > before + 1000));
    std::fs::write(&end, "").unwrap();
    let code = ended(&mut launcher);
    let mut text = String::new();
    std::io::Read::read_to_string(launcher.stdout.as_mut().unwrap(), &mut text).unwrap();
    assert_eq!(text, "worked\n");
    assert!(code.is_some_and(|code| code == 0 || code == 125), "{code:?}");
    work.clear();

    // A full file system of rings: the second thread gets none.
    let small = work.path("small");
    std::fs::create_dir_all(&small).unwrap();
    let finished = without_room(&work, &small);
    let Some(finished) = finished else {
        return missing::kernel_lacks("the right to mount a file system, also in a namespace of its own");
    };
    // The program did not notice; whoever captures it is told.
    assert_eq!((finished.status.code(), finished.text().as_str()), (Some(125), "worked\n"), "{}", finished.errors());
    assert!(finished.errors().contains("a thread is not recorded"), "{}", finished.errors());
    assert!(finished.errors().contains("not complete: thread"), "{}", finished.errors());
    assert_eq!(work.info("trace.reprise")["complete"], json!(false));
    assert_eq!(work.log().draws, [300; THREADS]);
}

/// A capture whose rings lie in a file system of 2 MiB, mounted for this one process. None where that is not allowed.
fn without_room(work: &Work, small: &Path) -> Option<reprise_testing::Finished> {
    const MOUNTED: &str = "a file system of its own is mounted\n";
    let script = format!(
        "mount -t tmpfs -o size=2M none {small} && printf '{MOUNTED}' >&2 && exec \"$0\" capture --ring-dir {small} \
         --ring-size 1M -o trace.reprise -- {worker} {log} end 300",
        small = small.display(),
        worker = work.worker.display(),
        log = work.path("log").display()
    );
    let reprise = work.bench.command();
    // As whoever we are, where that may mount; else in a world where we are root.
    let ways: [&[&str]; 2] = [&["--mount"], &["--user", "--map-root-user", "--mount"]];
    ways.iter().find_map(|way| {
        let mut command = std::process::Command::new("unshare");
        command.args(*way).args(["sh", "-c", &script]).arg(reprise.get_program());
        command.current_dir(&work.bench.folder).env("REPRISE_NULL_LOG", "off");
        command.env("REPRISE_CAPTURE_LIBRARY", reprise_testing::capture_library().unwrap());
        let finished = program::run(&mut command, PATIENCE).ok()?;
        finished.errors().contains(MOUNTED).then_some(finished)
    })
}
