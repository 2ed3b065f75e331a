//! The Python package of `reprise farm`, in an environment under `target/edge/farm` with the libraries that its lock file names.

use super::environment::Environment;
use anyhow::{Context, Result};
use reprise_testing::artifact;
use std::fs;

/// Makes the environment, and puts the program beside `reprise`.
#[cfg(unix)]
pub(super) fn build(release: bool) -> Result<()> {
    let environment = environment()?;
    let folder = artifact::workspace().join("target").join(if release { "release" } else { "debug" });
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let (program, new) = (folder.join("reprise-farm"), folder.join("reprise-farm.new"));
    let _ = fs::remove_file(&new);
    std::os::unix::fs::symlink(environment.bin().join("reprise-farm"), &new)
        .with_context(|| new.display().to_string())?;
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
    let environment = environment()?;
    for arguments in [
        &["-m", "ruff", "format", "--check", "."][..],
        &["-m", "ruff", "check", "."],
        &["-m", "mypy"],
        &["-m", "pytest", "-q"],
    ] {
        environment.python(arguments)?;
    }
    Ok(())
}

/// The environment, with the package as it is here.
fn environment() -> Result<Environment> {
    let here = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "-e", "."];
    Environment::new("farm", |environment| environment.python(&here))
}
