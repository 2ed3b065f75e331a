//! Numbers of calls that rise, kept as runs: a list that one thread records is one run.

use serde::{Deserialize, Serialize};

/// Rising numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runs {
    /// The first number of each run, and how many follow each other without a hole.
    runs: Vec<(u64, u64)>,
    count: u64,
}

impl Runs {
    /// Adds a number that is larger than all before it; others are left out.
    #[inline]
    pub fn push(&mut self, number: u64) {
        match self.runs.last_mut() {
            Some((first, count)) if number == *first + *count => *count += 1,
            Some((first, count)) if number < *first + *count => return,
            _ => self.runs.push((number, 1)),
        }
        self.count += 1;
    }

    /// How many numbers.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The first number and how many there are, of each run.
    pub fn runs(&self) -> &[(u64, u64)] {
        &self.runs
    }

    /// The least and the greatest number.
    pub fn ends(&self) -> Option<(u64, u64)> {
        let ((first, _), (last, count)) = (self.runs.first()?, self.runs.last()?);
        Some((*first, last + count - 1))
    }

    /// Whether the number is one of them.
    pub fn contains(&self, number: u64) -> bool {
        let after = self.runs.partition_point(|(first, _)| *first <= number);
        after.checked_sub(1).is_some_and(|at| number < self.runs[at].0 + self.runs[at].1)
    }

    /// All numbers, rising.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.runs.iter().flat_map(|(first, count)| *first..*first + *count)
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.runs.clear();
        self.count = 0;
    }
}
