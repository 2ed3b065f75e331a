//! How much memory an allocation of Windows has.

use core::ffi::c_void;
use core::ptr::NonNull;

use crate::{Error, Result};

/// `MEMORY_BASIC_INFORMATION` of 64 bits.
#[repr(C)]
struct Information {
    base: *mut c_void,
    allocation: *mut c_void,
    allocated_for: u32,
    partition: u16,
    bytes: usize,
    state: u32,
    protection: u32,
    kind: u32,
}

/// `MEM_COMMIT`: the pages are there.
const COMMITTED: u32 = 0x1000;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn VirtualQuery(place: *const c_void, out: *mut Information, size: usize) -> usize;
}

/// Bytes from the start of an allocation to the end of its committed pages.
///
/// # Errors
/// No allocation begins at this place.
pub(super) fn size(place: NonNull<u8>) -> Result<u64> {
    let start: *mut c_void = place.as_ptr().cast();
    let mut size = 0;
    loop {
        let mut region = core::mem::MaybeUninit::<Information>::zeroed();
        // SAFETY: the system checks the place and fills the structure, all of whose bits may be zero.
        let region = unsafe {
            VirtualQuery(start.wrapping_byte_add(size), region.as_mut_ptr(), size_of::<Information>());
            region.assume_init()
        };
        if region.allocation != start || region.state != COMMITTED || region.bytes == 0 {
            break;
        }
        size += region.bytes;
    }
    if size == 0 { Err(Error::Invalid("no allocation begins at this address")) } else { Ok(size as u64) }
}
