//! The Python package of `reprise farm`, in an environment under `target/edge/farm` with the libraries that its lock file names.

use anyhow::{Context, Result, ensure};
use reprise_testing::artifact;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The interpreter for which `requirements.txt` is pinned, and one that any distribution has.
const INTERPRETERS: &[&str] = &["python3.11", "python3"];

/// Makes the environment, and puts the program beside `reprise`.
#[cfg(unix)]
pub(super) fn build(release: bool) -> Result<()> {
    environment()?;
    let folder = artifact::workspace().join("target").join(if release { "release" } else { "debug" });
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let (program, new) = (folder.join("reprise-farm"), folder.join("reprise-farm.new"));
    let _ = fs::remove_file(&new);
    std::os::unix::fs::symlink(bin().join("reprise-farm"), &new).with_context(|| new.display().to_string())?;
    fs::rename(&new, &program).with_context(|| program.display().to_string())?;
    println!("{}", program.display());
    Ok(())
}

/// The farm runs on Linux.
#[cfg(not(unix))]
pub(super) fn build(_: bool) -> Result<()> {
    anyhow::bail!("reprise farm runs on Linux only: its locks and processes are Linux's")
}

/// All checks of the package.
pub(super) fn test() -> Result<()> {
    environment()?;
    for arguments in [
        &["-m", "ruff", "format", "--check", "."][..],
        &["-m", "ruff", "check", "."],
        &["-m", "mypy"],
        &["-m", "pytest", "-q"],
    ] {
        run(&bin().join("python"), arguments)?;
    }
    Ok(())
}

/// Makes the environment anew where what is pinned changed.
fn environment() -> Result<()> {
    let wanted = fs::read(package().join("requirements.txt")).context("edge/farm/requirements.txt")?;
    let stamp = folder().join("installed.txt");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    fs::create_dir_all(folder()).with_context(|| folder().display().to_string())?;
    let works = |name: &&&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    let python = INTERPRETERS.iter().find(works).context("no python3: install python3 and python3-venv")?;
    let venv = folder().join("venv").display().to_string();
    run(Path::new(python), &["-m", "venv", &venv])?;
    let pip = bin().join("python");
    run(&pip, &["-m", "pip", "install", "--quiet", "-r", "requirements.txt"])?;
    run(&pip, &["-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "-e", "."])?;
    fs::write(&stamp, wanted).with_context(|| stamp.display().to_string())
}

fn run(program: &Path, arguments: &[&str]) -> Result<()> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(package()).env("PYTHONDONTWRITEBYTECODE", "1");
    let status = command.status().with_context(|| format!("cannot run {}", program.display()))?;
    ensure!(status.success(), "{} {} failed in edge/farm", program.display(), arguments.join(" "));
    Ok(())
}

fn package() -> PathBuf {
    artifact::workspace().join("edge/farm")
}

fn folder() -> PathBuf {
    artifact::workspace().join("target/edge/farm")
}

fn bin() -> PathBuf {
    folder().join("venv/bin")
}
