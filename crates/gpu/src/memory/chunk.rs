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
    /// Where the next search begins, for chunks that give bytes out again as late as they can.
    next: Option<u64>,
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
        let mut free = Free { ranges: Vec::new(), fresh: 0, next: None };
        free.give(0..size);
        free
    }

    /// As [`Free::new`]. Bytes that were given back wait for their turn: the search goes round through the chunk. Another process that
    /// does the same calls may give bytes back later, because its GPU is slower, and still finds each place free.
    pub(crate) fn rotating(size: u64) -> Free {
        Free { next: Some(0), ..Free::new(size) }
    }

    /// Takes `size` bytes from the smallest range that has them, so that `base` plus the offset is a multiple of
    /// `alignment` (a power of two, not zero).
    pub(crate) fn take(&mut self, base: u64, size: u64, alignment: u64) -> Option<Taken> {
        let aligned = |at: u64| (base + at).checked_next_multiple_of(alignment).map(|address| address - base);
        let fits = |range: &Range<u64>| aligned(range.start)?.checked_add(size).filter(|end| *end <= range.end);
        let mut candidates = self.ranges.iter().enumerate().filter(|(_, range)| fits(range).is_some());
        let (index, start) = match self.next {
            None => {
                let (index, range) = candidates.min_by_key(|(_, range)| range.end - range.start)?;
                (index, aligned(range.start)?)
            }
            Some(next) => {
                // The rest of the range that the search stands in comes first, and its beginning last.
                let ahead = |range: &Range<u64>| {
                    let start = aligned(range.start.max(next))?;
                    start.checked_add(size).filter(|end| *end <= range.end).map(|_| start)
                };
                let found = self.ranges.iter().enumerate().find_map(|(index, range)| Some((index, ahead(range)?)));
                match found {
                    Some(found) => found,
                    None => {
                        let (index, range) = candidates.next()?;
                        (index, aligned(range.start)?)
                    }
                }
            }
        };
        Some(self.cut(index, start, size))
    }

    /// Takes the `size` bytes at an offset; `None` where one of them is not free.
    pub(crate) fn take_at(&mut self, offset: u64, size: u64) -> Option<Taken> {
        let end = offset.checked_add(size).filter(|_| size != 0)?;
        let index = self.ranges.partition_point(|range| range.end <= offset);
        let range = self.ranges.get(index)?;
        (range.start <= offset && end <= range.end).then(|| self.cut(index, offset, size))
    }

    /// Takes bytes out of a range that has them.
    fn cut(&mut self, index: usize, start: u64, size: u64) -> Taken {
        let whole = self.ranges[index].clone();
        let rest = [whole.start..start, start + size..whole.end];
        self.ranges.splice(index..=index, rest.into_iter().filter(|range| !range.is_empty()));
        let fresh = start >= self.fresh;
        self.fresh = self.fresh.max(start + size);
        if self.next.is_some() {
            self.next = Some(start + size);
        }
        Taken { offset: start, fresh }
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

    /// Against a map of single bytes.
    struct Model {
        owned: Vec<bool>,
        used: Vec<bool>,
    }

    impl Model {
        fn new(size: u64) -> Model {
            Model { owned: vec![false; size as usize], used: vec![false; size as usize] }
        }

        fn is_free(&self, start: u64, amount: u64) -> bool {
            let end = (start + amount) as usize;
            end <= self.owned.len() && self.owned[start as usize..end].iter().all(|taken| !taken)
        }

        fn take(&mut self, Taken { offset, fresh }: Taken, amount: u64) -> Result<(), TestCaseError> {
            let range = offset as usize..(offset + amount) as usize;
            prop_assert!(!fresh || self.used[range.clone()].iter().all(|used| !used));
            self.used[range.clone()].fill(true);
            self.owned[range].fill(true);
            Ok(())
        }

        fn give(&mut self, range: &core::ops::Range<u64>) {
            self.owned[range.start as usize..range.end as usize].fill(false);
        }

        fn check(&self, free: &Free) -> Result<(), TestCaseError> {
            prop_assert_eq!(free.bytes(), self.owned.iter().filter(|taken| !**taken).count() as u64);
            prop_assert!(free.ranges.windows(2).all(|pair| pair[0].end < pair[1].start));
            Ok(())
        }
    }

    proptest! {
        #[test]
        fn never_gives_a_byte_twice(
            steps in prop::collection::vec((any::<bool>(), 1u64..40, 0u32..5), 1..200), base in 0u64..64, rotates: bool
        ) {
            let size = 256;
            let mut free = if rotates { Free::rotating(size) } else { Free::new(size) };
            let (mut model, mut held) = (Model::new(size), Vec::new());
            for (take, amount, alignment) in steps {
                if take || held.is_empty() {
                    let alignment = 1 << alignment;
                    let fits = |start: u64| (base + start).is_multiple_of(alignment) && model.is_free(start, amount);
                    let possible = (0..size).any(fits);
                    match free.take(base, amount, alignment) {
                        Some(taken) => {
                            prop_assert!(fits(taken.offset));
                            model.take(taken, amount)?;
                            held.push(taken.offset..taken.offset + amount);
                        }
                        None => prop_assert!(!possible),
                    }
                } else {
                    let range = held.swap_remove(amount as usize % held.len());
                    model.give(&range);
                    free.give(range);
                }
                model.check(&free)?;
            }
            for range in held {
                free.give(range);
            }
            prop_assert_eq!(free.ranges, Free::new(size).ranges);
        }

        /// A place is given exactly where all of its bytes are free, whatever was taken in between.
        #[test]
        fn gives_the_place_that_is_asked_for(
            steps in prop::collection::vec((0u32..3, 0u64..300, 1u64..60), 1..200)
        ) {
            let size = 256;
            let (mut free, mut model, mut held) = (Free::new(size), Model::new(size), Vec::new());
            for (what, at, amount) in steps {
                match what {
                    0 if !held.is_empty() => {
                        let range: core::ops::Range<u64> = held.swap_remove(at as usize % held.len());
                        model.give(&range);
                        free.give(range);
                    }
                    1 => if let Some(taken) = free.take(0, amount, 4) {
                        model.take(taken, amount)?;
                        held.push(taken.offset..taken.offset + amount);
                    },
                    _ => {
                        let possible = model.is_free(at, amount);
                        let taken = free.take_at(at, amount);
                        prop_assert_eq!(taken.map(|taken| taken.offset), possible.then_some(at));
                        if let Some(taken) = taken {
                            model.take(taken, amount)?;
                            held.push(at..at + amount);
                        }
                    }
                }
                model.check(&free)?;
            }
        }

        /// What one process took and gave back, another gets at the same places, where it gives back at most so much later as the
        /// other bytes of the chunk last.
        #[test]
        fn places_are_free_where_bytes_come_back_late(sizes in prop::collection::vec(1u64..9, 1..300), late in 0usize..8) {
            let size = 256;
            let (mut first, mut second) = (Free::rotating(size), Free::new(size));
            let mut kept = std::collections::VecDeque::new();
            for amount in sizes {
                let at = first.take(0, amount, 1).unwrap().offset;
                first.give(at..at + amount);
                prop_assert_eq!(second.take_at(at, amount).map(|taken| taken.offset), Some(at));
                kept.push_back(at..at + amount);
                if kept.len() > late {
                    second.give(kept.pop_front().unwrap());
                }
            }
        }
    }

    #[test]
    fn no_place_overflows() {
        let mut free = Free::new(256);
        assert_eq!(free.take_at(u64::MAX, 2), None);
        assert_eq!(free.take_at(8, u64::MAX), None);
        assert_eq!(free.take_at(8, 0), None);
        assert_eq!(free.take_at(255, 1).map(|taken| taken.offset), Some(255));
        assert_eq!(free.take_at(255, 1), None);
    }
}
