//! The side buffer of a heap of views: offset entries, then counters.

use std::sync::Arc;

use ash::vk;

use crate::descriptor::mapped::Mapped;
use crate::descriptor::offset::{COUNTER, ENTRY, Entry};
use crate::descriptor::publish;
use crate::error::Result;
use crate::logical::Logical;

/// Offset entries and counters of a heap, in memory that the CPU writes.
#[derive(Debug)]
pub(super) struct Side {
    mapped: Mapped,
    count: u32,
    /// Bytes from the beginning to the counters.
    counters: u64,
}

impl Side {
    /// For `count` descriptors, all of them without entry and counter. `usage` beside that of a storage buffer.
    ///
    /// # Errors
    /// Vulkan is out of memory.
    pub(super) fn new(logical: &Arc<Logical>, count: u32, usage: vk::BufferUsageFlags) -> Result<Side> {
        let places = u64::from(count.max(1));
        // The largest alignment that Vulkan allows devices to ask for.
        let counters = (places * ENTRY).next_multiple_of(256);
        let size = counters + places * COUNTER;
        let mapped = Mapped::new(logical, size, vk::BufferUsageFlags::STORAGE_BUFFER | usage)?;
        // SAFETY: the mapping has so many bytes, and nobody else has it.
        unsafe { core::ptr::write_bytes(mapped.bytes, 0, size as usize) };
        Ok(Side { mapped, count, counters })
    }

    /// The buffer, and first byte and bytes of entries and counters in it. Shaders take the size of the entries for the heap's.
    pub(super) fn ranges(&self) -> (vk::Buffer, [(u64, u64); 2]) {
        let places = u64::from(self.count.max(1));
        (self.mapped.buffer, [(0, places * ENTRY), (self.counters, places * COUNTER)])
    }

    /// The same ranges by address; only of a buffer that has one.
    pub(super) fn addresses(&self) -> [(u64, u64); 2] {
        self.ranges().1.map(|(offset, size)| (self.mapped.address + offset, size))
    }

    /// Where the CPU writes.
    pub(super) fn places(&self) -> publish::Side {
        publish::Side {
            entries: self.mapped.bytes.cast(),
            counters: self.mapped.bytes.wrapping_add(self.counters as usize).cast(),
        }
    }

    /// What is there of a descriptor.
    pub(super) fn read(&self, index: u32) -> Option<(Entry, u64)> {
        let places = self.places();
        // SAFETY: the buffer has `count` places of each.
        (index < self.count)
            .then(|| unsafe { (places.entries.add(index as usize).read(), places.counters.add(index as usize).read()) })
    }
}
