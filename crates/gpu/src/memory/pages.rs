//! Memory pages of the process: aligned, zeroed, and backed by memory only once they are touched.

use core::ptr::NonNull;

use crate::{Error, Result};

/// Pages of the process's own: anonymous and, unless they are asked for as shared, private. The kernel can watch them for stores.
///
/// A forked child of a process with private pages has pages of its own there, of zeros: it must neither make the parent's stores go to copies, which the GPU
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
        Ok(Pages::own(map(bytes, alignment)?, bytes))
    }

    /// As [`Pages::new`], at this address, a multiple of the system's pages.
    ///
    /// # Errors
    /// Something lies there, or the process has no such address.
    pub fn at(address: u64, bytes: usize) -> Result<Pages> {
        Ok(Pages::own(map_at(address, bytes, false)?, bytes))
    }

    /// As [`Pages::at`], but shared ones: a capture can map them a second time, so that stores of the process and of the GPU's threads
    /// go through mappings of their own. A forked child shares them, as it shares the driver's memory on such devices.
    ///
    /// # Errors
    /// As [`Pages::at`].
    pub fn shared_at(address: u64, bytes: usize) -> Result<Pages> {
        Ok(Pages { base: map_at(address, bytes, true)?, bytes })
    }

    /// Takes over pages that were just mapped.
    fn own(base: NonNull<u8>, bytes: usize) -> Pages {
        #[cfg(unix)]
        // SAFETY: the mapping is ours.
        unsafe {
            libc::madvise(base.as_ptr().cast(), bytes, libc::MADV_WIPEONFORK);
        }
        Pages { base, bytes }
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

/// Maps pages as [`Pages::at`] does. The caller unmaps them.
///
/// # Errors
/// Something lies there, or the process has no such address.
#[cfg(unix)]
fn map_at(address: u64, bytes: usize, shared: bool) -> Result<NonNull<u8>> {
    let wanted = core::ptr::without_provenance_mut::<u8>(usize::try_from(address).map_err(|_| Error::Memory)?);
    let kind = if shared { libc::MAP_SHARED } else { libc::MAP_PRIVATE };
    // SAFETY: a new mapping, which replaces none: a kernel that knows the flag refuses where something lies, and an older one
    // takes the address for a wish and may choose another.
    let found = unsafe {
        libc::mmap(
            wanted.cast(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            kind | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE,
            -1,
            0,
        )
    };
    if found == libc::MAP_FAILED {
        return Err(Error::Unsupported("something lies at the address"));
    }
    if found.addr() as u64 != address {
        unmap(found.cast(), bytes);
        return Err(Error::Unsupported("the system gives other addresses than it is asked for"));
    }
    NonNull::new(found.cast()).ok_or(Error::Memory)
}

/// Gives back pages that [`map`] or [`map_at`] made. The caller does not use them any more.
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
///
/// # Errors
/// Always: only Unix has such pages here.
#[cfg(not(unix))]
fn map_at(_address: u64, _bytes: usize, _shared: bool) -> Result<NonNull<u8>> {
    Err(Error::Unsupported("pages of the system at an address"))
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

    #[test]
    fn pages_at_an_address_replace_nothing() {
        let address = 0x2fff_0000_0000;
        let first = Pages::at(address, 8192).unwrap();
        assert_eq!(first.base().as_ptr() as u64, address);
        // SAFETY: inside of the pages.
        unsafe { first.base().as_ptr().add(8191).write(7) };
        for (at, bytes) in [(address, 4096), (address + 4096, 8192), (address - 4096, 8192), (u64::MAX - 4095, 4096)] {
            assert!(Pages::at(at, bytes).is_err(), "{at:#x}");
        }
        // SAFETY: inside of the pages.
        assert_eq!(unsafe { first.base().as_ptr().add(8191).read() }, 7);
        drop(first);
        drop(Pages::at(address, 4096).unwrap());
    }
}
