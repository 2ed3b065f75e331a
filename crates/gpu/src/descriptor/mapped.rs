//! Vulkan buffers in memory that the CPU writes.

use std::sync::Arc;

use ash::vk;

use crate::error::{Error, Result};
use crate::logical::Logical;

/// A buffer, its memory, and where the CPU sees it.
#[derive(Debug)]
pub(super) struct Mapped {
    logical: Arc<Logical>,
    pub(super) buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    /// The first byte.
    pub(super) bytes: *mut u8,
    /// Its address for the GPU; 0 if none was asked for.
    pub(super) address: u64,
}

// SAFETY: handles, and a pointer to mapped memory of its own, which is written through unsafe methods only.
unsafe impl Send for Mapped {}
// SAFETY: nobody changes the fields; the memory is written through unsafe methods only.
unsafe impl Sync for Mapped {}

impl Mapped {
    /// `size` bytes, not zero, of any content.
    ///
    /// # Errors
    /// Vulkan is out of memory.
    pub(super) fn new(logical: &Arc<Logical>, size: u64, usage: vk::BufferUsageFlags) -> Result<Mapped> {
        Mapped::within(logical, size, usage, types)
    }

    /// The same where the CPU reads what the GPU writes: in memory that the CPU caches. Reads of the device's own memory take a trip over
    /// the bus for each word (0.25 ms for 512 bytes on an H100).
    ///
    /// # Errors
    /// Vulkan is out of memory.
    pub(super) fn read(logical: &Arc<Logical>, size: u64, usage: vk::BufferUsageFlags) -> Result<Mapped> {
        Mapped::within(logical, size, usage, cached_types)
    }

    fn within(logical: &Arc<Logical>, size: u64, usage: vk::BufferUsageFlags, types: Types) -> Result<Mapped> {
        let mut made = Mapped {
            logical: logical.clone(),
            buffer: vk::Buffer::null(),
            memory: vk::DeviceMemory::null(),
            bytes: core::ptr::null_mut(),
            address: 0,
        };
        let vk = &logical.vk;
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        let addressed = usage.contains(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS);
        // SAFETY: the structures live until the calls return; what is made before a failure goes with `made`.
        unsafe {
            made.buffer = logical.check("vkCreateBuffer", vk.create_buffer(&info, None))?;
            let needs = vk.get_buffer_memory_requirements(made.buffer);
            made.memory = memory(logical, &needs, addressed, types)?;
            let bound = vk.bind_buffer_memory(made.buffer, made.memory, 0);
            logical.check("vkBindBufferMemory", bound)?;
            let mapped = vk.map_memory(made.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
            made.bytes = logical.check("vkMapMemory", mapped)?.cast();
            if addressed {
                let info = vk::BufferDeviceAddressInfo::default().buffer(made.buffer);
                made.address = vk.get_buffer_device_address(&info);
            }
        }
        Ok(made)
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: the heap is gone, so no list in flight uses the buffer. Null handles are passed over.
        unsafe {
            self.logical.vk.destroy_buffer(self.buffer, None);
            self.logical.vk.free_memory(self.memory, None);
        }
    }
}

/// Memory types to try, the best first.
type Types = fn(&vk::PhysicalDeviceMemoryProperties, &vk::MemoryRequirements) -> [Option<u32>; 2];

/// Memory that the CPU uses without flushing.
fn memory(
    logical: &Logical,
    needs: &vk::MemoryRequirements,
    addressed: bool,
    types: Types,
) -> Result<vk::DeviceMemory> {
    let mut error = Error::Memory;
    for index in types(&logical.caps.memory, needs).into_iter().flatten() {
        let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let mut info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index);
        if addressed {
            info = info.push_next(&mut flags);
        }
        // SAFETY: the structures live until the call returns.
        match logical.check("vkAllocateMemory", unsafe { logical.vk.allocate_memory(&info, None) }) {
            Ok(memory) => return Ok(memory),
            Err(failed) => error = failed,
        }
    }
    Err(error)
}

/// Memory that the CPU sees without flushing.
const HOST: vk::MemoryPropertyFlags = vk::MemoryPropertyFlags::from_raw(
    vk::MemoryPropertyFlags::HOST_VISIBLE.as_raw() | vk::MemoryPropertyFlags::HOST_COHERENT.as_raw(),
);

/// The first memory type with these properties that the buffer can have, and whose heap has room for it.
fn find(
    memory: &vk::PhysicalDeviceMemoryProperties,
    needs: &vk::MemoryRequirements,
    wanted: vk::MemoryPropertyFlags,
    room: impl Fn(u64) -> u64,
) -> Option<u32> {
    let heaps = memory.memory_heaps_as_slice();
    let fits = |ty: &vk::MemoryType| needs.size <= room(heaps[ty.heap_index as usize].size);
    let mut types = memory.memory_types_as_slice().iter().enumerate();
    let found = types
        .find(|(at, ty)| needs.memory_type_bits & (1 << at) != 0 && ty.property_flags.contains(wanted) && fits(ty));
    found.map(|(at, _)| at as u32)
}

/// Memory that the CPU caches, or else any that it sees.
fn cached_types(memory: &vk::PhysicalDeviceMemoryProperties, needs: &vk::MemoryRequirements) -> [Option<u32>; 2] {
    [HOST | vk::MemoryPropertyFlags::HOST_CACHED, HOST].map(|wanted| find(memory, needs, wanted, |size| size))
}

/// The device's own memory, where there is a window to it. One heap's descriptors take no more than this part of what the CPU sees of the
/// device's memory: of a window of 256 MiB, 64.
fn types(memory: &vk::PhysicalDeviceMemoryProperties, needs: &vk::MemoryRequirements) -> [Option<u32>; 2] {
    const PART: u64 = 4;
    let window = find(memory, needs, HOST | vk::MemoryPropertyFlags::DEVICE_LOCAL, |size| size / PART);
    [window, find(memory, needs, HOST, |size| size)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a GPU whose window has 256 MiB, and of one whose window is all of its memory.
    #[test]
    fn a_small_window_is_left_to_small_heaps() {
        let flags = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let mut memory =
            vk::PhysicalDeviceMemoryProperties { memory_type_count: 2, memory_heap_count: 2, ..Default::default() };
        memory.memory_heaps[0].size = 64 << 30;
        memory.memory_heaps[1].size = 256 << 20;
        memory.memory_types[0] = vk::MemoryType { property_flags: flags, heap_index: 0 };
        memory.memory_types[1] =
            vk::MemoryType { property_flags: flags | vk::MemoryPropertyFlags::DEVICE_LOCAL, heap_index: 1 };
        let needs = |size| vk::MemoryRequirements { size, alignment: 64, memory_type_bits: 3 };
        assert_eq!(types(&memory, &needs(64 << 20)), [Some(1), Some(0)]);
        assert_eq!(types(&memory, &needs(65 << 20)), [None, Some(0)]);
        memory.memory_heaps[1].size = 80 << 30;
        assert_eq!(types(&memory, &needs(1 << 30)), [Some(1), Some(0)]);
        // What the CPU reads lies in memory that it caches, whatever comes first.
        assert_eq!(cached_types(&memory, &needs(64 << 10)), [None, Some(0)]);
        memory.memory_type_count = 3;
        memory.memory_types[2] =
            vk::MemoryType { property_flags: flags | vk::MemoryPropertyFlags::HOST_CACHED, heap_index: 0 };
        let all = vk::MemoryRequirements { memory_type_bits: 7, ..needs(64 << 10) };
        assert_eq!(cached_types(&memory, &all), [Some(2), Some(0)]);
    }
}
