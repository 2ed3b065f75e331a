//! Mapped memory: which bytes the program stored through pointers it got from `Map`.
//!
//! This file owns the list of mapped resources, their reference counts, and the choice between the two exact modes.
//! Invariants: a store made between `map` and the matching `unmap` is in a later report ([`Tracker::flush`], or the one
//! that `unmap` makes); a report never reaches outside a mapping; each written page is reported to every mapping that it
//! overlaps, because small resources share pages.
//!
//! *Pages* mode asks the kernel ([`WriteWatch`]): a flush re-arms a page, then copies it, so a store that comes during
//! the copy is reported again. *Compare* mode keeps a shadow: a flush copies a piece, then compares the copy, so what is
//! reported is what was compared. A mapping stays armed while its resource lives, so programs that map and unmap every
//! frame pay for arming once.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::mapping::Mapping;
use super::userfault::{PAGE, WriteWatch};
use crate::memory::{MappedMemory, Mapping as Mapped, Watched, Written};

/// A mapped resource: its object id in the trace, and the subresource.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Key {
    /// Object id of the resource.
    pub object: u32,
    /// Subresource that was mapped; 0 for buffers.
    pub subresource: u32,
}

/// Where reports go.
pub type Sink<'a> = dyn FnMut(&Written) + 'a;

/// All mapped memory of the process. One lock around it is the caller's: a flush, its records and the submission that
/// follows are one critical section.
#[derive(Debug)]
pub struct Tracker {
    watch: Option<WriteWatch>,
    /// Why there is no watch.
    refused: Option<String>,
    /// Sorted by (start, key).
    mappings: Vec<Mapping>,
    starts: BTreeMap<Key, usize>,
    /// Disjoint runs of armed pages: start to end.
    armed: BTreeMap<usize, usize>,
    /// At least the length of the longest mapping: how far back from an address a mapping that covers it can start.
    longest: usize,
    active: usize,
}

impl Default for Tracker {
    fn default() -> Self {
        Self::new()
    }
}

impl Tracker {
    /// Opens the kernel's watch; where that fails every mapping is compared, and [`Tracker::refused`] says why.
    pub fn new() -> Self {
        match WriteWatch::open() {
            Ok(watch) => Self::with(Some(watch), None),
            Err(error) => Self::with(None, Some(format!("userfaultfd or pagemap: {error}"))),
        }
    }

    /// A tracker that compares everything, whatever the kernel could do.
    pub fn comparing() -> Self {
        Self::with(None, Some("asked to compare".into()))
    }

    fn with(watch: Option<WriteWatch>, refused: Option<String>) -> Self {
        Self {
            watch,
            refused,
            mappings: Vec::new(),
            starts: BTreeMap::new(),
            armed: BTreeMap::new(),
            longest: 0,
            active: 0,
        }
    }

    /// Why the newest refused mapping, or all of them, could not be watched by the kernel.
    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// Whether anything is mapped now; a flush without is free.
    pub fn is_idle(&self) -> bool {
        self.active == 0
    }

    /// Takes note that the resource is mapped at `start`. It must happen before the program learns the address.
    ///
    /// # Safety
    /// `start..start + len` stays readable and writable until the matching [`Tracker::unmap`], or [`Tracker::forget`].
    pub unsafe fn map(&mut self, key: Key, start: *mut u8, len: usize, observed: bool) -> Watched {
        let start = start as usize;
        if let Some(index) = self.find(key) {
            let mapping = &mut self.mappings[index];
            if mapping.start == start && mapping.len == len {
                mapping.count += 1;
                if mapping.count == 1 {
                    self.active += 1;
                    // Others may have changed and reported the same bytes meanwhile.
                    mapping.shadow = mapping.shadow.is_some().then(|| mapping.copied());
                }
                return self.mode_of(index);
            }
            // The driver moved it. Whoever still maps the old place will unmap by the same key.
            let count = mapping.count;
            self.remove(index);
            return self.insert(key, start, len, observed, count + 1);
        }
        self.insert(key, start, len, observed, 1)
    }

    /// Reports what was written to the mapping (and to others on the same pages), then drops one reference. `false` when
    /// the resource was not mapped.
    pub fn unmap(&mut self, key: Key, sink: &mut Sink<'_>) -> bool {
        let Some(index) = self.find(key).filter(|&index| self.mappings[index].count > 0) else { return false };
        let pages = self.mappings[index].pages();
        self.compare(&pages, sink);
        self.take(pages, sink);
        let mapping = &mut self.mappings[index];
        mapping.count -= 1;
        if mapping.count == 0 {
            self.active -= 1;
        }
        true
    }

    /// Forgets every mapping of a resource that is destroyed. Its memory may be gone already, so nothing is read.
    pub fn forget(&mut self, object: u32) {
        let (first, last) = (Key { object, subresource: 0 }, Key { object, subresource: u32::MAX });
        let keys: Vec<Key> = self.starts.range(first..=last).map(|(&key, _)| key).collect();
        for key in keys {
            if let Some(index) = self.find(key) {
                self.remove(index);
            }
        }
    }

    /// Reports every run written since the last report, of everything that is mapped.
    pub fn flush(&mut self, sink: &mut Sink<'_>) {
        if self.active == 0 {
            return;
        }
        self.compare(&(0..usize::MAX), sink);
        // One request for each run of pages that touch; the list is sorted by address.
        let mut run: Option<Range<usize>> = None;
        let mut runs = Vec::new();
        for mapping in self.mappings.iter().filter(|mapping| mapping.count > 0 && mapping.shadow.is_none()) {
            let pages = mapping.pages();
            match &mut run {
                Some(run) if pages.start <= run.end => run.end = run.end.max(pages.end),
                _ => runs.extend(run.replace(pages)),
            }
        }
        runs.extend(run);
        for run in runs {
            self.take(run, sink);
        }
    }

    fn find(&self, key: Key) -> Option<usize> {
        let start = *self.starts.get(&key)?;
        self.mappings.binary_search_by_key(&(start, key), |mapping| (mapping.start, mapping.key)).ok()
    }

    fn mode_of(&self, index: usize) -> Watched {
        if self.mappings[index].shadow.is_some() { Watched::Compare } else { Watched::Pages }
    }

    fn insert(&mut self, key: Key, start: usize, len: usize, observed: bool, count: u32) -> Watched {
        let mut mapping = Mapping { key, start, len, count, observed, shadow: None };
        if let Err(error) = self.arm(mapping.pages()) {
            self.refused = Some(error);
            mapping.shadow = Some(mapping.copied());
        }
        let index = self.mappings.partition_point(|other| (other.start, other.key) < (start, key));
        self.longest = self.longest.max(len);
        self.starts.insert(key, start);
        self.mappings.insert(index, mapping);
        self.active += 1;
        self.mode_of(index)
    }

    fn remove(&mut self, index: usize) {
        let mapping = self.mappings.remove(index);
        self.starts.remove(&mapping.key);
        if mapping.count > 0 {
            self.active -= 1;
        }
        if mapping.shadow.is_some() {
            return;
        }
        // The driver may give the memory back now, and the kernel's watch with it. Only what others keep stays counted.
        let pages = mapping.pages();
        let kept: Vec<Range<usize>> = self
            .near(&pages)
            .filter(|other| other.shadow.is_none())
            .map(|other| other.pages().start.max(pages.start)..other.pages().end.min(pages.end))
            .filter(|kept| !kept.is_empty())
            .collect();
        self.disarm(&pages);
        for kept in kept {
            self.count_armed(kept);
        }
    }

    /// Mappings that overlap `pages`, and perhaps some that do not.
    fn near(&self, pages: &Range<usize>) -> impl Iterator<Item = &Mapping> {
        let first = pages.start.saturating_sub(self.longest + PAGE);
        let from = self.mappings.partition_point(|mapping| mapping.start < first);
        let end = pages.end;
        self.mappings[from..].iter().take_while(move |mapping| mapping.start < end)
    }

    /// Puts those of `pages` under the watch that are not yet, and proves on one of them that the watch tells the truth.
    /// Pages already armed keep what is not yet reported of them.
    fn arm(&mut self, pages: Range<usize>) -> Result<(), String> {
        let Some(watch) = &self.watch else { return Err(self.refused.clone().unwrap_or_default()) };
        if pages.is_empty() {
            return Ok(());
        }
        let missing = self.missing(&pages);
        for run in missing {
            watch.arm(run.clone()).map_err(|error| format!("write-protect: {error}"))?;
            probe(watch, &run)?;
            self.armed.insert(run.start, run.end);
        }
        self.merge_armed(&pages);
        Ok(())
    }

    fn missing(&self, pages: &Range<usize>) -> Vec<Range<usize>> {
        let mut missing = Vec::new();
        let mut from = pages.start;
        let before = self.armed.range(..=pages.start).next_back();
        for (&start, &end) in before.into_iter().chain(self.armed.range(pages.start + 1..pages.end)) {
            if start > from {
                missing.push(from..start);
            }
            from = from.max(end);
        }
        if from < pages.end {
            missing.push(from..pages.end);
        }
        missing
    }

    /// Joins neighbours, so that the map stays as small as the number of runs.
    fn merge_armed(&mut self, pages: &Range<usize>) {
        let first = self.armed.range(..pages.start).next_back().map_or(pages.start, |(&start, _)| start);
        let near: Vec<(usize, usize)> = self.armed.range(first..=pages.end).map(|(&s, &e)| (s, e)).collect();
        for pair in near.windows(2) {
            let ((left, left_end), (right, right_end)) = (pair[0], pair[1]);
            if left_end == right {
                self.armed.remove(&right);
                // `left` itself may have been joined to the one before it.
                if let Some((_, end)) = self.armed.range_mut(..=left).next_back() {
                    *end = right_end;
                }
            }
        }
    }

    fn count_armed(&mut self, pages: Range<usize>) {
        for run in self.missing(&pages) {
            self.armed.insert(run.start, run.end);
        }
        self.merge_armed(&pages);
    }

    fn disarm(&mut self, pages: &Range<usize>) {
        let touched: Vec<(usize, usize)> = self
            .armed
            .range(..pages.end)
            .rev()
            .take_while(|&(_, &end)| end > pages.start)
            .map(|(&start, &end)| (start, end))
            .collect();
        for (start, end) in touched {
            self.armed.remove(&start);
            if start < pages.start {
                self.armed.insert(start, pages.start);
            }
            if end > pages.end {
                self.armed.insert(pages.end, end);
            }
        }
    }

    /// Takes the written pages of a run and reports them to every mapping of pages mode that they overlap.
    fn take(&mut self, pages: Range<usize>, sink: &mut Sink<'_>) {
        let Some(watch) = &self.watch else { return };
        if !self.near(&pages).any(|mapping| mapping.count > 0 && mapping.shadow.is_none()) {
            return;
        }
        let result = watch.take(pages.clone(), |region| self.report(&region, sink));
        if result.is_err() {
            // The driver put other memory there without our seeing it. Everything may be new; watch it from now on.
            self.disarm(&pages);
            match self.arm(pages.clone()) {
                Ok(()) => self.report(&pages, sink),
                Err(error) => {
                    self.refused = Some(error);
                    self.compare_from_now(&pages, sink);
                }
            }
        }
    }

    /// Compares every active mapping of compare mode that overlaps `pages`: after a report all shadows of a byte agree, so
    /// that a store of its old value is a change to each of them.
    fn compare(&mut self, pages: &Range<usize>, sink: &mut Sink<'_>) {
        for mapping in self.mappings.iter_mut().filter(|mapping| mapping.count > 0) {
            if mapping.start < pages.end && mapping.end() > pages.start {
                mapping.compare(sink);
            }
        }
    }

    fn report(&self, region: &Range<usize>, sink: &mut Sink<'_>) {
        for mapping in self.near(region) {
            if mapping.count == 0 || mapping.shadow.is_some() {
                continue;
            }
            let (from, to) = (region.start.max(mapping.start), region.end.min(mapping.end()));
            mapping.send(from, to, from as *const u8, sink);
        }
    }

    /// The watch failed on these pages after it once worked: their mappings are reported whole, and compared from here on.
    fn compare_from_now(&mut self, pages: &Range<usize>, sink: &mut Sink<'_>) {
        for mapping in &mut self.mappings {
            if mapping.shadow.is_none()
                && mapping.count > 0
                && mapping.pages().start < pages.end
                && mapping.end() > pages.start
            {
                let shadow = mapping.copied();
                mapping.send(mapping.start, mapping.end(), shadow.as_ptr(), sink);
                mapping.shadow = Some(shadow);
            }
        }
    }
}

/// Environment: `compare` makes all mappings be compared, whatever the kernel could do.
const MODE: &str = "REPRISE_MEMORY_MODE";

/// The tracker as the capture layer sees it. Opened at the first map; a forked child opens its own.
#[derive(Debug)]
pub struct Shared(Mutex<(libc::pid_t, Option<Tracker>)>);

impl Shared {
    /// Nothing is opened yet.
    pub const fn new() -> Self {
        Self(Mutex::new((0, None)))
    }

    fn lock(&self) -> MutexGuard<'_, (libc::pid_t, Option<Tracker>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Shared {
    fn default() -> Self {
        Self::new()
    }
}

/// `D3D12_HEAP_TYPE_READBACK`.
const HEAP_TYPE_READBACK: u32 = 3;

impl MappedMemory for Shared {
    fn on_map(&self, mapping: &Mapped) -> Watched {
        let Ok(len) = usize::try_from(mapping.size) else { return Watched::Nothing };
        if len == 0 || mapping.address == 0 {
            return Watched::Nothing;
        }
        let mut guard = self.lock();
        // SAFETY: takes nothing, cannot fail.
        let pid = unsafe { libc::getpid() };
        if guard.0 != pid {
            *guard = (pid, None);
        }
        let open = || match std::env::var(MODE).as_deref() {
            Ok("compare") => Tracker::comparing(),
            _ => Tracker::new(),
        };
        let tracker = guard.1.get_or_insert_with(open);
        let key = Key { object: mapping.object, subresource: mapping.subresource };
        let observed = mapping.heap_type == HEAP_TYPE_READBACK;
        // SAFETY: the runtime has just returned this range from a successful map call, and keeps it until the unmap, or
        // the end of the resource, which the capture layer both tells before they happen.
        unsafe { tracker.map(key, mapping.address as *mut u8, len, observed) }
    }

    fn refused(&self) -> Option<String> {
        self.lock().1.as_ref()?.refused().map(str::to_owned)
    }

    fn on_unmap(&self, object: u32, subresource: u32, emit: &mut dyn FnMut(&Written)) {
        if let Some(tracker) = &mut self.lock().1 {
            tracker.unmap(Key { object, subresource }, emit);
        }
    }

    fn on_destroy(&self, object: u32) {
        if let Some(tracker) = &mut self.lock().1 {
            tracker.forget(object);
        }
    }

    fn flush(&self, emit: &mut dyn FnMut(&Written)) {
        if let Some(tracker) = &mut self.lock().1 {
            tracker.flush(emit);
        }
    }
}

/// Stores to one page of a run that was just armed, without changing a byte, and expects to be told that page and no
/// other. Nobody but the GPU can know these pages yet, so a neighbour's store is rare: three attempts.
fn probe(watch: &WriteWatch, run: &Range<usize>) -> Result<(), String> {
    let page = run.start + run.len() / PAGE / 2 * PAGE;
    let mut seen = Vec::new();
    for _ in 0..3 {
        watch.take(run.clone(), |_| {}).map_err(|error| format!("page scan: {error}"))?;
        // SAFETY: the page is mapped and writable (`Tracker::map`). A locked `or` with 0 stores what is there in one
        // step, so no store of another thread or of the GPU can be undone; written in assembly because the compiler may
        // turn the atomic operation into a plain load.
        unsafe { std::arch::asm!("lock or byte ptr [{}], 0", in(reg) page, options(nostack)) };
        seen.clear();
        watch.take(run.clone(), |region| seen.push(region)).map_err(|error| format!("page scan: {error}"))?;
        if matches!(seen.as_slice(), [only] if *only == (page..page + PAGE)) {
            return Ok(());
        }
    }
    Err(format!("probe stored to one page and was told {} runs", seen.len()))
}
