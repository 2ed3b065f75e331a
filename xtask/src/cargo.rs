//! Cargo, as the tasks call it.

use anyhow::{Context, Result, ensure};
use reprise_testing::artifact;
use std::path::PathBuf;
use std::process::Command;

/// Cargo itself, run in the workspace.
pub(crate) fn command() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(artifact::workspace());
    command
}

/// Builds packages for release; gives the folder with what was built.
pub(crate) fn release(task: &str, packages: &[&str]) -> Result<PathBuf> {
    build_for(task, packages, "release", &["--release"])
}

/// Builds packages as tests do; gives the folder with what was built.
pub(crate) fn build(task: &str, packages: &[&str]) -> Result<PathBuf> {
    build_for(task, packages, "debug", &[])
}

fn build_for(task: &str, packages: &[&str], folder: &str, options: &[&str]) -> Result<PathBuf> {
    let words: Vec<&str> = ["build"].into_iter().chain(options.iter().copied()).collect();
    println!("{task}: cargo {} ({})", words.join(" "), packages.join(", "));
    let mut cargo = command();
    cargo.args(words).arg("--quiet").args(packages.iter().flat_map(|name| ["--package", name]));
    let status = cargo.status().context("cannot run cargo")?;
    ensure!(status.success(), "the {folder} build failed");
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    Ok(target.unwrap_or_else(|| artifact::workspace().join("target")).join(folder))
}
