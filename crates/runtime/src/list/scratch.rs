//! Memory that a list needs between two of its own commands.

use ash::vk;

use crate::Result;
use crate::list::recording::Recording;
use reprise_gpu::memory::Slice;

/// Bytes that are taken at a time for small needs.
const CHUNK: u64 = 64 << 10;
/// Every piece begins at a multiple of this: what copies and counts want.
pub(super) const ALIGNMENT: u64 = 16;

/// The memory of a list's commands, kept until the GPU is done with them.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    slices: Vec<Slice>,
    /// Bytes used of the last slice.
    used: u64,
}

/// A piece of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// The Vulkan buffer.
    pub(super) buffer: vk::Buffer,
    /// First byte in it.
    pub(super) offset: u64,
    /// Device address of the first byte.
    pub(super) address: u64,
}

impl Recording {
    /// A piece that no other command of this list uses.
    pub(super) fn scratch(&mut self, size: u64) -> Result<Piece> {
        let fits = |slice: &Slice| slice.size - self.scratch.used >= size;
        if !self.scratch.slices.last().is_some_and(fits) {
            let slice = self.device.memory.scratch(size.max(CHUNK))?;
            self.scratch.slices.push(slice);
            self.scratch.used = 0;
        }
        let Some(slice) = self.scratch.slices.last() else { return Err(crate::Error::MEMORY) };
        let at = self.scratch.used;
        self.scratch.used = (at + size).next_multiple_of(ALIGNMENT).min(slice.size);
        let buffer = slice.allocation.buffer;
        Ok(Piece { buffer, offset: slice.offset + at, address: slice.address() + at })
    }
}
