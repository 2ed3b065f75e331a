//! `cargo xtask bench [PROGRAM] [OPTIONS]`, `cargo xtask bench runtime_cost --wine [OPTIONS]`: what capture, replay and our runtime cost, measured by the programs in `benches`, which
//! state their method. `capture_cost` unless another is named.

use crate::{build_windows, cargo};
use anyhow::{Context, Result, anyhow, ensure};
use reprise_testing::wine::Wine;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// What is measured, and what measures.
const PACKAGES: &[&str] = &[
    "reprise",
    "reprise-capture",
    "reprise-null-sysv",
    "reprise-null-win64",
    "reprise-programs",
    "reprise-runtime-library",
    "reprise-benches",
];

/// Programs, the first being the usual one.
const PROGRAMS: &[&str] = &[
    "capture_cost",
    "frame_cost",
    "thread_cost",
    "memory_cost",
    "mapped_rate",
    "replay_cost",
    "runtime_cost",
    "translate_cost",
    "boundary_cost",
    "timing",
    "step_cost",
];

/// The runtime of `capture_cost --runtimes` that runs the bench itself under Wine.
const WINE: &str = "null-wine";

/// Runs the task; its options go to the program that measures.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    crate::setup::prepare(crate::setup::For::Run)?;
    let named = arguments.first().filter(|first| !first.starts_with('-'));
    let name = named.map_or(PROGRAMS[0], String::as_str);
    ensure!(PROGRAMS.contains(&name), "no bench {name}: {}", PROGRAMS.join(" or "));
    let folder = cargo::release("bench", PACKAGES)?;
    let program = folder.join(name);
    let mut command = Command::new(&program);
    if name == "timing" {
        command.arg("--reprise").arg(folder.join("reprise")).arg("--programs").arg(folder.join("reprise-programs"));
    }
    if name == "step_cost" {
        command.arg("--reprise").arg(folder.join("reprise"));
        command.arg("--library").arg(folder.join("libreprise_d3d12.so"));
    }
    if PROGRAMS[..6].contains(&name) {
        command.arg("--reprise").arg(folder.join("reprise"));
    }
    let mut options = &arguments[usize::from(named.is_some())..];
    let is_built = options.iter().any(|option| option.starts_with("--windows"));
    if options.iter().any(|option| option.contains(WINE)) && !is_built {
        command.arg("--windows").arg(build_for_wine()?);
    }
    match name {
        "boundary_cost" if !is_built => {
            let built = build_windows::cross(&["reprise-benches"], &["--lib", "--bin", name])?;
            command.arg("--windows").arg(built);
        }
        "runtime_cost" if options.first().is_some_and(|first| first == "--wine") => {
            command = under_wine(name)?;
            options = &options[1..];
        }
        _ => {}
    }
    let status = command.args(options).status();
    let status = status.with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok(())
}

/// Builds `capture_cost` and the null runtime for Windows; gives the folder with both. The null runtime has the name of Direct3D's own.
fn build_for_wine() -> Result<PathBuf> {
    build_windows::build(false)?;
    let built = build_windows::cross(&["reprise-benches", "reprise-null-win64"], &["--lib", "--bin", "capture_cost"])?;
    let folder = built.join("capture_cost");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    for (from, to) in [("capture_cost.exe", "capture_cost.exe"), ("reprise_null_win64.dll", "d3d12.dll")] {
        fs::copy(built.join(from), folder.join(to)).with_context(|| format!("cannot copy {from}"))?;
    }
    Ok(folder)
}

/// `runtime_cost` for Windows, under Wine: our runtime beside Wine's own d3d12.
fn under_wine(name: &str) -> Result<Command> {
    let built = build_windows::cross(&["reprise-benches", "reprise-runtime-library"], &["--lib", "--bin", name])?;
    let wine = Wine::installed().map_err(|missing| anyhow!("{missing}"))?;
    let mut command = Command::new(wine.program);
    command.env("WINEDEBUG", "-all").arg(built.join(format!("{name}.exe"))).args(["--library", "d3d12.dll"]);
    Ok(command)
}
