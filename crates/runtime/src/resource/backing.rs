//! What a resource is to Vulkan.

use std::sync::Arc;

use reprise_gpu::buffer::Buffer;
use reprise_gpu::image::Image;

/// The Vulkan part of a resource. Submissions that take an image out of `UNDEFINED` hold it besides.
#[derive(Debug)]
pub enum Backing {
    /// Bytes of an allocation.
    Buffer(Buffer),
    /// An image.
    Image(Arc<Image>),
}

impl Backing {
    /// The buffer; `None` for textures.
    #[inline(always)]
    pub fn buffer(&self) -> Option<&Buffer> {
        match self {
            Backing::Buffer(buffer) => Some(buffer),
            Backing::Image(_) => None,
        }
    }

    /// The image; `None` for buffers.
    #[inline(always)]
    pub fn image(&self) -> Option<&Arc<Image>> {
        match self {
            Backing::Image(image) => Some(image),
            Backing::Buffer(_) => None,
        }
    }
}
