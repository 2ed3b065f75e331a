//! Handles of the system, which programs close.

use core::ffi::c_void;

/// A handle that a library gave; it is closed when dropped.
pub(crate) struct Handle(*mut c_void);

impl Handle {
    /// The handle that a library wrote, if it wrote one: a library that only notes calls gives none.
    ///
    /// # Safety
    /// `handle` is null, or nobody else closes it.
    pub(crate) unsafe fn new(handle: *mut c_void) -> Option<Handle> {
        (!handle.is_null()).then_some(Handle(handle))
    }

    /// What methods take.
    pub(crate) fn raw(&self) -> *mut c_void {
        self.0
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // Some libraries give a number that is no handle; the system refuses it.
        // SAFETY: both take any number; a handle is ours to close.
        #[cfg(unix)]
        unsafe {
            close(self.0 as usize as i32)
        };
        // SAFETY: any number may be given; a handle is ours to close.
        #[cfg(windows)]
        unsafe {
            CloseHandle(self.0)
        };
    }
}

#[cfg(unix)]
unsafe extern "C" {
    fn close(file: i32) -> i32;
}

#[cfg(windows)]
#[link(name = "kernel32")]
unsafe extern "system" {
    fn CloseHandle(object: *mut c_void) -> i32;
}
