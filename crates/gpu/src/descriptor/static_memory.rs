//! Memory of static samplers, where heaps are buffers: one buffer for the root signatures of a device, so that it stays bound.
//!
//! The samplers are immutable in their set layouts, and Vulkan reads them from the buffer all the same. Samplers that a layout
//! embeds (`vkCmdBindDescriptorBufferEmbeddedSamplersEXT`) would need no memory, but Mesa's lavapipe (25.0) writes those over the
//! first buffer that is bound.

use std::sync::{Mutex, PoisonError};

use ash::vk;

use crate::descriptor::layout::Layouts;
use crate::descriptor::mapped::Mapped;
use crate::descriptor::plan::Sizes;
use crate::descriptor::table::Table;
use crate::error::{Error, Result};
use crate::memory::chunk::Free;

/// Samplers that have room: those of thousands of root signatures.
const ROOM: u64 = 1 << 16;

/// The buffer, and its free bytes.
#[derive(Debug)]
pub(super) struct StaticMemory {
    mapped: Mapped,
    free: Mutex<Free>,
    alignment: u64,
    sampler: usize,
}

/// Bytes of a root signature's samplers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// From the buffer's beginning.
    pub(super) offset: u64,
    size: u64,
}

const USAGE: vk::BufferUsageFlags = vk::BufferUsageFlags::from_raw(
    vk::BufferUsageFlags::SAMPLER_DESCRIPTOR_BUFFER_EXT.as_raw() | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS.as_raw(),
);

impl StaticMemory {
    /// Makes the buffer.
    ///
    /// # Errors
    /// Vulkan is out of memory.
    pub(super) fn new(layouts: &Layouts) -> Result<StaticMemory> {
        let logical = layouts.logical();
        let device = &logical.caps.descriptor_buffer;
        let sampler = Sizes::of(device).of_table(Table::Sampler);
        let size = (ROOM * u64::from(sampler)).min(device.max_sampler_descriptor_buffer_range);
        Ok(StaticMemory {
            mapped: Mapped::new(logical, size, USAGE)?,
            free: Mutex::new(Free::new(size)),
            alignment: device.descriptor_buffer_offset_alignment.max(1),
            sampler: sampler as usize,
        })
    }

    /// Writes samplers to a part of the memory as a set of the layout: binding `n` is the n-th.
    ///
    /// # Errors
    /// There is no room.
    pub(super) fn put(
        &self,
        functions: &ash::ext::descriptor_buffer::Device,
        layout: vk::DescriptorSetLayout,
        samplers: &[vk::Sampler],
    ) -> Result<Part> {
        // SAFETY: the layout is for descriptor buffers.
        let size = unsafe { functions.get_descriptor_set_layout_size(layout) };
        let taken = self.free.lock().unwrap_or_else(PoisonError::into_inner).take(0, size, self.alignment);
        let taken = taken
            .ok_or(Error::Failed("more static samplers in root signatures than descriptor buffers have room for"))?;
        let part = Part { offset: taken.offset, size };
        for (sampler, binding) in samplers.iter().zip(0..) {
            let data = vk::DescriptorDataEXT { p_sampler: sampler };
            let info = vk::DescriptorGetInfoEXT { ty: vk::DescriptorType::SAMPLER, data, ..Default::default() };
            // SAFETY: the binding lies within the set, whose bytes are mapped and nobody else's.
            unsafe {
                let at = part.offset + functions.get_descriptor_set_layout_binding_offset(layout, binding);
                let place = self.mapped.bytes.add(at as usize);
                functions.get_descriptor(&info, core::slice::from_raw_parts_mut(place, self.sampler));
            }
        }
        Ok(part)
    }

    /// Takes a part back that nothing uses any more.
    pub(super) fn take_back(&self, part: Part) {
        let range = part.offset..part.offset + part.size;
        self.free.lock().unwrap_or_else(PoisonError::into_inner).give(range);
    }

    /// The buffer's address and usage, as Vulkan binds it.
    pub(super) fn binding(&self) -> (u64, vk::BufferUsageFlags) {
        (self.mapped.address, USAGE)
    }
}
