//! A dynamic library, open for the life of the process.
//!
//! Drivers start threads and register exit handlers of their own: a runtime that was loaded once is never unloaded.
//! Invariant: a symbol's address is valid for as long as the process lives.

use std::ffi::{CString, c_void};

/// An open library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Library {
    handle: *mut c_void,
}

impl Library {
    /// Opens by path or by a name that the system's loader resolves.
    pub(crate) fn open(name: &str) -> Result<Self, String> {
        let c_name = CString::new(name).map_err(|_| "the name has a zero byte".to_owned())?;
        let handle = system::open(&c_name)?;
        Ok(Self { handle })
    }

    /// The address of an exported function.
    pub(crate) fn symbol(&self, name: &str) -> Option<*const c_void> {
        let c_name = CString::new(name).ok()?;
        let address = system::symbol(self.handle, &c_name);
        (!address.is_null()).then_some(address.cast_const())
    }
}

#[cfg(unix)]
mod system {
    use std::ffi::{CStr, c_void};

    pub(super) fn open(name: &CStr) -> Result<*mut c_void, String> {
        // SAFETY: the name ends with a zero byte; initialisers of a library that the user chose are the user's choice.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if !handle.is_null() {
            return Ok(handle);
        }
        // SAFETY: dlerror returns null or a text that stays valid until this thread's next call of the loader.
        let text = unsafe {
            let text = libc::dlerror();
            if text.is_null() { None } else { Some(CStr::from_ptr(text).to_string_lossy().into_owned()) }
        };
        Err(text.unwrap_or_else(|| "the loader gave no reason".into()))
    }

    pub(super) fn symbol(handle: *mut c_void, name: &CStr) -> *mut c_void {
        // SAFETY: the handle came from dlopen and is never closed.
        unsafe { libc::dlsym(handle, name.as_ptr()) }
    }
}

#[cfg(windows)]
mod system {
    use std::ffi::{CStr, c_char, c_void};

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn LoadLibraryA(name: *const c_char) -> *mut c_void;
        fn GetProcAddress(module: *mut c_void, name: *const c_char) -> *mut c_void;
        fn GetLastError() -> u32;
    }

    pub(super) fn open(name: &CStr) -> Result<*mut c_void, String> {
        // SAFETY: the name ends with a zero byte.
        let handle = unsafe { LoadLibraryA(name.as_ptr()) };
        // SAFETY: no requirements.
        if handle.is_null() { Err(format!("error {}", unsafe { GetLastError() })) } else { Ok(handle) }
    }

    pub(super) fn symbol(handle: *mut c_void, name: &CStr) -> *mut c_void {
        // SAFETY: the handle came from LoadLibraryA and is never freed.
        unsafe { GetProcAddress(handle, name.as_ptr()) }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_symbol_is_found_and_a_missing_one_is_not() {
        let library = Library::open("libc.so.6").unwrap();
        assert!(library.symbol("getpid").is_some());
        assert!(library.symbol("reprise_no_such_symbol").is_none());
        assert!(Library::open("libreprise-no-such-library.so").unwrap_err().contains("no-such-library"));
        assert!(Library::open("a\0b").is_err());
    }
}
