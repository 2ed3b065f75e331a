//! Ranges of numbers, possibly overlapping, found by a number inside.
//!
//! Recorded addresses and descriptor handles are both looked up here. Ranges of one size class (a power of two) that hold
//! a number begin within a window of that size before it. So a search looks at one short window for each class in use,
//! however many ranges there are. Invariant: of the ranges that hold a number, the search finds the one inserted last.

use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};

/// Half-open ranges, each with an owner; one owner has at most one range.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "List<T>", from = "List<T>", bound(serialize = "T: Serialize", deserialize = "T: Deserialize<'de>"))]
pub struct Intervals<T: Copy> {
    /// By size class, first number, serial number of the insertion.
    ranges: BTreeMap<(u8, u64, u64), Interval<T>>,
    by_owner: HashMap<u32, (u8, u64, u64)>,
    /// How many ranges each size class has.
    classes: [u32; 64],
    serial: u64,
    /// Answers that hold for all of their range, by the number asked for.
    recent: Box<[Cell<Recent<T>>; RECENT]>,
    /// Rises with every change: older answers may not hold any more.
    version: u64,
}

/// An answer that was found.
type Recent<T> = Option<(u64, Interval<T>)>;

/// Answers that are kept.
const RECENT: usize = 256;
/// Numbers that agree but for this many bits are kept in one place: the alignment of buffers.
const GRAIN: u32 = 16;
/// So many ranges are looked at to know whether an answer holds for all of its range.
const LOOKED_AT: usize = 64;

/// A half-open range and the object that it belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Interval<T> {
    /// The object.
    pub owner: u32,
    /// The first number.
    pub start: u64,
    /// Never 0, and `start + size` does not overflow.
    pub size: u64,
    /// What is known of it.
    pub value: T,
}

impl<T: Copy> Default for Intervals<T> {
    fn default() -> Self {
        Self {
            ranges: BTreeMap::new(),
            by_owner: HashMap::new(),
            classes: [0; 64],
            serial: 0,
            recent: Box::new([const { Cell::new(None) }; RECENT]),
            version: 0,
        }
    }
}

impl<T: Copy> Intervals<T> {
    /// Replaces what the owner had. `false` if the range is empty or does not fit into 64 bits.
    pub fn insert(&mut self, interval: Interval<T>) -> bool {
        if interval.size == 0 || interval.start.checked_add(interval.size).is_none() {
            return false;
        }
        self.remove(interval.owner);
        let class = interval.size.ilog2() as u8;
        let key = (class, interval.start, self.serial);
        self.serial += 1;
        self.version += 1;
        self.classes[usize::from(class)] += 1;
        self.by_owner.insert(interval.owner, key);
        self.ranges.insert(key, interval);
        true
    }

    /// Takes out what the owner has.
    pub fn remove(&mut self, owner: u32) -> Option<Interval<T>> {
        let key = self.by_owner.remove(&owner)?;
        self.version += 1;
        self.classes[usize::from(key.0)] -= 1;
        self.ranges.remove(&key)
    }

    /// What the owner has.
    pub fn of(&self, owner: u32) -> Option<&Interval<T>> {
        self.ranges.get(self.by_owner.get(&owner)?)
    }

    /// Rises with every change.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// All ranges, in no stated order.
    pub fn all(&self) -> impl Iterator<Item = &Interval<T>> {
        self.ranges.values()
    }

    /// The latest range that holds `number`.
    #[inline]
    pub fn find(&self, number: u64) -> Option<Interval<T>> {
        self.find_whole(number).map(|(interval, _)| interval)
    }

    /// The latest range that holds `number`, and whether it is that of all numbers that it holds.
    #[inline]
    pub fn find_whole(&self, number: u64) -> Option<(Interval<T>, bool)> {
        // Fibonacci hashing: the upper bits are the well mixed ones.
        let place = ((number >> GRAIN).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - RECENT.ilog2())) as usize;
        let recent = &self.recent[place % RECENT];
        match recent.get() {
            Some((version, interval))
                if version == self.version && number.wrapping_sub(interval.start) < interval.size =>
            {
                Some((interval, true))
            }
            _ => self.search(number, recent),
        }
    }

    /// As [`Intervals::find_whole`], without what was found before; keeps the answer if it holds for all of its range.
    fn search(&self, number: u64, recent: &Cell<Recent<T>>) -> Option<(Interval<T>, bool)> {
        let mut best: Option<(u64, Interval<T>)> = None;
        for (serial, interval) in self.reaching(number, number) {
            if number - interval.start < interval.size && best.is_none_or(|(newest, _)| newest < serial) {
                best = Some((serial, *interval));
            }
        }
        let (serial, found) = best?;
        let last = found.start + (found.size - 1);
        let mut looked_at = 0;
        let newer = self.reaching(found.start, last).any(|(other, interval)| {
            looked_at += 1;
            looked_at > LOOKED_AT || (other > serial && interval.start + (interval.size - 1) >= found.start)
        });
        if !newer {
            recent.set(Some((self.version, found)));
        }
        Some((found, !newer))
    }

    /// Serial numbers and ranges: all that hold a number from `first` to `last`, and some that end before.
    fn reaching(&self, first: u64, last: u64) -> impl Iterator<Item = (u64, &Interval<T>)> {
        let classes = (0..64u8).filter(|&class| self.classes[usize::from(class)] > 0);
        classes.flat_map(move |class| {
            // A range of this class is shorter than twice its power of two.
            let reach = (2u64 << class).wrapping_sub(1);
            let window = (class, first.saturating_sub(reach), 0)..=(class, last, u64::MAX);
            self.ranges.range(window).map(|(&(_, _, serial), interval)| (serial, interval))
        })
    }
}

/// As it is stored: the ranges in the order of their insertion.
#[derive(Serialize, Deserialize)]
struct List<T>(Vec<Interval<T>>);

impl<T: Copy> From<Intervals<T>> for List<T> {
    fn from(intervals: Intervals<T>) -> List<T> {
        let mut all: Vec<_> = intervals.ranges.into_iter().map(|((.., serial), interval)| (serial, interval)).collect();
        all.sort_by_key(|(serial, _)| *serial);
        List(all.into_iter().map(|(_, interval)| interval).collect())
    }
}

impl<T: Copy> From<List<T>> for Intervals<T> {
    fn from(list: List<T>) -> Intervals<T> {
        let mut intervals = Intervals::default();
        // Ranges that cannot be are not taken: a stored list is as little trusted as a trace.
        list.0.into_iter().for_each(|interval| _ = intervals.insert(interval));
        intervals
    }
}

#[cfg(test)]
mod tests;
