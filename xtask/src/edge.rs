//! `cargo xtask edge`: the programs with heavy libraries, `reprise-query` and `reprise-inspect`, which are a workspace of their own in `edge`,
//! `reprise-farm`, a Python package in an environment of its own, and the Python module `reprise`, a wheel.
//!
//! Invariant: what is built lies beside `reprise` of the same profile, where `reprise query`, `inspect` and `farm` find it.

mod database;
mod environment;
mod farm;
mod glibc;
mod page;
mod python;

use crate::cargo;
use anyhow::{Context, Result, bail, ensure};
use reprise_testing::artifact;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const MANIFEST: &str = "edge/Cargo.toml";
const PROGRAMS: &[&str] = &["reprise-query", "reprise-inspect"];

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["build", ref options @ ..] => {
            let names: Vec<&str> = options.iter().filter(|&&word| word != "--release").copied().collect();
            build(&named(&names)?, options.contains(&"--release"))
        }
        ["test"] => test(),
        ["farm"] => farm::build(false),
        ["farm", "--release"] => farm::build(true),
        ["python"] => python::build(false, None).map(drop),
        ["python", "--release"] => python::build(true, None).map(drop),
        ["python", "test"] => python::test(),
        _ => bail!(
            "usage: cargo xtask edge build [query] [inspect] [--release] | edge farm [--release] | edge python [--release | test] | edge test"
        ),
    }
}

/// The programs of these names, as `reprise` has them (`query`, `inspect`); all of them where there are no names.
fn named(names: &[&str]) -> Result<Vec<&'static str>> {
    if names.is_empty() {
        return Ok(PROGRAMS.to_vec());
    }
    let program = |name: &&str| {
        let found = PROGRAMS.iter().copied().find(|program| program.strip_prefix("reprise-") == Some(*name));
        found.with_context(|| format!("edge build takes query, inspect and --release (got {name:?})"))
    };
    names.iter().map(program).collect()
}

/// Builds programs and puts them beside `reprise`. Each is built without the libraries of the others: a database engine is most of the time.
pub(crate) fn build(programs: &[&str], release: bool) -> Result<()> {
    let profile = if release { "release" } else { "debug" };
    println!("edge: building {} ({profile})", programs.join(" and "));
    let packages: Vec<&str> = programs.iter().flat_map(|program| ["--package", program]).collect();
    let options: &[&str] = if release { &["--release"] } else { &[] };
    run_cargo(&[&["build", "--bins"], options, &packages].concat())?;
    let folder = artifact::workspace().join("target").join(profile);
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    for program in programs {
        let (from, to) = (target().join(profile).join(program), folder.join(program));
        // A program that runs is replaced, not written to.
        let new = to.with_extension("new");
        fs::copy(&from, &new).with_context(|| from.display().to_string())?;
        fs::rename(&new, &to).with_context(|| to.display().to_string())?;
        println!("{}", to.display());
    }
    Ok(())
}

/// Makes the Python module for people, whose files are as old as is said, with these licences, by file; its wheel.
pub(crate) fn module(epoch: u64, licences: &[(&str, String)]) -> Result<PathBuf> {
    python::package(epoch, licences)
}

/// All checks of the workspace. Its tests ask `reprise`, which is built first.
fn test() -> Result<()> {
    // With the features that the workspace's tests have, so that nothing is compiled twice.
    let status = cargo::command().args(["build", "--quiet", "--workspace", "--lib", "--bins"]).status();
    ensure!(status.context("cannot run cargo")?.success(), "the workspace cannot be built");
    crate::deny::edge()?;
    database::check()?;
    run_cargo(&["fmt", "--all", "--check"])?;
    run_cargo(&["clippy", "--quiet", "--all-targets", "--", "-D", "warnings"])?;
    build(PROGRAMS, false)?;
    run_cargo(&["test", "--no-fail-fast", "--", "--include-ignored"])?;
    page::test()?;
    python::test()?;
    farm::test()?;
    // What these programs say of themselves is a part of that page.
    crate::commands::run(&["--check".to_owned()])
}

fn target() -> PathBuf {
    artifact::workspace().join("target/edge")
}

fn run_cargo(arguments: &[&str]) -> Result<()> {
    let mut command: Command = cargo::command();
    let (first, rest) = arguments.split_first().context("no command")?;
    command.arg(first).args(["--manifest-path", MANIFEST]);
    command.env("CARGO_TARGET_DIR", target()).args(rest);
    let status = command.status().context("cannot run cargo")?;
    ensure!(status.success(), "cargo {} failed in edge", arguments.join(" "));
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_built_by_their_names() {
        assert_eq!(named(&[]).unwrap(), ["reprise-query", "reprise-inspect"]);
        assert_eq!(named(&["inspect"]).unwrap(), ["reprise-inspect"]);
        assert!(named(&["inspect", "all"]).unwrap_err().to_string().contains("\"all\""));
    }
}
