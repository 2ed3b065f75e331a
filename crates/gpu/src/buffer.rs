//! Buffers: slices of allocations.

use std::sync::OnceLock;

use ash::vk;

use crate::descriptor::view::{TexelView, Views};
use crate::error::Result;
use crate::memory::Slice;

/// A buffer.
#[derive(Debug)]
pub struct Buffer {
    /// Views, which live as long as the buffer.
    views: OnceLock<Box<Views>>,
    /// The Vulkan buffer of the slice's allocation: lists ask for it with each copy.
    buffer: vk::Buffer,
    /// Its bytes.
    pub slice: Slice,
    /// The address of the first byte.
    pub address: u64,
    /// Bytes, as the caller asked.
    pub size: u64,
}

impl Buffer {
    /// A buffer of the first `size` bytes of a slice.
    pub fn new(slice: Slice, size: u64) -> Buffer {
        let (buffer, address) = (slice.allocation().buffer, slice.address());
        Buffer { views: OnceLock::new(), buffer, address, slice, size }
    }

    /// The Vulkan buffer that the bytes lie in.
    #[inline(always)]
    pub fn vk(&self) -> vk::Buffer {
        self.buffer
    }

    /// The first byte within [`Buffer::vk`].
    #[inline(always)]
    pub fn offset(&self) -> u64 {
        self.slice.offset
    }

    /// A texel view of the Vulkan buffer.
    ///
    /// # Errors
    /// The device has no typed buffers of this format, or no memory for one more.
    #[inline]
    pub fn texels(&self, view: &TexelView) -> Result<vk::BufferView> {
        self.views().texels(self.vk(), view)
    }

    /// The number of the buffer's lifetime, for descriptors.
    #[inline]
    pub fn lifetime(&self) -> u32 {
        self.views().lifetime()
    }

    #[inline]
    fn views(&self) -> &Views {
        self.views.get_or_init(|| Box::new(Views::new(self.slice.allocation().logical())))
    }

    /// The number under which shaders find a texel view as 64-bit texels ([`Views::wide_texels`]).
    ///
    /// # Errors
    /// The device has no such views.
    pub fn wide_texels(&self, view: &TexelView) -> Result<u64> {
        self.views().wide_texels(self.vk(), view)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // Views go before the bytes that they show.
        self.views.take();
    }
}
