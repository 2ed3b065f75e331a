//! The meaning of the program's numbers: GPU addresses, and CPU and GPU descriptor handles.
//!
//! The capture layer states the beginning of each buffer and each descriptor heap ([`fact::ADDRESS_RANGE`],
//! [`fact::DESCRIPTOR_HEAP`]). Several live objects may cover a number: a creation may return before the release of the
//! range's former owner does, and placed buffers may overlap. Invariant: the newest of them is named.

use crate::intervals::{Interval, Intervals};
use reprise_trace::fact;
use serde::{Deserialize, Serialize};

/// The numbers that live objects have.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Addresses {
    resources: Intervals<()>,
    /// Bytes between descriptors.
    cpu: Intervals<u32>,
    gpu: Intervals<u32>,
}

/// A place in a resource.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Location {
    /// Id of the resource.
    pub resource: u32,
    /// Bytes from its beginning; its size for the address just past its end.
    pub offset: u64,
}

/// A descriptor of a heap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Slot {
    /// Id of the heap.
    pub heap: u32,
    /// Descriptors from its beginning; its count for the handle just past its end.
    pub index: u32,
}

/// Where the descriptors of a heap begin, as the program was told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeapStart {
    /// The first CPU handle.
    pub cpu: u64,
    /// The first GPU handle; 0 where shaders do not see the heap.
    pub gpu: u64,
    /// Bytes from one descriptor to the next.
    pub increment: u32,
    /// Descriptors in the heap.
    pub count: u32,
}

impl HeapStart {
    /// What a fact of kind [`fact::DESCRIPTOR_HEAP`] states; `None` where its bytes are too few.
    pub fn from_fact(bytes: &[u8]) -> Option<HeapStart> {
        let word = |at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let half = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        Some(HeapStart { cpu: word(0)?, gpu: word(8)?, increment: half(16)?, count: half(20)? })
    }
}

impl Addresses {
    /// The resource that a GPU address lies in, and the distance from its beginning.
    pub fn resource(&self, address: u64) -> Option<Location> {
        // A view of no bytes at the very end of a buffer is legal, and its address lies in no range.
        let range = self.resources.find(address).or_else(|| self.resources.find(address.checked_sub(1)?))?;
        Some(Location { resource: range.owner, offset: address - range.start })
    }

    /// The first GPU address of a resource and its bytes, where the program may know them.
    pub fn of_resource(&self, resource: u32) -> Option<(u64, u64)> {
        self.resources.of(resource).map(|range| (range.start, range.size))
    }

    /// The descriptor that a CPU handle is of; `None` for null, for handles of no live heap, and between descriptors.
    #[inline]
    pub fn cpu(&self, handle: u64) -> Option<Slot> {
        slot(&self.cpu, handle)
    }

    /// The descriptor that a GPU handle is of; `None` for null, for handles of no live heap, and between descriptors.
    #[inline]
    pub fn gpu(&self, handle: u64) -> Option<Slot> {
        slot(&self.gpu, handle)
    }

    /// Bytes between the descriptors of a heap.
    pub fn increment(&self, heap: u32) -> Option<u32> {
        self.cpu.of(heap).map(|range| range.value)
    }

    /// The first CPU handle of a descriptor heap, and the bytes between its descriptors.
    pub fn heap_start(&self, heap: u32) -> Option<(u64, u32)> {
        self.cpu.of(heap).map(|range| (range.start, range.value))
    }

    /// The first GPU handle of a descriptor heap; `None` where shaders do not see it.
    pub fn gpu_heap_start(&self, heap: u32) -> Option<u64> {
        self.gpu.of(heap).map(|range| range.start)
    }

    /// The capture layer states something of an object.
    pub(crate) fn fact(&mut self, object: u32, kind: u32, bytes: &[u8]) {
        let word = |at: usize| bytes.get(at..).and_then(|b| b.first_chunk()).map(|b| u64::from_le_bytes(*b));
        match kind {
            fact::ADDRESS_RANGE => {
                if let (Some(start), Some(size)) = (word(0), word(8))
                    && start != 0
                {
                    self.resources.insert(Interval { owner: object, start, size, value: () });
                }
            }
            fact::DESCRIPTOR_HEAP => {
                let Some(heap) = HeapStart::from_fact(bytes) else { return };
                let size = u64::from(heap.count) * u64::from(heap.increment);
                for (map, start) in [(&mut self.cpu, heap.cpu), (&mut self.gpu, heap.gpu)] {
                    if start != 0 {
                        map.insert(Interval { owner: object, start, size, value: heap.increment });
                    }
                }
            }
            _ => {}
        }
    }

    /// An object is gone: its numbers may be another's from here on.
    pub(crate) fn gone(&mut self, object: u32) {
        self.resources.remove(object);
        self.cpu.remove(object);
        self.gpu.remove(object);
    }
}

#[inline]
fn slot(map: &Intervals<u32>, handle: u64) -> Option<Slot> {
    // Programs make an empty range from the handle just past the end of a heap.
    let range = map
        .find(handle)
        .or_else(|| map.find(handle.checked_sub(1)?).filter(|range| handle - range.start == range.size))?;
    let (bytes, increment) = (handle - range.start, u64::from(range.value));
    // At most the count, which has 32 bits.
    let index = bytes.checked_div(increment).filter(|index| index * increment == bytes)?;
    Some(Slot { heap: range.owner, index: index as u32 })
}
