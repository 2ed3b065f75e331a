//! `cargo xtask bench [PROGRAM] [OPTIONS]`: what capture, replay and our runtime cost, measured by the programs in `benches`, which
//! state their method. `capture_cost` unless another is named.

use crate::cargo;
use anyhow::{Context, Result, ensure};
use std::process::Command;

/// What is measured, and what measures.
const PACKAGES: &[&str] = &[
    "reprise",
    "reprise-capture",
    "reprise-null-sysv",
    "reprise-null-win64",
    "reprise-runtime-library",
    "reprise-benches",
];

/// Programs, the first being the usual one.
const PROGRAMS: &[&str] =
    &["capture_cost", "frame_cost", "thread_cost", "memory_cost", "replay_cost", "runtime_cost", "translate_cost"];

/// Runs the task; its options go to the program that measures.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    crate::setup::prepare(crate::setup::For::Run)?;
    let named = arguments.first().filter(|first| !first.starts_with('-'));
    let name = named.map_or(PROGRAMS[0], String::as_str);
    ensure!(PROGRAMS.contains(&name), "no bench {name}: {}", PROGRAMS.join(" or "));
    let folder = cargo::release("bench", PACKAGES)?;
    let program = folder.join(name);
    let mut command = Command::new(&program);
    if PROGRAMS[..5].contains(&name) {
        command.arg("--reprise").arg(folder.join("reprise"));
    }
    let status = command.args(&arguments[usize::from(named.is_some())..]).status();
    let status = status.with_context(|| format!("cannot run {}", program.display()))?;
    ensure!(status.success(), "{} ended with {status}", program.display());
    Ok(())
}
