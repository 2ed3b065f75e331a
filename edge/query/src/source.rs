//! An opened trace, and what is found out about it once for all tables.

use reprise_timeline::index::{Cache, Chronicle, Index};
use reprise_trace::read::Trace;
use reprise_view::{damage::Met, open};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// A trace that is asked.
#[derive(Debug)]
pub(crate) struct Source {
    /// What the column `trace` says: the file's name as it was given.
    pub(crate) name: String,
    path: PathBuf,
    /// The trace.
    pub(crate) trace: Trace,
    chronicle: OnceLock<Result<Chronicle, String>>,
    undecoded: AtomicU64,
}

impl Source {
    /// Opens a trace.
    ///
    /// # Errors
    /// In words, with the file.
    pub(crate) fn open(path: &Path) -> Result<Source, String> {
        let (trace, _) = open::open(path, None).map_err(|error| format!("{:#}", anyhow::Error::from(error)))?;
        let name = path.display().to_string();
        let path = path.to_path_buf();
        Ok(Source { name, path, trace, chronicle: OnceLock::new(), undecoded: AtomicU64::new(0) })
    }

    /// Submissions, fences and lives of the whole trace: from the cache that `reprise state` fills too, or made now.
    ///
    /// # Errors
    /// In words: the trace cannot be read.
    pub(crate) fn chronicle(&self) -> Result<&Chronicle, String> {
        let make = || {
            let index = Index::open(&self.trace, Cache::user(), &mut |_| {});
            index.map(|index| index.chronicle().clone()).map_err(|error| format!("{}: {error}", self.name))
        };
        self.chronicle.get_or_init(make).as_ref().map_err(Clone::clone)
    }

    /// Counts calls and contents that could not be decoded.
    pub(crate) fn note_undecoded(&self, calls: u64) {
        self.undecoded.fetch_max(calls, Ordering::Relaxed);
    }

    /// # Errors
    /// What was met is damaged: every place in words.
    pub(crate) fn sound(&self) -> Result<(), String> {
        let met = Met::of(&self.trace).and_undecoded(self.undecoded.load(Ordering::Relaxed));
        met.sound(&self.path).map_err(|damaged| damaged.to_string())
    }
}
