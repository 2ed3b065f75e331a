//! `cargo xtask package` makes the files that people install, in `target/package/files`: Debian packages, a tarball, a zip for Windows, a wheel
//! for pip, and lists of the crates that the programs consist of.
//!
//! [`build`] compiles. [`stage`] lays files where an installation has them, with symbols apart ([`symbols`]) and the [`licences`] of libraries.
//! [`deb`] and [`archive`] pack the stage. [`bill`] lists crates. [`trial`] installs the packages into a bare Debian, uses them, and removes them.
//!
//! Goal: the same sources, tools and `SOURCE_DATE_EPOCH` give the same bytes. docs/packages.md says how far that was seen.

mod archive;
mod bill;
mod build;
mod deb;
mod licences;
mod stage;
mod symbols;
mod trial;

use crate::cargo;
use crate::setup;
use anyhow::{Context, Result, bail, ensure};
use reprise_testing::artifact;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What may be left out.
const PARTS: [&str; 5] = ["query", "inspect", "farm", "python", "windows"];

/// What was asked for.
struct Options {
    /// The folder with `reprise` and the libraries, built already; programs at the edge are taken from there, too.
    build: Option<PathBuf>,
    without: Vec<String>,
    /// Packages are compressed less: for trials.
    fast: bool,
    test: bool,
}

impl Options {
    fn read(arguments: &[String]) -> Result<Options> {
        let mut options = Options { build: None, without: Vec::new(), fast: false, test: false };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().cloned().with_context(|| format!("{word} needs a value"));
            match word.as_str() {
                "--build" => options.build = Some(std::path::absolute(value()?)?),
                "--without" => {
                    let part = value()?;
                    ensure!(PARTS.contains(&part.as_str()), "--without takes one of {}", PARTS.join(", "));
                    options.without.push(part);
                }
                "--fast" => options.fast = true,
                "--test" => options.test = true,
                other => bail!("package takes --build FOLDER, --without PART, --fast and --test (got {other:?})"),
            }
        }
        Ok(options)
    }

    fn with(&self, part: &str) -> bool {
        self.without.iter().all(|left_out| left_out != part)
    }
}

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let options = Options::read(arguments)?;
    setup::prepare_package()?;
    let epoch = epoch()?;
    let folder = folder();
    for old in ["stage", "files"] {
        let _ = fs::remove_dir_all(folder.join(old));
    }
    let files = folder.join("files");
    fs::create_dir_all(&files).with_context(|| files.display().to_string())?;
    let built = build::all(&options)?;
    let stage = stage::lay(&built, &folder.join("stage"), epoch)?;
    let debs = deb::all(&stage, &files, epoch, options.fast)?;
    archive::tarball(&stage, &files, epoch, options.fast)?;
    if let Some(windows) = &built.windows {
        archive::zip(windows, &files, epoch)?;
    }
    if options.with("farm") {
        archive::wheel(&files, epoch)?;
    }
    let module = options.with("python").then(|| archive::module(&files, epoch)).transpose()?;
    bill::write(&options, &files, epoch)?;
    for line in sums(&files)? {
        println!("{line}");
    }
    if options.test {
        trial::run(&debs)?;
        module.iter().try_for_each(|wheel| trial::module(wheel))?;
    }
    Ok(())
}

fn folder() -> PathBuf {
    artifact::workspace().join("target/package")
}

/// Seconds since 1970 that all files get: `SOURCE_DATE_EPOCH`, or when the last commit was made.
fn epoch() -> Result<u64> {
    if let Ok(stated) = std::env::var("SOURCE_DATE_EPOCH") {
        return stated.parse().with_context(|| format!("SOURCE_DATE_EPOCH={stated}: a number of seconds is wanted"));
    }
    let said = output(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(artifact::workspace()))
        .context("there is no commit to take the time from: set SOURCE_DATE_EPOCH")?;
    said.trim().parse().context("git log gives no time")
}

/// The version of all packages.
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Names, sizes and SHA-256 of what was made, as `sha256sum` writes them.
fn sums(files: &Path) -> Result<Vec<String>> {
    let mut names: Vec<String> = fs::read_dir(files)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_>>()?;
    names.sort();
    let said = output(Command::new("sha256sum").args(&names).current_dir(files))?;
    fs::write(files.join("SHA256SUMS"), &said)?;
    let sized = |(line, name): (&str, &String)| {
        let size = fs::metadata(files.join(name)).map_or(0, |file| file.len());
        format!("{line}  {:.1} MB", size as f64 / 1e6)
    };
    Ok(said.lines().zip(&names).map(sized).collect())
}

/// Runs a tool that has to succeed.
fn tool(command: &mut Command) -> Result<()> {
    output(command).map(drop)
}

/// The same; gives what it printed.
fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot run {name}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name} failed ({}): {}", output.status, said.trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
