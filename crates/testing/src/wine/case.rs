//! A Windows program under Wine: run bare, run captured, its trace replayed natively.

use super::Prefix;
use crate::program::{self, Finished};
use anyhow::{Context, Result};
use serde_json::Value;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A program that does not end by then hangs.
const PATIENCE: Duration = Duration::from_secs(180);

/// The Direct3D 12 that a program runs on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Library {
    /// Wine's own.
    Wine,
    /// Our runtime, by `reprise run`.
    Ours,
}

/// A program with what it is given.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is called in tables; the trace has this name, too.
    pub name: String,
    /// The program's file.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// What is set in its environment.
    pub environment: Vec<(&'static str, &'static str)>,
    /// What it runs on.
    pub library: Library,
}

/// What a program printed and how it ended: what must be the same with and without capture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// The exit code, 128 and the signal's number where a signal ended it; `None` where the deadline did.
    pub code: Option<i32>,
    /// Its standard output, lines divided as on Linux.
    pub output: String,
    /// The last line on its standard error that is of the program named, without the program's name.
    pub complaint: String,
}

/// How the trace played on our runtime.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// Bytes that the program saw the GPU write, compared with those here.
    pub compared: u64,
    /// Those of them that differ.
    pub different: u64,
    /// Frames that the program ended. What replay takes for frames where it ended none is not counted.
    pub frames: usize,
    /// What differs, but for answers about the device, which is another one.
    pub differences: Vec<String>,
}

/// The tools of ours that a case needs.
#[derive(Clone, Debug)]
pub struct Tools {
    /// `reprise`.
    pub reprise: PathBuf,
    /// The native capture library.
    pub library: PathBuf,
    /// The folder with the Windows libraries.
    pub windows: PathBuf,
}

impl Ending {
    fn of(finished: &Finished) -> Ending {
        let own = |line: &&str| line.starts_with("reprise-programs: ") || line.starts_with("reprise-wgpu-programs: ");
        let errors = finished.errors();
        let signal = finished.status.signal().map(|signal| 128 + signal);
        let complaint = errors.lines().rev().map(str::trim).find(own).and_then(|line| line.split_once(": "));
        Ending {
            code: if finished.timed_out { None } else { finished.status.code().or(signal) },
            output: finished.text().replace('\r', ""),
            complaint: complaint.map_or_else(String::new, |(_, said)| said.to_owned()),
        }
    }
}

impl Case {
    /// Runs the program without capture.
    ///
    /// # Errors
    /// When Wine, or `reprise` for a program on our runtime, cannot be started.
    pub fn bare(&self, prefix: &Prefix, tools: &Tools) -> Result<Ending> {
        let mut command = match self.library {
            Library::Wine => prefix.command(),
            Library::Ours => {
                let mut command = self.reprise(prefix, tools);
                command.args(["run", "--quiet", "--"]).arg(prefix.program());
                command
            }
        };
        command.arg(&self.program).args(&self.arguments).envs(self.environment.iter().copied());
        Ok(Ending::of(&program::run_quietly(&mut command, PATIENCE)?))
    }

    fn reprise(&self, prefix: &Prefix, tools: &Tools) -> Command {
        let mut command = prefix.with_environment(Command::new(&tools.reprise));
        command.env("REPRISE_CAPTURE_LIBRARY", &tools.library).env("REPRISE_WINDOWS_LIBRARIES", &tools.windows);
        command
    }

    /// The trace of this case in a folder.
    pub fn trace(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.reprise", self.name))
    }

    /// Runs the program under `reprise capture`; the second value is what our side said.
    ///
    /// # Errors
    /// When `reprise` cannot be started.
    pub fn captured(&self, prefix: &Prefix, tools: &Tools, folder: &Path) -> Result<(Ending, String)> {
        let mut command = self.reprise(prefix, tools);
        command.current_dir(folder).envs(self.environment.iter().copied());
        command.args(["capture", "--quiet", "--force", "-o"]).arg(self.trace(folder));
        if self.library == Library::Ours {
            command.args(["--runtime", "ours"]);
        }
        command.arg("--").arg(prefix.program()).arg(&self.program).args(&self.arguments);
        let finished = program::run_quietly(&mut command, PATIENCE)?;
        let errors = finished.errors();
        let ours: Vec<&str> = errors.lines().filter(|line| line.starts_with("reprise: ")).collect();
        Ok((Ending::of(&finished), ours.join("\n")))
    }

    /// Plays the trace on our runtime.
    ///
    /// # Errors
    /// When it does not play to its end; the error is what `reprise` says.
    pub fn replay(&self, tools: &Tools, folder: &Path) -> Result<Replayed> {
        let mut command = Command::new(&tools.reprise);
        command.args(["replay", "--json"]).arg(self.trace(folder)).env_remove("DISPLAY");
        let finished = program::run_quietly(&mut command, PATIENCE)?;
        let report: Value = serde_json::from_slice(&finished.stdout)
            .with_context(|| format!("{}: {}", finished.status, finished.errors()))?;
        anyhow::ensure!(finished.status.success() && report["refused"].is_null(), "{}", finished.errors());
        let count = |name: &str| report[name].as_u64().with_context(|| format!("the report has no {name}"));
        let differences = report["differences"].as_array().map_or(&[][..], Vec::as_slice);
        let told = differences.iter().map(|difference| {
            let text = |name: &str| difference[name].as_str().unwrap_or_default();
            (text("method"), format!("call {}, {}: {}", difference["call"], text("method"), text("what")))
        });
        Ok(Replayed {
            compared: count("compared_bytes")?,
            different: count("different_bytes")?,
            frames: if report["divided"] == true { 0 } else { report["frames"].as_array().map_or(0, Vec::len) },
            differences: told.filter(|(method, _)| !is_question(method)).map(|(_, told)| told).collect(),
        })
    }
}

/// Calls whose answers are about the device, the adapter, or what interfaces there are.
fn is_question(method: &str) -> bool {
    let name = method.rsplit("::").next().unwrap_or(method);
    name == "QueryInterface" || name.starts_with("Check") || name.starts_with("Get")
}

/// The last resource that a program read back: what it held at its last map, played on our runtime, and the number of maps before.
///
/// # Errors
/// When the trace has no such map, fewer than `at` says, or does not play.
pub fn last_read(reprise: &Path, trace: &Path, at: Option<usize>) -> Result<(usize, Vec<u8>)> {
    let dumped = program::run_quietly(Command::new(reprise).args(["dump", "--json"]).arg(trace), PATIENCE)?;
    let reads: Vec<(u64, u64)> = dumped.text().lines().filter_map(read).collect();
    let index = at.unwrap_or(reads.len().saturating_sub(1));
    let (call, resource) = reads.get(index).with_context(|| format!("{} reads nothing back", trace.display()))?;
    let folder = trace.with_extension("read");
    let mut command = Command::new(reprise);
    command.args(["replay", "--quiet", "--dump-resource", &format!("{resource}@{call}"), "--dump-resources-dir"]);
    let finished = program::run_quietly(command.arg(&folder).arg(trace), PATIENCE)?;
    anyhow::ensure!(finished.status.success(), "{}", finished.errors());
    let files = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let file =
        files.flatten().map(|entry| entry.path()).find(|path| path.extension().is_some_and(|kind| kind == "bin"));
    let bytes = std::fs::read(file.context("nothing was dumped")?)?;
    std::fs::remove_dir_all(&folder)?;
    Ok((index, bytes))
}

/// The call and the resource of a line of a dump, where it is a map to read.
fn read(line: &str) -> Option<(u64, u64)> {
    let call: Value = serde_json::from_str(line).ok()?;
    let ends = call["method"] == "ID3D12Resource::Map" && call["args"]["pReadRange"]["End"].as_u64()? > 0;
    ends.then(|| Some((call["call"].as_u64()?, call["this"]["id"].as_u64()?)))?
}
