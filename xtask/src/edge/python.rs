//! The Python module `reprise`: a wheel under `target/edge/wheels`, and its tests in an environment under `target/edge/python`.

use super::environment::Environment;
use anyhow::{Context, Result};
use reprise_testing::artifact;
use std::fs;
use std::path::PathBuf;

/// Makes the wheel, with files of this age where one is said, in seconds since 1970.
pub(super) fn build(release: bool, epoch: Option<u64>) -> Result<PathBuf> {
    let environment = environment()?;
    let folder = artifact::workspace().join("target/edge/wheels");
    // One wheel is there: of this build.
    let _ = fs::remove_dir_all(&folder);
    let (target, to) = (super::target().display().to_string(), folder.display().to_string());
    let profile = if release { "release" } else { "dev" };
    let words = ["build", "--quiet", "--profile", profile, "--target-dir", &target, "--out", &to];
    let mut maturin = environment.command(&environment.bin().join("maturin"));
    if let Some(epoch) = epoch {
        maturin.env("SOURCE_DATE_EPOCH", epoch.to_string());
    }
    environment.run(maturin.args(words))?;
    let mut files = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let wheel = files.next().context("maturin made no wheel")??.path();
    println!("{}", wheel.display());
    Ok(wheel)
}

/// All checks of the module. Its tests compare it with `reprise`, which is built already.
pub(super) fn test() -> Result<()> {
    let wheel = build(false, None)?.display().to_string();
    let environment = environment()?;
    environment.python(&["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", &wheel])?;
    for arguments in [
        &["-m", "ruff", "format", "--check", "."][..],
        &["-m", "ruff", "check", "."],
        &["-m", "mypy"],
        &["-m", "mypy.stubtest", "--ignore-disjoint-bases", "reprise"],
        &["-m", "pytest", "-q"],
    ] {
        environment.python(arguments)?;
    }
    Ok(())
}

/// The environment; the module itself comes as a wheel, as its users get it.
fn environment() -> Result<Environment> {
    Environment::new("python", |_| Ok(()))
}
