//! One folder in which our libraries stand for the time of a run.
//!
//! Invariants: a journal on the disk states each change of the folder before it is made. So the next process can undo what a killed run
//! has changed, and if it is killed itself, the one after it can. Whoever holds the kernel's lock on the journal owns the folder. A
//! file that is not ours is never removed and never written over.

use crate::launch::windows::libraries;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The journal's name in the folder: of captures and other runs alike, so that each undoes what the other left.
pub(crate) const NAME: &str = "reprise-capture.journal";
/// What a file is called while ours stands in its place, before its own name in lower case.
const ORIGINAL: &str = "reprise-original-";
/// What one of ours is called until it is complete.
const NEW: &str = "reprise-new-";

/// What changes in a folder.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Journal {
    /// The process that changes it.
    process: u32,
    files: Vec<Change>,
}

/// One file of ours.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Change {
    /// Its name in the folder: as the original is spelled, where there is one.
    name: String,
    /// The original's name meanwhile.
    original: Option<String>,
}

/// One change of the file system; the journal itself apart. Names are within the folder.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Step {
    Remove(String),
    Rename(String, String),
    /// A copy of the library of this name.
    Copy(String, String),
}

/// A folder with our libraries in it.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    lock: File,
    journal: Journal,
}

/// Why a folder cannot be used.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Another run, of this process number, uses it.
    Busy(u32),
    /// The system refuses.
    Io(io::Error),
    /// Something is there that we do not understand.
    Strange(String),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        Refusal::Io(error)
    }
}

impl Refusal {
    /// In words, for the folder.
    pub(crate) fn message(&self, folder: &Path) -> String {
        let folder = folder.display();
        match self {
            Refusal::Busy(0) => format!("another run of reprise uses {folder} right now: wait for its end"),
            Refusal::Busy(process) => {
                format!("another run of reprise (process {process}) uses {folder} right now: wait for its end")
            }
            Refusal::Io(error) if error.kind() == io::ErrorKind::PermissionDenied => format!(
                "{folder} cannot be written to, and our libraries have to stand there: take a copy of the program, or put them \
                 into the prefix with --place system"
            ),
            Refusal::Io(error) => format!("our libraries cannot be put into {folder}: {error}"),
            Refusal::Strange(what) => format!("{folder}: {what}"),
        }
    }
}

impl Folder {
    /// Copies the libraries `names` from the folder `from` into the folder `path`. If a run was killed there, its changes are undone
    /// first.
    ///
    /// # Errors
    /// Another run uses the folder, it cannot be written to, or holds what we would have to overwrite. Then it is as before.
    pub(crate) fn take(path: &Path, from: &Path, names: &[&str]) -> Result<Folder, Refusal> {
        let mut lock = loop {
            match open(path, true)? {
                Some(lock) => break lock,
                None => continue,
            }
        };
        for warning in undo(path, &lock)? {
            reprise_log::warning(warning);
        }
        let prepared = Journal::plan(path, names).and_then(|journal| {
            write(&mut lock, path, &journal)?;
            Ok(journal)
        });
        let journal = prepared.inspect_err(|_| {
            // Nothing else was changed.
            let _ = fs::remove_file(path.join(NAME));
        })?;
        let folder = Folder { path: path.into(), lock, journal };
        for step in folder.journal.steps() {
            if let Err(error) = step.perform(path, from) {
                folder.restore()?;
                return Err(error.into());
            }
        }
        sync(path)?;
        Ok(folder)
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The files of ours that are not there any more, or are another's: somebody put something else in their place.
    pub(crate) fn replaced(&self) -> Vec<&str> {
        let names = self.journal.files.iter().map(|change| change.name.as_str());
        names.filter(|name| !libraries::is_ours(&self.path.join(name))).collect()
    }

    /// Puts everything back. Gives what could not be, in words.
    ///
    /// # Errors
    /// The system refuses; the journal stays, so that it can be tried again.
    pub(crate) fn restore(self) -> Result<Vec<String>, Refusal> {
        finish(&self.path, &self.lock)
    }
}

/// Undoes what a run that was killed left in a folder: `None` where there is nothing, else what could not be undone, in words.
///
/// # Errors
/// A run that goes on uses the folder, or the system refuses.
pub(crate) fn restore(path: &Path) -> Result<Option<Vec<String>>, Refusal> {
    loop {
        match open(path, false) {
            Ok(Some(lock)) => return finish(path, &lock).map(Some),
            Ok(None) => continue,
            Err(Refusal::Io(error)) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        }
    }
}

/// Opens and locks the journal; `None` where it was removed meanwhile.
fn open(path: &Path, make: bool) -> Result<Option<File>, Refusal> {
    let name = path.join(NAME);
    let file = File::options().read(true).write(true).create(make).truncate(false).open(&name)?;
    match file.try_lock() {
        Ok(()) => Ok(is_in_place(&file, &name).then_some(file)),
        Err(TryLockError::WouldBlock) => Err(Refusal::Busy(read(&file).map_or(0, |journal| journal.process))),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Whether the file of that name is still the one that is open.
#[cfg(unix)]
fn is_in_place(file: &File, name: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |data: io::Result<fs::Metadata>| data.ok().map(|data| (data.dev(), data.ino()));
    number(file.metadata()).is_some_and(|own| number(fs::metadata(name)) == Some(own))
}

#[cfg(not(unix))]
fn is_in_place(_file: &File, name: &Path) -> bool {
    name.exists()
}

/// `None` where the journal was not complete, so that nothing was changed.
fn read(mut file: &File) -> Option<Journal> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

/// Writes the journal, to the disk: with its name, too.
fn write(file: &mut File, folder: &Path, journal: &Journal) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(serde_json::to_string(journal)?.as_bytes())?;
    file.sync_all()?;
    sync(folder)
}

/// Names in a folder reach the disk.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Undoes what the journal says. Gives what could not be undone, in words.
fn undo(path: &Path, lock: &File) -> Result<Vec<String>, Refusal> {
    let Some(journal) = read(lock) else { return Ok(Vec::new()) };
    let (steps, left) = journal.undo(path);
    for step in steps {
        step.perform(path, path)?;
    }
    sync(path)?;
    Ok(left)
}

/// As [`undo`]; then the journal goes, too.
fn finish(path: &Path, lock: &File) -> Result<Vec<String>, Refusal> {
    let left = undo(path, lock)?;
    fs::remove_file(path.join(NAME))?;
    Ok(left)
}

impl Journal {
    /// What is to be done in a folder as it is now.
    fn plan(path: &Path, names: &[&str]) -> Result<Journal, Refusal> {
        let mut present = Vec::new();
        for entry in fs::read_dir(path)? {
            present.extend(entry?.file_name().into_string());
        }
        let mut files = Vec::new();
        for name in names {
            let own: Vec<&String> = present.iter().filter(|file| file.eq_ignore_ascii_case(name)).collect();
            let (original, parked) = match own[..] {
                [] => (None, format!("{ORIGINAL}{name}")),
                [one] => (Some(one.clone()), format!("{ORIGINAL}{name}")),
                _ => {
                    return Err(Refusal::Strange(format!(
                        "several files are called {name} but for the case of letters"
                    )));
                }
            };
            if let Some(one) = original.as_ref().filter(|one| libraries::is_ours(&path.join(one))) {
                return Err(Refusal::Strange(format!(
                    "{one} there is ours already, and no journal says why; remove it, or put back {parked} if that is there"
                )));
            }
            if let Some(stray) = present.iter().find(|file| file.eq_ignore_ascii_case(&parked)) {
                return Err(Refusal::Strange(format!(
                    "{stray} is there, and no journal says why; put it back as {name}, or remove it"
                )));
            }
            let has_original = original.is_some();
            let name = original.unwrap_or_else(|| (*name).to_owned());
            files.push(Change { name, original: has_original.then_some(parked) });
        }
        Ok(Journal { process: std::process::id(), files })
    }

    /// What is to be done, in this order.
    fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        // The large copies first: between the two names of a file there should be little time.
        for change in &self.files {
            steps.push(Step::Copy(change.name.to_ascii_lowercase(), change.new_name()));
        }
        for change in &self.files {
            if let Some(parked) = &change.original {
                steps.push(Step::Rename(change.name.clone(), parked.clone()));
            }
            steps.push(Step::Rename(change.new_name(), change.name.clone()));
        }
        steps
    }

    /// What undoes them, wherever they ended, and what has to stay, in words.
    fn undo(&self, path: &Path) -> (Vec<Step>, Vec<String>) {
        let exists = |name: &str| path.join(name).symlink_metadata().is_ok();
        let (mut steps, mut left) = (Vec::new(), Vec::new());
        for change in &self.files {
            let new = change.new_name();
            if exists(&new) {
                steps.push(Step::Remove(new));
            }
            let is_ours = exists(&change.name) && libraries::is_ours(&path.join(&change.name));
            match change.original.as_ref().filter(|parked| exists(parked)) {
                Some(parked) if is_ours || !exists(&change.name) => {
                    steps.push(Step::Rename(parked.clone(), change.name.clone()));
                }
                Some(parked) => left.push(format!(
                    "{} was replaced meanwhile and stays; what was there before is {}",
                    path.join(&change.name).display(),
                    path.join(parked).display()
                )),
                // Its original, where there was one, is in its place.
                None if is_ours => steps.push(Step::Remove(change.name.clone())),
                None => {}
            }
        }
        (steps, left)
    }
}

impl Change {
    fn new_name(&self) -> String {
        format!("{NEW}{}", self.name.to_ascii_lowercase())
    }
}

impl Step {
    fn perform(&self, folder: &Path, from: &Path) -> io::Result<()> {
        match self {
            Step::Remove(name) => fs::remove_file(folder.join(name)),
            Step::Rename(name, to) => fs::rename(folder.join(name), folder.join(to)),
            Step::Copy(library, name) => {
                let mut copy = File::create(folder.join(name))?;
                io::copy(&mut File::open(from.join(library))?, &mut copy)?;
                copy.sync_all()
            }
        }
    }
}

#[cfg(test)]
#[path = "journal/tests.rs"]
mod tests;
