//! Memory that Vulkan generates commands into.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::logical::Logical;
use crate::vulkan as vk;

/// Bytes that are made at a time for small needs.
const CHUNK: u64 = 1 << 20;
/// Workspaces of a list, as long as those suffice that it has.
pub(super) const MOST: usize = 16;

/// Memory that Vulkan generates commands into; each command has a part of its own.
#[derive(Debug)]
pub(super) struct Workspace {
    logical: Arc<Logical>,
    memory: vk::DeviceMemory,
    /// One bit: its memory type.
    types: u32,
    buffer: vk::Buffer,
    address: u64,
    size: u64,
    used: u64,
}

impl Workspace {
    pub(super) fn new(device: &Arc<Logical>, needs: &vk::MemoryRequirements) -> Result<Workspace> {
        let (memory, buffer) = (vk::DeviceMemory::null(), vk::Buffer::null());
        // Destroys what is there when a step fails.
        let (types, size) = (0, (needs.size + needs.alignment).max(CHUNK));
        let mut made = Workspace { logical: device.clone(), memory, types, buffer, address: 0, size, used: 0 };
        let usage = vk::PREPROCESS_BUFFER | vk::BufferUsageFlags2KHR::SHADER_DEVICE_ADDRESS;
        let mut usage = vk::BufferUsageFlags2CreateInfoKHR::default().usage(usage);
        let info = vk::BufferCreateInfo::default().size(size).push_next(&mut usage);
        let (vk, memories) = (&device.vk, &device.caps.memory);
        // SAFETY: the structures live until the calls return; the memory is as large as the buffer needs.
        unsafe {
            made.buffer = device.check("vkCreateBuffer", vk.create_buffer(&info, None))?;
            let own = vk.get_buffer_memory_requirements(made.buffer);
            let types = own.memory_type_bits & needs.memory_type_bits;
            let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
            let rank = |index: u32| memories.memory_types[index as usize].property_flags.contains(local);
            let index =
                (0..memories.memory_type_count).filter(|index| types & 1 << index != 0).max_by_key(|at| rank(*at));
            let index = index.ok_or(Error::Unsupported("generated commands: no memory for them"))?;
            let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(own.size.max(size))
                .memory_type_index(index)
                .push_next(&mut flags);
            made.memory = device.check("vkAllocateMemory", vk.allocate_memory(&info, None))?;
            device.check("vkBindBufferMemory", vk.bind_buffer_memory(made.buffer, made.memory, 0))?;
            let info = vk::BufferDeviceAddressInfo::default().buffer(made.buffer);
            made.address = vk.get_buffer_device_address(&info);
            made.types = 1 << index;
        }
        Ok(made)
    }

    /// As [`Workspace::take`], once all that was taken is used up on the GPU. Nothing changes where there is no room.
    pub(super) fn take_again(&mut self, needs: &vk::MemoryRequirements) -> Option<u64> {
        let used = core::mem::take(&mut self.used);
        let address = self.take(needs);
        if address.is_none() {
            self.used = used;
        }
        address
    }

    /// The address of an unused part; `None` where there is no room, or not of the right memory.
    pub(super) fn take(&mut self, needs: &vk::MemoryRequirements) -> Option<u64> {
        let start = (self.address + self.used).next_multiple_of(needs.alignment.max(1));
        let end = start + needs.size;
        if end > self.address + self.size || self.types & needs.memory_type_bits == 0 {
            return None;
        }
        self.used = end - self.address;
        Some(start)
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        // SAFETY: made by this device; the submissions of the recording are done. Null handles are passed over.
        unsafe {
            self.logical.vk.destroy_buffer(self.buffer, None);
            self.logical.vk.free_memory(self.memory, None);
        }
    }
}
