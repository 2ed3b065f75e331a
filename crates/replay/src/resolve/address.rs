//! GPU virtual addresses: from a recorded number to a place in a resource, as of this point of the trace.
//!
//! A recorded number means nothing on this device. The ranges that are alive now resolve it to a resource and an offset, and the
//! resource has an address here.
//! Invariant: where placed resources overlap, any of them may be named: a heap keeps the relative offsets of its contents,
//! so each gives the same address here. The newest is named.

use std::ops::Range;

use reprise_timeline::intervals::{Interval, Intervals};

/// The recorded address ranges of the resources that are alive.
#[derive(Default)]
pub(crate) struct AddressMap {
    ranges: Intervals<()>,
}

/// Where a recorded address lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Location {
    /// Id of the resource.
    pub(crate) resource: u32,
    /// Bytes from its start; equal to its size for the address just past its end.
    pub(crate) offset: u64,
}

impl AddressMap {
    /// The program was told that `resource`, of `size` bytes, begins at `start`. `false` if that cannot be.
    pub(crate) fn insert(&mut self, resource: u32, start: u64, size: u64) -> bool {
        start != 0 && self.ranges.insert(Interval { owner: resource, start, size, value: () })
    }

    /// The resource is gone; its addresses may belong to another one from here on.
    pub(crate) fn remove(&mut self, resource: u32) {
        self.ranges.remove(resource);
    }

    /// The first recorded address and the bytes of a resource.
    pub(crate) fn of(&self, resource: u32) -> Option<(u64, u64)> {
        self.ranges.of(resource).map(|range| (range.start, range.size))
    }

    /// Rises with every change.
    pub(crate) fn version(&self) -> u64 {
        self.ranges.version()
    }

    /// All addresses that lie in a resource, in rising ranges without overlap, with the place where each begins.
    pub(crate) fn pieces(&self) -> Vec<(Range<u64>, Location)> {
        let mut ends: Vec<u64> = self.ranges.all().flat_map(|range| [range.start, range.start + range.size]).collect();
        ends.sort_unstable();
        ends.dedup();
        let piece = |pair: &[u64]| {
            let range = self.ranges.find(pair[0])?;
            Some((pair[0]..pair[1], Location { resource: range.owner, offset: pair[0] - range.start }))
        };
        ends.windows(2).filter_map(piece).collect()
    }

    /// The resource, first address and bytes of the range that an address lies in, if each address in it belongs to it.
    pub(crate) fn whole(&self, address: u64) -> Option<(u32, u64, u64)> {
        let (range, whole) = self.ranges.find_whole(address)?;
        whole.then_some((range.owner, range.start, range.size))
    }

    pub(crate) fn resolve(&self, address: u64) -> Option<Location> {
        // A view of no bytes at the very end of a buffer is legal, and its address lies in no range.
        let range = self.ranges.find(address).or_else(|| self.ranges.find(address.checked_sub(1)?))?;
        Some(Location { resource: range.owner, offset: address - range.start })
    }
}

#[cfg(test)]
mod tests;
