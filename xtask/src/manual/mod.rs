//! `cargo xtask manual [CHAPTER]...`: runs every command that the manual shows, and compares what they print with what it says.
//!
//! A chapter's blocks marked `console` run one after another in one empty folder, with `reprise` and our test programs in `PATH` and a display
//! without a screen. A line that begins with `$ ` is a command; the lines below it are what it prints, in which `…` stands for any
//! text of a line, and on a line of its own for any lines. Lines that begin with `> ` right below a command go on with it. `# exit N` behind a command says how it ends, if not with 0. A block marked
//! `console,needs-WORD` is left out with `--without WORD`; what needs Steam always is. A picture that a chapter shows from its folder
//! `pictures` is made by the commands, under the same name, and compared; `--pictures` takes the new ones over.
//!
//! Invariant: all that a chapter's `console` blocks show, this build does. What was not run is said.

mod block;
mod book;
mod compare;
mod picture;
#[cfg(test)]
mod tests;

use crate::cargo;
use anyhow::{Context, Result, bail, ensure};
use block::Shown;
use reprise_testing::{Display, artifact};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Built for the commands; `reprise-query` and `reprise-inspect` are taken from beside them.
const PACKAGES: &[&str] = &["reprise", "reprise-capture", "reprise-runtime-library", "reprise-programs"];
/// No machine of tests has it.
const NEVER: &str = "steam";

/// What was asked for.
#[derive(Default)]
struct Options {
    /// The folder with programs that are built already.
    build: Option<PathBuf>,
    /// What the machine does not have.
    without: Vec<String>,
    /// Replace the kept pictures by those that the commands make.
    pictures: bool,
    chapters: Vec<String>,
}

impl Options {
    fn read(arguments: &[String]) -> Result<Options> {
        let mut options = Options { without: vec![NEVER.to_owned()], ..Options::default() };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().cloned().with_context(|| format!("{word} needs a value"));
            match word.as_str() {
                "--build" => options.build = Some(std::path::absolute(value()?)?),
                "--without" => {
                    let what = value()?;
                    let known = block::NEEDS.map(|(name, _)| name);
                    ensure!(known.contains(&what.as_str()), "--without takes one of {}", known.join(", "));
                    options.without.push(what);
                }
                "--pictures" => options.pictures = true,
                other if other.starts_with('-') => {
                    bail!(
                        "manual takes --build FOLDER, --without WORD, --pictures, --book and chapters (got {other:?})"
                    )
                }
                chapter => options.chapters.push(chapter.to_owned()),
            }
        }
        Ok(options)
    }
}

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if arguments.iter().any(|word| word == "--book") {
        ensure!(arguments.len() == 1, "manual --book takes nothing else");
        return book::build();
    }
    let options = Options::read(arguments)?;
    crate::setup::prepare(crate::setup::For::Run)?;
    let built = match &options.build {
        Some(folder) => folder.clone(),
        None => cargo::release("manual", PACKAGES)?,
    };
    let mut failed = Vec::new();
    for chapter in chapters(&options.chapters)? {
        let name = chapter.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match play(&chapter, &name, &built, &options) {
            Ok(said) => println!("manual: {name}: {said}"),
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

/// Runs the commands of a chapter; gives what was done, in words.
fn play(chapter: &Path, name: &str, built: &Path, options: &Options) -> Result<String> {
    let text = fs::read_to_string(chapter).with_context(|| chapter.display().to_string())?;
    let (run, left): (Vec<Shown>, Vec<Shown>) =
        block::read(&text)?.into_iter().partition(|one| !one.needs.iter().any(|need| options.without.contains(need)));
    let pictures = block::pictures(&text);
    let mut said = format!("{} commands", run.len());
    if !run.is_empty() {
        let folder = artifact::workspace().join("target/manual").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let display = Display::start().context("cannot start a display")?;
        for one in &run {
            one_command(one, &folder, built, &display)
                .with_context(|| format!("line {}: $ {}", one.line, one.command))?;
        }
        let kept = chapter.with_file_name("pictures");
        for picture in &pictures {
            picture::compare(&folder.join(picture), &kept.join(picture), options.pictures)?;
        }
        if !pictures.is_empty() {
            said += &format!(", {} pictures", pictures.len());
        }
    } else if !pictures.is_empty() {
        bail!("it shows pictures that none of its commands makes");
    }
    if !left.is_empty() {
        let mut needs: Vec<&str> = left.iter().flat_map(|one| &one.needs).map(String::as_str).collect();
        needs.sort_unstable();
        needs.dedup();
        said += &format!("; {} not run, which need {}", left.len(), needs.join(", "));
    }
    Ok(said)
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
    if output.status.code() != Some(shown.exit) {
        let lack = |need: &String| block::NEEDS.iter().find(|(name, _)| name == need);
        let needs: Vec<String> =
            shown.needs.iter().filter_map(lack).map(|(name, what)| format!("{what}; or --without {name}")).collect();
        let needs = if needs.is_empty() { String::new() } else { format!(" (it needs {})", needs.join(", ")) };
        bail!("it ended with {}{needs}:\n{printed}", output.status);
    }
    compare::lines(&shown.prints, &printed)
}
