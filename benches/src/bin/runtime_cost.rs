//! What a runtime's calls cost the program, side by side with another library of the same interface.
//!
//! Loads two libraries into this process and makes a device of each. In every round each operation (see
//! [`reprise_benches::operation`]) runs on one library, then on the other, the order changing from round to round; a figure
//! is nanoseconds of CPU time per operation, the median over the rounds with the least and the greatest. "Ratio" is the
//! median of the rounds' own ratios, in which what disturbs the machine for longer than a round cancels out; below 1, ours
//! is cheaper. Lists are recorded and not executed: what the driver needs for recording is in both figures, for executing
//! in none. One round runs before the first that counts.
//!
//! Only libraries in the system's own convention; under Wine the clock is time that passes. What they load themselves the loader must find (`LD_LIBRARY_PATH`). To count instructions
//! instead: `valgrind --tool=callgrind --toggle-collect='*measured*' runtime_cost --only NAME --rounds 1 --ours PATH`.

use anyhow::{Context, Result, ensure};
use clap::Parser;
use reprise_benches::clock;
use reprise_benches::com::Library;
use reprise_benches::figures::{Spread, spread};
use reprise_benches::operation::{self, Clock, Operation};
use serde_json::json;
use std::path::PathBuf;

// Starts on Wine before 8.13.
#[cfg(windows)]
use reprise_windows_start as _;

/// Measures the cost of a runtime's calls.
#[derive(Parser)]
struct Options {
    /// Rounds that count.
    #[arg(long, default_value_t = 15)]
    rounds: u32,
    /// Our library; without it the one beside this program.
    #[arg(long)]
    ours: Option<PathBuf>,
    /// The library to compare with; without it ours is measured alone.
    #[arg(long)]
    library: Option<PathBuf>,
    /// Operations whose name contains this.
    #[arg(long, default_value = "")]
    only: String,
    /// Writes all figures here as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let ours = match &options.ours {
        Some(path) => path.clone(),
        None if cfg!(windows) => std::env::current_exe()?.with_file_name("reprise_d3d12.dll"),
        None => std::env::current_exe()?.with_file_name("libreprise_d3d12.so"),
    };
    let mut sides = vec![side(&ours, &options.only)?];
    ensure!(!sides[0].is_empty(), "no operation has {:?} in its name", options.only);
    if let Some(other) = &options.library {
        let mut theirs = side(other, &options.only)?;
        // Only what both have is measured, in one order.
        let lacks = |of: &[Operation], name: &str| !of.iter().any(|operation| operation.name == name);
        for (here, there, library) in [(&sides[0], &theirs, other), (&theirs, &sides[0], &ours)] {
            for operation in here.iter().filter(|operation| lacks(there, operation.name)) {
                println!("left out, because {} lacks it: {}", library.display(), operation.name);
            }
        }
        sides[0].retain(|operation| !lacks(&theirs, operation.name));
        theirs.retain(|operation| !lacks(&sides[0], operation.name));
        sides.push(theirs);
        ensure!(!sides[0].is_empty(), "{} has none of these operations", other.display());
    }
    let mut report = Vec::new();
    println!("ns of CPU time per operation, median [min-max] of {} rounds", options.rounds);
    println!("{:<58} {:>22} {:>22} {:>6}", "operation", "ours", "other", "ratio");
    for at in 0..sides[0].len() {
        let mut samples = vec![Vec::new(); sides.len()];
        for round in 0..=options.rounds {
            for turn in 0..sides.len() {
                let side = (turn + round as usize) % sides.len();
                let took = one(&sides[side][at]);
                if round != 0 {
                    samples[side].push(took);
                }
            }
        }
        let spreads: Vec<Spread> = samples.iter().map(|samples| spread(samples)).collect();
        let ratio = samples.get(1).map(|other| {
            let ratios: Vec<f64> = samples[0].iter().zip(other).map(|(ours, other)| ours / other).collect();
            spread(&ratios).median
        });
        let text = |at: usize| spreads.get(at).map_or(String::new(), ToString::to_string);
        let name = sides[0][at].name;
        println!(
            "{name:<58} {:>22} {:>22} {:>6}",
            text(0),
            text(1),
            ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"))
        );
        report.push(json!({
            "operation": name, "ours": spreads[0].to_json(), "other": spreads.get(1).map(|it| it.to_json()), "ratio": ratio,
        }));
    }
    if let Some(path) = &options.json {
        std::fs::write(path, serde_json::to_string_pretty(&report)?)?;
    }
    // Objects are left to the system.
    std::process::exit(0)
}

/// The operations on a library.
fn side(library: &std::path::Path, only: &str) -> Result<Vec<Operation>> {
    let path = library.to_str().context("a path that is not UTF-8")?;
    // SAFETY: the user's own choice of a D3D12 runtime.
    let all = unsafe { operation::all(Library::alone(path)?) };
    let all = all.with_context(|| format!("with {path}"))?;
    Ok(all.into_iter().filter(|operation| operation.name.contains(only)).collect())
}

/// Runs an operation as often as it wants, and gives the nanoseconds of one.
fn one(operation: &Operation) -> f64 {
    (operation.before)();
    let clock = match operation.clock {
        Clock::Thread => clock::thread,
        Clock::Process => clock::process,
    };
    let before = clock();
    measured(&*operation.run, operation.number);
    (clock() - before) as f64 / f64::from(operation.number)
}

/// What is measured, under a name for tools.
#[inline(never)]
fn measured(run: &dyn Fn(u32), number: u32) {
    run(number);
}
