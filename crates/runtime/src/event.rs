//! Events of the program: what a fence signals.
//!
//! On Linux a `HANDLE` is the number of an `eventfd`, cast to a pointer, as native programs of vkd3d-proton make it; on
//! Windows it is the system's. Invariant: an [`Event`] stays valid whatever the program does with its handle.

use core::ffi::c_void;

use crate::{Error, Result};

/// A hold on one of the program's events.
#[derive(Debug)]
pub struct Event(system::Owned);

impl Event {
    /// A hold on the event behind a handle.
    ///
    /// # Errors
    /// The handle is none of an event.
    pub fn of(handle: *mut c_void) -> Result<Event> {
        system::duplicate(handle).map(Event).ok_or(Error::Invalid("the event's handle is not one"))
    }

    /// Sets the event.
    pub fn set(&self) {
        system::set(&self.0);
    }
}

/// Sets the event behind a handle, without keeping hold of it.
pub fn set(handle: *mut c_void) {
    system::set_handle(handle);
}

#[cfg(unix)]
mod system {
    use core::ffi::c_void;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

    pub(super) type Owned = OwnedFd;

    fn number(handle: *mut c_void) -> Option<RawFd> {
        RawFd::try_from(handle as usize).ok()
    }

    pub(super) fn duplicate(handle: *mut c_void) -> Option<OwnedFd> {
        // SAFETY: no memory is involved.
        let copy = unsafe { libc::fcntl(number(handle)?, libc::F_DUPFD_CLOEXEC, 0) };
        // SAFETY: a new descriptor, owned by nobody else.
        (copy >= 0).then(|| unsafe { OwnedFd::from_raw_fd(copy) })
    }

    pub(super) fn set(event: &OwnedFd) {
        add_one(event.as_raw_fd());
    }

    pub(super) fn set_handle(handle: *mut c_void) {
        if let Some(number) = number(handle) {
            add_one(number);
        }
    }

    fn add_one(number: RawFd) {
        let one = 1u64.to_ne_bytes();
        // Fails only for what is not an event, or for a counter that is full, which is set anyway.
        // SAFETY: eight readable bytes.
        unsafe { libc::write(number, one.as_ptr().cast(), one.len()) };
    }
}

#[cfg(windows)]
mod system {
    use core::ffi::c_void;
    use std::os::windows::io::{AsRawHandle, BorrowedHandle, OwnedHandle};

    pub(super) type Owned = OwnedHandle;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn SetEvent(event: *mut c_void) -> i32;
    }

    pub(super) fn duplicate(handle: *mut c_void) -> Option<OwnedHandle> {
        // SAFETY: the program's handle, open during the call.
        unsafe { BorrowedHandle::borrow_raw(handle) }.try_clone_to_owned().ok()
    }

    pub(super) fn set(event: &OwnedHandle) {
        set_handle(event.as_raw_handle());
    }

    pub(super) fn set_handle(handle: *mut c_void) {
        // SAFETY: the system checks handles.
        unsafe { SetEvent(handle) };
    }
}
