//! The tiles of one reserved resource that are mapped to heaps.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Mapped tiles, in runs. Invariant: runs do not overlap, and none is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tiles {
    /// By the number of the first tile.
    runs: BTreeMap<u32, Run>,
}

/// Tiles one after the other in the resource that lie one after the other in a heap, or all in one tile of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Tiles of the resource.
    pub count: u32,
    /// Id of the heap.
    pub heap: u32,
    /// The first tile in the heap.
    pub tile: u32,
    /// All lie in this one tile of the heap.
    pub single: bool,
    /// The call that mapped them.
    pub call: u64,
}

impl Run {
    /// The run without so many tiles at its beginning.
    fn from(self, skip: u32) -> Run {
        let tile = if self.single { self.tile } else { self.tile.saturating_add(skip) };
        Run { count: self.count - skip, tile, ..self }
    }
}

impl Tiles {
    /// All runs, by the number of their first tile in the resource.
    pub fn runs(&self) -> impl Iterator<Item = (u32, Run)> {
        self.runs.iter().map(|(first, run)| (*first, *run))
    }

    /// Where a tile lies: the heap, the tile in it, and the call that mapped it.
    pub fn at(&self, tile: u32) -> Option<Run> {
        self.between(tile, 1).next().map(|(_, run)| run)
    }

    /// What of the runs lies among so many tiles from `first` on.
    pub fn between(&self, first: u32, count: u32) -> impl Iterator<Item = (u32, Run)> {
        let end = u64::from(first) + u64::from(count);
        let before = self.runs.range(..first).next_back();
        let runs = before.into_iter().chain(self.runs.range(first..));
        let runs = runs.take_while(move |(start, _)| u64::from(**start) < end);
        runs.filter_map(move |(start, run)| {
            let skip = first.saturating_sub(*start);
            let start = start + skip;
            let count = u64::from(run.count).checked_sub(skip.into())?.min(end - u64::from(start));
            (count > 0).then(|| (start, Run { count: count as u32, ..run.from(skip) }))
        })
    }

    /// Maps tiles from `first` on, in the place of what was mapped there.
    pub(crate) fn map(&mut self, first: u32, run: Run) {
        // Tiles are numbered in 32 bits.
        let run = Run { count: run.count.min(u32::MAX - first), ..run };
        self.clear(first, run.count);
        if run.count > 0 {
            self.runs.insert(first, run);
        }
    }

    /// Unmaps so many tiles from `first` on.
    pub(crate) fn clear(&mut self, first: u32, count: u32) {
        let end = first.saturating_add(count);
        let mut from = self.runs.range(..first).next_back().map_or(first, |(start, _)| *start);
        while let Some((&start, &run)) = self.runs.range(from..end).next() {
            from = start + 1;
            let last = start.saturating_add(run.count);
            if last <= first {
                continue;
            }
            self.runs.remove(&start);
            if start < first {
                self.runs.insert(start, Run { count: first - start, ..run });
            }
            if last > end {
                self.runs.insert(end, run.from(end - start));
            }
        }
    }

    /// A heap is gone: what is mapped there lies nowhere.
    pub(crate) fn forget(&mut self, heap: u32) {
        self.runs.retain(|_, run| run.heap != heap);
    }
}

#[cfg(test)]
mod tests;
