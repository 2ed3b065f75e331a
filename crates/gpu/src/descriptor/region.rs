//! Memory of descriptor heaps: aligned to its size, zeroed, and backed only once it is touched.

use core::ptr::NonNull;
use std::alloc::Layout;

use crate::error::{Error, Result};
use crate::memory::pages::{map, unmap};

/// From this size on, memory comes from the system in pages.
const MAPPED: usize = 1 << 16;

/// Zeroed memory of a power of two of bytes, aligned to as many.
#[derive(Debug)]
pub struct Region {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: owned memory; who may touch which part is the user's business.
unsafe impl Send for Region {}
// SAFETY: the fields never change; who may touch which part of the memory is the user's business.
unsafe impl Sync for Region {}

impl Region {
    /// `1 << log2` bytes.
    ///
    /// # Errors
    /// There is no memory for so many.
    pub fn new(log2: u32) -> Result<Region> {
        let bytes = 1usize.checked_shl(log2).filter(|&bytes| bytes <= isize::MAX as usize / 2).ok_or(Error::Memory)?;
        let base = if Region::mapped(bytes) {
            map(bytes, bytes)?
        } else {
            // SAFETY: the layout's size is not zero.
            NonNull::new(unsafe { std::alloc::alloc_zeroed(Region::layout(bytes)?) }).ok_or(Error::Memory)?
        };
        Ok(Region { base, bytes })
    }

    fn mapped(bytes: usize) -> bool {
        cfg!(unix) && bytes >= MAPPED
    }

    fn layout(bytes: usize) -> Result<Layout> {
        Layout::from_size_align(bytes, bytes).map_err(|_| Error::Memory)
    }

    /// The first byte; its address is exposed, so that handles can be made into pointers again.
    pub fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        if Region::mapped(self.bytes) {
            unmap(self.base.as_ptr(), self.bytes);
        } else if let Ok(layout) = Region::layout(self.bytes) {
            // SAFETY: allocated with this layout.
            unsafe { std::alloc::dealloc(self.base.as_ptr(), layout) };
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_zero_and_aligned_to_their_size() {
        for log2 in [7, 10, 15, 16, 20, 26] {
            let region = Region::new(log2).unwrap();
            assert_eq!(region.base() as usize % (1 << log2), 0, "2^{log2}");
            for at in [0, (1 << log2) - 1] {
                // SAFETY: inside of the region.
                unsafe {
                    assert_eq!(region.base().add(at).read(), 0);
                    region.base().add(at).write(1);
                }
            }
        }
        assert!(Region::new(63).is_err());
    }
}
