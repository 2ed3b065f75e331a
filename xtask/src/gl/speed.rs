//! `cargo xtask gl --speed`: what capture takes of a program's frames a second, and replay of its processor time and
//! memory.

use super::program::Program;
use super::run::{Runs, Way};
use crate::test::processor_time;
use anyhow::{Context, Result, ensure};
use std::fs;

/// Each program in turn, so often.
pub(super) const ROUNDS: usize = 5;
/// Mesa's own count of frames: a number a second, into a file.
const COUNTER: [(&str, &str); 4] = [
    ("GALLIUM_HUD", "fps"),
    ("GALLIUM_HUD_PERIOD", "1"),
    ("GALLIUM_HUD_VISIBLE", "false"),
    ("GALLIUM_HUD_DUMP_DIR", "OUT/counter"),
];

/// A program's run.
struct Pace {
    /// Frames a second, without the first second.
    rate: f64,
    /// Of processor time a frame.
    seconds: f64,
    /// The most memory, in bytes.
    peak: u64,
}

/// One round of a program.
struct Round {
    bare: Pace,
    captured: Pace,
    bytes: u64,
    frames: u64,
    /// Processor time of a replay a frame.
    replay: f64,
    /// Its most memory, in bytes.
    peak: u64,
}

/// Measures the programs and prints a table of medians.
pub(super) fn measure(runs: &Runs, programs: &[Program], rounds: usize) -> Result<()> {
    ensure!(rounds > 0, "no rounds, no medians");
    let mut all: Vec<Vec<Round>> = programs.iter().map(|_| Vec::new()).collect();
    for number in 1..=rounds {
        for (program, done) in programs.iter().zip(&mut all) {
            let round = one(runs, program).with_context(|| program.name.clone())?;
            println!("gl: round {number} of {rounds}: {}: {}", program.name, round.line());
            done.push(round);
        }
    }
    println!(
        "\n| program | frames a second | captured | ratio | bytes a frame | replay's CPU over the program's | replay's memory over the program's |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (program, rounds) in programs.iter().zip(&all) {
        let of = |what: fn(&Round) -> f64| median(rounds.iter().map(what).collect());
        println!(
            "| {} | {:.1} | {:.1} | {:.2} | {:.0} | {:.2} | {:.2} |",
            program.name,
            of(|round| round.bare.rate),
            of(|round| round.captured.rate),
            of(Round::ratio),
            of(|round| round.bytes as f64 / round.frames as f64),
            of(Round::replayed),
            of(Round::memory),
        );
    }
    Ok(())
}

impl Round {
    fn ratio(&self) -> f64 {
        self.captured.rate / self.bare.rate
    }

    fn replayed(&self) -> f64 {
        self.replay / self.bare.seconds
    }

    fn memory(&self) -> f64 {
        self.peak as f64 / self.bare.peak as f64
    }

    fn line(&self) -> String {
        format!(
            "{:.1} frames a second, captured {:.1} ({:.2}); {} frames in {} bytes; CPU a frame: {:.2} ms, captured {:.2} ms, replayed {:.2} ms ({:.2}); {:.0} MB, replayed {:.0} MB ({:.2})",
            self.bare.rate,
            self.captured.rate,
            self.ratio(),
            self.frames,
            self.bytes,
            self.bare.seconds * 1e3,
            self.captured.seconds * 1e3,
            self.replay * 1e3,
            self.replayed(),
            self.bare.peak as f64 / 1e6,
            self.peak as f64 / 1e6,
            self.memory(),
        )
    }
}

fn one(runs: &Runs, program: &Program) -> Result<Round> {
    let bare = pace(runs, program, Way::Ours)?;
    runs.remove_traces(program);
    let captured = pace(runs, program, Way::Captured(None))?;
    let traced = runs.traced(program)?;
    ensure!(traced.frames > 0, "the trace has no frames");
    let begun = processor_time();
    let peak = runs.play(program)?;
    let replay = processor_time().saturating_sub(begun).as_secs_f64() / traced.frames as f64;
    runs.remove_traces(program);
    Ok(Round { bare, captured, bytes: traced.bytes, frames: traced.frames, replay, peak })
}

fn pace(runs: &Runs, program: &Program, way: Way) -> Result<Pace> {
    let counter = runs.out(program).join("counter");
    let _ = fs::remove_dir_all(&counter);
    fs::create_dir_all(&counter).with_context(|| counter.display().to_string())?;
    let begun = processor_time();
    let ended = runs.run(&counted(program), way)?;
    let used = processor_time().saturating_sub(begun).as_secs_f64();
    if let Some(problem) = ended.problem {
        anyhow::bail!("{}: {problem}", way.name());
    }
    let text = fs::read_to_string(counter.join("fps")).context("Mesa counted no frames")?;
    let rates: Vec<f64> = text.lines().filter_map(|line| line.trim().parse().ok()).collect();
    let steady = rates.get(1..).filter(|rates| !rates.is_empty()).context("it ran for less than two seconds")?;
    // A number a second: their sum is the number of frames.
    Ok(Pace { rate: median(steady.to_vec()), seconds: used / rates.iter().sum::<f64>(), peak: ended.peak })
}

/// The same program, whose frames Mesa counts.
fn counted(program: &Program) -> Program {
    let counter = COUNTER.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Program { environment: [&program.environment[..], &counter].concat(), ..program.clone() }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
