//! Files that replays made, on disk. Each is named by the question that it answers, so the next run finds it again.
//!
//! Invariants: a file's name is a hash, so no text of a question or a trace is part of a path. A file gets its name when it is complete. The folder
//! holds [`MOST`] bytes at most; what was used longest ago is removed first.

use crate::answer::Refused;
use crate::subject::Subject;
use reprise_trace::read::content_hash;
use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// Bytes of the folder.
const MOST: u64 = 1 << 30;
/// Bytes of a file that is sent.
const LARGEST: u64 = 512 << 20;

/// See the module.
pub(super) struct Store {
    folder: Option<PathBuf>,
    next: AtomicU64,
}

impl Store {
    /// In the folder of the user's caches, or in the one for temporary files.
    pub(super) fn new() -> Store {
        let own = std::env::var_os("XDG_CACHE_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
        let base = own.or_else(home).unwrap_or_else(std::env::temp_dir);
        let folder = base.join("reprise").join("inspect");
        let there = fs::create_dir_all(&folder).is_ok();
        let store = Store { folder: there.then_some(folder), next: AtomicU64::new(0) };
        store.sweep();
        store
    }

    /// In a folder that is there.
    #[cfg(test)]
    pub(super) fn within(folder: &Path) -> Store {
        Store { folder: Some(folder.to_owned()), next: AtomicU64::new(0) }
    }

    /// Where files are.
    ///
    /// # Errors
    /// There is no folder for them.
    pub(super) fn folder(&self) -> Result<&Path, Refused> {
        let why = "no folder for what replays make: neither XDG_CACHE_HOME nor HOME can be written";
        self.folder.as_deref().ok_or_else(|| Refused::unavailable(why))
    }

    /// The name of what answers a question about replays of a trace, without an ending. It changes with the program that replays, and with
    /// what it plays on.
    pub(super) fn key(subject: &Subject, question: &Json) -> String {
        let (identity, side) = (subject.identity, subject.side.stamp());
        let program = super::replay::program().ok();
        let made =
            program.and_then(|program| fs::metadata(program).ok()).map(|file| (file.len(), file.modified().ok()));
        // Frames may be others than those of the trace.
        let by = subject.trace.chosen_ends().map_or("", |ends| &ends.by);
        format!("{:032x}", content_hash(format!("{identity:032x} {made:?} {side} {by} {question}").as_bytes()))
    }

    /// A name that nobody else has, for what is being written.
    ///
    /// # Errors
    /// There is no folder.
    pub(super) fn beside(&self, ending: &str) -> Result<PathBuf, Refused> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        Ok(self.folder()?.join(format!("{}-{number}.new.{ending}", std::process::id())))
    }

    /// A folder that nobody else has, for as long as what is given back is there.
    ///
    /// # Errors
    /// It cannot be made.
    pub(super) fn workplace(&self) -> Result<Workplace, Refused> {
        let path = self.beside("folder")?;
        let made = fs::create_dir(&path).map_err(|error| Refused::unavailable(format!("{}: {error}", path.display())));
        made.map(|()| Workplace(path))
    }

    /// Puts what was written beside under its name.
    ///
    /// # Errors
    /// It cannot be renamed.
    pub(super) fn put(&self, written: &Path, name: &str) -> Result<String, Refused> {
        let to = self.folder()?.join(name);
        fs::rename(written, &to).map_err(|error| Refused::unavailable(format!("{}: {error}", to.display())))?;
        Ok(format!("api/files/{name}"))
    }

    /// Puts bytes under a name.
    ///
    /// # Errors
    /// They cannot be written.
    pub(super) fn put_bytes(&self, bytes: &[u8], name: &str) -> Result<String, Refused> {
        let beside = self.beside("bin")?;
        fs::write(&beside, bytes).map_err(|error| Refused::unavailable(format!("{}: {error}", beside.display())))?;
        self.put(&beside, name)
    }

    /// An answer that was put here before.
    pub(super) fn answer(&self, key: &str) -> Option<Json> {
        let bytes = fs::read(self.folder.as_ref()?.join(format!("{key}.json"))).ok()?;
        let json: Json = serde_json::from_slice(&bytes).ok()?;
        self.has_files(&json).then_some(json)
    }

    /// Whether all files that an answer names are there.
    fn has_files(&self, json: &Json) -> bool {
        match json {
            Json::String(text) => match text.strip_prefix("api/files/") {
                Some(name) => self.path(name).is_ok_and(|path| path.is_file()),
                None => true,
            },
            Json::Array(values) => values.iter().all(|value| self.has_files(value)),
            Json::Object(members) => members.values().all(|value| self.has_files(value)),
            _ => true,
        }
    }

    /// Keeps an answer for the next time.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn keep(&self, key: &str, answer: &Json) -> Result<(), Refused> {
        self.put_bytes(answer.to_string().as_bytes(), &format!("{key}.json")).map(|_| ())
    }

    fn path(&self, name: &str) -> Result<PathBuf, Refused> {
        let good = name.len() < 64
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-')
            && !name.starts_with('.')
            && !name.contains("..");
        match good {
            true => Ok(self.folder()?.join(name)),
            false => Err(Refused::missing("there is no such file")),
        }
    }

    /// A file that was put here.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn read(&self, name: &str) -> Result<(Vec<u8>, &'static str), Refused> {
        let kind = match name.rsplit_once('.').map(|(_, ending)| ending) {
            Some("png") => "image/png",
            Some("bin") => "application/octet-stream",
            _ => return Err(Refused::missing("there is no such file")),
        };
        let path = self.path(name)?;
        let none = |_| Refused::missing("there is no such file");
        if fs::metadata(&path).map_err(none)?.len() > LARGEST {
            return Err(Refused::unavailable("the file is too large to be sent"));
        }
        let bytes = fs::read(&path).map_err(none)?;
        // Says that it was used.
        let _ = fs::File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Ok((bytes, kind))
    }

    /// Removes what was used longest ago, and what another run has left half written.
    fn sweep(&self) {
        let Some(entries) = self.folder.as_ref().and_then(|folder| fs::read_dir(folder).ok()) else { return };
        let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let about = entry.metadata().ok()?;
                Some((about.modified().ok()?, about.len(), entry.path()))
            })
            .collect();
        files.sort();
        let mut total: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        for (used, bytes, path) in files {
            let old = used.elapsed().is_ok_and(|age| age.as_secs() > 86_400);
            let half = path.to_string_lossy().contains(".new.") && old;
            if total > MOST || half {
                total = total.saturating_sub(bytes);
                // A folder is what an edit is worked on in: that of another run may be in use.
                let _ = if path.is_dir() && half { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            }
        }
    }
}

/// A folder that goes with its owner.
pub(super) struct Workplace(PathBuf);

impl Workplace {
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file into it.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Refused> {
        let path = self.0.join(name);
        let written = fs::write(&path, bytes);
        written.map_err(|error| Refused::unavailable(format!("{}: {error}", path.display())))?;
        Ok(path)
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        // What stays is swept away by a later run.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::within(folder.path());
        store.put_bytes(b"x", "a.bin").unwrap();
        assert_eq!(store.read("a.bin").unwrap().0, b"x");
        for name in ["../a.bin", "/etc/passwd", "..%2fa.bin", ".bin", "a.json", "b.bin", "", "a\0.bin"] {
            assert!(store.read(name).is_err(), "{name}");
        }
    }

    #[test]
    fn an_answer_whose_file_is_gone_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::within(folder.path());
        let file = store.put_bytes(b"x", "a.bin").unwrap();
        store.keep("k", &serde_json::json!({ "values": { "file": file } })).unwrap();
        assert!(store.answer("k").is_some());
        fs::remove_file(folder.path().join("a.bin")).unwrap();
        assert!(store.answer("k").is_none());
    }
}
