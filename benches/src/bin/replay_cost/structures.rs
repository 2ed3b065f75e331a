//! The mix of structures: what a frame costs bare, captured, and replayed with recorded and with moved addresses.
//!
//! Four figures of a frame: the process's CPU time; that less what threads of the driver took (a software rasteriser builds there); that
//! of the thread that makes the calls; and time that passed. The goal is on CPU and on passed time: a replay at most
//! [`MOST`] times the program. "Captured" is the program's own process.

use super::{Case, MOVED, Options, RECORDED, STRUCTURES};
use anyhow::{Result, ensure};
use reprise_benches::child;
use reprise_benches::figures::spread;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Goal: a replay's cost over the program's.
const MOST: f64 = 1.3;

/// Figures of a frame, in nanoseconds: CPU, without the driver's threads, the calling thread, passed time.
type Figures = [f64; 4];

const NAMES: [&str; 4] = ["cpu", "own", "thread", "wall"];

/// What is measured.
struct Way {
    name: &'static str,
    command: fn(&Setting<'_>, &(u32, PathBuf)) -> Result<Command>,
    /// Whether it is a replay, which the goal is for.
    is_replay: bool,
}

struct Setting<'s> {
    case: &'s Case,
    this: &'s Path,
    reprise: &'s Path,
    scratch: &'s Path,
}

const WAYS: [Way; 5] = [
    Way { name: "program", command: bare, is_replay: false },
    Way { name: "captured", command: |at, run| captured(at, run, "repeatable"), is_replay: false },
    Way { name: "captured, addresses any", command: |at, run| captured(at, run, "any"), is_replay: false },
    Way { name: "replay, recorded addresses", command: |at, run| replayed(at, run, RECORDED), is_replay: true },
    Way { name: "replay, moved addresses", command: |at, run| replayed(at, run, MOVED), is_replay: true },
];

fn bare(at: &Setting<'_>, (frames, _): &(u32, PathBuf)) -> Result<Command> {
    let mut command = Command::new(at.this);
    command.args(["--frames", &frames.to_string(), "--program"]).arg(&at.case.library).arg(STRUCTURES);
    Ok(command)
}

fn captured(at: &Setting<'_>, (frames, _): &(u32, PathBuf), addresses: &str) -> Result<Command> {
    let mut command = Command::new(at.reprise);
    command.env("REPRISE_ADDRESSES", addresses);
    command.arg("capture").arg("-o").arg(child::trace(Some(at.scratch))).arg("--").arg(at.this);
    command.args(["--frames", &frames.to_string(), "--program"]).arg(&at.case.library).arg(STRUCTURES);
    Ok(command)
}

fn replayed(at: &Setting<'_>, (_, trace): &(u32, PathBuf), addresses: &str) -> Result<Command> {
    let mut command = Command::new(at.this);
    command.arg("--replay").arg(trace).arg(&at.case.library).args(["1", addresses]);
    Ok(command)
}

/// One frame of one way: a longer run less a shorter one.
fn frame(setting: &Setting<'_>, way: &Way) -> Result<Figures> {
    let mut ends = [Figures::default(); 2];
    for (figures, run) in ends.iter_mut().zip(&setting.case.traces) {
        let ran = child::run(&mut (way.command)(setting, run)?)?;
        if way.is_replay {
            // Moved addresses are what the instances of both builds of a frame show.
            let moved = ran.number("moved")? != 0.0;
            ensure!(moved || !way.name.ends_with("moved addresses"), "the replay moved no instances: {}", ran.said);
        }
        let cpu = ran.number("cpu")?;
        *figures = [cpu, cpu - ran.number("drivers")?, ran.number("thread")?, ran.number("wall")?];
    }
    Ok(core::array::from_fn(|at| (ends[1][at] - ends[0][at]) / setting.case.calls))
}

/// Measures and prints.
pub(super) fn parent(options: &Options) -> Result<ExitCode> {
    ensure!(options.frames > 1, "--frames: at least 2");
    let this = std::env::current_exe()?;
    let reprise = options.reprise.clone().unwrap_or_else(|| this.with_file_name("reprise"));
    let scratch = tempfile::tempdir()?;
    let mut missed = false;
    for runtime in options.runtimes.iter().filter(|runtime| *runtime != "null") {
        let case = super::case(options, runtime, STRUCTURES)?;
        let setting = Setting { case: &case, this: &this, reprise: &reprise, scratch: scratch.path() };
        let mut samples: Vec<Vec<Figures>> = vec![Vec::new(); WAYS.len()];
        for round in 0..options.rounds {
            eprintln!("round {round}: {runtime} {STRUCTURES}");
            for (way, samples) in WAYS.iter().zip(&mut samples) {
                samples.push(frame(&setting, way)?);
            }
        }
        println!("{runtime}: µs per frame, median [min-max] of {} rounds of {} frames", options.rounds, options.frames);
        println!("{:<28} {:>28} {:>28} {:>28} {:>28}", "structures", "cpu", "without the driver's threads", "calling thread", "wall");
        let of = |samples: &[Figures], at: usize| spread(&samples.iter().map(|of| of[at] / 1000.0).collect::<Vec<_>>());
        for (way, samples) in WAYS.iter().zip(&samples) {
            let [cpu, own, thread, wall] = core::array::from_fn(|at| of(samples, at).to_string());
            println!("{:<28} {cpu:>28} {own:>28} {thread:>28} {wall:>28}", way.name);
        }
        for (way, of_way) in WAYS.iter().zip(&samples).filter(|(way, _)| way.is_replay) {
            let ratios: [f64; 4] = core::array::from_fn(|at| of(of_way, at).median / of(&samples[0], at).median);
            for at in [0, 3] {
                let verdict = if ratios[at] <= MOST { "met" } else { "MISSED" };
                missed |= ratios[at] > MOST;
                println!("    goal: {}, {:<5} over the program's {:.2} of at most {MOST:.2}: {verdict}", way.name, NAMES[at], ratios[at]);
            }
            println!("    without the driver's threads {:.2}, calling thread {:.2}", ratios[1], ratios[2]);
        }
        if options.keep.is_none() {
            case.traces.iter().try_for_each(|(_, trace)| std::fs::remove_file(trace))?;
        }
    }
    Ok(if missed && options.goals { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
