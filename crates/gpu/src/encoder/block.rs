//! Root arguments in a uniform buffer, for root signatures that the device's push constants have no room for.
//!
//! Invariant: each block has memory of its own, because the GPU reads it when the list is executed.

use ash::vk;

use crate::encoder::words::WORDS;
use crate::encoder::{Encoder, Piece};
use crate::error::{Error, Result};
use crate::memory::CpuAccess;

/// Bytes of a block. A multiple of the alignment of uniform buffers, which Vulkan allows to be 256 at most.
pub const BLOCK: u64 = 4 * WORDS as u64;

impl Encoder {
    /// Binds a uniform buffer with these words to a set of push descriptors, at binding 0.
    ///
    /// # Errors
    /// The device is out of memory, or has no push descriptors.
    pub fn push_block(&mut self, place: (vk::PipelineBindPoint, vk::PipelineLayout, u32), words: &[u32]) -> Result<()> {
        let block = self.block(words)?;
        self.bind_block(place, &block, BLOCK)
    }

    /// A uniform buffer with these words.
    ///
    /// # Errors
    /// The device is out of memory.
    pub fn block(&mut self, words: &[u32]) -> Result<Piece> {
        self.upload_words(&words[..words.len().min(WORDS)])
    }

    /// Memory with these words, as [`Encoder::upload`].
    ///
    /// # Errors
    /// The device is out of memory.
    pub fn upload_words(&mut self, words: &[u32]) -> Result<Piece> {
        let piece = self.upload((4 * words.len() as u64).max(BLOCK))?;
        let place = piece.mapped.ok_or(Error::Failed("upload memory that is not mapped"))?;
        // SAFETY: the piece has room for the words, and nothing else uses it.
        unsafe { core::ptr::copy_nonoverlapping(words.as_ptr(), place.as_ptr().cast::<u32>(), words.len()) };
        Ok(piece)
    }

    /// Memory that the process writes now and the GPU reads when the list is executed.
    ///
    /// # Errors
    /// The device is out of memory.
    pub fn upload(&mut self, bytes: u64) -> Result<Piece> {
        let memory = &self.device.memory;
        // Blocks of root arguments begin at multiples of their size.
        self.blocks.take(bytes.next_multiple_of(BLOCK), |bytes| memory.buffer(CpuAccess::Upload, bytes))
    }

    /// Binds a uniform buffer of so many bytes, which begins with root arguments, to a set of push descriptors, at binding 0.
    ///
    /// # Errors
    /// The device has no push descriptors.
    pub fn bind_block(
        &self,
        (point, layout, set): (vk::PipelineBindPoint, vk::PipelineLayout, u32),
        piece: &Piece,
        size: u64,
    ) -> Result<()> {
        let extension = self.device.ext.push_descriptor.as_ref();
        let extension =
            extension.ok_or(Error::Unsupported("root arguments in memory, without VK_KHR_push_descriptor"))?;
        let buffer = [vk::DescriptorBufferInfo { buffer: piece.buffer, offset: piece.offset, range: size }];
        let write = vk::WriteDescriptorSet::default()
            .dst_binding(0)
            .descriptor_type(vk::DescriptorType::UNIFORM_BUFFER)
            .buffer_info(&buffer);
        // SAFETY: the recording keeps the memory; the layout has a set of push descriptors there.
        unsafe { extension.cmd_push_descriptor_set(self.buffer, point, layout, set, &[write]) };
        Ok(())
    }
}
