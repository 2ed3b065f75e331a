//! The table of rings: the state of each place in it, and which ring has the place.
//!
//! Ring N has the place N modulo the table's length. A later ring takes the place of a ring that is gone, so a program may
//! have any number of threads, one after the other. Invariant: a number is given out once.

use std::sync::atomic::Ordering;

use crate::shared::word::Word;

/// State of a place: no ring had it yet.
const NONE: u64 = 0;
/// The ring is complete.
pub(crate) const READY: u64 = 1;
/// The ring could not be made.
pub(crate) const FAILED: u64 = 2;
/// Everything in the ring is stored, and its file is gone.
const REMOVED: u64 = 3;
/// A thread makes the ring.
const MAKING: u64 = 4;
/// The part of a word that is the state; the upper half counts the rings that had the place before.
const STATE: u64 = u32::MAX as u64;

/// The places.
pub(crate) struct Table<'a, W>(pub(crate) &'a [W]);

impl<W: Word> Table<'_, W> {
    fn len(&self) -> u32 {
        self.0.len() as u32
    }

    /// The word of a ring in a state.
    fn entry(&self, index: u32, state: u64) -> u64 {
        u64::from(index / self.len()) << 32 | state
    }

    fn place(&self, index: u32) -> &W {
        &self.0[(index % self.len()) as usize]
    }

    /// Takes a place that no living ring has, and gives the number that goes with it; `None` where all are in use. `made` is
    /// how many rings there were: where the search begins.
    pub(crate) fn claim(&self, made: u32) -> Option<u32> {
        let first = made % self.len();
        (first..self.len()).chain(0..first).find_map(|place| {
            let word = &self.0[place as usize];
            let found = word.load(Ordering::Acquire);
            let before = match found & STATE {
                NONE => 0,
                FAILED | REMOVED => (found >> 32) + 1,
                _ => return None,
            };
            let index = u32::try_from(before * u64::from(self.len()) + u64::from(place)).ok()?;
            word.replace(found, self.entry(index, MAKING)).then_some(index)
        })
    }

    /// Says of a claimed ring that it is complete, or could not be made. Whoever sees that sees the ring's file.
    pub(crate) fn made(&self, index: u32, complete: bool) {
        let state = if complete { READY } else { FAILED };
        self.place(index).store(self.entry(index, state), Ordering::Release);
    }

    /// Whether a ring is complete, and not removed.
    pub(crate) fn is_ready(&self, index: u32) -> bool {
        self.place(index).load(Ordering::Acquire) == self.entry(index, READY)
    }

    /// Gives up the place of a complete ring. Nothing happens where another ring has it already.
    pub(crate) fn remove(&self, index: u32) {
        self.place(index).replace(self.entry(index, READY), self.entry(index, REMOVED));
    }

    /// The numbers of the rings in a state, rising.
    pub(crate) fn in_state(&self, state: u64) -> Vec<u32> {
        let words = self.0.iter().map(|place| place.load(Ordering::Acquire));
        let there = (0u64..).zip(words).filter(|(_, word)| word & STATE == state);
        let number = |(place, word): (u64, u64)| u32::try_from((word >> 32) * u64::from(self.len()) + place).ok();
        let mut rings: Vec<u32> = there.filter_map(number).collect();
        rings.sort_unstable();
        rings
    }
}
