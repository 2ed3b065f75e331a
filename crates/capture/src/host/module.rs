//! Modules of this process: loaded programs and libraries.

use core::ffi::{CStr, c_void};
use std::ffi::OsString;
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetModuleHandleExW(flags: u32, name: *const u16, module: *mut *mut c_void) -> i32;
    fn GetModuleHandleA(name: *const u8) -> *mut c_void;
    fn GetModuleFileNameW(module: *mut c_void, path: *mut u16, len: u32) -> u32;
    fn GetSystemDirectoryW(path: *mut u16, len: u32) -> u32;
    fn LoadLibraryExW(path: *const u16, file: *mut c_void, flags: u32) -> *mut c_void;
    fn GetProcAddress(module: *mut c_void, name: *const u8) -> *const c_void;
}

/// The name is an address in the module; the module's count stays as it is.
const FROM_ADDRESS: u32 = 4;
const UNCHANGED_COUNT: u32 = 2;
/// The library's own folder is searched for what it imports.
const ALTERED_SEARCH_PATH: u32 = 8;
/// Units of the longest path that Windows knows.
const LONGEST_PATH: usize = 32 << 10;

/// A loaded module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Module(*mut c_void);

// SAFETY: a handle, which any thread may use.
unsafe impl Send for Module {}
// SAFETY: a handle, which any thread may use.
unsafe impl Sync for Module {}

impl Module {
    /// The module that holds an address.
    pub(crate) fn of(address: *const c_void) -> Option<Self> {
        let mut module = core::ptr::null_mut();
        // SAFETY: with this flag the second argument is any address.
        let found = unsafe { GetModuleHandleExW(FROM_ADDRESS | UNCHANGED_COUNT, address.cast(), &raw mut module) };
        (found != 0 && !module.is_null()).then_some(Self(module))
    }

    /// A module that is loaded already, by its file's name.
    pub(crate) fn loaded(name: &CStr) -> Option<Self> {
        // SAFETY: a terminated name.
        let module = unsafe { GetModuleHandleA(name.as_ptr().cast()) };
        (!module.is_null()).then_some(Self(module))
    }

    /// Loads a library by its full path; it stays loaded.
    pub(crate) fn load(path: &Path) -> Option<Self> {
        let path: Vec<u16> = path.as_os_str().encode_wide().chain([0]).collect();
        // SAFETY: a terminated path. What the library does when it is loaded is the runtime's business.
        let module = unsafe { LoadLibraryExW(path.as_ptr(), core::ptr::null_mut(), ALTERED_SEARCH_PATH) };
        (!module.is_null()).then_some(Self(module))
    }

    /// The address of an export.
    pub(crate) fn export(self, name: &CStr) -> Option<*const c_void> {
        // SAFETY: a loaded module and a terminated name.
        let address = unsafe { GetProcAddress(self.0, name.as_ptr().cast()) };
        (!address.is_null()).then_some(address)
    }

    /// The module's file.
    pub(crate) fn file(self) -> Option<PathBuf> {
        // SAFETY: the buffer has the stated number of units.
        path_from(|buffer| unsafe { GetModuleFileNameW(self.0, buffer.as_mut_ptr(), buffer.len() as u32) })
    }
}

/// The folder of the system's libraries.
pub(crate) fn system_folder() -> Option<PathBuf> {
    // SAFETY: the buffer has the stated number of units.
    path_from(|buffer| unsafe { GetSystemDirectoryW(buffer.as_mut_ptr(), buffer.len() as u32) })
}

fn path_from(ask: impl FnOnce(&mut [u16]) -> u32) -> Option<PathBuf> {
    let mut buffer = vec![0; LONGEST_PATH];
    let len = ask(&mut buffer) as usize;
    (len > 0 && len < buffer.len()).then(|| OsString::from_wide(&buffer[..len]).into())
}
