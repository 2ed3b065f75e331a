//! Runs of pages: a set of addresses that is kept as disjoint ranges.
//!
//! Invariant: no two runs touch, so the set is as small as the number of gaps in it.

use std::collections::BTreeMap;
use std::ops::Range;

/// Disjoint runs: start to end.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs(BTreeMap<usize, usize>);

impl Runs {
    /// The parts of `pages` that are not in the set.
    pub(super) fn missing(&self, pages: &Range<usize>) -> Vec<Range<usize>> {
        let mut missing = Vec::new();
        let mut from = pages.start;
        let before = self.0.range(..=pages.start).next_back();
        for (&start, &end) in before.into_iter().chain(self.0.range(pages.start + 1..pages.end.max(pages.start + 1))) {
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

    /// The parts of `pages` that are in the set.
    pub(super) fn within(&self, pages: &Range<usize>) -> Vec<Range<usize>> {
        let before = self.0.range(..=pages.start).next_back();
        let touched = before.into_iter().chain(self.0.range(pages.start + 1..pages.end.max(pages.start + 1)));
        let cut = touched.map(|(&start, &end)| start.max(pages.start)..end.min(pages.end));
        cut.filter(|run| !run.is_empty()).collect()
    }

    /// All runs, in rising order.
    pub(super) fn all(&self) -> impl Iterator<Item = Range<usize>> {
        self.0.iter().map(|(&start, &end)| start..end)
    }

    /// Puts `pages` into the set; some may be there.
    pub(super) fn add(&mut self, pages: Range<usize>) {
        if pages.is_empty() {
            return;
        }
        let (mut start, mut end) = (pages.start, pages.end);
        while let Some((&left, &left_end)) = self.0.range(..=end).next_back()
            && left_end >= start
        {
            self.0.remove(&left);
            (start, end) = (start.min(left), end.max(left_end));
        }
        self.0.insert(start, end);
    }

    /// Takes `pages` out of the set; some may not be there.
    pub(super) fn remove(&mut self, pages: &Range<usize>) {
        if pages.is_empty() {
            return;
        }
        while let Some((&start, &end)) = self.0.range(..pages.end).next_back()
            && end > pages.start
        {
            self.0.remove(&start);
            if end > pages.end {
                self.0.insert(pages.end, end);
            }
            if start < pages.start {
                self.0.insert(start, pages.start);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Against a set of single addresses.
    #[test]
    fn as_a_set_of_addresses() {
        let (mut runs, mut set) = (Runs::default(), BTreeSet::new());
        let mut state = 88_172_645_463_325_252_u64;
        let mut next = |end: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % end as u64) as usize
        };
        for _ in 0..4000 {
            let start = next(60);
            let range = start..start + next(12);
            match next(4) {
                0 => {
                    runs.add(range.clone());
                    set.extend(range.clone());
                }
                1 => {
                    runs.remove(&range);
                    set.retain(|at| !range.contains(at));
                }
                2 => {
                    let missing: Vec<usize> = runs.missing(&range).into_iter().flatten().collect();
                    assert_eq!(missing, range.clone().filter(|at| !set.contains(at)).collect::<Vec<_>>());
                }
                _ => {
                    let within: Vec<usize> = runs.within(&range).into_iter().flatten().collect();
                    assert_eq!(within, range.clone().filter(|at| set.contains(at)).collect::<Vec<_>>());
                }
            }
            let ranges: Vec<(usize, usize)> = runs.0.iter().map(|(&start, &end)| (start, end)).collect();
            assert!(ranges.iter().all(|(start, end)| start < end), "{ranges:?}");
            assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0), "{ranges:?}");
        }
        assert!(set.len() > 5);
    }
}
