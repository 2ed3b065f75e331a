//! Vulkan's drivers, which stay loaded once an instance has loaded them.
//!
//! The Vulkan loader unloads them with each instance, and loads them again for the next one. Drivers that have thread-local storage in the
//! static block (NVIDIA's) take a new piece of it each time, which the C library does not get back. After some tens of instances there is
//! none left, and the loader finds no driver any more.
//!
//! Invariant: nothing but drivers is kept. A library is one if it exports the loader's entry point.

#[cfg(target_os = "linux")]
use core::ffi::{CStr, c_int, c_void};
#[cfg(target_os = "linux")]
use std::ffi::CString;

/// Keeps the drivers that are loaded now.
#[cfg(target_os = "linux")]
pub(crate) fn keep() {
    unsafe extern "C" fn name(info: *mut libc::dl_phdr_info, _: usize, names: *mut c_void) -> c_int {
        // SAFETY: the C library passes a description that is valid meanwhile, and what `keep` gave.
        unsafe {
            let (info, names) = (&*info, &mut *names.cast::<Vec<CString>>());
            if !info.dlpi_name.is_null() {
                names.push(CStr::from_ptr(info.dlpi_name).to_owned());
            }
        }
        0
    }
    let mut names: Vec<CString> = Vec::new();
    // SAFETY: the function has the type that is asked for, and the list outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(name), (&raw mut names).cast()) };
    for name in names.iter().filter(|name| !name.is_empty()) {
        // SAFETY: the names are strings; nothing is loaded that was not loaded before, and each handle is given back.
        unsafe {
            let library = libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD);
            if library.is_null() {
                continue;
            }
            if !libc::dlsym(library, c"vk_icdGetInstanceProcAddr".as_ptr()).is_null() {
                let kept = libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_NODELETE);
                if !kept.is_null() {
                    libc::dlclose(kept);
                }
            }
            libc::dlclose(library);
        }
    }
}

/// Elsewhere they stay by themselves.
#[cfg(not(target_os = "linux"))]
pub(crate) fn keep() {}
