//! Memory pages of the process: aligned, zeroed, and backed by memory only once they are touched.

use core::ptr::NonNull;

use crate::{Error, Result};

/// Pages of the process's own: anonymous and private, which the kernel can watch for stores.
///
/// A forked child has pages of its own there, of zeros: it must neither make the parent's stores go to copies, which the GPU
/// would not see, nor die where it stores itself.
#[derive(Debug)]
pub struct Pages {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: owned memory; who may touch which part is the user's business.
unsafe impl Send for Pages {}
// SAFETY: owned memory; who may touch which part is the user's business.
unsafe impl Sync for Pages {}

impl Pages {
    /// `bytes`, a multiple of the system's pages, at a multiple of `alignment`, a power of two and also such a multiple.
    ///
    /// # Errors
    /// There is no room for so many.
    pub fn new(bytes: usize, alignment: usize) -> Result<Pages> {
        let base = map(bytes, alignment)?;
        #[cfg(unix)]
        // SAFETY: the mapping is ours.
        unsafe {
            libc::madvise(base.as_ptr().cast(), bytes, libc::MADV_WIPEONFORK);
        }
        Ok(Pages { base, bytes })
    }

    /// The first byte.
    pub fn base(&self) -> NonNull<u8> {
        self.base
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        unmap(self.base.as_ptr(), self.bytes);
    }
}

/// Maps pages as [`Pages::new`] does. The caller unmaps them.
///
/// # Errors
/// There is no room for so many.
#[cfg(unix)]
pub fn map(bytes: usize, alignment: usize) -> Result<NonNull<u8>> {
    // More than that, and what is left and right of the aligned part given back: only addresses are spent on it.
    let more = bytes.checked_add(alignment).ok_or(Error::Memory)?;
    // SAFETY: a new private mapping, at a place that the system chooses.
    let all = unsafe {
        libc::mmap(
            core::ptr::null_mut(),
            more,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if all == libc::MAP_FAILED {
        return Err(Error::Memory);
    }
    let all = all.cast::<u8>();
    let lead = all.align_offset(alignment);
    // SAFETY: whole pages of the mapping above, outside of the part that is kept.
    let base = unsafe {
        let base = all.add(lead);
        unmap(all, lead);
        unmap(base.add(bytes), alignment - lead);
        base
    };
    NonNull::new(base).ok_or(Error::Memory)
}

/// Gives back pages that [`map`] made. The caller does not use them any more.
#[cfg(unix)]
pub fn unmap(base: *mut u8, bytes: usize) {
    if bytes != 0 {
        // SAFETY: callers pass pages that they own.
        unsafe { libc::munmap(base.cast(), bytes) };
    }
}

/// There are none here.
///
/// # Errors
/// Always: only Unix has such pages here.
#[cfg(not(unix))]
pub fn map(_bytes: usize, _alignment: usize) -> Result<NonNull<u8>> {
    Err(Error::Unsupported("pages of the system"))
}

/// There are none here.
#[cfg(not(unix))]
pub fn unmap(_base: *mut u8, _bytes: usize) {}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn pages_are_zero_and_aligned() {
        for (bytes, alignment) in [(4096, 4096), (12288, 1 << 16), (1 << 20, 1 << 16), (4096, 1 << 22)] {
            let pages = Pages::new(bytes, alignment).unwrap();
            let base = pages.base().as_ptr();
            assert_eq!(base as usize % alignment, 0);
            for at in [0, bytes - 1] {
                // SAFETY: inside of the pages.
                unsafe {
                    assert_eq!(base.add(at).read(), 0);
                    base.add(at).write(1);
                }
            }
        }
        assert!(Pages::new(usize::MAX - 4095, 4096).is_err());
    }
}
