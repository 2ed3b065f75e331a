//! Who shares the device's memory: what `D3D12_FEATURE_DATA_ARCHITECTURE` tells of a device. Pure.

use ash::vk::{MemoryHeapFlags, MemoryPropertyFlags, PhysicalDeviceMemoryProperties};

/// Who shares the device's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    /// The device has memory of its own.
    Discrete,
    /// CPU and GPU share all memory.
    Unified,
    /// They share it, and all of it lies in the CPU's caches.
    CacheCoherent,
}

/// Whether the process can map all memory of the device: where it sees a small window only, heaps there would soon be full.
pub(crate) fn maps_local_memory(memory: &PhysicalDeviceMemoryProperties) -> bool {
    let local = |index: usize| memory.memory_heaps[index].flags.contains(MemoryHeapFlags::DEVICE_LOCAL);
    let heaps = (0..memory.memory_heap_count as usize).filter(|index| local(*index));
    let largest = heaps.map(|index| memory.memory_heaps[index].size).max().unwrap_or_default();
    let wanted =
        MemoryPropertyFlags::DEVICE_LOCAL | MemoryPropertyFlags::HOST_VISIBLE | MemoryPropertyFlags::HOST_COHERENT;
    memory.memory_types[..memory.memory_type_count as usize]
        .iter()
        .any(|row| row.property_flags.contains(wanted) && memory.memory_heaps[row.heap_index as usize].size >= largest)
}

impl Architecture {
    /// What the memory heaps and types of a device say.
    pub fn of(memory: &PhysicalDeviceMemoryProperties) -> Architecture {
        let heaps = &memory.memory_heaps[..memory.memory_heap_count as usize];
        if !heaps.iter().all(|heap| heap.flags.contains(MemoryHeapFlags::DEVICE_LOCAL)) {
            return Architecture::Discrete;
        }
        let types = &memory.memory_types[..memory.memory_type_count as usize];
        let cached = types.iter().all(|row| row.property_flags.contains(MemoryPropertyFlags::HOST_CACHED));
        if cached { Architecture::CacheCoherent } else { Architecture::Unified }
    }

    /// Whether all memory is the GPU's and the CPU's alike.
    pub fn is_unified(self) -> bool {
        self != Architecture::Discrete
    }
}
