//! Descriptor handles: from a recorded number to a heap and an index, as of this point of the trace.
//!
//! There is one map for CPU handles and one for GPU handles. Invariant: a recorded number is a heap's recorded start plus
//! a whole number of recorded increments. The number here has the start and the increment of the runtime that plays.

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

    /// The first recorded handle of a heap, and the bytes of its descriptors.
    pub(crate) fn of(&self, heap: u32) -> Option<(u64, u64)> {
        self.ranges.of(heap).map(|range| (range.start, range.size))
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
mod tests;
