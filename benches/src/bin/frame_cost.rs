//! What capture costs per call of the engine mix ([`reprise_benches::engine`]), against its goals.
//!
//! Runs itself as child processes on the null runtime, bare and under `reprise capture` in turn, each with two numbers of
//! frames; a round does all of them once. All times are CPU times.
//!
//! - *Thread*: of the thread that records, per call: the median of its frames. *Added*: captured less bare.
//! - *Total*: of all processes (program, `reprise capture`, writer): the longer run's less the shorter's, so that starting
//!   up is not in it, divided by the difference in calls; captured less bare.
//! - *Bytes*: of the trace file, by the same difference. *Plain*: the same calls as plain records (16 bytes of header,
//!   arguments, results; no order, no times), compressed whole by zstd at level 3.

use anyhow::{Context, Result};
use clap::Parser;
use reprise_benches::child;
use reprise_benches::com::Library;
use reprise_benches::engine::Shared;
use reprise_benches::figures::{Spread, spread};
use reprise_trace::read::Trace;
use reprise_trace::record::Kind;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  cargo xtask bench frame_cost
  cargo xtask bench frame_cost --rounds 9 --json figures.json
  cargo xtask bench frame_cost --keep long.reprise --frames 1300       a trace of 10 million calls";

/// Measures the cost of capture per call of the engine mix.
#[derive(Parser)]
#[command(after_help = EXAMPLES)]
struct Options {
    /// Rounds; each runs every configuration once.
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// Frames of the longer runs, of about 8,000 calls each.
    #[arg(long, default_value_t = 300)]
    frames: u32,
    /// Writes all figures here as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The `reprise` program; without it the one beside this program.
    #[arg(long, value_name = "FILE")]
    reprise: Option<PathBuf>,
    /// Measures this convention only: sysv or win64.
    #[arg(long, value_delimiter = ',', default_value = "sysv,win64")]
    conventions: Vec<String>,
    /// Where traces go while they are measured; the temporary folder if not stated.
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// Only records `--frames` frames into this trace.
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
    /// Ends with 1 when a goal is missed.
    #[arg(long)]
    goals: bool,
    /// Is the measured program: convention and library.
    #[arg(long, hide = true, num_args = 2)]
    child: Vec<String>,
}

/// Nanoseconds that a call may add to its thread.
const MOST_ADDED: f64 = 20.0;
/// Nanoseconds of all processes that a call may add.
const MOST_TOTAL: f64 = 60.0;
/// Bytes of trace per call that are always good enough.
const MOST_BYTES: f64 = 3.0;
/// Else this share of plain records, compressed.
const MOST_SHARE: f64 = 0.6;

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

/// The measured program: prints one line of JSON.
fn child<const WIN64: bool>(library: Library, options: &Options) -> Result<ExitCode> {
    // SAFETY: the library of this convention was just loaded.
    let mut engine = unsafe { Shared::<WIN64>::new(library)?.engine()? };
    // SAFETY: the engine's objects are of this convention.
    let frames: Vec<(u64, u64)> = (0..options.frames).map(|_| unsafe { engine.frame() }).collect();
    let calls: u64 = frames.iter().map(|(calls, _)| calls).sum();
    // The first frames touch memory for the first time.
    let steady: Vec<f64> = frames.iter().skip(3).map(|(calls, ns)| *ns as f64 / *calls as f64).collect();
    println!("{}", json!({ "calls": calls, "thread": spread(&steady).median }));
    // Objects are left to the system: tearing them down is not measured.
    std::process::exit(0)
}

/// The figures of one run.
struct Run {
    calls: f64,
    thread: f64,
    /// CPU nanoseconds of all processes.
    total: f64,
    /// The trace.
    bytes: f64,
    trace: Option<PathBuf>,
}

fn run(options: &Options, convention: &str, captured: bool, frames: u32, keep: Option<&Path>) -> Result<Run> {
    let library = child::null_library(convention)?;
    let trace = keep.map_or_else(|| child::trace(options.scratch.as_deref()), Path::to_owned);
    let mut command = child::program(captured.then_some((&trace, &[])), options.reprise.as_deref())?;
    command.args(["--frames", &frames.to_string(), "--child", convention]).arg(&library);
    let ran = child::run(&mut command)?;
    let bytes = if captured { std::fs::metadata(&trace)?.len() as f64 } else { 0.0 };
    let trace = captured.then_some(trace);
    Ok(Run { calls: ran.number("calls")?, thread: ran.number("thread")?, total: ran.cpu, bytes, trace })
}

/// Bytes of the calls of a trace as plain records, compressed whole by zstd at level 3, and before.
fn plain(path: &Path) -> Result<(f64, f64)> {
    let trace = Trace::open(path)?;
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 3)?;
    let mut raw = 0;
    let mut events = trace.events();
    while let Some(event) = events.next()? {
        if !matches!(event.kind, Kind::Enter | Kind::Leave) {
            continue;
        }
        let size = 16 + event.payload.len() as u32;
        let mut header = [0; 16];
        header[0..4].copy_from_slice(&size.to_le_bytes());
        header[4..6].copy_from_slice(&event.method.to_le_bytes());
        header[6] = event.kind as u8;
        header[8..12].copy_from_slice(&event.object.to_le_bytes());
        header[12..16].copy_from_slice(&event.thread.to_le_bytes());
        std::io::Write::write_all(&mut encoder, &header)?;
        std::io::Write::write_all(&mut encoder, event.payload)?;
        raw += u64::from(size);
    }
    Ok((encoder.finish()?.len() as f64, raw as f64))
}

/// Samples of one convention over the rounds.
#[derive(Default)]
struct Samples {
    bare: Vec<f64>,
    captured: Vec<f64>,
    total: Vec<f64>,
    bytes: Vec<f64>,
    plain: Vec<f64>,
    raw: Vec<f64>,
}

impl Samples {
    fn round(&mut self, options: &Options, convention: &str) -> Result<()> {
        let (long, short) = (options.frames, options.frames / 3);
        let bare = (run(options, convention, false, short, None)?, run(options, convention, false, long, None)?);
        let with = (run(options, convention, true, short, None)?, run(options, convention, true, long, None)?);
        let calls = with.1.calls - with.0.calls;
        self.bare.push(bare.1.thread);
        self.captured.push(with.1.thread);
        self.total.push(((with.1.total - with.0.total) - (bare.1.total - bare.0.total)) / calls);
        self.bytes.push((with.1.bytes - with.0.bytes) / calls);
        if self.plain.is_empty() {
            let sizes = |run: &Run| run.trace.as_deref().map_or(Ok((0.0, 0.0)), plain);
            let (short, long) = (sizes(&with.0)?, sizes(&with.1)?);
            self.plain.push((long.0 - short.0) / calls);
            self.raw.push((long.1 - short.1) / calls);
        }
        for run in [with.0, with.1] {
            run.trace.map_or(Ok(()), std::fs::remove_file)?;
        }
        Ok(())
    }
}

/// A figure against its goal.
struct Goal {
    name: &'static str,
    value: f64,
    most: f64,
}

fn parent(options: &Options) -> Result<ExitCode> {
    if let Some(path) = &options.keep {
        let convention = options.conventions.first().context("--conventions names none")?;
        let run = run(options, convention, true, options.frames, Some(path))?;
        println!("{}: {} calls, {} bytes", path.display(), run.calls, run.bytes);
        return Ok(ExitCode::SUCCESS);
    }
    let mut report = Vec::new();
    let mut missed = false;
    let mut all: Vec<Samples> = options.conventions.iter().map(|_| Samples::default()).collect();
    for round in 0..options.rounds {
        for (convention, samples) in options.conventions.iter().zip(&mut all) {
            eprintln!("round {round}: {convention}");
            samples.round(options, convention)?;
        }
    }
    println!("engine mix on the null runtime, per call, median [min-max] of {} rounds", options.rounds);
    for (convention, samples) in options.conventions.iter().zip(&all) {
        let figures = [
            ("thread, bare, ns", spread(&samples.bare)),
            ("thread, captured, ns", spread(&samples.captured)),
            ("total added by all processes, ns", spread(&samples.total)),
            ("trace, bytes", spread(&samples.bytes)),
            ("plain records, bytes", spread(&samples.raw)),
            ("plain records, zstd -3, bytes", spread(&samples.plain)),
        ];
        println!("{convention}");
        for (name, figure) in &figures {
            println!("    {name:<44} {figure}");
        }
        let of = |figure: &Vec<f64>| spread(figure).median;
        let bytes = of(&samples.bytes);
        let goals = [
            Goal {
                name: "added on the thread, ns",
                value: of(&samples.captured) - of(&samples.bare),
                most: MOST_ADDED,
            },
            Goal { name: "added by all processes, ns", value: of(&samples.total), most: MOST_TOTAL },
            Goal { name: "trace, bytes", value: bytes, most: MOST_BYTES.max(MOST_SHARE * of(&samples.plain)) },
        ];
        for Goal { name, value, most } in &goals {
            let verdict = if value <= most { "met" } else { "MISSED" };
            println!("    goal: {name:<38} {value:.2} of at most {most:.2}: {verdict}");
            missed |= value > most;
        }
        let share = bytes / of(&samples.plain);
        println!("    trace against plain records, zstd -3         {share:.2}");
        let json = |(name, figure): &(&str, Spread)| ((*name).to_owned(), figure.to_json());
        let goal = |goal: &Goal| json!({ "name": goal.name, "value": goal.value, "most": goal.most });
        report.push(json!({
            "convention": convention, "rounds": options.rounds, "frames": options.frames,
            "figures": figures.iter().map(json).collect::<serde_json::Map<_, _>>(),
            "goals": goals.iter().map(goal).collect::<Vec<_>>(),
        }));
    }
    if let Some(path) = &options.json {
        std::fs::write(path, serde_json::to_string_pretty(&report)?)?;
    }
    Ok(if missed && options.goals { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
