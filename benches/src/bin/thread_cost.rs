//! What capture costs per call where several threads record at once, beside what the same calls cost these threads bare.
//!
//! Runs itself as child processes on the null runtime, for each number of threads bare and under `reprise capture` in turn; a
//! round does all of them once, and several rounds are interleaved. The threads share one device; each records frames of the
//! engine mix ([`reprise_benches::engine`]) with objects of its own, all made by one thread, as engines do.
//!
//! - In a *beat* all threads begin at once and record `--burst` frames without a pause, which their rings hold (a call takes
//!   about 50 bytes of the 4 MiB); then they sleep for `--rest` milliseconds, in which the writer takes the records. So no thread
//!   waits for the writer, which one thread that does nothing but record outruns. *Waits* says how often one did.
//! - *Bare*, *captured*: CPU nanoseconds of a thread per call: the median of its frames, the mean of the threads. The first frame
//!   of a beat finds cold caches. *Added*: the difference. Both ratios are against the same with the least number of threads: what
//!   threads cost each other bare is the processors' share (two of one core cost each other much), so capture's own is *added*.
//! - *Floor*: what storing 48 bytes and a time stamp costs as many threads, each with a ring that another one reads
//!   ([`reprise_benches::floor`]), measured by the same bare processes. It shows what sharing cores, caches and memory costs without us.
//! - *Others*: CPU nanoseconds per call of all processes less the program's own (so the writer's), the longer run's less the shorter's.

use anyhow::{Context, Result};
use clap::Parser;
use reprise_benches::com::Library;
use reprise_benches::engine::{Engine, Shared};
use reprise_benches::figures::{Spread, spread};
use reprise_benches::floor;
use reprise_benches::{child, clock};
use reprise_trace::read::Trace;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Barrier;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  cargo xtask bench thread_cost
  cargo xtask bench thread_cost --threads 1,2,4,8 --conventions sysv       on a machine with more than eight processors
  cargo xtask bench thread_cost --rest 0 --beats 100                       threads that outrun the writer";

/// Measures what capture costs per call where several threads record at once.
#[derive(Parser)]
#[command(after_help = EXAMPLES)]
struct Options {
    /// Rounds; each runs every configuration once.
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// Numbers of threads that are measured.
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<u32>,
    /// Beats of the longer runs.
    #[arg(long, default_value_t = 40)]
    beats: u32,
    /// Frames of a beat, of about 8,000 calls each.
    #[arg(long, default_value_t = 4)]
    burst: u32,
    /// Milliseconds of sleep after a beat.
    #[arg(long, default_value_t = 12)]
    rest: u64,
    /// Measures these conventions: sysv or win64.
    #[arg(long, value_delimiter = ',', default_value = "sysv,win64")]
    conventions: Vec<String>,
    /// Keeps thread N of the program on the Nth of these processors.
    #[arg(long, value_delimiter = ',', value_name = "PROCESSORS")]
    pin: Vec<usize>,
    /// Writes all figures here as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The `reprise` program; without it the one beside this program.
    #[arg(long, value_name = "FILE")]
    reprise: Option<PathBuf>,
    /// Where traces go while they are measured; the temporary folder if not stated.
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// Ends with 1 when a goal is missed.
    #[arg(long)]
    goals: bool,
    /// Measures the floor, too.
    #[arg(long, hide = true)]
    floor: bool,
    /// Is the measured program: convention and library.
    #[arg(long, hide = true, num_args = 2)]
    child: Vec<String>,
}

/// Bursts of the floor, of 4 ms at most.
const BURSTS: u32 = 40;
/// Nanoseconds that a call may add to its thread.
const MOST_ADDED: f64 = 20.0;
/// What is added with several threads may be so much more than with the fewest, in nanoseconds: what the measurement cannot tell
/// from nothing.
const MOST_MORE: f64 = 2.0;

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    match options.child.as_slice() {
        [] => parent(&options),
        [convention, library] => {
            let library = Library::shared(library)?;
            match convention.as_str() {
                "win64" => child::<true>(library, &options),
                "sysv" => child::<false>(library, &options),
                other => anyhow::bail!("no convention {other}"),
            }
        }
        _ => anyhow::bail!("--child CONVENTION LIBRARY"),
    }
}

/// An engine on its way to the thread that uses it.
struct Moved<const WIN64: bool>(Engine<WIN64>);
// SAFETY: one thread at a time uses the objects.
unsafe impl<const WIN64: bool> Send for Moved<WIN64> {}

impl<const WIN64: bool> Moved<WIN64> {
    fn frame(&mut self) -> (u64, u64) {
        // SAFETY: the library is of this convention.
        unsafe { self.0.frame() }
    }
}

/// The measured program: prints one line of JSON.
fn child<const WIN64: bool>(library: Library, options: &Options) -> Result<ExitCode> {
    let count = options.threads.first().copied().context("--threads names none")?;
    // SAFETY: the library of this convention was just loaded.
    let shared = unsafe { Shared::<WIN64>::new(library)? };
    // SAFETY: the device is of this convention.
    let engines: Vec<_> = (0..count).map(|_| unsafe { shared.engine().map(Moved) }).collect::<Result<_>>()?;
    let barrier = Barrier::new(count as usize);
    let record = |thread: usize, mut engine: Moved<WIN64>| {
        if let Some(&processor) = options.pin.get(thread) {
            pin(processor);
        }
        let (mut calls, mut steady) = (0, Vec::new());
        for beat in 0..options.beats {
            barrier.wait();
            for _ in 0..options.burst {
                let (number, ns) = engine.frame();
                calls += number;
                // The first beat touches memory for the first time.
                if beat > 0 {
                    steady.push(ns as f64 / number as f64);
                }
            }
            std::thread::sleep(Duration::from_millis(options.rest));
        }
        (calls, spread(&steady).median)
    };
    let threads: Vec<(u64, f64)> = std::thread::scope(|scope| {
        let record = &record;
        let threads: Vec<_> =
            engines.into_iter().enumerate().map(|(at, engine)| scope.spawn(move || record(at, engine))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().map_err(|_| anyhow::anyhow!("a thread panicked")))
            .collect::<Result<_>>()
    })?;
    let calls: u64 = threads.iter().map(|(calls, _)| calls).sum();
    let mean = threads.iter().map(|(_, ns)| ns).sum::<f64>() / f64::from(count);
    let process = clock::process();
    let floor = if options.floor { floor::measure(BURSTS, count).stamped } else { 0.0 };
    println!("{}", json!({ "calls": calls, "thread": mean, "process": process, "floor": floor }));
    // Objects are left to the system: tearing them down is not measured.
    std::process::exit(0)
}

/// Keeps the calling thread on a processor; where that cannot be, it goes where it goes.
fn pin(processor: usize) {
    // SAFETY: zeros are an empty set, of which one bit is set; the call reads it.
    unsafe {
        let mut set: libc::cpu_set_t = core::mem::zeroed();
        libc::CPU_SET(processor, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
    }
}

/// The figures of one run.
struct Run {
    calls: f64,
    thread: f64,
    /// CPU nanoseconds of all processes less what the program counted of its own before its end.
    others: f64,
    waits: f64,
    /// Only of a bare run.
    floor: f64,
}

fn run(options: &Options, convention: &str, threads: u32, captured: bool, beats: u32) -> Result<Run> {
    let library = child::null_library(convention)?;
    let trace = child::trace(options.scratch.as_deref());
    let mut command = child::program(captured.then_some((&trace, &[])), options.reprise.as_deref())?;
    command.args(["--beats", &beats.to_string(), "--burst", &options.burst.to_string()]);
    command.args(["--rest", &options.rest.to_string(), "--threads", &threads.to_string()]);
    if !captured {
        command.arg("--floor");
    }
    if !options.pin.is_empty() {
        let list: Vec<String> = options.pin.iter().map(usize::to_string).collect();
        command.arg("--pin").arg(list.join(","));
    }
    command.args(["--child", convention]).arg(&library);
    let ran = child::run(&mut command)?;
    let mut waits = 0.0;
    if captured {
        waits = Trace::open(&trace)?.meta()["ring_waits"]["count"].as_f64().unwrap_or(0.0);
        std::fs::remove_file(&trace)?;
    }
    let [calls, thread, floor] = [ran.number("calls")?, ran.number("thread")?, ran.number("floor")?];
    Ok(Run { calls, thread, others: ran.others()?, waits, floor })
}

/// Samples of one number of threads over the rounds.
#[derive(Default)]
struct Samples {
    bare: Vec<f64>,
    captured: Vec<f64>,
    others: Vec<f64>,
    waits: Vec<f64>,
    floor: Vec<f64>,
}

impl Samples {
    fn round(&mut self, options: &Options, convention: &str, threads: u32) -> Result<()> {
        let (long, short) = (options.beats.max(4), (options.beats / 4).max(2));
        let bare = run(options, convention, threads, false, long)?;
        let few = run(options, convention, threads, true, short)?;
        let many = run(options, convention, threads, true, long)?;
        self.bare.push(bare.thread);
        self.floor.push(bare.floor);
        self.captured.push(many.thread);
        self.others.push((many.others - few.others) / (many.calls - few.calls));
        self.waits.push(many.waits);
        Ok(())
    }
}

fn parent(options: &Options) -> Result<ExitCode> {
    let configurations: Vec<(&str, u32)> = options
        .conventions
        .iter()
        .flat_map(|convention| options.threads.iter().map(|threads| (convention.as_str(), *threads)))
        .collect();
    let mut samples: Vec<Samples> = configurations.iter().map(|_| Samples::default()).collect();
    for round in 0..options.rounds {
        for ((convention, threads), samples) in configurations.iter().zip(&mut samples) {
            eprintln!("round {round}: {convention}, {threads} at once");
            samples.round(options, convention, *threads)?;
        }
    }
    println!(
        "engine mix on the null runtime, ns per call, median [min-max] of {} rounds of {} beats of {} frames, {} ms apart",
        options.rounds, options.beats, options.burst, options.rest
    );
    println!(
        "{:<6} {:>7} {:>18} {:>6} {:>18} {:>6} {:>6} {:>18} {:>6} {:>18} {:>6}",
        "", "threads", "bare", "ratio", "captured", "ratio", "added", "floor", "ratio", "others", "waits"
    );
    let mut report = Vec::new();
    let mut missed = Vec::new();
    let mut first: Option<(&str, Spread, Spread)> = None;
    for ((convention, threads), samples) in configurations.iter().zip(&samples) {
        let Samples { bare, captured, others, waits, floor } = samples;
        let [bare, captured, others, waits, floor] =
            [bare, captured, others, waits, floor].map(|values| spread(values));
        let (_, fewest, fewest_captured) = *match &first {
            Some(known) if known.0 == *convention => known,
            _ => &*first.insert((convention, bare, captured)),
        };
        let added = captured.median - bare.median;
        let ratios = (bare.median / fewest.median, captured.median / fewest_captured.median);
        println!(
            "{convention:<6} {threads:>7} {:>18} {:>6.2} {:>18} {:>6.2} {added:>6.1} {:>18} {:>6.2} {:>18} {:>6.0}",
            bare.to_string(),
            ratios.0,
            captured.to_string(),
            ratios.1,
            floor.to_string(),
            added / floor.median,
            others.to_string(),
            waits.median
        );
        let least = fewest_captured.median - fewest.median;
        if added > MOST_ADDED || added > least + MOST_MORE {
            missed.push(format!("{convention}, {threads} threads: {added:.1} ns added, {least:.1} with the fewest"));
        }
        report.push(json!({
            "convention": convention, "threads": threads, "rounds": options.rounds, "bare": bare.to_json(),
            "captured": captured.to_json(), "added": added, "floor": floor.to_json(), "others": others.to_json(), "waits": waits.to_json(),
        }));
    }
    println!("goals: at most {MOST_ADDED} ns added, and {MOST_MORE} ns more than with the fewest threads");
    missed.iter().for_each(|what| println!("    MISSED: {what}"));
    if let Some(path) = &options.json {
        std::fs::write(path, serde_json::to_string_pretty(&report)?)?;
    }
    Ok(if options.goals && !missed.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
