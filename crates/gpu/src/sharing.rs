//! Who shares the device's memory. Pure.

use ash::vk::{MemoryHeapFlags, MemoryPropertyFlags, PhysicalDeviceMemoryProperties};

/// Who shares the device's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// The device has memory of its own.
    Discrete,
    /// CPU and GPU share all memory.
    Unified,
    /// They share it, and all of it lies in the CPU's caches.
    CacheCoherent,
}

impl Sharing {
    /// What the memory heaps and types of a device say.
    pub fn of(memory: &PhysicalDeviceMemoryProperties) -> Sharing {
        let heaps = &memory.memory_heaps[..memory.memory_heap_count as usize];
        if !heaps.iter().all(|heap| heap.flags.contains(MemoryHeapFlags::DEVICE_LOCAL)) {
            return Sharing::Discrete;
        }
        let types = &memory.memory_types[..memory.memory_type_count as usize];
        let cached = types.iter().all(|row| row.property_flags.contains(MemoryPropertyFlags::HOST_CACHED));
        if cached { Sharing::CacheCoherent } else { Sharing::Unified }
    }

    /// Whether all memory is the GPU's and the CPU's alike.
    pub fn is_unified(self) -> bool {
        self != Sharing::Discrete
    }
}
