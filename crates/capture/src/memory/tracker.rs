//! Mapped memory: which bytes the program stored through pointers it got from `Map`.
//!
//! This file owns the list of mapped resources, their reference counts, and the choice among the three exact modes.
//! Invariants: a store made between `map` and the matching `unmap` is in a later report ([`Tracker::flush`], or the one
//! that `unmap` makes); a report never reaches outside a mapping; each written page is reported to every mapping that it
//! overlaps, because small resources share pages.
//!
//! *Pages* mode asks the kernel (`userfault`), *mprotect* mode the segmentation faults (`protection`): a flush re-arms a page,
//! then copies it, so a store that comes during the copy is reported again. *Compare* mode keeps a shadow: a flush copies a
//! piece, then compares the copy, so what is reported is what was compared. In pages mode a mapping stays armed while its
//! resource lives, so programs that map and unmap every frame pay for arming once; protection ends with the last unmap,
//! because others would be refused who find the address in other use.

use std::collections::BTreeMap;
use std::ops::Range;

use super::armed::Armed;
use super::mapping::{Key, Mapping, Sink};
use super::runs::Runs;
use super::userfault::PAGE;
use crate::tracking::Watched;
use reprise_environment::Tracking;

/// All mapped memory of the process. One lock around it is the caller's: a flush, its records and the submission that
/// follows are one critical section.
#[derive(Debug)]
pub struct Tracker {
    /// The means there are, best first.
    watches: Vec<Armed>,
    /// Why better means than these are not there.
    lacking: Vec<String>,
    /// Protection may be used and was not needed yet: until then the program's signals are left alone.
    unopened: bool,
    /// Why what was mapped last is not watched by the best means.
    refused: Option<String>,
    /// Sorted by (start, key).
    mappings: Vec<Mapping>,
    starts: BTreeMap<Key, usize>,
    /// At least the length of the longest mapping: how far back from an address a mapping that covers it can start.
    longest: usize,
    active: usize,
}

impl Tracker {
    /// Opens the means that are asked for; where they refuse, mappings are compared, and [`Tracker::refused`] says why.
    pub fn new(tracking: Tracking) -> Self {
        let mut tracker = Self {
            watches: Vec::new(),
            lacking: Vec::new(),
            unopened: matches!(tracking, Tracking::Auto | Tracking::Mprotect),
            refused: None,
            mappings: Vec::new(),
            starts: BTreeMap::new(),
            longest: 0,
            active: 0,
        };
        if tracking != Tracking::Auto {
            tracker.lacking.push(format!("asked for {}", tracking.name()));
        }
        if matches!(tracking, Tracking::Auto | Tracking::Pages) {
            tracker.open(Armed::pages);
        }
        #[cfg(windows)]
        if matches!(tracking, Tracking::Auto | Tracking::WriteWatch) {
            tracker.open(Armed::write_watch);
        }
        tracker
    }

    /// Adds a means, or the reason why there is none.
    fn open(&mut self, open: fn() -> Result<Armed, String>) {
        match open() {
            Ok(armed) => self.watches.push(armed),
            Err(error) => self.lacking.push(error),
        }
    }

    /// Why what was mapped last is not watched by the best means.
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
                    self.watch_again(index);
                }
                self.refused.clone_from(&self.mappings[index].because);
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
        if let Some(by) = self.mappings[index].by {
            self.take(by, pages, sink);
        }
        let mapping = &mut self.mappings[index];
        mapping.count -= 1;
        if mapping.count == 0 {
            self.active -= 1;
            if self.mode_of(index) == Watched::Mprotect {
                self.disarm(index, true);
            }
        }
        true
    }

    /// Reports what was written to one mapping since the last report, also while it was not mapped. `false`: that is not known.
    pub fn show(&mut self, key: Key, sink: &mut Sink<'_>) -> bool {
        let Some(index) = self.find(key).filter(|&index| self.mappings[index].count > 0) else { return false };
        match (self.mappings[index].by, self.mode_of(index)) {
            (Some(by), Watched::Pages) => {
                self.take(by, self.mappings[index].pages(), sink);
                true
            }
            _ => false,
        }
    }

    /// Whether the program has had no mapping of it until now.
    pub fn is_first(&self, key: Key) -> bool {
        self.find(key).is_some_and(|index| self.mappings[index].count == 1)
    }

    /// Reports what was written to one mapping since the last report, if it is mapped. A program may release a heap before a resource in
    /// it. The driver's mapping goes with the heap, and then nothing is read.
    pub fn changed(&mut self, key: Key, sink: &mut Sink<'_>) {
        let Some(index) = self.find(key).filter(|&index| self.mappings[index].count > 0) else { return };
        if self.mappings[index].is_gone() {
            return;
        }
        let pages = self.mappings[index].pages();
        match self.mappings[index].by {
            Some(by) => self.take(by, pages, sink),
            None => self.compare(&pages, sink),
        }
    }

    /// Reports what was written to the mappings of a resource since the last report.
    pub fn changed_of(&mut self, object: u32, sink: &mut Sink<'_>) {
        let keys: Vec<Key> = self.of_object(object).iter().map(|&index| self.mappings[index].key).collect();
        keys.into_iter().for_each(|key| self.changed(key, sink));
    }

    /// A resource may be about to die, and its memory with it: nothing that is stored there from now on is refused. If it
    /// lives on, all of it is in the next report; if not, [`Tracker::forget`] follows.
    pub fn dying(&mut self, object: u32) {
        for index in self.of_object(object) {
            let mapping = &self.mappings[index];
            if let Some(by) = mapping.by.filter(|_| mapping.count > 0) {
                self.watches[by].watch.lift(mapping.pages());
            }
        }
    }

    /// Forgets every mapping of a resource that is destroyed. Its memory may be gone already, so nothing is read.
    pub fn forget(&mut self, object: u32) {
        for index in self.of_object(object).into_iter().rev() {
            self.remove(index);
        }
    }

    /// The mappings of a resource, by rising index.
    fn of_object(&self, object: u32) -> Vec<usize> {
        let (first, last) = (Key { object, subresource: 0 }, Key { object, subresource: u32::MAX });
        let mut indices: Vec<usize> = self.starts.range(first..=last).filter_map(|(&key, _)| self.find(key)).collect();
        indices.sort_unstable();
        indices
    }

    /// Reports every run written since the last report, of everything that is mapped.
    pub fn flush(&mut self, sink: &mut Sink<'_>) {
        if self.active == 0 {
            return;
        }
        self.compare(&(0..usize::MAX), sink);
        for by in 0..self.watches.len() {
            // One request for each run of pages that touch; the list is sorted by address.
            let mut run: Option<Range<usize>> = None;
            let mut runs = Vec::new();
            for mapping in self.mappings.iter().filter(|mapping| mapping.is_watched(by)) {
                let pages = mapping.pages();
                match &mut run {
                    Some(run) if pages.start <= run.end => run.end = run.end.max(pages.end),
                    _ => runs.extend(run.replace(pages)),
                }
            }
            runs.extend(run);
            for run in runs {
                self.take(by, run, sink);
            }
        }
    }

    fn find(&self, key: Key) -> Option<usize> {
        let start = *self.starts.get(&key)?;
        self.mappings.binary_search_by_key(&(start, key), |mapping| (mapping.start, mapping.key)).ok()
    }

    fn mode_of(&self, index: usize) -> Watched {
        self.mappings[index].by.map_or(Watched::Compare, |by| self.watches[by].watch.mode())
    }

    fn insert(&mut self, key: Key, start: usize, len: usize, observed: bool, count: u32) -> Watched {
        let mut mapping = Mapping { key, start, len, count, observed, by: None, because: None, shadow: None };
        let mut refusals = self.watch(&mut mapping, 0);
        if mapping.by.is_none() && self.unopened {
            self.unopened = false;
            let opened = self.watches.len();
            self.open(Armed::protection);
            refusals.extend(self.watch(&mut mapping, opened));
        }
        let mut reasons: Vec<String> = self.lacking.iter().cloned().chain(refusals).collect();
        if !reasons.is_empty() {
            let rate = mapping.slow_reads();
            reasons.extend(rate.map(|rate| format!("this is memory of the device, which is read at {rate} MB/s only")));
        }
        mapping.because = (!reasons.is_empty()).then(|| reasons.join("; "));
        self.refused.clone_from(&mapping.because);
        if mapping.by.is_none() {
            mapping.shadow = Some(mapping.copied());
        }
        let index = self.mappings.partition_point(|other| (other.start, other.key) < (start, key));
        self.longest = self.longest.max(len);
        self.starts.insert(key, start);
        self.mappings.insert(index, mapping);
        self.active += 1;
        self.mode_of(index)
    }

    /// Has a new mapping watched by the best means from the `first` on that takes it; gives the refusals of the others.
    fn watch(&mut self, mapping: &mut Mapping, first: usize) -> Vec<String> {
        let mut refusals = Vec::new();
        for (by, armed) in self.watches.iter_mut().enumerate().skip(first) {
            let armed = if mapping.observed && armed.watch.mode() == Watched::Mprotect {
                Err("readback memory is stored to by the GPU, which makes no fault".into())
            } else {
                armed.arm(&mapping.pages())
            };
            match armed {
                Ok(()) => {
                    mapping.by = Some(by);
                    break;
                }
                Err(reason) => refusals.push(reason),
            }
        }
        refusals
    }

    /// A mapping that was kept in mind is mapped again.
    fn watch_again(&mut self, index: usize) {
        let mapping = &mut self.mappings[index];
        let armed = match mapping.by {
            Some(by) => self.watches[by].arm(&mapping.pages()),
            // Others may have changed and reported the same bytes meanwhile.
            None => Err(mapping.because.take().unwrap_or_default()),
        };
        if let Err(reason) = armed {
            mapping.compare_from_now(reason);
        }
    }

    fn remove(&mut self, index: usize) {
        self.disarm(index, false);
        let mapping = self.mappings.remove(index);
        self.starts.remove(&mapping.key);
        if mapping.count > 0 {
            self.active -= 1;
        }
    }

    /// Ends the watch over a mapping, but for what others need of it. `there`: its memory is still mapped; the driver may have
    /// given it back, and the kernel's watch with it.
    fn disarm(&mut self, index: usize, there: bool) {
        let mapping = &self.mappings[index];
        let Some(by) = mapping.by else { return };
        let pages = mapping.pages();
        let stays = self.watches[by].watch.mode() == Watched::Pages;
        let mut keep = Runs::default();
        for other in self.near(&pages).filter(|other| other.by == Some(by) && other.key != mapping.key) {
            if other.count > 0 || stays {
                keep.add(other.pages());
            }
        }
        self.watches[by].disarm(&pages, &keep, there);
    }

    /// Mappings that overlap `pages`, and perhaps some that do not.
    fn near(&self, pages: &Range<usize>) -> impl Iterator<Item = &Mapping> {
        let first = pages.start.saturating_sub(self.longest + PAGE);
        let from = self.mappings.partition_point(|mapping| mapping.start < first);
        let end = pages.end;
        self.mappings[from..].iter().take_while(move |mapping| mapping.start < end)
    }

    /// Takes the written pages of a run and reports them to every mapping watched by the same means that they overlap.
    fn take(&mut self, by: usize, pages: Range<usize>, sink: &mut Sink<'_>) {
        if !self.near(&pages).any(|mapping| mapping.is_watched(by)) {
            return;
        }
        let result = self.watches[by].watch.take(pages.clone(), &mut |region| self.report(by, &region, sink));
        if result.is_err() {
            // The driver put other memory there without our seeing it. Everything may be new; watch it from now on.
            self.watches[by].disarm(&pages, &Runs::default(), false);
            match self.watches[by].arm(&pages) {
                Ok(()) => self.report(by, &pages, sink),
                Err(error) => self.compare_from_now(by, &pages, &error, sink),
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

    fn report(&self, by: usize, region: &Range<usize>, sink: &mut Sink<'_>) {
        for mapping in self.near(region).filter(|mapping| mapping.is_watched(by)) {
            let (from, to) = (region.start.max(mapping.start), region.end.min(mapping.end()));
            mapping.send(from, to, from as *const u8, sink);
        }
    }

    /// The watch failed on these pages after it once worked: their mappings are reported whole, and compared from here on.
    fn compare_from_now(&mut self, by: usize, pages: &Range<usize>, because: &str, sink: &mut Sink<'_>) {
        for mapping in &mut self.mappings {
            if mapping.is_watched(by) && mapping.pages().start < pages.end && mapping.end() > pages.start {
                mapping.compare_from_now(because.to_owned());
                mapping.send_shadow(sink);
            }
        }
    }
}
