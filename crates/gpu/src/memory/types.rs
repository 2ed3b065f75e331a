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
    /// Memory of the device that the process writes.
    pub const MAPPED: Wish = Wish { required: both(HOST, LOCAL), preferred: Flags::empty(), avoided: CACHED };
    /// Memory that the process reads.
    pub const READBACK: Wish = Wish { required: HOST, preferred: CACHED, avoided: LOCAL };

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

    /// The type to try once memory of type `full` is used up: one of another Vulkan heap. It prefers the system's memory, because a
    /// small window onto the device's memory would be full soon, too.
    pub fn instead(&self, memory: &PhysicalDeviceMemoryProperties, allowed: u32, full: u32) -> Option<u32> {
        let types = &memory.memory_types[..memory.memory_type_count as usize];
        let heap = types.get(full as usize)?.heap_index;
        let elsewhere = types.iter().enumerate().filter(|(_, row)| row.heap_index != heap);
        let elsewhere = elsewhere.fold(0, |bits, (index, _)| bits | 1 << index);
        let system = Wish { preferred: self.preferred & !LOCAL, avoided: self.avoided | LOCAL, ..*self };
        system.pick(memory, allowed & elsewhere)
    }

    /// The type of a heap. A type that serves all kinds of resources in it (`all`) is best. Where there is none, the heap is made of
    /// one of the types of `buffers`, and textures placed in it have memory of their own. NVIDIA keeps images out of memory that the
    /// CPU sees; old devices keep attachments apart.
    pub fn pick_for_heap(&self, memory: &PhysicalDeviceMemoryProperties, all: u32, buffers: u32) -> Option<u32> {
        self.pick(memory, all).or_else(|| self.pick(memory, buffers))
    }
}

#[cfg(test)]
mod tests;
