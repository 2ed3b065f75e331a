//! Ranges of addresses that commands have touched. Pure.
//!
//! Invariant: ranges are sorted, not empty, and neither overlap nor touch each other.

use core::ops::Range;

/// A set of addresses.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans(Vec<Range<u64>>);

impl Spans {
    /// The first range that ends at an address or behind it.
    fn from(&self, address: u64) -> usize {
        self.0.partition_point(|span| span.end < address)
    }

    /// Adds a range.
    pub(super) fn add(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let first = self.from(range.start);
        let end = first + self.0[first..].partition_point(|span| span.start <= range.end);
        let joined = match self.0.get(first..end) {
            Some([from, .., to]) => from.start.min(range.start)..to.end.max(range.end),
            Some([one]) => one.start.min(range.start)..one.end.max(range.end),
            _ => range,
        };
        self.0.splice(first..end, [joined]);
    }

    /// Whether an address of a range is in the set.
    pub(super) fn meets(&self, range: &Range<u64>) -> bool {
        let at = self.0.partition_point(|span| span.end <= range.start);
        !range.is_empty() && self.0.get(at).is_some_and(|span| span.start < range.end)
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a table of single addresses.
        #[test]
        fn a_set_has_the_addresses_that_were_added(
            steps in prop::collection::vec((0u64..200, 0u64..20, any::<bool>()), 1..120)
        ) {
            let (mut spans, mut model) = (Spans::default(), [false; 256]);
            for (start, length, add) in steps {
                let range = start..start + length;
                let part = start as usize..(start + length) as usize;
                prop_assert_eq!(spans.meets(&range), model[part.clone()].contains(&true));
                if add {
                    spans.add(range);
                    model[part].fill(true);
                }
                prop_assert!(spans.0.iter().all(|span| !span.is_empty()));
                prop_assert!(spans.0.windows(2).all(|pair| pair[0].end < pair[1].start));
            }
        }
    }
}
