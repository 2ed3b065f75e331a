//! Recorded numbers of what is gone: addresses of buffers, handles in descriptor heaps.

use std::collections::VecDeque;
use std::ops::Range;

use reprise_timeline::intervals::{Interval, Intervals};

/// So many are kept.
const MOST: usize = 65_536;

/// Where a buffer was placed here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Placed {
    /// Id of the heap.
    pub(crate) heap: u32,
    /// Bytes from its start.
    pub(crate) offset: u64,
    /// `D3D12_RESOURCE_FLAGS` of the buffer.
    pub(crate) flags: u32,
    /// `D3D12_HEAP_TYPE` of the heap.
    pub(crate) heap_type: u32,
}

/// A buffer or heap that is gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Released {
    pub(crate) resource: u32,
    /// The call that released it.
    pub(crate) call: u64,
    /// From its first number to the one that was looked for.
    pub(crate) offset: u64,
    pub(crate) size: u64,
    /// `None` for all but placed buffers.
    pub(crate) placed: Option<Placed>,
}

/// Ranges that were resources' own.
#[derive(Default)]
pub(crate) struct Ranges {
    ranges: Intervals<(u64, Option<Placed>)>,
    /// Oldest first.
    order: VecDeque<u32>,
}

impl Ranges {
    /// An object went, whose recorded numbers begin at `start`.
    pub(crate) fn add(&mut self, resource: u32, (start, size): (u64, u64), call: u64, placed: Option<Placed>) {
        if self.ranges.insert(Interval { owner: resource, start, size, value: (call, placed) }) {
            self.order.push_back(resource);
        }
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.ranges.remove(oldest);
        }
    }

    /// All of them, the newest first.
    pub(crate) fn newest(&self) -> impl Iterator<Item = Range<u64>> {
        let of = |resource: &u32| self.ranges.of(*resource).map(|it| it.start..it.start + it.size);
        self.order.iter().rev().filter_map(of)
    }

    /// The object that had a number last.
    pub(crate) fn find(&self, address: u64) -> Option<Released> {
        let Interval { owner, start, size, value: (call, placed) } = self.ranges.find(address)?;
        Some(Released { resource: owner, call, offset: address - start, size, placed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_buffer_that_lay_there_last_is_found() {
        let mut ranges = Ranges::default();
        let placed = Some(Placed { heap: 9, offset: 0x1_0000, flags: 0, heap_type: 2 });
        ranges.add(1, (0x1000, 0x100), 7, None);
        ranges.add(2, (0x1080, 0x100), 8, placed);
        let found = |address| ranges.find(address).map(|it| (it.resource, it.call, it.offset, it.placed));
        assert_eq!(found(0x1010), Some((1, 7, 0x10, None)));
        assert_eq!(found(0x1080), Some((2, 8, 0, placed)), "the later one");
        assert_eq!((found(0xfff), found(0x1180)), (None, None));
        assert_eq!(ranges.newest().collect::<Vec<_>>(), [0x1080..0x1180, 0x1000..0x1100]);
    }
}
