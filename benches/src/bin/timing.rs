//! Whether `reprise time` says what is so: on programs of known costs, and against stamps around whole lists.
//!
//! `timing --reprise FILE --programs FILE` captures the programs `costs` and `worth` and asks `reprise time` often. It needs nothing else, so it runs
//! from a folder with these three files and the capture library beside `reprise`. It checks:
//!
//! - **Costs.** The dispatches of `costs` are of 1, 2, 4, 8 and, in a bundle, 16 units. In each of `--runs` (20) asks, with `--serial`, the least of
//!   `--replays` (10) has to rise in this order, and to be within `--tolerance` (15) percent of so many times a unit, where a unit is a
//!   thirty-first of all of them.
//! - **Sums, and the cost of measuring.** The passes of a replay together, the least of five times `--replays`, are within 3 % of what lists take with
//!   stamps around them alone, the least of as many replays in turns with these. So stamps between passes do not add more, either.
//!
//! - **Experiments.** `worth` is at least 10 % shorter without its draws, pixel shaders, and all but one pixel, and longer where what a depth test hides is
//!   drawn; one pixel shader of all is worth at most 5 %. By the least of `--replays`, in turns with as many of the frame as it is.
//!
//! The least is compared, because whatever else runs on a machine only adds. lavapipe works on one thread (`LP_NUM_THREADS=1`): with several, how many
//! of them get a processor decides what a dispatch takes. Other drivers do not know the variable.

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Checks what `reprise time` says.
#[derive(Parser)]
struct Options {
    /// `reprise`.
    #[arg(long)]
    reprise: PathBuf,
    /// `reprise-programs`.
    #[arg(long)]
    programs: PathBuf,
    /// More traces whose sums of passes are looked at.
    #[arg(long)]
    trace: Vec<PathBuf>,
    /// How often `reprise time` is asked for costs.
    #[arg(long, default_value_t = 20)]
    runs: u32,
    /// Replays each time.
    #[arg(long, default_value_t = 10)]
    replays: u32,
    /// By how many percent a cost may be another one.
    #[arg(long, default_value_t = 15.0)]
    tolerance: f64,
    /// Options of `reprise time`, as --gpu.
    #[arg(last = true)]
    options: Vec<String>,
}

/// Markers of the program `costs`, and what they cost.
const COSTS: [(&str, f64); 5] =
    [("1 units", 1.0), ("2 units", 2.0), ("4 units", 4.0), ("8 units", 8.0), ("bundle", 16.0)];
/// So many times as many replays are compared for sums: what two kinds of replays take is closer than what costs are.
const SUMMED: u32 = 5;
/// Sums of passes may differ by so much from what lists take.
const SUMS: f64 = 0.03;

/// What an experiment has to say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Worth {
    Much,
    /// The frame is longer: what was hidden is drawn.
    Longer,
    Nothing,
}

const WORTH: [(&str, Worth); 5] = [
    ("draws", Worth::Much),
    ("pixel-shader", Worth::Much),
    ("scissor", Worth::Much),
    ("depth-test", Worth::Longer),
    ("depth-writes", Worth::Longer),
];
/// Shares of the frame.
const MUCH: f64 = 0.1;
const LITTLE: f64 = 0.05;

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("load of this machine at the beginning: {}", load.trim());
    let folder = tempfile::tempdir()?;
    let costs = capture(&options, folder.path(), "costs")?;
    let mut traces = vec![costs.clone(), capture(&options, folder.path(), "worth")?];
    traces.extend(options.trace.iter().cloned());

    let mut right = 0;
    for run in 1..=options.runs {
        let timed = ask(&options, &costs, options.replays, &["--serial", "--by", "marker"])?;
        let took: Vec<f64> = COSTS.iter().map(|(name, _)| least(&timed, name)).collect::<Result<_>>()?;
        let unit = took.iter().sum::<f64>() / COSTS.iter().map(|(_, units)| units).sum::<f64>();
        let errors: Vec<f64> =
            took.iter().zip(&COSTS).map(|(took, (_, units))| (took / unit / units - 1.0) * 100.0).collect();
        let rises = took.is_sorted();
        let is_right = rises && errors.iter().all(|error| error.abs() <= options.tolerance);
        right += u32::from(is_right);
        let shown: Vec<String> =
            took.iter().zip(&errors).map(|(took, error)| format!("{took:.3} ms ({error:+.1} %)")).collect();
        println!("costs, {run}: {}{}", shown.join(", "), if is_right { "" } else { "  WRONG" });
    }
    println!("costs: right in {right} of {} (order, and ratios within {} %)", options.runs, options.tolerance);

    let mut sums = 0;
    for trace in &traces {
        // Of one replay: its passes are all of it.
        let one = ask(&options, trace, 1, &["--by", "pass"])?;
        let rows = one["rows"].as_array().context("rows")?;
        let sum: f64 = rows.iter().filter_map(|row| row["ms"]["median"].as_f64()).sum();
        let whole = one["total_ms"]["median"].as_f64().context("a duration")?;
        ensure!((sum - whole).abs() <= whole * 1e-6, "passes together are {sum} ms, and all is {whole} ms");
        let timed = ask(&options, trace, options.replays * SUMMED, &["--by", "pass"])?;
        let least = |of: &str| timed[of]["least"].as_f64().context("a duration");
        let (passes, plain, rows) = (least("total_ms")?, least("plain_ms")?, rows.len());
        let added = passes / plain - 1.0;
        let is_right = added.abs() <= SUMS;
        sums += usize::from(is_right);
        println!(
            "{}: {rows} passes together {passes:.3} ms, lists with stamps around them alone {plain:.3} ms: {:+.1} %{}",
            trace.file_name().unwrap_or_default().to_string_lossy(),
            added * 100.0,
            if is_right { "" } else { "  WRONG" }
        );
    }
    println!("sums and cost of measuring: right for {sums} of {} traces", traces.len());

    let worth = experiments(&options, &traces[1])?;
    let all = right == options.runs && sums == traces.len() && worth;
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What experiments say of the program `worth`: how much shorter its frames are without what they have much of, how much longer where more is drawn, and
/// that one pixel is worth nothing.
fn experiments(options: &Options, trace: &Path) -> Result<bool> {
    let names: Vec<&str> = WORTH.iter().map(|(name, _)| *name).collect();
    let all = ask(options, trace, options.replays, &[&format!("--what-if={}", names.join(","))])?;
    let nothing = ask(options, trace, options.replays, &["--what-if=pixel-shader", "--of", "marker:nothing"])?;
    let mut right = 0;
    let nothing = (&nothing, "pixel-shader", Worth::Nothing);
    let asked = WORTH.iter().map(|(name, worth)| (&all, *name, *worth)).chain([nothing]);
    let count = WORTH.len() + 1;
    for (answer, name, worth) in asked {
        let row = answer["experiments"].as_array().into_iter().flatten().find(|row| row["name"] == name);
        let row = row.with_context(|| format!("no experiment {name}: {answer}"))?;
        let of = |what: &str| row[what]["least"].as_f64().with_context(|| format!("{name}: {row}"));
        let share = 1.0 - of("ms")? / of("whole_ms")?;
        let is_right = match worth {
            Worth::Much => share >= MUCH,
            Worth::Longer => share <= -MUCH,
            Worth::Nothing => share.abs() <= LITTLE,
        };
        right += usize::from(is_right);
        let of = if worth == Worth::Nothing { " of one pixel" } else { "" };
        println!(
            "worth without {name}{of}: {:+.1} % ({} by medians, sure: {}){}",
            -share * 100.0,
            row["share"].as_f64().map_or_else(|| "-".into(), |share| format!("{:+.1} %", -share * 100.0)),
            row["sure"],
            if is_right { "" } else { "  WRONG" }
        );
    }
    println!("experiments: right in {right} of {count}");
    Ok(right == count)
}

/// A trace of a program.
fn capture(options: &Options, folder: &Path, name: &str) -> Result<PathBuf> {
    let trace = folder.join(format!("{name}.reprise"));
    let mut command = Command::new(&options.reprise);
    command.args(["capture", "-f", "-o"]).arg(&trace).arg("--").arg(&options.programs).arg(name);
    run(&mut command)?;
    Ok(trace)
}

/// What `reprise time` says, as JSON.
fn ask(options: &Options, trace: &Path, replays: u32, words: &[&str]) -> Result<Json> {
    let mut command = Command::new(&options.reprise);
    command.arg("time").arg(trace).args(words).args(["--json", "--runs", &replays.to_string()]);
    command.args(&options.options).env("LP_NUM_THREADS", "1");
    serde_json::from_str(&run(&mut command)?).context("what reprise time prints")
}

/// Runs a program to its end, and gives what it prints.
fn run(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {}: {}", output.status, errors.trim());
    Ok(String::from_utf8(output.stdout)?)
}

/// The least that a marker took, in milliseconds.
fn least(timed: &Json, name: &str) -> Result<f64> {
    let row = timed["rows"].as_array().into_iter().flatten().find(|row| row["what"] == name);
    let Some(row) = row else { bail!("no marker {name}: {timed}") };
    row["ms"]["least"].as_f64().with_context(|| format!("{name} was not timed: {timed}"))
}
