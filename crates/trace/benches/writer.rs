//! The cost of recording light calls: nanoseconds on the calling thread, and CPU time of the writer, per call.
//!
//! Method: one thread records rounds of 50,000 light calls (16-byte header, 24 bytes of arguments; the arguments vary as
//! those of a list of draws do). Each round is timed as a whole while the ring has room; then the thread waits until the writer has
//! drained the ring. The writer runs in a thread of this process. Its CPU time is that of the process less the calling thread's,
//! divided by the calls; in brackets the part of the writer's own thread, without those that compress. A third variant records 20
//! calls every 100 µs or so (some 130,000 a second, a busy game) for two seconds: it shows the cost of the writer's looks when
//! there is little to find. The last variant is eight threads that record such calls, with time stamps, without a pause, each into
//! a ring of 4 MiB, and so wait for the writer: the time from their first call to the end of the trace, divided by all calls, is what
//! the writer keeps up with, where there are processors for all. Two more variants report mapped memory without a pause, 64 MiB a round
//! and up to 20 rounds, every page another content: of noise, and of words of which zstd makes half.
//!
//! `cargo bench -p reprise-trace --bench writer -- [ROUNDS] [WORD]...` prints one line per variant. A word (`call`, `stamp`,
//! `leisure`, `out`, `noise`, `words`) selects the variants whose names end with it. Compare two builds with time stamps only at equal bytes per call: the
//! stamps are real, their jitter is compressed by zstd, and a byte per call more costs some 30 to 80 ns.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use reprise_trace::record::{AFTER, Kind, ORDERED, TICKS};
use reprise_trace::ring::Producer;
use reprise_trace::session::{Config, Session, folder_beside};
use reprise_trace::writer_process::{self, Options, Summary};

const ROUND: u32 = 50_000;

fn cpu(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable for the length of the call.
    unsafe { libc::clock_gettime(clock, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn thread_cpu() -> Duration {
    cpu(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn process_cpu() -> Duration {
    cpu(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// The arguments of call `i`: most repeat, some rise, one is a little random.
fn arguments(i: u32) -> [u64; 3] {
    let noise = u64::from(i.wrapping_mul(2_654_435_761) >> 24);
    match i % 4 {
        0 => [0x1_0000_0024, u64::from(i) * 36, 0],
        1 => [2, 0x7f00_0000_0000 + u64::from(i % 4096) * 256, 0],
        2 => [u64::from(i % 17), 0x1_0000, noise],
        _ => [36, 1, 0],
    }
}

/// A session whose writer runs in a thread of its own, which gives its CPU time, too.
struct Bench {
    folder: PathBuf,
    session: Session,
    writer: JoinHandle<(Summary, Duration)>,
}

impl Bench {
    fn begin() -> Bench {
        let folder = std::env::temp_dir().join(format!("reprise-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let output = folder.join("bench.reprise");
        let session = Session::create(&folder_beside(&output), &Config::default()).unwrap();
        let writer = std::thread::spawn(move || {
            let options = Options {
                session: folder_beside(&output),
                output,
                program: None,
                max_bytes: None,
                compression: Default::default(),
                schema: Box::new(|_| Vec::new()),
            };
            let before = thread_cpu();
            let summary = writer_process::run(options).unwrap();
            (summary, thread_cpu() - before)
        });
        Bench { folder, session, writer }
    }

    fn end(self) -> (Summary, Duration) {
        self.session.close();
        let ended = self.writer.join().unwrap();
        std::fs::remove_dir_all(&self.folder).unwrap();
        ended
    }
}

fn call(producer: &mut Producer, flags: u8, object: u32, i: u32, ordinal: u32) {
    let words = arguments(i);
    let to = producer.begin(Kind::Enter, 40 + (i % 4) as u16, flags, object, ordinal, 24).unwrap();
    // SAFETY: `begin` gave room for 24 bytes.
    unsafe { to.cast::<[u64; 3]>().write(words) };
    producer.publish();
    producer.enter_call();
    producer.leave_call();
}

fn variant(name: &str, flags: u8, rounds: u32, per_round: u32, pause: Duration) {
    let bench = Bench::begin();
    let before = (process_cpu(), thread_cpu());
    let mut producer = bench.session.create_ring("bench").unwrap();
    let ring = producer.ring().clone();
    let mut times = Vec::new();
    for round in 0..rounds {
        let start = Instant::now();
        for i in 0..per_round {
            call(&mut producer, flags, 5, i, round * per_round + i);
        }
        times.push(start.elapsed().as_nanos() as f64 / f64::from(per_round));
        std::thread::sleep(pause);
        while ring.tail() + ring.capacity() / 4 < ring.head() {
            std::thread::sleep(Duration::from_micros(200));
        }
    }
    let waits = ring.waits().0;
    drop(producer);
    let (summary, own) = bench.end();
    let cpu = process_cpu() - before.0 - (thread_cpu() - before.1);
    let calls = f64::from(rounds * per_round);
    times.sort_by(f64::total_cmp);
    println!(
        "{name}: calling thread {:.1} ns/call (median round; best {:.1}), writer {:.1} ns CPU/call ({:.1}), {:.2} bytes/call, {waits} waits",
        times[times.len() / 2],
        times[0],
        cpu.as_nanos() as f64 / calls,
        own.as_nanos() as f64 / calls,
        summary.bytes as f64 / calls,
    );
}

/// Threads that record without a pause.
fn flat_out(name: &str, flags: u8, threads: u32, per_thread: u32) {
    let bench = Bench::begin();
    let (begun, before) = (Instant::now(), process_cpu());
    let record = |thread: u32| {
        let mut producer = bench.session.create_ring("bench").unwrap();
        (0..per_thread).for_each(|i| call(&mut producer, flags, thread, i, i));
        (producer.ring().waits().0, thread_cpu())
    };
    let (waits, recording) = std::thread::scope(|scope| {
        let record = &record;
        let threads: Vec<_> = (5..5 + threads).map(|thread| scope.spawn(move || record(thread))).collect();
        let add = |sum: (_, _), more: (_, _)| (sum.0 + more.0, sum.1 + more.1);
        threads.into_iter().map(|thread| thread.join().unwrap()).fold((0, Duration::ZERO), add)
    });
    let (summary, own) = bench.end();
    let (time, cpu) = (begun.elapsed(), process_cpu() - before - recording);
    let calls = f64::from(threads * per_thread);
    println!(
        "{name}: {:.1} ns/call, writer {:.1} ns CPU/call ({:.1}), {:.2} bytes/call, {waits} waits",
        time.as_nanos() as f64 / calls,
        cpu.as_nanos() as f64 / calls,
        own.as_nanos() as f64 / calls,
        summary.bytes as f64 / calls,
    );
}

/// A thread that reports stores to mapped memory without a pause. `keeps`: the bits of each word that nothing predicts.
fn memory(name: &str, rounds: u32, keeps: u64) {
    const SIZE: usize = 64 << 20;
    const PAGE: usize = 4096;
    let mut state = 1u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^ state >> 32
    };
    let mut bytes: Vec<u8> = (0..SIZE / 8).flat_map(|_| (noise() & keeps).to_le_bytes()).collect();
    let bench = Bench::begin();
    let before = (process_cpu(), thread_cpu());
    let mut producer = bench.session.create_ring("bench").unwrap();
    let mut reporting = Duration::ZERO;
    for _ in 0..rounds {
        // Else a page would be stored once.
        bytes.chunks_exact_mut(PAGE).for_each(|page| page[..8].copy_from_slice(&noise().to_le_bytes()));
        let start = Instant::now();
        assert!(producer.memory(9, 0, 0, &bytes));
        reporting += start.elapsed();
    }
    let waits = producer.ring().waits();
    drop(producer);
    let own = thread_cpu() - before.1;
    // The writer may pack again afterwards.
    let during = process_cpu() - before.0 - own;
    let (summary, writer) = bench.end();
    let stored = f64::from(rounds) * SIZE as f64;
    println!(
        "{name}: {:.0} MB/s, writer {:.2} ns CPU/byte ({:.2} to the end), the thread itself {:.2}, {} waits of {:.2} s, {:.1} MB of {:.1}",
        stored / 1e6 / reporting.as_secs_f64(),
        during.as_nanos() as f64 / stored,
        writer.as_nanos() as f64 / stored,
        own.as_nanos() as f64 / stored,
        waits.0,
        waits.1 as f64 / 1e9,
        summary.bytes as f64 / 1e6,
        stored / 1e6,
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let rounds = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(100);
    let words: Vec<&String> = arguments.iter().filter(|argument| argument.parse::<u32>().is_err()).collect();
    let variants = [
        ("light call", ORDERED | AFTER, rounds, ROUND, Duration::ZERO),
        ("light call with time stamp", ORDERED | AFTER | TICKS, rounds, ROUND, Duration::ZERO),
        ("at leisure", ORDERED | AFTER, 13_000, 20, Duration::from_micros(100)),
    ];
    for (name, flags, rounds, per_round, pause) in variants {
        if words.is_empty() || words.iter().any(|word| name.ends_with(word.as_str())) {
            variant(name, flags, rounds, per_round, pause);
        }
    }
    if words.is_empty() || words.iter().any(|word| "flat out".ends_with(word.as_str())) {
        flat_out("eight threads flat out", ORDERED | AFTER | TICKS, 8, rounds * ROUND / 8);
    }
    for (name, keeps) in [("memory of noise", u64::MAX), ("memory of words", 0xff_ffff)] {
        if words.is_empty() || words.iter().any(|word| name.ends_with(word.as_str())) {
            memory(name, rounds.min(20), keeps);
        }
    }
}
