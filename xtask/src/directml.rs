//! `cargo xtask directml`: operations and a training loop of machine learning frameworks on DirectML for Linux, on our runtime, captured,
//! and replayed. The programs are `programs/directml`; each framework has an environment of its own below `target/directml`.

use crate::cargo;
use anyhow::{Context, Result, bail, ensure};
use reprise_testing::artifact;
use std::path::{Path, PathBuf};
use std::process::Command;

const FRAMEWORKS: [&str; 2] = ["tensorflow", "torch"];

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let (mut python, mut wanted) = ("python3.10", Vec::new());
    let mut rest = arguments.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        match word {
            "--python" => python = rest.next().context("--python PROGRAM")?,
            _ if FRAMEWORKS.contains(&word) => wanted.push(word),
            _ => bail!("directml takes [--python PROGRAM] [tensorflow] [torch] (got {word})"),
        }
    }
    if wanted.is_empty() {
        wanted.extend(FRAMEWORKS);
    }
    let build = cargo::build("directml", &["reprise", "reprise-capture", "reprise-runtime-library"])?;
    let outcomes: Vec<Result<()>> =
        wanted.iter().map(|framework| one(&build.join("reprise"), python, framework)).collect();
    for (framework, outcome) in wanted.iter().zip(&outcomes) {
        match outcome {
            Ok(()) => println!("directml: {framework}: right, captured, and replayed without a difference"),
            Err(error) => println!("directml: {framework}: {error:#}"),
        }
    }
    ensure!(outcomes.iter().all(Result::is_ok), "a framework failed: see above");
    Ok(())
}

fn one(reprise: &Path, python: &str, framework: &str) -> Result<()> {
    let programs = artifact::workspace().join("programs/directml");
    let folder = artifact::workspace().join("target/directml").join(framework);
    let own = environment(&folder, python, &programs.join(format!("{framework}.txt")))?;
    let program = |command: &mut Command| {
        command.arg("--").arg(&own).arg(programs.join("operations.py")).arg(framework);
    };
    let trace = folder.join("operations.reprise");
    let mut bare = Command::new(reprise);
    program(bare.arg("run"));
    run_one(&mut bare, "on our runtime")?;
    let mut capture = Command::new(reprise);
    program(capture.args(["capture", "--runtime", "ours", "--force", "-o"]).arg(&trace));
    run_one(&mut capture, "captured")?;
    run_one(Command::new(reprise).args(["verify", "--json"]).arg(&trace), "replayed")
}

/// The interpreter of an environment that has the pinned packages.
fn environment(folder: &Path, python: &str, pinned: &Path) -> Result<PathBuf> {
    let own = folder.join("bin/python");
    if !own.exists() {
        println!("directml: makes {} (some hundred megabytes to two gigabytes of packages)", folder.display());
        run_one(Command::new(python).args(["-m", "venv"]).arg(folder), "python3.10 is needed: --python names another")?;
    }
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-cache-dir", "-r"];
    run_one(Command::new(&own).args(install).arg(pinned), "installing the packages")?;
    Ok(own)
}

fn run_one(command: &mut Command, what: &str) -> Result<()> {
    let status = command.status().with_context(|| format!("{what}: cannot run {command:?}"))?;
    ensure!(status.success(), "{what}: {command:?} ended with {status}");
    Ok(())
}
