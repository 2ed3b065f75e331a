//! The mix of structures: what a frame costs bare, captured, and replayed with recorded and with moved addresses.
//!
//! Four figures of a frame: the process's CPU time; that less what threads of the driver took (a software rasteriser may build there);
//! that of the thread that makes the calls; and time that passed. The clocks start after [`WARM`] frames, so nothing is in them that is done
//! once: a frame is two submissions, and the trace counts those as frames. The goal is on CPU and on passed time: a replay at
//! most [`MOST`] times the program. "Captured" is the program's own process.

use super::{Options, library};
use anyhow::{Context, Result, ensure};
use reprise_benches::com::Library;
use reprise_benches::figures::{Spread, spread};
use reprise_benches::make::{Maker, check};
use reprise_benches::stage::Stage;
use reprise_benches::structures::Frames;
use reprise_benches::{call, child, clock, threads};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The mix's name.
pub(super) const MIX: &str = "structures";

/// Goal: a replay's cost over the program's.
const MOST: f64 = 1.3;

/// Frames before the clocks start.
const WARM: u32 = 6;

/// Submissions of a frame.
const SUBMISSIONS: u32 = 2;

/// Figures of a frame, in nanoseconds.
type Figures = [f64; 4];

const NAMES: [&str; 4] = ["cpu", "own", "thread", "wall"];

/// What is measured in one way: figures of each round, and the instances that a replay moved.
#[derive(Clone, Default)]
struct Samples {
    rounds: Vec<Figures>,
    moved: f64,
}

impl Samples {
    /// One of the figures, in microseconds.
    fn of(&self, at: usize) -> Spread {
        spread(&self.rounds.iter().map(|of| of[at] / 1000.0).collect::<Vec<_>>())
    }
}

/// The clocks at one instant.
#[derive(Clone, Copy)]
struct Clocks {
    cpu: u64,
    own: u64,
    thread: u64,
    at: Instant,
}

impl Clocks {
    fn now() -> Result<Clocks> {
        let own = threads::ours()?;
        Ok(Clocks { cpu: clock::process(), own, thread: clock::thread(), at: Instant::now() })
    }

    /// What a frame took, as a line of JSON; `moved` are instances that a replay moved.
    fn say(self, since: Clocks, frames: u32, moved: u64) {
        let cpu = self.cpu - since.cpu;
        let all = [cpu, self.own - since.own, self.thread - since.thread, (self.at - since.at).as_nanos() as u64];
        let [cpu, own, thread, wall] = all.map(|time| time as f64 / f64::from(frames));
        println!("{}", json!({ "cpu": cpu, "own": own, "thread": thread, "wall": wall, "moved": moved }));
    }
}

/// The measured program: prints one line of JSON.
pub(super) fn program(library: &str, frames: u32) -> Result<()> {
    let library = Library::shared(library)?;
    // SAFETY: a System V library, just loaded.
    unsafe {
        let stage = Stage::with::<false>(library, false, 1)?;
        let make = Maker::<false>::of(library, stage.device);
        let all = Frames::new(&stage, &make)?;
        check("Close", call!(false, stage.list, stage.slots.close, () -> i32, ()))?;
        (0..WARM).try_for_each(|frame| all.run(frame))?;
        let since = Clocks::now()?;
        (WARM..WARM + frames).try_for_each(|frame| all.run(frame))?;
        Clocks::now()?.say(since, frames, 0);
    }
    // Objects are left to the system: tearing them down is not measured.
    std::process::exit(0)
}

/// The measured replay: prints one line of JSON.
pub(super) fn replay(trace: &Path, library: &str, addresses: &str, threads: usize) -> Result<()> {
    let mut clocks: Vec<(u64, Result<Clocks>)> = Vec::new();
    let moved = addresses == MOVED;
    let mut options = reprise_replay::Options {
        runtime: Some(library.to_owned()),
        convention: Some(reprise_replay::Convention::SysV),
        threads,
        create_dummy_allocations: moved,
        recorded_addresses: !moved,
        progress: Some(Box::new(|progress| {
            // Looking at threads takes time itself.
            if progress.frame == u64::from(WARM * SUBMISSIONS) || progress.frame % 100 == 0 {
                clocks.push((progress.frame, Clocks::now()));
            }
        })),
        ..reprise_replay::Options::default()
    };
    let report = reprise_replay::replay(trace, &mut options)?;
    drop(options);
    ensure!(report.difference_count == 0, "the replay differs: {:?}", report.differences.first());
    ensure!(!moved || report.moved_instances != 0, "addresses were to be others, and no instances were moved");
    let first = clocks.iter().position(|(frame, _)| *frame == u64::from(WARM * SUBMISSIONS));
    let last = clocks.pop().context("the trace has no frames")?;
    let first = first.filter(|first| *first < clocks.len()).context("the trace has too few frames")?;
    let (from, since) = clocks.swap_remove(first);
    last.1?.say(since?, ((last.0 - from) / u64::from(SUBMISSIONS)) as u32, report.moved_instances);
    Ok(())
}

/// Where the objects of a replay lie: at their recorded addresses, or each of them elsewhere.
const RECORDED: &str = "recorded";
const MOVED: &str = "moved";

/// What is measured.
struct Way {
    name: &'static str,
    command: fn(&Setting<'_>) -> Command,
    /// Whether it is a replay, which the goal is for.
    is_replay: bool,
}

struct Setting<'s> {
    library: PathBuf,
    this: &'s Path,
    reprise: &'s Path,
    trace: &'s Path,
    frames: u32,
    threads: usize,
    compression: &'s str,
}

const WAYS: [Way; 5] = [
    Way { name: "program", command: |at| at.program(), is_replay: false },
    Way { name: "captured", command: |at| at.captured("repeatable"), is_replay: false },
    Way { name: "captured, addresses any", command: |at| at.captured("any"), is_replay: false },
    Way { name: "replay, recorded addresses", command: |at| at.replayed(RECORDED), is_replay: true },
    Way { name: "replay, moved addresses", command: |at| at.replayed(MOVED), is_replay: true },
];

impl Setting<'_> {
    fn program(&self) -> Command {
        let mut command = Command::new(self.this);
        command.args(["--frames", &self.frames.to_string(), "--program"]).arg(&self.library).arg(MIX);
        command
    }

    fn captured_to(&self, trace: &Path, addresses: &str) -> Command {
        let mut command = Command::new(self.reprise);
        command.env("REPRISE_ADDRESSES", addresses).args(["capture", "--force", "--frame-boundary", "submissions"]);
        command.arg("--compression").arg(self.compression).arg("-o").arg(trace).arg("--").arg(self.this);
        command.args(["--frames", &self.frames.to_string(), "--program"]).arg(&self.library).arg(MIX);
        command
    }

    fn captured(&self, addresses: &str) -> Command {
        self.captured_to(&child::trace(self.trace.parent()), addresses)
    }

    fn replayed(&self, addresses: &str) -> Command {
        let mut command = Command::new(self.this);
        command.arg("--structures").arg(self.trace).arg(&self.library).args([addresses, &self.threads.to_string()]);
        command
    }
}

/// Measures and prints. Whether all goals are met.
pub(super) fn per_frame(options: &Options) -> Result<bool> {
    let frames = options.frames.next_multiple_of(100);
    let this = std::env::current_exe()?;
    let reprise = options.reprise.clone().unwrap_or_else(|| this.with_file_name("reprise"));
    let scratch = tempfile::tempdir()?;
    let mut met = true;
    for runtime in options.runtimes.iter().filter(|runtime| *runtime != "null") {
        let trace = options.keep.as_deref().unwrap_or(scratch.path()).join("structures.reprise");
        let threads = options.threads.iter().copied().max().unwrap_or(1);
        let (this, reprise) = (this.as_path(), reprise.as_path());
        let compression = options.compression.as_str();
        let setting =
            Setting { library: library(runtime)?, this, reprise, trace: &trace, frames, threads, compression };
        child::run(&mut setting.captured_to(&trace, "repeatable"))?;
        let mut samples = vec![Samples::default(); WAYS.len()];
        for round in 0..options.rounds {
            eprintln!("round {round}: {runtime} {MIX}");
            for (way, samples) in WAYS.iter().zip(&mut samples) {
                let ran = child::run(&mut (way.command)(&setting))?;
                let [cpu, own, thread, wall] = NAMES.map(|name| ran.number(name));
                samples.rounds.push([cpu?, own?, thread?, wall?]);
                samples.moved = ran.number("moved")?;
            }
        }
        println!(
            "{runtime}: µs a frame, median [min-max] of {} rounds of {frames} frames; replay on {threads} threads",
            options.rounds
        );
        met &= print(&samples);
    }
    Ok(met)
}

/// Prints the table of a runtime, and how far the goals are met.
fn print(samples: &[Samples]) -> bool {
    let [cpu, own, thread, wall] = ["cpu", "without driver's threads", "calling thread", "wall"];
    println!("{MIX:<27} {cpu:>26} {own:>26} {thread:>26} {wall:>26}");
    for (way, samples) in WAYS.iter().zip(samples) {
        let [cpu, own, thread, wall] = core::array::from_fn(|at| samples.of(at).to_string());
        println!("{:<27} {cpu:>26} {own:>26} {thread:>26} {wall:>26}", way.name);
    }
    let mut met = true;
    for (way, replays) in WAYS.iter().zip(samples).filter(|(way, _)| way.is_replay) {
        let ratios: Figures = core::array::from_fn(|at| replays.of(at).median / samples[0].of(at).median);
        for (name, ratio) in [("CPU", ratios[0]), ("wall", ratios[3])] {
            met &= ratio <= MOST;
            let verdict = if ratio <= MOST { "met" } else { "MISSED" };
            println!("    goal: {}, {name} {ratio:.2} of at most {MOST:.2} times the program's: {verdict}", way.name);
        }
        let [_, own, thread, _] = ratios;
        println!(
            "    without driver's threads {own:.2}, calling thread {thread:.2}; {} instances moved",
            replays.moved
        );
    }
    met
}
