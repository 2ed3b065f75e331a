//! Zeroed memory: what the API promises of every resource and heap.

use crate::memory::Slice;
use crate::{Device, Result};

/// Makes a slice's bytes zero before anybody else can see them.
pub(super) fn zero(_device: &Device, slice: &Slice) -> Result<()> {
    if let Some(bytes) = slice.mapped() {
        // SAFETY: the slice is mapped, and nobody else has it yet.
        unsafe { core::ptr::write_bytes(bytes.as_ptr(), 0, slice.size as usize) };
        return Ok(());
    }
    // Device-only memory.
    Ok(())
}
