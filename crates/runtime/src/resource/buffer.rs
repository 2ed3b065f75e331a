//! Buffers: slices of allocations.

use ash::vk;

use crate::memory::Slice;

/// A buffer.
#[derive(Debug)]
pub struct Buffer {
    /// Its bytes.
    pub slice: Slice,
    /// The address of the first byte.
    pub address: u64,
    /// Bytes, as the program asked.
    pub size: u64,
}

impl Buffer {
    /// The Vulkan buffer that the bytes lie in.
    pub fn vk(&self) -> vk::Buffer {
        self.slice.allocation.buffer
    }

    /// The first byte within [`Buffer::vk`].
    pub fn offset(&self) -> u64 {
        self.slice.offset
    }
}
