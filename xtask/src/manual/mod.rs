//! `cargo xtask manual [CHAPTER]...`: runs every command that the manual shows, and compares what they print with what it says.
//!
//! A chapter's blocks marked `console` run one after another in one empty folder, with `reprise` and our test programs in `PATH` and a display
//! without a screen. A line that begins with `$ ` is a command; the lines below it are what it prints, in which `…` stands for any
//! text of a line, and on a line of its own for any lines. `# exit N` behind a command says how it ends, if not with 0.
//!
//! Invariant: a chapter that passes has shown nothing that this build does not do.

mod block;
mod compare;

use crate::cargo;
use anyhow::{Context, Result, bail, ensure};
use block::Shown;
use reprise_testing::{Display, artifact};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    crate::setup::prepare(crate::setup::For::Run)?;
    let built = cargo::release("manual", &["reprise", "reprise-capture"])?;
    let mut failed = Vec::new();
    for chapter in chapters(arguments)? {
        let name = chapter.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match play(&chapter, &name, &built) {
            Ok(commands) => println!("manual: {name}: {commands} commands"),
            Err(error) => {
                println!("manual: {name}: {error:#}");
                failed.push(name);
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { bail!("what the manual says is not so: {}", failed.join(", ")) }
}

/// The chapters with these names, or all.
fn chapters(names: &[String]) -> Result<Vec<PathBuf>> {
    let folder = artifact::workspace().join("docs/manual");
    let mut all = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            all.push(path);
        }
    }
    all.sort();
    if names.is_empty() {
        return Ok(all);
    }
    let found: Vec<PathBuf> = names.iter().map(|name| folder.join(name).with_extension("md")).collect();
    if let Some(missing) = found.iter().find(|path| !all.contains(path)) {
        bail!("there is no chapter {}", missing.display());
    }
    Ok(found)
}

/// Runs the commands of a chapter; gives their number.
fn play(chapter: &Path, name: &str, built: &Path) -> Result<usize> {
    let text = fs::read_to_string(chapter).with_context(|| chapter.display().to_string())?;
    let shown = block::read(&text)?;
    if shown.is_empty() {
        return Ok(0);
    }
    let folder = artifact::workspace().join("target/manual").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let display = Display::start().context("cannot start a display")?;
    for one in &shown {
        one_command(one, &folder, built, &display).with_context(|| format!("line {}: $ {}", one.line, one.command))?;
    }
    Ok(shown.len())
}

fn one_command(shown: &Shown, folder: &Path, built: &Path, display: &Display) -> Result<()> {
    let path = std::env::join_paths(
        [built.to_path_buf()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )?;
    let mut command = Command::new("bash");
    command.args(["-o", "pipefail", "-c"]).arg(format!("{{ {}\n}} 2>&1", shown.command));
    command.current_dir(folder).env("PATH", path).env("DISPLAY", display.name()).env("VKD3D_DEBUG", "none");
    let output = command.stdin(Stdio::null()).output().context("cannot run bash")?;
    let printed = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.code() == Some(shown.exit), "it ended with {}:\n{printed}", output.status);
    compare::lines(&shown.prints, &printed)
}
