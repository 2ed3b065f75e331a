//! `cargo xtask bench`: what capture costs, measured by the programs in `benches`, which state their method.

use crate::cargo;
use anyhow::{Context, Result, ensure};
use std::process::Command;

/// What is measured, and what measures.
const PACKAGES: &[&str] = &["reprise", "reprise-capture", "reprise-null-sysv", "reprise-null-win64", "reprise-benches"];

/// Runs the task; its options go to the program that measures.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    crate::setup::run(&[])?;
    let folder = cargo::release("bench", PACKAGES)?;
    let program = folder.join("capture_cost");
    let status = Command::new(&program).arg("--reprise").arg(folder.join("reprise")).args(arguments).status();
    let status = status.with_context(|| format!("cannot run {}", program.display()))?;
    ensure!(status.success(), "{} ended with {status}", program.display());
    Ok(())
}
