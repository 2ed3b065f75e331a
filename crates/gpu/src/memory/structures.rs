//! Acceleration structures, which the API names by addresses and Vulkan by objects.
//!
//! An object is made when an address is named for the first time, and when something of another size is built there. It serves
//! structures of both levels. Some drivers answer questions about a structure's size with that of the object. Invariant: objects live as
//! long as the allocation below them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use ash::vk;

use crate::address::Map;
use crate::error::{Error, Result};
use crate::logical::Logical;

/// What the addresses of acceleration structures are multiples of, in both APIs.
const ALIGNMENT: u64 = 256;

/// An acceleration structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Structure {
    /// Vulkan's object.
    pub vk: vk::AccelerationStructureKHR,
    /// Bytes of what is there; `None` while nobody has said, so that the object goes on to the end of its buffer.
    pub size: Option<u64>,
}

/// Vulkan's objects by address, the current one last.
#[derive(Debug, Default)]
pub(crate) struct Structures(Mutex<BTreeMap<u64, Vec<Structure>>>);

impl Structures {
    /// The allocation of `size` bytes at an address goes, and what lies in it.
    pub(super) fn forget(&self, logical: &Logical, address: u64, size: u64) {
        let Some(ext) = &logical.ext.acceleration else { return };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let gone: Vec<u64> = all.range(address..address.saturating_add(size)).map(|(at, _)| *at).collect();
        for structure in gone.iter().filter_map(|at| all.remove(at)).flatten() {
            // SAFETY: the last user of the allocation is gone; queues keep what they use.
            unsafe { ext.destroy_acceleration_structure(structure.vk, None) };
        }
    }

    /// The structure at an address, of so many bytes where that is known; made where there is none.
    pub(super) fn find(
        &self,
        logical: &Logical,
        addresses: &Map,
        address: u64,
        size: Option<u64>,
    ) -> Result<Structure> {
        let ext = logical.ext.acceleration.as_ref().ok_or(Error::Unsupported("acceleration structures"))?;
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.entry(address).or_default();
        let found = known.iter().rposition(|known| size.is_none() || known.size == size);
        if let Some(found) = found {
            let structure = known.remove(found);
            known.push(structure);
            return Ok(structure);
        }
        let place = addresses
            .find(address)
            .filter(|place| place.offset.is_multiple_of(ALIGNMENT) && size.is_none_or(|size| size <= place.left));
        let Some(place) = place else {
            let why = "acceleration structures outside of buffers, or not at a multiple of 256 bytes";
            return Err(Error::Unsupported(why));
        };
        let info = vk::AccelerationStructureCreateInfoKHR::default()
            .buffer(place.buffer)
            .offset(place.offset)
            .size(size.unwrap_or(place.left))
            .ty(vk::AccelerationStructureTypeKHR::GENERIC);
        // SAFETY: the buffer lives, because its address is known; it has the usage wherever the extension is there.
        let made = unsafe { ext.create_acceleration_structure(&info, None) };
        let made = logical.check("vkCreateAccelerationStructureKHR", made)?;
        let info = vk::AccelerationStructureDeviceAddressInfoKHR::default().acceleration_structure(made);
        // SAFETY: the structure was made above.
        if unsafe { ext.get_acceleration_structure_device_address(&info) } != address {
            // SAFETY: the structure was made above, and nobody else knows it.
            unsafe { ext.destroy_acceleration_structure(made, None) };
            // Instances and shaders name structures by the addresses of their buffers.
            return Err(Error::Unsupported("acceleration structures with addresses other than their buffers'"));
        }
        let structure = Structure { vk: made, size };
        known.push(structure);
        Ok(structure)
    }
}
