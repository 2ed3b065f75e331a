//! Which object of one trace is which of the other: those that come out of calls that belong together. And which thread:
//! the one that makes most of the same calls.
//!
//! Invariant: an object or thread belongs to at most one of the other trace, and stays with it.

use super::item::{Item, Kind};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Marks ids without a partner, so that they are equal to nothing of the other trace.
const ONLY_A: u64 = 1 << 32;
const ONLY_B: u64 = 1 << 33;

/// The objects of both traces that belong together.
#[derive(Debug, Default)]
pub(super) struct Matching {
    to_b: HashMap<u32, u32>,
    to_a: HashMap<u32, u32>,
    threads_to_b: HashMap<u32, u32>,
    threads_to_a: HashMap<u32, u32>,
}

/// Which of the two traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    A,
    B,
}

impl Matching {
    /// The object in the numbers of the first trace; marked if it has no partner.
    fn canonical(&self, which: Which, id: u32) -> u64 {
        match which {
            Which::A if self.to_b.contains_key(&id) => id.into(),
            Which::A => u64::from(id) | ONLY_A,
            Which::B => self.to_a.get(&id).map_or(u64::from(id) | ONLY_B, |a| u64::from(*a)),
        }
    }

    /// The same as text, to compare with and never shown.
    pub(super) fn name(&self, which: Which, id: u32) -> String {
        self.canonical(which, id).to_string()
    }

    /// Equal for equal calls on objects that belong together, or may yet (`open`): those without a partner are all alike then.
    pub(super) fn key(&self, which: Which, item: &Item, open: bool) -> u64 {
        if item.objects.is_empty() {
            return item.key;
        }
        let mut hasher = DefaultHasher::new();
        item.key.hash(&mut hasher);
        for id in &item.objects {
            let canonical = self.canonical(which, *id);
            let alone = canonical > u64::from(u32::MAX);
            (if open && alone { u64::MAX } else { canonical }).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Equal for calls of one method on the same object, whatever their arguments; for writes to the same resource.
    pub(super) fn rough_key(&self, which: Which, item: &Item, open: bool) -> u64 {
        let mut hasher = DefaultHasher::new();
        item.kind.hash(&mut hasher);
        let about = match item.kind {
            Kind::Call(method) => crate::api::method(method).is_some_and(|method| method.interface.is_some()),
            Kind::Memory => true,
            Kind::Picture => false,
        };
        if let Some(first) = item.objects.first().filter(|_| about) {
            let canonical = self.canonical(which, *first);
            (if open && canonical > u64::from(u32::MAX) { u64::MAX } else { canonical }).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Finds partners for the threads of a window that have none.
    pub(super) fn learn_threads(&mut self, a: &[Item], b: &[Item]) {
        let mut makers: HashMap<u64, HashSet<u32>> = HashMap::new();
        for item in b.iter().filter(|item| !self.threads_to_a.contains_key(&item.thread)) {
            makers.entry(self.key(Which::B, item, true)).or_default().insert(item.thread);
        }
        if makers.is_empty() {
            return;
        }
        let mut common: HashMap<(u32, u32), u64> = HashMap::new();
        let mut counted = HashSet::new();
        for item in a.iter().filter(|item| !self.threads_to_b.contains_key(&item.thread)) {
            let key = self.key(Which::A, item, true);
            if counted.insert((item.thread, key)) {
                let all = makers.get(&key).into_iter().flatten();
                all.for_each(|thread| *common.entry((item.thread, *thread)).or_default() += 1);
            }
        }
        let mut ranked: Vec<_> = common.into_iter().collect();
        ranked.sort_by_key(|((a, b), count)| (std::cmp::Reverse(*count), a != b, *a, *b));
        for ((a, b), _) in ranked {
            if !self.threads_to_b.contains_key(&a) && !self.threads_to_a.contains_key(&b) {
                self.threads_to_b.insert(a, b);
                self.threads_to_a.insert(b, a);
            }
        }
    }

    /// A thread in the numbers of the first trace; marked if it has no partner.
    pub(super) fn thread(&self, which: Which, thread: u32) -> u64 {
        match which {
            Which::A => thread.into(),
            Which::B => self.threads_to_a.get(&thread).map_or(u64::from(thread) | ONLY_B, |a| u64::from(*a)),
        }
    }

    /// Two calls belong together: so do their objects, where neither has a partner yet.
    pub(super) fn bind(&mut self, a: &Item, b: &Item) {
        if a.objects.len() != b.objects.len() {
            return;
        }
        for (a, b) in a.objects.iter().zip(&b.objects) {
            if !self.to_b.contains_key(a) && !self.to_a.contains_key(b) {
                self.to_b.insert(*a, *b);
                self.to_a.insert(*b, *a);
            }
        }
    }
}
