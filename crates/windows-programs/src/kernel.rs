//! The few functions of `kernel32.dll` that the standard library does not offer.

use std::ffi::{CStr, c_void};

#[link(name = "kernel32")]
unsafe extern "system" {
    fn LoadLibraryA(name: *const u8) -> *mut c_void;
    fn GetProcAddress(module: *mut c_void, name: *const u8) -> *const c_void;
}

/// The address of a function of a library, which is loaded if it is not yet.
pub(crate) fn function(library: &CStr, name: &CStr) -> Option<*const c_void> {
    // SAFETY: both names are zero-terminated.
    let address = unsafe {
        let library = LoadLibraryA(library.as_ptr().cast());
        if library.is_null() { std::ptr::null() } else { GetProcAddress(library, name.as_ptr().cast()) }
    };
    (!address.is_null()).then_some(address)
}
