//! Which edits, as the command line says them.

use crate::shader::compiled;
use crate::terminal::exit::{self, Failure, OrExit};
use crate::terminal::output::plural;
use crate::trace::open;
use anyhow::Context;
use reprise_edit::{Edits, Error, Plan, Source, Touched};
use reprise_trace::read::Trace;
use reprise_trace::trace_writer::FileOutput;
use reprise_view::damage::Met;
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Edits of a trace.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Said {
    /// A file of edits, one a line; files that it names are looked for beside it. May be given several times
    #[arg(long = "edit", visible_alias = "edits", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// An edit, as a line of such a file. May be given several times; these come after those of files
    #[arg(short = 'e', long = "edit-line", value_name = "EDIT")]
    lines: Vec<String>,
}

/// Edits that were read.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    pub(crate) edits: Edits,
    /// The files that they are in, and those that they name.
    pub(crate) files: Vec<PathBuf>,
}

/// A folder for an edited trace, for as long as this is there. What holds it says to later processes that this one lives: one that is killed
/// removes nothing.
pub(crate) struct Folder {
    // The file is closed first: where open files cannot be removed, the folder could not be.
    _held: File,
    folder: TempDir,
}

/// The beginning of these folders' names.
const PREFIX: &str = "reprise-edited-";
/// The file that its process has locked.
const HELD: &str = "held";

impl Folder {
    fn new(among: &Path) -> std::io::Result<Folder> {
        remove_stale(among);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(among)?;
        // Under its name it is locked from the first moment on: whoever finds it free knows that its process is dead.
        let made = folder.path().join("made");
        let held = File::create(&made)?;
        held.lock()?;
        std::fs::rename(made, folder.path().join(HELD))?;
        Ok(Folder { _held: held, folder })
    }
}

/// Removes what processes left that were killed. What cannot be removed is another user's.
fn remove_stale(among: &Path) {
    for entry in std::fs::read_dir(among).into_iter().flatten().flatten() {
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        let free = File::open(entry.path().join(HELD)).is_ok_and(|held| held.try_lock().is_ok());
        if free {
            _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

impl Said {
    /// Whether there is any.
    pub(crate) fn is_there(&self) -> bool {
        !self.files.is_empty() || !self.lines.is_empty()
    }

    /// Has the source be the edited trace, if there are edits: a file that goes with what is given back.
    ///
    /// # Errors
    /// The trace cannot be read, an edit is none or cannot be done, or the file cannot be written.
    pub(crate) fn apply(&self, source: &mut open::Source) -> Result<Option<Folder>, Failure> {
        if !self.is_there() {
            return Ok(None);
        }
        let Asked { edits, files } = self.edits()?;
        let trace = source.open()?;
        Met::of(&trace).sound(&source.trace)?;
        let plan = plan(&trace, &source.trace, &edits)?;
        let folder = Folder::new(&std::env::temp_dir()).context("no temporary folder for the edited trace");
        let folder = folder.or_exit(exit::FAILED)?;
        let name = source.trace.with_extension("edited.reprise");
        let file = folder.folder.path().join(name.file_name().unwrap_or("edited.reprise".as_ref()));
        let cannot = || format!("cannot write {}", file.display());
        let output = FileOutput::create(&file).with_context(cannot).or_exit(exit::FAILED)?;
        reprise_edit::write(&trace, &plan, output).map_err(|error| failure(&source.trace, &file, error))?;
        Met::of(&trace).sound(&source.trace)?;
        // Outputs are compared with what was read, and that is not the file that is played.
        source.others.push(std::mem::replace(&mut source.trace, file));
        source.others.extend(files);
        source.rings = None;
        source.boundary.look_again();
        Ok(Some(folder))
    }

    /// The edits, those of files first.
    ///
    /// # Errors
    /// A usage failure when a file cannot be read, or a line is no edit.
    pub(crate) fn edits(&self) -> Result<Asked, Failure> {
        let (mut edits, mut files) = (Edits::default(), self.files.clone());
        for file in &self.files {
            let name = file.display().to_string();
            let text = std::fs::read_to_string(file).context(name.clone()).or_exit(exit::USAGE)?;
            let folder = file.parent().unwrap_or(Path::new(""));
            let mut beside = |name: &Path| {
                files.push(folder.join(name));
                read(&folder.join(name))
            };
            let read = Edits::parse(&text, &name, &mut beside).or_exit(exit::USAGE)?;
            edits = edits.and(read.within(folder));
        }
        for (number, line) in (1..).zip(&self.lines) {
            let name = if self.lines.len() == 1 { "-e".to_owned() } else { format!("-e number {number}") };
            let mut beside = |name: &Path| {
                files.push(name.to_owned());
                read(name)
            };
            edits = edits.and(Edits::parse(line, &name, &mut beside).or_exit(exit::USAGE)?);
        }
        files.extend(edits.files().map(Path::to_owned));
        Ok(Asked { edits, files })
    }
}

/// Says of an edited trace that what its capture recorded is of the trace before: results of calls, frames, and what was read back. A trace
/// that cannot be opened is told of by whoever needs it.
pub(crate) fn tell(source: &open::Source) {
    let Ok(trace) = source.open() else { return };
    let Some(edited) = trace.meta().get("edited") else { return };
    let edits = edited["edits"].as_array().map_or(0, Vec::len) as u64;
    reprise_log::warning(format_args!(
        "{}: edited ({}). Its frames, results and bytes that were read back are those of the capture, before that: differences are expected",
        source.trace.display(),
        plural(edits, "edit"),
    ));
}

/// What an edit did to the call at which a replay failed, as a sentence.
pub(crate) fn blame(source: &open::Source, call: u64) -> Option<String> {
    let trace = source.open().ok()?;
    let Touched { is_new, edit } = reprise_edit::touched(&trace, call)?;
    let did = if is_new { "An edit put this call into the trace" } else { "An edit changed this call" };
    Some(format!("{did}, and no program made it so: {}", reprise_edit::shortened(&edit)))
}

fn read(name: &Path) -> Result<Vec<u8>, String> {
    // A device may never end.
    if std::fs::metadata(name).is_ok_and(|file| !file.is_file()) {
        return Err(format!("{} is no ordinary file", name.display()));
    }
    std::fs::read(name).map_err(|error| format!("{} cannot be read: {error}", name.display()))
}

/// Checks edits against a trace.
///
/// # Errors
/// The trace cannot be read, or an edit cannot be done.
pub(crate) fn plan(trace: &Trace, path: &Path, edits: &Edits) -> Result<Plan, Failure> {
    // A shader may be that of many pipelines, and a compiler takes its time.
    let mut compiled: HashMap<(PathBuf, String, String), Vec<u8>> = HashMap::new();
    let mut files = |name: &Path, source: Option<Source<'_>>| {
        let Some(source) = source else { return read(name) };
        let key = (name.to_owned(), source.stage.to_owned(), source.entry.to_owned());
        if let Some(bytes) = compiled.get(&key) {
            return Ok(bytes.clone());
        }
        let bytes = compiled::compile(name, source).map_err(|error| format!("{error:#}"))?;
        compiled.insert(key, bytes.clone());
        Ok(bytes)
    };
    // A plan writes nothing.
    reprise_edit::plan(trace, edits, &mut files).map_err(|error| failure(path, path, error))
}

/// A failure to make `output` of a trace, with its exit code.
pub(crate) fn failure(path: &Path, output: &Path, error: Error) -> Failure {
    match error {
        Error::Trace(what) => Failure::message(exit::TRACE, format!("{}: {what}", path.display())),
        Error::Undo(what) => Failure::message(exit::FAILED, format!("{}: {what}", path.display())),
        Error::Output(error) => Failure::message(exit::FAILED, format!("cannot write {}: {error}", output.display())),
        Error::Refused(refusal) => Failure::new(exit::FAILED, refusal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_goes_with_its_owner_or_after_its_death_and_no_other() {
        let among = tempfile::tempdir().unwrap();
        let path = |name: &str| among.path().join(name);
        // As a killed process leaves it; one that has not locked its file yet; and one of somebody else.
        for name in ["reprise-edited-dead", "reprise-edited-young", "other"] {
            std::fs::create_dir(path(name)).unwrap();
        }
        std::fs::write(path("reprise-edited-dead/held"), "").unwrap();
        std::fs::write(path("reprise-edited-dead/x.edited.reprise"), "much").unwrap();
        std::fs::write(path("other/held"), "").unwrap();
        let first = Folder::new(among.path()).unwrap();
        let second = Folder::new(among.path()).unwrap();
        let there = first.folder.path().to_owned();
        assert!(there.is_dir() && second.folder.path().is_dir(), "a folder of a living process is removed");
        assert!(!path("reprise-edited-dead").exists(), "a folder of a dead process stays");
        assert!(path("reprise-edited-young").exists() && path("other/held").exists());
        drop(first);
        assert!(!there.exists() && second.folder.path().is_dir());
    }
}
