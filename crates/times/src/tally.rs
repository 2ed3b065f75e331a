//! What was counted of one row.

use crate::{Counts, Operation};
use serde_json::{Map, Value as Json};
use std::ops::AddAssign;

/// Counts of the GPU, and bytes that calls say to copy and to clear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Of the GPU.
    pub counts: Counts,
    /// Bytes that calls say to copy.
    pub copied: Option<u64>,
    /// Bytes that calls say to clear.
    pub cleared: Option<u64>,
}

impl Tally {
    /// That of one operation.
    #[must_use]
    pub fn of(counts: Counts, operation: Option<&Operation>) -> Tally {
        let bytes = |of: fn(&Operation) -> Option<u64>| operation.and_then(of);
        Tally { counts, copied: bytes(|one| one.copied), cleared: bytes(|one| one.cleared) }
    }

    /// Names and numbers of what was counted.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        let bytes = [("bytes_copied", self.copied), ("bytes_cleared", self.cleared)];
        self.counts.named().chain(bytes.into_iter().filter_map(|(name, bytes)| Some((name, bytes?))))
    }

    /// One number by its name; nothing where it was not counted.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<u64> {
        self.named().find(|(own, _)| *own == name).map(|(_, count)| count)
    }

    /// As JSON.
    #[must_use]
    pub fn json(&self) -> Json {
        self.named().map(|(name, count)| (name.to_owned(), count.into())).collect::<Map<_, _>>().into()
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        self.counts += other.counts;
        (self.copied, self.cleared) = (sum(self.copied, other.copied), sum(self.cleared, other.cleared));
    }
}
