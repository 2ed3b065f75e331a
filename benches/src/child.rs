//! The measured program, run as a process of its own: bare, or under `reprise capture`.
//!
//! It is the bench program itself, which prints its figures as one line of JSON. Invariant: whoever fails is named with all
//! that it said.

use crate::clock;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// A null runtime that is built beside this program.
///
/// # Errors
/// It is not.
pub fn null_library(convention: &str) -> Result<PathBuf> {
    let library = std::env::current_exe()?.with_file_name(format!("libreprise_null_{convention}.so"));
    ensure!(library.exists(), "{} is missing: build it first", library.display());
    Ok(library)
}

/// A place for the trace of one run: what an earlier run's writer still clears away is not in the way of the next.
pub fn trace(scratch: Option<&Path>) -> PathBuf {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let number = RUNS.fetch_add(1, Ordering::Relaxed);
    let folder = scratch.map_or_else(std::env::temp_dir, Path::to_owned);
    folder.join(format!("bench.{}.{number}.reprise", std::process::id()))
}

/// This program: captured into a trace with these options, or bare. `reprise` is the one beside it unless stated.
///
/// # Errors
/// The system does not know where this program is.
pub fn program(captured: Option<(&Path, &[&str])>, reprise: Option<&Path>) -> Result<Command> {
    program_of(&[std::env::current_exe()?], captured, reprise)
}

/// As [`program`], of another program: the words of its command, the first being a file.
///
/// # Errors
/// The system does not know where this program is.
pub fn program_of(words: &[PathBuf], captured: Option<(&Path, &[&str])>, reprise: Option<&Path>) -> Result<Command> {
    let mut command = match captured {
        Some((trace, options)) => {
            let beside = std::env::current_exe()?.with_file_name("reprise");
            let mut command = Command::new(reprise.map_or(beside, Path::to_owned));
            command.arg("capture").args(options).arg("-o").arg(trace).arg("--").args(words);
            command
        }
        None => {
            let (program, rest) = words.split_first().context("a command has a program")?;
            let mut command = Command::new(program);
            command.args(rest);
            command
        }
    };
    command.env("REPRISE_NULL_LOG", "off");
    Ok(command)
}

/// What a run gave.
#[derive(Debug)]
pub struct Figures {
    /// What it printed.
    pub said: Value,
    /// CPU nanoseconds of it and all that it started.
    pub cpu: f64,
}

impl Figures {
    /// One of the numbers that it printed.
    ///
    /// # Errors
    /// It did not.
    pub fn number(&self, name: &str) -> Result<f64> {
        self.said[name].as_f64().with_context(|| format!("no figure {name} in {}", self.said))
    }

    /// CPU nanoseconds of all processes less what the program counted of its own, as `process`, before its end.
    ///
    /// # Errors
    /// It did not count.
    pub fn others(&self) -> Result<f64> {
        Ok((self.cpu - self.number("process")?).max(0.0))
    }
}

/// Runs it to its end.
///
/// # Errors
/// It cannot be started, fails, or prints no figures.
pub fn run(command: &mut Command) -> Result<Figures> {
    let before = clock::children();
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    let cpu = clock::passed(before, clock::children()) as f64;
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {}\n{said}{errors}", output.status);
    let line = said.lines().find(|line| line.starts_with('{')).with_context(|| format!("no figures in {said:?}"))?;
    Ok(Figures { said: serde_json::from_str(line)?, cpu })
}
