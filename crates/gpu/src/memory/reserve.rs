//! Addresses without memory: the buffers of reserved resources.

use std::sync::Arc;

use ash::vk;

use crate::error::{Context, Error, Result};
use crate::lifetime::Lifetime;
use crate::memory::allocation::{Allocation, Slice};
use crate::memory::place::Place;
use crate::memory::pools::Memory;

impl Memory {
    /// A sparse buffer of `size` bytes, a multiple of `page`, and the memory types that its pages can be bound to. No later process can have
    /// its address again, so it does not lie at `place`, and says so: what tiles show where Vulkan's flag of capture and replay is, is not
    /// to be relied on (see `Memory::take_from`).
    ///
    /// # Errors
    /// The device's pages are larger than `page`, or Vulkan cannot make the buffer.
    pub fn reserve(&self, size: u64, page: u64, place: Option<&Place>) -> Result<(Slice, u32)> {
        if let Some(place) = place {
            super::lies_elsewhere(place, &Error::Unsupported("reserved buffers at recorded addresses"));
        }
        let (vk, families) = (&self.logical().vk, self.logical().families.distinct());
        let mut info = vk::BufferCreateInfo::default()
            .flags(
                vk::BufferCreateFlags::SPARSE_BINDING
                    | vk::BufferCreateFlags::SPARSE_RESIDENCY
                    | vk::BufferCreateFlags::SPARSE_ALIASED,
            )
            .size(size)
            .usage(self.usage());
        if families.len() > 1 {
            info = info.sharing_mode(vk::SharingMode::CONCURRENT).queue_family_indices(&families);
        }
        // SAFETY: plain structures.
        let buffer = unsafe { vk.create_buffer(&info, None) }.call("vkCreateBuffer")?;
        // SAFETY: the buffer is there, and needs no memory to have an address.
        let (needs, address) = unsafe {
            let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
            (vk.get_buffer_memory_requirements(buffer), vk.get_buffer_device_address(&info))
        };
        // From here on the allocation destroys the buffer.
        let allocation = Allocation {
            shared: self.shared.clone(),
            memory: vk::DeviceMemory::null(),
            buffer,
            address,
            size,
            mapped: None,
            type_index: vk::MAX_MEMORY_TYPES as u32,
            outside: None,
            made_zero: false,
            origin: None,
            free: None,
            pages: None,
            lifetime: Lifetime::begin(),
        };
        if address != 0 {
            self.addresses().insert(address, size, buffer, allocation.lifetime.number());
        }
        if needs.alignment > page || address == 0 {
            return Err(Error::Unsupported("the device's pages are larger than the API's tiles"));
        }
        Ok((Slice::whole(Arc::new(allocation), size), needs.memory_type_bits))
    }
}
