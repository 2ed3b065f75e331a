//! An opened trace, and what all tables share of it: its index, what its chunks contain, its damage.

use crate::bounds::Bounds;
use reprise_d3d12::operation::{self, Operation};
use reprise_timeline::Call;
use reprise_timeline::index::{Cache, Chronicle, Contents, Index, Snapshot, Sought};
use reprise_timeline::operations::Signatures;
use reprise_times::Times;
use reprise_trace::read::{Events, ReadError, Trace};
use reprise_view::{api, damage::Met, open, summary::info};
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Fewest calls of a trace for which it pays to know what its chunks contain. A shorter one is read as quickly.
const LONG: u64 = 1 << 18;

/// A trace that is asked.
#[derive(Debug)]
pub(crate) struct Source {
    /// What the column `trace` says: see [`names`].
    pub(crate) name: String,
    path: PathBuf,
    /// The trace.
    pub(crate) trace: Trace,
    index: OnceLock<Result<Index, String>>,
    contents: OnceLock<Option<Contents>>,
    signatures: OnceLock<Result<Signatures, String>>,
    undecoded: AtomicU64,
    times: OnceLock<Result<Times, String>>,
    counts_asked: AtomicBool,
}

impl Source {
    /// Opens a trace, which the column `trace` calls by this name.
    ///
    /// # Errors
    /// In words, with the file.
    pub(crate) fn open(path: &Path, name: String) -> Result<Source, String> {
        let (trace, _) = open::open(path, None).map_err(|error| format!("{:#}", anyhow::Error::from(error)))?;
        let path = path.to_path_buf();
        let (index, contents, signatures) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let (undecoded, times, counts_asked) = (AtomicU64::new(0), OnceLock::new(), AtomicBool::new(false));
        Ok(Source { name, path, trace, index, contents, signatures, undecoded, times, counts_asked })
    }

    /// What whoever counts has to know, where the trace lacks some of what its program did.
    pub(crate) fn part(&self) -> Option<String> {
        Some(format!("{}: {}", self.path.display(), info::part(&self.trace)?))
    }

    /// The timeline's index. It comes from the cache that `reprise state` uses, too, or is made now.
    ///
    /// # Errors
    /// In words: the trace cannot be read.
    fn index(&self) -> Result<&Index, String> {
        let make = || Index::open(&self.trace, Cache::user(), &mut |_| {});
        let index = self.index.get_or_init(|| make().map_err(|error| format!("{}: {error}", self.name)));
        index.as_ref().map_err(Clone::clone)
    }

    /// Submissions, fences and lives of the whole trace.
    ///
    /// # Errors
    /// In words: the trace cannot be read.
    pub(crate) fn chronicle(&self) -> Result<&Chronicle, String> {
        self.index().map(Index::chronicle)
    }

    /// What whoever compares times has to know, where a question wanted times of a library that left work out, and whoever adds counts up,
    /// where a question wanted counts and some are missing.
    pub(crate) fn lacking(&self) -> Vec<String> {
        let Some(Ok(times)) = self.times.get() else { return Vec::new() };
        let left_out = &times.about.left_out;
        let mut lacking = Vec::new();
        if !left_out.is_empty() {
            lacking.push(format!("{}: these are times of less work: {left_out}", self.name));
        }
        let uncounted: usize = times.missing_counts().values().map(BTreeSet::len).sum();
        if uncounted > 0 && self.counts_asked.load(Ordering::Relaxed) {
            lacking.push(format!(
                "{}: sums of counts lack some of what ran: the table `unmeasured` has {uncounted} operations and submissions that were not counted, and why",
                self.name
            ));
        }
        lacking
    }

    /// As [`Source::times`], for the tables of counts.
    ///
    /// # Errors
    /// As [`Source::times`].
    pub(crate) fn counts(&self) -> Result<&Times, String> {
        self.counts_asked.store(true, Ordering::Relaxed);
        self.times()
    }

    /// What `reprise time --save` measured.
    ///
    /// # Errors
    /// In words: there is no such file beside the trace, it is damaged, or it is of another trace.
    pub(crate) fn times(&self) -> Result<&Times, String> {
        let times = self.times.get_or_init(|| {
            let path = reprise_times::beside(&self.path);
            let times = Times::open(&path).map_err(|error| match error.kind() {
                ErrorKind::NotFound => format!(
                    "{}: nothing was measured of it yet: `reprise time --save` makes {}",
                    self.name,
                    path.display()
                ),
                _ => format!("{}: {error}", path.display()),
            })?;
            times.is_of(&self.path).map_err(|wrong| format!("{}: {wrong}", path.display()))?;
            Ok(times)
        });
        times.as_ref().map_err(Clone::clone)
    }

    /// What a call of a list is, by the event with which it began; nothing for settings and calls of other objects. The command signatures are read
    /// when the first indirect command asks.
    ///
    /// # Errors
    /// In words: the trace cannot be read.
    pub(crate) fn operation(&self, call: &Call<'_>) -> Result<Option<Operation>, String> {
        match operation::of_number(call.method.0) {
            Some(Operation::Indirect) => {
                let read = || Signatures::of(&self.trace).map_err(|error| format!("{}: {error}", self.name));
                Ok(self.signatures.get_or_init(read).as_ref().map_err(Clone::clone)?.operation(call))
            }
            stated => Ok(stated),
        }
    }

    /// A place at or before the first call within the bounds, near enough that a walk from there takes little time.
    ///
    /// # Errors
    /// In words: the trace cannot be read.
    pub(crate) fn snapshot(&self, bounds: &Bounds) -> Result<Snapshot<'_>, String> {
        let mut first = bounds.calls.0;
        if bounds.of_frames() {
            let event = self.frames(bounds).next().map(|event| event.map_or(0, |event| event.number));
            first = first.max(event.map_err(|error: ReadError| error.to_string())?);
        }
        // From the beginning the walk is as short.
        if first < LONG { Ok(Snapshot::first(&self.trace)) } else { Ok(self.index()?.before(&self.trace, first)) }
    }

    /// The events within the bounds, and perhaps others. The contents of memory pages are not read.
    pub(crate) fn events(&self, bounds: &Bounds) -> Events<'_> {
        let methods = bounds.methods.as_ref().map(|names| methods(|name| names.contains(name)));
        self.selected(bounds, methods.as_deref())
    }

    /// The same for a reader that wants calls of these methods only. The list says for each method's number whether it is wanted.
    pub(crate) fn events_of(&self, bounds: &Bounds, methods: &[bool]) -> Events<'_> {
        self.selected(bounds, Some(methods))
    }

    fn selected(&self, bounds: &Bounds, methods: Option<&[bool]>) -> Events<'_> {
        let events = match bounds.of_frames() {
            true => self.frames(bounds),
            false if bounds.calls.0 > 1 => self.trace.from_call(bounds.calls.0),
            false => self.trace.events(),
        };
        match self.stretches(bounds, methods) {
            Some(stretches) => events.without_pages().only(stretches),
            None => events.without_pages(),
        }
    }

    fn frames(&self, bounds: &Bounds) -> Events<'_> {
        let frame = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        self.trace.frames(frame(bounds.frames.0.saturating_sub(1))..frame(bounds.frames.1))
    }

    /// Finds out what the chunks contain, if the trace is long and the bounds may leave some chunks out. Bounds of calls or frames are found by
    /// the file's own index; reading that part takes less time than finding out about all chunks.
    pub(crate) fn look_into(&self, bounds: &Bounds) {
        if bounds.seek() && !bounds.of_a_part() && self.trace.statistics().calls >= LONG {
            self.contents.get_or_init(|| Contents::open(&self.trace, &Cache::user()?).ok());
        }
    }

    /// For each stretch of events, whether it may contain something within the bounds; `None` where nothing can be left out. `methods` replaces
    /// the methods of the bounds, and says for each method's number whether it is wanted.
    pub(crate) fn stretches(&self, bounds: &Bounds, methods: Option<&[bool]>) -> Option<Vec<bool>> {
        if (methods.is_none() && !bounds.seek()) || self.trace.statistics().calls < LONG {
            return None;
        }
        let contents = self.contents.get_or_init(|| Contents::find(&self.trace, &Cache::user()?)).as_ref()?;
        let times = bounds.times.0..=bounds.times.1;
        Some(contents.stretches(&Sought { methods, objects: bounds.objects.as_ref(), named: &bounds.named, times }))
    }

    /// Counts calls and contents that could not be decoded.
    pub(crate) fn note_undecoded(&self, calls: u64) {
        self.undecoded.fetch_max(calls, Ordering::Relaxed);
    }

    /// # Errors
    /// The trace is damaged where it was read: every place in words.
    pub(crate) fn sound(&self) -> Result<(), String> {
        let met = Met::of(&self.trace).and_undecoded(self.undecoded.load(Ordering::Relaxed));
        met.sound(&self.path).map_err(|damaged| damaged.to_string())
    }
}

/// For each method's number, whether its name (without the interface) is wanted.
pub(crate) fn methods(wanted: impl Fn(&str) -> bool) -> Vec<bool> {
    api::model().methods.iter().map(|method| wanted(method.name)).collect()
}

/// Names for traces: each the shortest end of its path that no other path has.
///
/// # Errors
/// In words: a file is named twice.
pub(crate) fn names(paths: &[PathBuf]) -> Result<Vec<String>, String> {
    // Folders are resolved, so that two spellings of one path are the same.
    let whole = |path: &PathBuf| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = folder.canonicalize().or_else(|_| std::path::absolute(folder)).unwrap_or_else(|_| folder.into());
        path.file_name().map_or_else(|| path.clone(), |name| folder.join(name))
    };
    let whole: Vec<Vec<String>> = paths.iter().map(|path| parts(&whole(path))).collect();
    let name = |(at, own): (usize, &Vec<String>)| {
        let others = || whole.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, parts)| parts);
        let tells = |length: &usize| !others().any(|other| other.ends_with(&own[own.len() - length..]));
        match (1..=own.len()).find(tells) {
            Some(length) => Ok(own[own.len() - length..].join("/")),
            None if others().any(|other| other == own) => Err(format!("{} is named twice", paths[at].display())),
            // A longer path ends with this whole one: the root before it tells them apart.
            None => Ok(format!("/{}", own.join("/"))),
        }
    };
    whole.iter().enumerate().map(name).collect()
}

/// The names in a path, without its root.
fn parts(path: &Path) -> Vec<String> {
    let named = path.components().filter(|part| matches!(part, std::path::Component::Normal(_)));
    named.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn named(paths: &[&str]) -> Result<Vec<String>, String> {
        names(&paths.iter().map(PathBuf::from).collect::<Vec<_>>())
    }

    #[test]
    fn names_are_as_short_as_they_tell_apart() {
        for (paths, expected) in [
            (&["/no/a/x.reprise"][..], &["x.reprise"][..]),
            (&["/no/a/x.reprise", "/no/b/y.reprise"], &["x.reprise", "y.reprise"]),
            (&["/no/a/x.reprise", "/no/b/x.reprise", "/no/a/y"], &["a/x.reprise", "b/x.reprise", "y"]),
            (&["/no/1/a/x", "/no/2/a/x", "/no/2/b/x"], &["1/a/x", "2/a/x", "b/x"]),
            (&["/x", "/no/x", "/no/no/x"], &["/x", "/no/x", "no/no/x"]),
        ] {
            assert_eq!(named(paths).unwrap(), expected);
        }
    }

    #[test]
    fn a_file_named_twice_is_refused() {
        assert!(named(&["/no/x", "/no/y", "/no/x"]).unwrap_err().contains("named twice"));
        assert!(named(&["/proc/self/../self/x", "/proc/self/x"]).unwrap_err().contains("named twice"));
    }
}
