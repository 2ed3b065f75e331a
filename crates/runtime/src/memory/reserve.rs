//! Addresses without memory: the buffers of reserved resources.

use std::sync::Arc;

use ash::vk;
use reprise_com::Object;

use crate::error::Context;
use crate::memory::{Allocation, Slice};
use crate::{Device, Error, Result};

/// A sparse buffer of `size` bytes, a multiple of `page`, and the memory types that its pages can be bound to.
pub fn reserve(device: &Object<Device>, size: u64, page: u64) -> Result<(Slice, u32)> {
    let (vk, families) = (&device.vk, device.families.distinct());
    let mut info = vk::BufferCreateInfo::default()
        .flags(
            vk::BufferCreateFlags::SPARSE_BINDING
                | vk::BufferCreateFlags::SPARSE_RESIDENCY
                | vk::BufferCreateFlags::SPARSE_ALIASED,
        )
        .size(size)
        .usage(device.memory.usage());
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
        device: device.keep(),
        memory: vk::DeviceMemory::null(),
        buffer,
        address,
        size,
        mapped: None,
        type_index: vk::MAX_MEMORY_TYPES as u32,
        free: None,
        pages: None,
    };
    if address != 0 {
        device.addresses.insert(address, size, buffer);
    }
    if needs.alignment > page || address == 0 {
        return Err(Error::Unsupported("the device's pages are larger than the API's tiles"));
    }
    let slice = Slice { allocation: Arc::new(allocation), offset: 0, size, owned: false, filled: false };
    Ok((slice, needs.memory_type_bits))
}
