//! Buffers that the program has released, with the addresses that they had here.
//!
//! The trace knows each creation and release by its call, so no report of the driver is needed to say who lay at an address.

use std::collections::VecDeque;

use crate::report::diagnosis::{Owner, Range};

/// So many are kept; DRED keeps 65,000 (D3D12's DeviceRemovedExtendedData specification).
const MOST: usize = 65_536;

/// Released buffers, oldest first.
#[derive(Default)]
pub(crate) struct Freed {
    call: u64,
    ranges: VecDeque<Range>,
}

impl Freed {
    /// The call that is made next, by which what goes is released.
    pub(crate) fn now(&mut self, call: u64) {
        self.call = call;
    }

    /// A buffer went that lay there.
    pub(crate) fn add(&mut self, resource: u32, address: u64, bytes: u64) {
        if self.ranges.len() >= MOST {
            self.ranges.pop_front();
        }
        self.ranges.push_back(Range { resource, address, bytes, released: Some(self.call) });
    }

    /// The buffer that lay at an address last.
    pub(crate) fn find(&self, address: u64) -> Option<Owner> {
        self.ranges.iter().rev().find_map(|range| range.owner(address))
    }
}

#[cfg(test)]
mod tests {
    use super::Freed;

    #[test]
    fn the_buffer_that_lay_there_last_is_named() {
        let mut freed = Freed::default();
        freed.now(7);
        freed.add(1, 0x1000, 0x100);
        freed.now(9);
        freed.add(2, 0x1080, 0x100);
        let found =
            |address| freed.find(address).map(|owner| (owner.range.resource, owner.range.released, owner.offset));
        assert_eq!(found(0x1010), Some((1, Some(7), 0x10)));
        assert_eq!(found(0x1080), Some((2, Some(9), 0)), "the later one");
        assert_eq!(found(0x117f), Some((2, Some(9), 0xff)));
        assert_eq!((found(0xfff), found(0x1180)), (None, None));
    }
}
