//! Opacity micromaps, which the API names by addresses as it does acceleration structures, and Vulkan by objects of another kind.
//!
//! No call of the API says which of both lies at an address that it copies or asks about: what was recorded last to be made there
//! does. Invariant: objects live as long as the allocation below them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ash::vk;

use crate::address::Map;
use crate::error::{Error, Result};
use crate::logical::Logical;

/// What the addresses of micromaps are multiples of, in both APIs.
const ALIGNMENT: u64 = 256;

/// How large a micromap is. Vulkan answers no question about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// So many bytes: it was built, or is a clone.
    Bytes(u64),
    /// As its size once compacted: it is compact.
    Compact,
    /// It was made of its serialised form, or is named before a list that makes it was recorded.
    Unknown,
}

/// A micromap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Micromap {
    /// Vulkan's object.
    pub vk: vk::MicromapEXT,
    /// Its size.
    pub extent: Extent,
}

/// Vulkan's objects by address, and which of them are what lies there.
#[derive(Debug, Default)]
pub struct Micromaps(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    objects: BTreeMap<u64, vk::MicromapEXT>,
    /// What lies at the addresses; none where an acceleration structure was made since.
    extents: BTreeMap<u64, Extent>,
    /// Where serialised micromaps are written.
    serialised: BTreeSet<u64>,
}

impl Micromaps {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The micromap at an address; `None` where something else lies there, or nothing.
    pub fn find(&self, address: u64) -> Option<Micromap> {
        let known = self.known();
        Some(Micromap { vk: *known.objects.get(&address)?, extent: *known.extents.get(&address)? })
    }

    /// An acceleration structure is made at an address.
    pub fn leave(&self, address: u64) {
        self.known().extents.remove(&address);
    }

    /// The serialised form of a structure is written to an address: of a micromap, or of an acceleration structure.
    pub fn serialise(&self, address: u64, micromap: bool) {
        let serialised = &mut self.known().serialised;
        match micromap {
            true => serialised.insert(address),
            false => serialised.remove(&address),
        };
    }

    /// Whether the serialised form of a micromap is written to an address.
    pub fn is_serialised(&self, address: u64) -> bool {
        self.known().serialised.contains(&address)
    }

    /// The allocation of `size` bytes at an address goes, and what lies in it.
    pub(super) fn forget(&self, logical: &Logical, address: u64, size: u64) {
        let Some(ext) = &logical.ext.micromaps else { return };
        let mut known = self.known();
        let range = address..address.saturating_add(size);
        known.extents.retain(|at, _| !range.contains(at));
        known.serialised.retain(|at| !range.contains(at));
        let gone: Vec<u64> = known.objects.range(range).map(|(at, _)| *at).collect();
        for micromap in gone.iter().filter_map(|at| known.objects.remove(at)) {
            // SAFETY: the last user of the allocation is gone; queues keep what they use.
            unsafe { (ext.fp().destroy_micromap_ext)(ext.device(), micromap, core::ptr::null()) };
        }
    }

    /// The object of a micromap that is made at an address. It goes on to the end of its buffer.
    pub(super) fn place(
        &self,
        logical: &Logical,
        addresses: &Map,
        address: u64,
        extent: Extent,
    ) -> Result<vk::MicromapEXT> {
        let ext = logical.ext.micromaps.as_ref().ok_or(Error::Unsupported("opacity micromaps on this device"))?;
        let known = &mut *self.known();
        let vk = match known.objects.get(&address) {
            Some(made) => *made,
            None => {
                let place = addresses.find(address).filter(|place| place.offset.is_multiple_of(ALIGNMENT));
                let why = "opacity micromaps outside of buffers, or not at a multiple of 256 bytes";
                let place = place.ok_or(Error::Unsupported(why))?;
                let info = vk::MicromapCreateInfoEXT::default()
                    .buffer(place.buffer)
                    .offset(place.offset)
                    .size(place.left)
                    .ty(vk::MicromapTypeEXT::OPACITY_MICROMAP);
                let mut made = vk::MicromapEXT::null();
                // SAFETY: the buffer lives, because its address is known; it has the usage wherever the extension is there.
                let result =
                    unsafe { (ext.fp().create_micromap_ext)(ext.device(), &info, core::ptr::null(), &mut made) };
                logical.check("vkCreateMicromapEXT", result.result_with_success(made))?
            }
        };
        known.objects.insert(address, vk);
        known.extents.insert(address, extent);
        Ok(vk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ash::vk::Handle;

    /// What was made last at an address is what lies there.
    #[test]
    fn the_last_one_made_at_an_address_lies_there() {
        let all = Micromaps::default();
        assert_eq!(all.find(256), None);
        let vk = vk::MicromapEXT::from_raw(7);
        all.known().objects.insert(256, vk);
        all.known().extents.insert(256, Extent::Bytes(512));
        assert_eq!(all.find(256), Some(Micromap { vk, extent: Extent::Bytes(512) }));
        all.leave(256);
        assert_eq!(all.find(256), None, "an acceleration structure lies there");
        all.known().extents.insert(256, Extent::Compact);
        assert_eq!(all.find(256), Some(Micromap { vk, extent: Extent::Compact }), "Vulkan's object serves again");

        all.serialise(512, true);
        assert!(all.is_serialised(512) && !all.is_serialised(256));
        all.serialise(512, false);
        assert!(!all.is_serialised(512), "an acceleration structure was written there since");
    }
}
