//! Sets of bytes, as ranges. Pure.

use std::ops::Range;

/// Numbers in ranges that neither meet nor overlap, in order.
#[derive(Clone, Default, Debug)]
pub(crate) struct Spans(Vec<Range<u64>>);

impl Spans {
    pub(crate) fn insert(&mut self, mut new: Range<u64>) {
        if new.is_empty() {
            return;
        }
        let first = self.0.partition_point(|old| old.end < new.start);
        let last = self.0.partition_point(|old| old.start <= new.end);
        if let (Some(left), Some(right)) = (self.0.get(first), last.checked_sub(1).and_then(|last| self.0.get(last)))
            && first < last
        {
            new = new.start.min(left.start)..new.end.max(right.end);
        }
        self.0.splice(first..last, [new]);
    }

    pub(crate) fn remove(&mut self, gone: &Range<u64>) {
        if gone.is_empty() {
            return;
        }
        let first = self.0.partition_point(|old| old.end <= gone.start);
        let last = self.0.partition_point(|old| old.start < gone.end);
        if first >= last {
            return;
        }
        let ends = [self.0[first].start..gone.start, gone.end..self.0[last - 1].end];
        self.0.splice(first..last, ends.into_iter().filter(|part| !part.is_empty()));
    }

    /// All ranges.
    pub(crate) fn all(&self) -> &[Range<u64>] {
        &self.0
    }

    /// The parts that lie in a range.
    pub(crate) fn within(&self, range: &Range<u64>) -> Vec<Range<u64>> {
        let first = self.0.partition_point(|old| old.end <= range.start);
        let parts = self.0[first..].iter().map(|old| old.start.max(range.start)..old.end.min(range.end));
        parts.take_while(|part| !part.is_empty()).collect()
    }
}

/// What of a range lies between these parts of it, which are in order.
pub(crate) fn between(range: Range<u64>, parts: &[Range<u64>]) -> impl Iterator<Item = Range<u64>> {
    let starts = core::iter::once(range.start).chain(parts.iter().map(|part| part.end));
    let ends = parts.iter().map(|part| part.start).chain([range.end]);
    starts.zip(ends).map(|(start, end)| start..end).filter(|rest| !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against one truth value a number.
        #[test]
        fn spans_are_the_numbers_that_were_put_in(steps in prop::collection::vec((any::<bool>(), 0..64u64, 0..24u64), 0..40)) {
            let mut spans = Spans::default();
            let mut model = [false; 96];
            for (put, start, len) in steps {
                let range = start..start + len;
                model[start as usize..(start + len) as usize].fill(put);
                if put { spans.insert(range) } else { spans.remove(&range) }
                prop_assert!(spans.0.iter().all(|span| !span.is_empty()));
                prop_assert!(spans.0.windows(2).all(|pair| pair[0].end < pair[1].start), "{:?}", spans);
                for (window, (from, to)) in [(0, 96), (10, 30), (29, 29)].into_iter().enumerate() {
                    let inside = spans.within(&(from..to));
                    let outside: Vec<_> = between(from..to, &inside).collect();
                    for number in from..to {
                        let held = |parts: &[Range<u64>]| parts.iter().any(|part| part.contains(&number));
                        let expected = model[number as usize];
                        prop_assert_eq!((held(&inside), held(&outside)), (expected, !expected), "{} {}", window, number);
                    }
                }
            }
        }
    }
}
