//! Memory that a list needs between two of its own commands.

use core::ptr::NonNull;

use ash::vk;

use crate::error::{Error, Result};
use crate::memory::Slice;

/// Bytes that are taken at a time for small needs.
const CHUNK: u64 = 64 << 10;
/// Every piece begins at a multiple of this: what copies and counts want.
pub const ALIGNMENT: u64 = 16;

/// The memory of a list's commands, kept until the GPU is done with them.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    slices: Vec<Slice>,
    /// Bytes used of the last slice.
    used: u64,
}

/// A piece of it.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// The Vulkan buffer.
    pub buffer: vk::Buffer,
    /// First byte in it.
    pub offset: u64,
    /// Device address of the first byte.
    pub address: u64,
    /// Where the process sees the first byte; `None` in memory of the device's own.
    pub mapped: Option<NonNull<u8>>,
}

impl Scratch {
    /// A piece that no other command of the list uses. `more` makes memory of so many bytes.
    pub(super) fn take(&mut self, size: u64, more: impl FnOnce(u64) -> Result<Slice>) -> Result<Piece> {
        let fits = |slice: &Slice| slice.size - self.used >= size;
        if !self.slices.last().is_some_and(fits) {
            self.slices.push(more(size.max(CHUNK))?);
            self.used = 0;
        }
        let Some(slice) = self.slices.last() else { return Err(Error::Memory) };
        let at = self.used;
        self.used = (at + size).next_multiple_of(ALIGNMENT).min(slice.size);
        let buffer = slice.allocation().buffer;
        // SAFETY: the piece lies inside of the slice.
        let mapped = slice.mapped().map(|first| unsafe { first.add(at as usize) });
        Ok(Piece { buffer, offset: slice.offset + at, address: slice.address() + at, mapped })
    }
}
