//! CPU descriptors that calls in batches read when they are recorded.
//!
//! A list reads render targets, and the views that it clears, when the call is recorded: the program may write a descriptor again
//! right after it. Invariant: [`Reads::meet`] meets every descriptor that was noted since the last `clear`. It may meet others,
//! too: ranges are rounded up, and many of them count as one.

use std::ops::Range;

/// No runtime has larger descriptors.
const LARGEST: u64 = 256;
/// Ranges that are told apart; with more, every write is taken to meet one.
const MOST: usize = 64;

/// Numbers of descriptors, on the runtime's side.
#[derive(Default)]
pub(crate) struct Reads {
    ranges: Vec<Range<u64>>,
    /// From the lowest to the highest: most writes are elsewhere.
    around: Range<u64>,
    /// Any descriptor may be read.
    all: bool,
}

/// The numbers of descriptors in a row.
fn row(first: u64, count: u64) -> Range<u64> {
    first..first.saturating_add(count.saturating_mul(LARGEST))
}

impl Reads {
    /// So many descriptors are read, from this one on.
    pub(crate) fn note(&mut self, first: u64, count: u64) {
        if first == 0 || count == 0 || self.all || self.ranges.iter().any(|range| *range == row(first, count)) {
            return;
        }
        let range = row(first, count);
        self.around = match self.ranges.is_empty() {
            true => range.clone(),
            false => self.around.start.min(range.start)..self.around.end.max(range.end),
        };
        self.ranges.push(range);
        self.all = self.ranges.len() > MOST;
    }

    /// Any descriptor may be read.
    pub(crate) fn note_all(&mut self) {
        self.all = true;
    }

    /// Whether a write to so many descriptors may meet one that is read.
    #[inline]
    pub(crate) fn meet(&self, first: u64, count: u64) -> bool {
        let written = row(first, count);
        let meets = |range: &Range<u64>| written.start < range.end && range.start < written.end;
        self.all || (meets(&self.around) && self.ranges.iter().any(meets))
    }

    /// Whether any write may meet one.
    #[inline]
    pub(crate) fn are_any(&self) -> bool {
        self.all || !self.ranges.is_empty()
    }

    /// All of them were read.
    pub(crate) fn clear(&mut self) {
        self.ranges.clear();
        (self.around, self.all) = (0..0, false);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a list of single descriptors, for the smallest and largest that there are.
        #[test]
        fn what_is_read_is_met(
            size in prop::sample::select(vec![1u64, 32, LARGEST]),
            noted in prop::collection::vec((1..5000u64, 0..4u64), 0..80),
            written in prop::collection::vec((1..5000u64, 1..4u64), 1..40),
        ) {
            let mut reads = Reads::default();
            for &(at, count) in &noted {
                reads.note(at * size, count);
            }
            for (at, count) in written {
                let met = noted.iter().any(|&(first, read)| read > 0 && at < first + read && first < at + count);
                prop_assert!(!met || reads.meet(at * size, count), "{} {}", at, count);
            }
            reads.clear();
            prop_assert!(!reads.are_any() && !reads.meet(size, 4));
        }
    }

    #[test]
    fn what_lies_apart_is_told_apart() {
        let mut reads = Reads::default();
        assert!(!reads.meet(0x1000, 1));
        reads.note(0x1000, 2);
        reads.note(0x9000, 1);
        assert!(reads.meet(0x1000 + 2 * LARGEST - 1, 1) && reads.meet(0x9000, 1));
        assert!(!reads.meet(0x1000 + 2 * LARGEST, 1) && !reads.meet(0x1000 - LARGEST, 1));
        reads.note(0, 8);
        assert!(!reads.meet(0, 1), "no descriptor has the number 0");
        reads.note_all();
        assert!(reads.meet(0x5000, 1));
    }
}
