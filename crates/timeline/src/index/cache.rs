//! The folder in which indices are kept.
//!
//! Up to two files per trace ([`Kept`]), named by the trace's identity. A file appears whole or not at all. The folder is bounded: when it
//! holds more than its limit, the files that were used longest ago go. Invariant: no error of the file system reaches the caller.

use super::file::Kept;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Bytes of all indices together, unless stated otherwise.
const LIMIT: u64 = 1 << 30;
/// How old a file is that was begun and will not be finished any more.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A folder. Several processes may share one.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    /// Bytes that it may hold.
    limit: u64,
}

impl Cache {
    /// A cache in `folder` that holds up to `limit` bytes. The folder is made when something is put there.
    pub fn new(folder: PathBuf, limit: u64) -> Cache {
        Cache { folder, limit }
    }

    /// The user's own: `$XDG_CACHE_HOME/reprise/index`, or `~/.cache/reprise/index`. `None` where neither variable is an
    /// absolute path.
    pub fn user() -> Option<Cache> {
        let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let caches = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?;
        Some(Cache::new(caches.join("reprise").join("index"), LIMIT))
    }

    /// The place of a trace's file of this kind.
    pub(super) fn path(&self, trace: u128, kept: Kept) -> PathBuf {
        self.folder.join(format!("{trace:032x}.{}", kept.ending()))
    }

    /// Writes what is kept of a trace, if it can be written.
    pub(super) fn put(
        &self,
        trace: u128,
        kept: Kept,
        write: impl FnOnce(&mut BufWriter<&mut fs::File>) -> io::Result<()>,
    ) {
        let written = || -> io::Result<()> {
            fs::create_dir_all(&self.folder)?;
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            let mut buffered = BufWriter::new(file.as_file_mut());
            write(&mut buffered)?;
            buffered.flush()?;
            drop(buffered);
            file.persist(self.path(trace, kept))?;
            Ok(())
        };
        // Without it the work is done again next time.
        let _ = written();
        let _ = self.trim(&self.path(trace, kept));
    }

    /// Removes what was used longest ago, and what was abandoned. The file just written goes last.
    fn trim(&self, newest: &Path) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)?.flatten() {
            let (path, Ok(about)) = (entry.path(), entry.metadata()) else { continue };
            let age = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if path.extension().is_some_and(|ending| Kept::ALL.iter().any(|kept| ending == kept.ending())) {
                files.push((path == newest, age, about.len(), path));
            } else if entry.file_name().as_encoded_bytes().starts_with(b".tmp")
                && age.elapsed().is_ok_and(|age| age > ABANDONED)
            {
                fs::remove_file(path)?;
            }
        }
        files.sort();
        let mut size: u64 = files.iter().map(|(_, _, size, _)| size).sum();
        for (_, _, bytes, path) in files {
            if size <= self.limit {
                break;
            }
            fs::remove_file(path)?;
            size -= bytes;
        }
        Ok(())
    }
}
