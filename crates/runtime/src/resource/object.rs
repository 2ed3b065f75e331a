//! The resource as an object.

use std::sync::Arc;

use reprise_d3d12::types::{D3D12_HEAP_FLAGS, D3D12_HEAP_PROPERTIES, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_STATES};
use reprise_gpu::buffer::Buffer;
use reprise_gpu::format::Format;
use reprise_gpu::image::Image;

use crate::device::Child;
use crate::register::Number;
use crate::resource::backing::Backing;
use crate::resource::desc;
use crate::resource::tiles::Tiles;

/// The body of `ID3D12Resource`.
pub struct Resource {
    /// Of a buffer's first byte; 0 for textures. Programs ask for it all the time.
    pub address: u64,
    /// The device.
    pub device: Child,
    /// Complete: mip levels counted, alignment filled in.
    pub desc: D3D12_RESOURCE_DESC1,
    /// The description's format; `None` for buffers.
    pub format: Option<&'static Format>,
    /// Of its own heap, or of the one it is placed in.
    pub heap_properties: D3D12_HEAP_PROPERTIES,
    /// The flags of that heap.
    pub heap_flags: D3D12_HEAP_FLAGS,
    /// The state it was created in.
    pub initial_state: D3D12_RESOURCE_STATES,
    /// What the resource is to Vulkan.
    pub backing: Backing,
    /// Of reserved resources.
    pub tiles: Option<Box<Tiles>>,
    /// What checks of descriptors know it by; 0 where there are none.
    pub cookie: u32,
    /// What views of targets know it by.
    pub number: Number,
    /// A swap chain holds it, and gives it to the program again and again.
    pub lasts: bool,
}

impl Resource {
    /// The buffer; `None` for textures.
    #[inline(always)]
    pub fn buffer(&self) -> Option<&Buffer> {
        self.backing.buffer()
    }

    /// The image; `None` for buffers.
    #[inline(always)]
    pub fn image(&self) -> Option<&Arc<Image>> {
        self.backing.image()
    }

    /// Its bytes in the GPU's memory: the first one's address, and how many; no address where the memory has none.
    pub fn range(&self) -> (u64, u64) {
        match (self.buffer(), self.image().and_then(|image| image.slice())) {
            (Some(buffer), _) => (buffer.address, buffer.size),
            (None, Some(slice)) => (slice.address(), slice.size),
            (None, None) => (0, 0),
        }
    }

    /// Whether it can be used without a transition first.
    #[inline]
    pub fn is_begun(&self) -> bool {
        self.image().is_none_or(|image| image.is_begun())
    }

    /// Array layers in Vulkan's sense: 1 for volumes.
    pub fn layers(&self) -> u32 {
        desc::layers(&self.desc)
    }

    /// Subresources of all planes.
    pub fn subresources(&self) -> u32 {
        desc::subresources(&self.desc)
    }
}

impl Drop for Resource {
    fn drop(&mut self) {
        self.device.targets.leave(&self.number);
        if let Some(image) = self.image().filter(|image| !image.is_begun()) {
            self.device.initialisation.forget(image);
        }
    }
}

impl core::fmt::Debug for Resource {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Resource").field("backing", &self.backing).finish_non_exhaustive()
    }
}
