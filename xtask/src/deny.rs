//! `cargo xtask deny`: licences, sources and duplicates of all dependencies, by cargo-deny and `deny.toml`.
//!
//! cargo-deny is downloaded once, or built where there is no binary of it for the machine, and kept beside what cargo itself keeps,
//! so that fresh clones find it.
//!
//! Invariant: uses one stated version, so that a run means the same on every machine.

use crate::setup::downloads;
use crate::setup::tool::Tool;
use anyhow::{Context, Result, bail, ensure};
use reprise_testing::artifact;
use std::path::PathBuf;
use std::process::Command;

/// In the version that `deny.toml` is written for.
const CARGO_DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2", options: &[] };

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if let Some(other) = arguments.first() {
        bail!("deny takes no options (got {other:?})");
    }
    check("Cargo.toml", &["licenses", "bans", "sources"])
}

/// The same for the workspace at the edge, but for duplicates: its engines bring many.
pub(crate) fn edge() -> Result<()> {
    check("edge/Cargo.toml", &["licenses", "sources"])
}

fn check(manifest: &str, what: &[&str]) -> Result<()> {
    let mut check = Command::new(program()?);
    check.current_dir(artifact::workspace());
    check.args(["--manifest-path", manifest, "--config", "deny.toml", "--log-level", "error", "check"]).args(what);
    let status = check.status().context("cannot run cargo-deny")?;
    ensure!(status.success(), "a dependency breaks a rule of deny.toml");
    Ok(())
}

/// cargo-deny of the stated version, downloaded or built if it is not there.
fn program() -> Result<PathBuf> {
    let folder = CARGO_DENY.folder()?;
    let program = folder.join("bin/cargo-deny");
    if program.is_file() {
        return Ok(program);
    }
    println!("deny: downloading cargo-deny {}", CARGO_DENY.version);
    // A binary that does not start here, such as one of another C library, is not kept.
    let downloaded = downloads::cargo_deny(CARGO_DENY.version, &folder).and_then(|()| {
        let answer = Command::new(&program).arg("--version").output().context("cannot run it")?;
        ensure!(answer.status.success(), "it does not start: {}", String::from_utf8_lossy(&answer.stderr));
        Ok(())
    });
    if let Err(error) = downloaded {
        println!("deny: there is no binary for this machine: {error:#}");
        let _ = std::fs::remove_dir_all(&folder);
    }
    CARGO_DENY.program()
}
