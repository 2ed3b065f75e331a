//! The `d3d12.dll` behind ours: Wine's own, from the system folder.

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetSystemDirectoryW(buffer: *mut u16, len: u32) -> u32;
    fn LoadLibraryW(path: *const u16) -> *mut c_void;
    fn GetProcAddress(module: *mut c_void, name: *const u8) -> *const c_void;
}

/// The address of an exported function of the real library; null when it or the library is missing.
pub(crate) fn find(name: &CStr) -> *const c_void {
    static LIBRARY: OnceLock<usize> = OnceLock::new();
    let library = *LIBRARY.get_or_init(|| load() as usize) as *mut c_void;
    if library.is_null() {
        return std::ptr::null();
    }
    // SAFETY: `library` is a loaded module, the name is zero-terminated.
    unsafe { GetProcAddress(library, name.as_ptr().cast()) }
}

fn load() -> *mut c_void {
    let mut path = [0u16; 512];
    // SAFETY: the buffer has room for the stated number of units.
    let len = unsafe { GetSystemDirectoryW(path.as_mut_ptr(), 400) } as usize;
    if len == 0 || len > 400 {
        return std::ptr::null_mut();
    }
    // A full path, so that the loader does not find this library again.
    for (to, unit) in path[len..].iter_mut().zip("\\d3d12.dll\0".encode_utf16()) {
        *to = unit;
    }
    // SAFETY: the path is zero-terminated.
    unsafe { LoadLibraryW(path.as_ptr()) }
}
