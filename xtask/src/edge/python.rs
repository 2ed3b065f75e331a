//! The Python module `reprise`: a wheel under `target/edge/wheels`, and its tests in an environment under `target/edge/python`.

use super::environment::Environment;
use super::glibc;
use anyhow::{Context, Result};
use reprise_testing::artifact;
use std::fs;
use std::path::PathBuf;

/// What is given away runs with the glibc of RHEL 8 (2.28), Debian 11 and Ubuntu 20.04 (2.31), and with all newer ones.
const COMPATIBLE: &str = "manylinux_2_28";

/// Makes the wheel, with files of this age where one is said, in seconds since 1970. For release it is linked for an older glibc than this
/// system has, by the linker of Zig: without it the module asks for the glibc that it was built with, and Debian 11 refuses it.
pub(super) fn build(release: bool, epoch: Option<u64>) -> Result<PathBuf> {
    let environment = environment()?;
    let folder = artifact::workspace().join("target/edge/wheels");
    // One wheel is there: of this build.
    let _ = fs::remove_dir_all(&folder);
    let (target, to) = (super::target().display().to_string(), folder.display().to_string());
    let profile = if release { "release" } else { "dev" };
    let words = ["build", "--quiet", "--profile", profile, "--target-dir", &target, "--out", &to];
    // Lines for backtraces are four fifths of the library, and nobody's debugger asks for them.
    let zig: &[&str] = if release { &["--zig", "--compatibility", COMPATIBLE, "--strip"] } else { &[] };
    let mut maturin = environment.command(&environment.bin().join("maturin"));
    if let Some(epoch) = epoch {
        maturin.env("SOURCE_DATE_EPOCH", epoch.to_string());
    }
    if release {
        environment.python(&["-m", "pip", "install", "--quiet", "-r", "requirements-release.txt"])?;
        // Zig is asked for as a module of the first Python in `PATH`.
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(environment.bin()).chain(std::env::split_paths(&path));
        maturin.env("PATH", std::env::join_paths(folders)?);
    }
    environment.run(maturin.args(words).args(zig))?;
    let mut files = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let wheel = files.next().context("maturin made no wheel")??.path();
    glibc::check(&wheel)?;
    println!("{}", wheel.display());
    Ok(wheel)
}

/// Makes the wheel for release, with licences beside its metadata. Maturin takes whatever is called a licence in the package's folder, so the
/// files are there while it works.
pub(super) fn package(epoch: u64, licences: &[(&str, String)]) -> Result<PathBuf> {
    let folder = environment()?.package();
    let place = |name: &str| folder.join(name);
    for (name, text) in licences {
        fs::write(place(name), text).with_context(|| place(name).display().to_string())?;
    }
    let built = build(true, Some(epoch));
    for (name, _) in licences {
        fs::remove_file(place(name)).with_context(|| place(name).display().to_string())?;
    }
    built
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
