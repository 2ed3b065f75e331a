//! Free ranges of a chunk. Pure.
//!
//! Invariant: free ranges are sorted, not empty, and never touch each other.

use std::ops::Range;

/// The free bytes of a chunk.
#[derive(Clone, Debug)]
pub(crate) struct Free {
    ranges: Vec<Range<u64>>,
    /// Nobody has had the bytes from here on.
    fresh: u64,
}

/// Bytes of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    /// The first byte.
    pub(crate) offset: u64,
    /// Whether nobody has had the bytes before. Sometimes `false` where nobody has.
    pub(crate) fresh: bool,
}

impl Free {
    /// All of a chunk of `size` bytes.
    pub(crate) fn new(size: u64) -> Free {
        let mut free = Free { ranges: Vec::new(), fresh: 0 };
        free.give(0..size);
        free
    }

    /// Takes `size` bytes from the smallest range that has them, so that `base` plus the offset is a multiple of
    /// `alignment` (a power of two, not zero).
    pub(crate) fn take(&mut self, base: u64, size: u64, alignment: u64) -> Option<Taken> {
        let aligned = |at: u64| (base + at).checked_next_multiple_of(alignment).map(|address| address - base);
        let fits = |range: &Range<u64>| aligned(range.start)?.checked_add(size).filter(|end| *end <= range.end);
        let candidates = self.ranges.iter().enumerate().filter(|(_, range)| fits(range).is_some());
        let (index, _) = candidates.min_by_key(|(_, range)| range.end - range.start)?;
        let whole = self.ranges[index].clone();
        let start = aligned(whole.start)?;
        let rest = [whole.start..start, start + size..whole.end];
        self.ranges.splice(index..=index, rest.into_iter().filter(|range| !range.is_empty()));
        let fresh = start >= self.fresh;
        self.fresh = self.fresh.max(start + size);
        Some(Taken { offset: start, fresh })
    }

    /// Gives bytes back that [`Free::take`] gave.
    pub(crate) fn give(&mut self, taken: Range<u64>) {
        if taken.is_empty() {
            return;
        }
        let at = self.ranges.partition_point(|range| range.start < taken.start);
        debug_assert!(at == 0 || self.ranges[at - 1].end <= taken.start, "given back twice");
        debug_assert!(self.ranges.get(at).is_none_or(|next| taken.end <= next.start), "given back twice");
        let joins_before = at > 0 && self.ranges[at - 1].end == taken.start;
        let joins_after = self.ranges.get(at).is_some_and(|next| next.start == taken.end);
        match (joins_before, joins_after) {
            (true, true) => {
                self.ranges[at - 1].end = self.ranges[at].end;
                self.ranges.remove(at);
            }
            (true, false) => self.ranges[at - 1].end = taken.end,
            (false, true) => self.ranges[at].start = taken.start,
            (false, false) => self.ranges.insert(at, taken),
        }
    }

    /// Bytes that are free.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> u64 {
        self.ranges.iter().map(|range| range.end - range.start).sum()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::{Free, Taken};

    proptest! {
        /// Against a map of single bytes.
        #[test]
        fn never_gives_a_byte_twice(steps in prop::collection::vec((any::<bool>(), 1u64..40, 0u32..5), 1..200), base in 0u64..64) {
            let size = 256;
            let (mut free, mut owned, mut held) = (Free::new(size), vec![false; 256], Vec::new());
            let mut used = vec![false; 256];
            for (take, amount, alignment) in steps {
                if take || held.is_empty() {
                    let alignment = 1 << alignment;
                    let fits = |start: u64| {
                        (base + start).is_multiple_of(alignment) && start + amount <= size
                            && owned[start as usize..(start + amount) as usize].iter().all(|taken| !taken)
                    };
                    let possible = (0..size).any(fits);
                    match free.take(base, amount, alignment) {
                        Some(Taken { offset: at, fresh }) => {
                            prop_assert!(fits(at));
                            let bytes = &mut used[at as usize..(at + amount) as usize];
                            prop_assert!(!fresh || bytes.iter().all(|used| !used));
                            bytes.fill(true);
                            owned[at as usize..(at + amount) as usize].fill(true);
                            held.push(at..at + amount);
                        }
                        None => prop_assert!(!possible),
                    }
                } else {
                    let range = held.swap_remove(amount as usize % held.len());
                    owned[range.start as usize..range.end as usize].fill(false);
                    free.give(range);
                }
                prop_assert_eq!(free.bytes(), owned.iter().filter(|taken| !**taken).count() as u64);
                prop_assert!(free.ranges.windows(2).all(|pair| pair[0].end < pair[1].start));
            }
            for range in held {
                free.give(range);
            }
            prop_assert_eq!(free.ranges, Free::new(size).ranges);
        }
    }
}
