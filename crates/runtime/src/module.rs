//! Functions of the system's libraries, found by name when they are needed: most programs need none of them.

use core::ffi::{CStr, c_void};

#[link(name = "kernel32")]
unsafe extern "system" {
    fn LoadLibraryA(name: *const i8) -> *mut c_void;
    fn GetProcAddress(module: *mut c_void, name: *const i8) -> *const c_void;
}

/// A function of a library, which stays loaded; `None` where there is no such library or function.
pub(crate) fn function(library: &CStr, name: &CStr) -> Option<*const c_void> {
    // SAFETY: names are strings; the system's libraries are well-behaved.
    unsafe {
        let module = LoadLibraryA(library.as_ptr());
        let found = if module.is_null() { core::ptr::null() } else { GetProcAddress(module, name.as_ptr()) };
        (!found.is_null()).then_some(found)
    }
}
