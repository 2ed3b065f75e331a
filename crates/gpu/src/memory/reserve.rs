//! Addresses without memory: the buffers of reserved resources.

use std::sync::Arc;

use ash::vk;

use crate::error::{Context, Error, Result};
use crate::memory::allocation::{Allocation, Slice};
use crate::memory::place::{Class, Origin, Place, Way};
use crate::memory::pools::Memory;
use crate::settings::Addresses;

/// What reserved buffers are among places: they have no memory.
const CLASS: Class = Class { shared: false, mappable: false, heaps: false };

impl Memory {
    /// A sparse buffer of `size` bytes, a multiple of `page`, and the memory types that its pages can be bound to. It lies at
    /// `place`, if it can.
    ///
    /// # Errors
    /// The device's pages are larger than `page`, or Vulkan cannot make the buffer.
    pub fn reserve(&self, size: u64, page: u64, place: Option<&Place>) -> Result<(Slice, u32)> {
        let logical = self.logical();
        let repeats = logical.caps.repeats_addresses();
        if let Some(place) = place {
            let made = match place.origin {
                Origin { way: Way::Opaque { memory: 0, buffer }, class: CLASS } if repeats && buffer != 0 => {
                    self.reserve_at(size, page, Some(buffer), place.address())
                }
                _ => Err(Error::Unsupported("reserved buffers at places of this kind")),
            };
            match made {
                Ok(made) => return Ok(made),
                Err(error) => super::lies_elsewhere(place, &error),
            }
        }
        let repeatable = repeats && logical.instance.settings.addresses == Addresses::Repeatable;
        self.reserve_at(size, page, repeatable.then_some(0), 0)
    }

    /// `opaque`: the opaque capture address that the buffer must have, 0 where it needs to tell one. `base`: the address that it must
    /// have; 0: any.
    fn reserve_at(&self, size: u64, page: u64, opaque: Option<u64>, base: u64) -> Result<(Slice, u32)> {
        let (vk, families) = (&self.logical().vk, self.logical().families.distinct());
        let mut given = vk::BufferOpaqueCaptureAddressCreateInfo::default();
        let mut info = vk::BufferCreateInfo::default()
            .flags(
                vk::BufferCreateFlags::SPARSE_BINDING
                    | vk::BufferCreateFlags::SPARSE_RESIDENCY
                    | vk::BufferCreateFlags::SPARSE_ALIASED,
            )
            .size(size)
            .usage(self.usage());
        if let Some(opaque) = opaque {
            info.flags |= vk::BufferCreateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY;
            if opaque != 0 {
                given.opaque_capture_address = opaque;
                info = info.push_next(&mut given);
            }
        }
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
        let opaque = opaque.map(|_| {
            let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
            // SAFETY: the buffer was made with the flag of capture and replay, on a device with the feature.
            unsafe { vk.get_buffer_opaque_capture_address(&info) }
        });
        let way = opaque.map(|buffer| Way::Opaque { memory: 0, buffer });
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
            origin: way.map(|way| Origin { way, class: CLASS }),
            free: None,
            pages: None,
        };
        if address != 0 {
            self.addresses().insert(address, size, buffer);
        }
        if needs.alignment > page || address == 0 {
            return Err(Error::Unsupported("the device's pages are larger than the API's tiles"));
        }
        if base != 0 && address != base {
            return Err(Error::Unsupported("the driver gives another address than the one asked for"));
        }
        Ok((Slice::whole(Arc::new(allocation), size), needs.memory_type_bits))
    }
}
