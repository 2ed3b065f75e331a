//! Giving memory to other devices and processes, and opening theirs.

use ash::vk;

use crate::error::{Error, Result};
use crate::memory::allocation::Slice;
use crate::memory::outside::{Described, Foreign, KIND};
use crate::memory::pools::Memory;

impl Memory {
    /// Whether other devices and processes can be given memory with buffers in it.
    pub fn shares(&self) -> bool {
        let logical = self.logical();
        if logical.ext.memory_files.is_none() || cfg!(not(unix)) {
            return false;
        }
        let ask = vk::PhysicalDeviceExternalBufferInfo::default().usage(self.usage()).handle_type(KIND);
        let mut answer = vk::ExternalBufferProperties::default();
        // SAFETY: plain structures; the adapter lives as long as the device.
        unsafe {
            let instance = &logical.instance.instance;
            instance.get_physical_device_external_buffer_properties(logical.physical, &ask, &mut answer);
        }
        let both = vk::ExternalMemoryFeatureFlags::EXPORTABLE | vk::ExternalMemoryFeatureFlags::IMPORTABLE;
        let features = answer.external_memory_properties.external_memory_features;
        features.contains(both) && !features.contains(vk::ExternalMemoryFeatureFlags::DEDICATED_ONLY)
    }

    /// The file of memory that was asked for as such, and what must be said of it; `None` where the memory is no such.
    ///
    /// # Errors
    /// The process has too many files.
    #[cfg(unix)]
    pub fn give(&self, slice: &Slice) -> Result<Option<(Foreign, Described)>> {
        use std::os::fd::FromRawFd;

        use crate::error::Context;
        let allocation = slice.allocation();
        let (Some(outside), Some(files)) = (allocation.outside, &self.logical().ext.memory_files) else {
            return Ok(None);
        };
        if !slice.is_whole() {
            return Ok(None);
        }
        let info = vk::MemoryGetFdInfoKHR::default().memory(allocation.memory).handle_type(KIND);
        // SAFETY: the memory was made to be exported so.
        let file = unsafe { files.get_memory_fd(&info) }.call("vkGetMemoryFdKHR")?;
        let described = Described {
            allocated: outside.allocated,
            size: slice.size,
            type_index: allocation.type_index,
            dedicated: outside.dedicated,
            mapped: allocation.mapped.is_some(),
        };
        // SAFETY: Vulkan gives a new file, which nobody else owns.
        Ok(Some((unsafe { Foreign::from_raw_fd(file) }, described)))
    }

    /// Memory that another device or process gave. `image`: the one that it is for, where it was made for one.
    ///
    /// # Errors
    /// The device cannot open it, or what is said of it cannot be.
    pub fn open(&self, described: &Described, file: Foreign, image: vk::Image, addressed: bool) -> Result<Slice> {
        use std::sync::Arc;

        use crate::memory::create::{Wanted, allocation_of};
        let Described { allocated, size, type_index, dedicated, mapped } = *described;
        let known = type_index < self.logical().caps.memory.memory_type_count && size != 0 && size <= allocated;
        if !known || self.logical().ext.memory_files.is_none() {
            return Err(Error::Invalid("memory was given as what this device does not have"));
        }
        check_size(&file, allocated)?;
        let dedicated = if dedicated { image } else { vk::Image::null() };
        let wanted =
            Wanted { size, index: type_index, addressed, dedicated, mapped, outside: true, ..Wanted::default() };
        Ok(Slice::whole(Arc::new(allocation_of(self, &wanted, Some((allocated, file)))?), size))
    }
}

/// A file of ordinary memory (Mesa's software rasteriser) ends somewhere; who reads beyond its end dies. Drivers of hardware check.
#[cfg(unix)]
fn check_size(file: &Foreign, allocated: u64) -> Result<()> {
    let failed = |_| Error::Invalid("a file that was given as memory is none");
    let data = std::fs::File::from(file.try_clone().map_err(failed)?).metadata().map_err(failed)?;
    if data.is_file() && data.len() < allocated {
        return Err(Error::Invalid("memory that was given is smaller than its sender says"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_size(file: &Foreign, _allocated: u64) -> Result<()> {
    match *file {}
}
