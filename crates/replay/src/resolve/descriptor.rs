//! Descriptor handles: from the number that the program used to (heap, index), as of that point in time.
//!
//! Two maps of this kind exist, one for CPU and one for GPU handles. Invariant: a recorded number is a heap's start plus
//! a whole number of the increment *as recorded*; the replayed one is computed with the start and increment of the
//! runtime that replays.

use std::fmt;

use reprise_timeline::intervals::{Interval, Intervals};

use reprise_codec::light::Alike;

/// The recorded handle ranges of the heaps that are alive.
#[derive(Default)]
pub(crate) struct HandleMap {
    ranges: Intervals<Shape>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shape {
    increment: u32,
    replayed_start: u64,
    replayed_increment: u32,
}

/// A heap as both sides know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HeapHandles {
    /// Id of the descriptor heap.
    pub(crate) heap: u32,
    /// Descriptors in it.
    pub(crate) count: u32,
    /// First handle and bytes between handles, as the program was told.
    pub(crate) start: u64,
    pub(crate) increment: u32,
    /// The same on the runtime that replays.
    pub(crate) replayed_start: u64,
    pub(crate) replayed_increment: u32,
}

/// Why a recorded handle cannot be honoured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HandleError {
    NoHeap { handle: u64 },
    BetweenDescriptors { handle: u64, heap: u32, increment: u32 },
}

impl HandleMap {
    /// `false` if such a heap cannot be.
    pub(crate) fn insert(&mut self, heap: HeapHandles) -> bool {
        let size = u64::from(heap.count) * u64::from(heap.increment);
        let replayed_size = u64::from(heap.count) * u64::from(heap.replayed_increment);
        let value = Shape {
            increment: heap.increment,
            replayed_start: heap.replayed_start,
            replayed_increment: heap.replayed_increment,
        };
        heap.start != 0
            && heap.replayed_start.checked_add(replayed_size).is_some()
            && self.ranges.insert(Interval { owner: heap.heap, start: heap.start, size, value })
    }

    /// The heap is gone.
    pub(crate) fn remove(&mut self, heap: u32) {
        self.ranges.remove(heap);
    }

    /// Heap and index; the handle just past the end has the heap's count as its index.
    #[cfg(test)]
    fn locate(&self, handle: u64) -> Result<(u32, u32), HandleError> {
        let (range, index) = self.find(handle)?;
        Ok((range.owner, index))
    }

    /// The handle of the same descriptor on the runtime that replays. Null stays null.
    #[inline]
    pub(crate) fn replayed(&self, handle: u64) -> Result<u64, HandleError> {
        if handle == 0 {
            return Ok(0);
        }
        let (range, index) = self.find(handle)?;
        Ok(range.value.replayed_start + u64::from(index) * u64::from(range.value.replayed_increment))
    }

    /// The same for the handle of a descriptor inside a heap, and all that are moved alike; `None` for every other one.
    pub(crate) fn alike(&self, handle: u64) -> Option<Alike> {
        let (range, whole) = self.ranges.find_whole(handle)?;
        let Shape { increment, replayed_start, replayed_increment } = range.value;
        let all = Alike::steps(range.start, range.size, replayed_start, increment, replayed_increment);
        match all.filter(|_| whole) {
            Some(all) => Some(all),
            None => Some(Alike::only(handle, self.replayed(handle).ok()?)),
        }
    }

    /// Rises with every change.
    #[inline]
    pub(crate) fn version(&self) -> u64 {
        self.ranges.version()
    }

    /// Whether a number is the handle of a descriptor on the runtime that replays.
    pub(crate) fn is_replayed(&self, handle: u64) -> bool {
        self.ranges.all().any(|range| {
            let shape = range.value;
            let size = range.size / u64::from(shape.increment).max(1) * u64::from(shape.replayed_increment);
            handle.wrapping_sub(shape.replayed_start) < size
        })
    }

    #[inline]
    fn find(&self, handle: u64) -> Result<(Interval<Shape>, u32), HandleError> {
        // Programs make an empty range from the handle just past the end of a heap.
        let range = self
            .ranges
            .find(handle)
            .or_else(|| self.ranges.find(handle.checked_sub(1)?).filter(|range| handle - range.start == range.size))
            .ok_or(HandleError::NoHeap { handle })?;
        let increment = range.value.increment;
        let bytes = handle - range.start;
        if !bytes.is_multiple_of(u64::from(increment)) {
            return Err(HandleError::BetweenDescriptors { handle, heap: range.owner, increment });
        }
        // At most the count, which is 32 bits.
        Ok((range, (bytes / u64::from(increment)) as u32))
    }
}

impl fmt::Display for HandleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoHeap { handle } => {
                write!(f, "the descriptor handle 0x{handle:x} lies in no heap that is alive here")
            }
            Self::BetweenDescriptors { handle, heap, increment } => write!(
                f,
                "the descriptor handle 0x{handle:x} lies in heap {heap}, but not at a multiple of its increment {increment}"
            ),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn heap(id: u32, start: u64) -> HeapHandles {
        HeapHandles {
            heap: id,
            count: 10,
            start,
            increment: 32,
            replayed_start: 0x9_0000 * u64::from(id),
            replayed_increment: 8,
        }
    }

    #[test]
    fn a_handle_belongs_to_the_heap_alive_now() {
        let mut map = HandleMap::default();
        assert!(map.insert(heap(1, 0x1000)));
        assert_eq!(map.replayed(0x1000 + 3 * 32), Ok(0x9_0000 + 3 * 8));
        assert_eq!(map.locate(0x1000 + 10 * 32), Ok((1, 10)), "just past the end");
        assert_eq!(
            map.replayed(0x1004),
            Err(HandleError::BetweenDescriptors { handle: 0x1004, heap: 1, increment: 32 })
        );
        map.remove(1);
        assert_eq!(map.replayed(0x1000), Err(HandleError::NoHeap { handle: 0x1000 }));
        assert!(map.insert(heap(2, 0x1000)));
        assert_eq!(map.locate(0x1020), Ok((2, 1)));
        assert_eq!(map.replayed(0), Ok(0));
    }

    #[test]
    fn heaps_that_cannot_be_are_refused() {
        let mut map = HandleMap::default();
        assert!(!map.insert(HeapHandles { count: 0, ..heap(1, 0x1000) }));
        assert!(!map.insert(HeapHandles { increment: 0, ..heap(1, 0x1000) }));
        assert!(!map.insert(HeapHandles { count: u32::MAX, increment: u32::MAX, ..heap(1, u64::MAX - 5) }));
        assert!(!map.insert(HeapHandles { replayed_start: u64::MAX - 5, ..heap(1, 0x1000) }));
        assert_eq!(map.replayed(0x1000), Err(HandleError::NoHeap { handle: 0x1000 }));
    }

    proptest! {
        /// Heaps side by side, of any increment on either side: every descriptor keeps its heap and index.
        #[test]
        fn every_descriptor_is_found_again(
            heaps in prop::collection::vec((1..50u32, 1..100u32, 1..100u32, 0..3u64), 1..12),
            removed in any::<prop::sample::Index>(),
        ) {
            let mut map = HandleMap::default();
            let mut all = Vec::new();
            let mut next = 0x4000;
            for (id, &(count, increment, replayed_increment, gap)) in (1u32..).zip(&heaps) {
                let heap = HeapHandles {
                    heap: id,
                    count,
                    start: next,
                    increment,
                    replayed_start: 0x1_0000_0000 * u64::from(id),
                    replayed_increment,
                };
                prop_assert!(map.insert(heap));
                next += u64::from(count) * u64::from(increment) + gap * 1000;
                all.push(heap);
            }
            let gone = all.remove(removed.index(all.len()));
            map.remove(gone.heap);
            for heap in &all {
                for index in 0..heap.count {
                    let handle = heap.start + u64::from(index) * u64::from(heap.increment);
                    prop_assert_eq!(map.locate(handle), Ok((heap.heap, index)));
                    let replayed = map.replayed(handle).unwrap();
                    let alike = map.alike(handle).unwrap();
                    for other in handle.saturating_sub(200)..handle + 200 {
                        // What is said to be moved alike is moved so.
                        prop_assert!(alike.of(other).is_none_or(|moved| map.replayed(other) == Ok(moved)));
                    }
                    prop_assert_eq!(alike.of(handle), Some(replayed));
                    prop_assert_eq!(
                        (replayed - heap.replayed_start) / u64::from(heap.replayed_increment),
                        u64::from(index)
                    );
                }
            }
            let last = gone.start + u64::from(gone.count - 1) * u64::from(gone.increment);
            let neighbour = all.iter().any(|heap| heap.start + u64::from(heap.count) * u64::from(heap.increment) == last);
            prop_assert!(map.locate(last).is_err() || neighbour);
        }
    }

    #[test]
    fn the_runtimes_own_handles_are_known() {
        let mut map = HandleMap::default();
        let heap = HeapHandles {
            heap: 1,
            count: 4,
            start: 0x1000,
            increment: 48,
            replayed_start: 0x9000,
            replayed_increment: 32,
        };
        assert!(map.insert(heap));
        for (handle, known) in [(0x8fff, false), (0x9000, true), (0x907f, true), (0x9080, false), (0x1000, false)] {
            assert_eq!(map.is_replayed(handle), known, "{handle:#x}");
        }
    }
}
