//! Which of Vulkan's memory types fits a wish. Pure.

use ash::vk::{MemoryPropertyFlags as Flags, PhysicalDeviceMemoryProperties};

/// What memory must be, should be, and should rather not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Without these there is no such memory.
    pub required: Flags,
    /// As many of these as there are.
    pub preferred: Flags,
    /// As few of these as there are.
    pub avoided: Flags,
}

const fn both(one: Flags, other: Flags) -> Flags {
    Flags::from_raw(one.as_raw() | other.as_raw())
}

const HOST: Flags = both(Flags::HOST_VISIBLE, Flags::HOST_COHERENT);
const LOCAL: Flags = Flags::DEVICE_LOCAL;
const CACHED: Flags = Flags::HOST_CACHED;

impl Wish {
    /// Memory of the device, which no process maps.
    pub const DEVICE: Wish = Wish { required: Flags::empty(), preferred: LOCAL, avoided: Flags::HOST_VISIBLE };
    /// Memory that the process writes and the GPU reads.
    pub const UPLOAD: Wish = Wish { required: HOST, preferred: Flags::empty(), avoided: both(LOCAL, CACHED) };
    /// Memory that the process reads.
    pub const READBACK: Wish = Wish { required: HOST, preferred: CACHED, avoided: LOCAL };
    /// Memory of the device that the process writes.
    pub const DEVICE_UPLOAD: Wish = Wish { required: both(HOST, LOCAL), preferred: Flags::empty(), avoided: CACHED };

    /// The best memory type among those that `allowed` has a bit for.
    pub fn pick(&self, memory: &PhysicalDeviceMemoryProperties, allowed: u32) -> Option<u32> {
        let special = Flags::PROTECTED | Flags::LAZILY_ALLOCATED | Flags::DEVICE_COHERENT_AMD | Flags::RDMA_CAPABLE_NV;
        let count = |flags: Flags| flags.as_raw().count_ones();
        let types = &memory.memory_types[..memory.memory_type_count as usize];
        let suits = |flags: Flags| flags.contains(self.required) && !flags.intersects(special);
        let candidates =
            types.iter().enumerate().filter(|(index, row)| allowed & (1 << index) != 0 && suits(row.property_flags));
        // The first of equals: Vulkan orders types by speed.
        let best = candidates.min_by_key(|(_, row)| {
            let flags = row.property_flags;
            count(self.preferred & !flags) * 4 + count(flags & self.avoided)
        });
        best.map(|(index, _)| index as u32)
    }
}

/// Whether all memory is the GPU's and the CPU's alike.
pub fn is_unified(memory: &PhysicalDeviceMemoryProperties) -> bool {
    let heaps = &memory.memory_heaps[..memory.memory_heap_count as usize];
    heaps.iter().all(|heap| heap.flags.contains(ash::vk::MemoryHeapFlags::DEVICE_LOCAL))
}
