//! Handles of the system that stand for an object: the program closes them as any other.
//!
//! On Linux a handle is the number of a pipe's writing end, cast to a pointer, as handles of events are numbers there; on Windows it
//! is an event's. Invariant: a token knows its handles, duplicates too, and tells when the program has closed the last one.

use core::ffi::c_void;

use crate::Result;

/// The runtime's side of the handles of one object.
#[derive(Debug)]
pub(crate) struct Token(system::Own);

impl Token {
    /// A token and its first handle, which the program owns.
    ///
    /// # Errors
    /// The process has too many handles.
    pub(crate) fn new() -> Result<(Token, *mut c_void)> {
        system::new().map(|(own, handle)| (Token(own), handle))
    }

    /// Whether a handle is one of this token's.
    pub(crate) fn is(&self, handle: *mut c_void) -> bool {
        system::is(&self.0, handle)
    }

    /// One more handle, which the program owns.
    ///
    /// # Errors
    /// The process has too many handles.
    pub(crate) fn duplicate(&self) -> Result<*mut c_void> {
        system::duplicate(&self.0)
    }

    /// Whether all handles are closed.
    pub(crate) fn is_closed(&self) -> bool {
        system::is_closed(&self.0)
    }
}

#[cfg(unix)]
mod system {
    use core::ffi::c_void;
    use std::fs::{File, OpenOptions};
    use std::io::PipeReader;
    use std::mem::ManuallyDrop;
    use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
    use std::os::unix::fs::MetadataExt;

    use crate::{Error, Result};

    /// The reading end: it hears of the end of the last writing one.
    pub(super) type Own = PipeReader;

    const MANY: Error = Error::Fail("the process has too many open files for another shared handle");

    pub(super) fn new() -> Result<(PipeReader, *mut c_void)> {
        let (own, handle) = std::io::pipe().map_err(|_| MANY)?;
        Ok((own, give(handle.into())?))
    }

    /// The program takes 0 for no handle.
    fn give(end: OwnedFd) -> Result<*mut c_void> {
        match end.as_raw_fd() {
            0 => give(end.try_clone().map_err(|_| MANY)?),
            _ => Ok(end.into_raw_fd() as usize as *mut c_void),
        }
    }

    /// Both ends have the pipe's number.
    pub(super) fn is(own: &PipeReader, handle: *mut c_void) -> bool {
        let Ok(number) = RawFd::try_from(handle as usize) else { return false };
        identity(own.as_raw_fd()).is_some_and(|mine| identity(number) == Some(mine))
    }

    fn identity(number: RawFd) -> Option<(u64, u64)> {
        // SAFETY: the file is not closed here: it is never dropped. The system checks the number.
        let file = ManuallyDrop::new(unsafe { File::from_raw_fd(number) });
        file.metadata().ok().map(|data| (data.dev(), data.ino()))
    }

    pub(super) fn duplicate(own: &PipeReader) -> Result<*mut c_void> {
        let path = format!("/proc/self/fd/{}", own.as_raw_fd());
        give(OpenOptions::new().write(true).open(path).map_err(|_| MANY)?.into())
    }

    pub(super) fn is_closed(own: &PipeReader) -> bool {
        let mut asked = libc::pollfd { fd: own.as_raw_fd(), events: 0, revents: 0 };
        // SAFETY: one structure of ours.
        unsafe { libc::poll(&raw mut asked, 1, 0) == 1 && asked.revents & libc::POLLHUP != 0 }
    }
}

#[cfg(windows)]
mod system {
    use core::ffi::c_void;
    use core::ptr::{null, null_mut};
    use std::os::windows::io::{AsRawHandle, FromRawHandle, IntoRawHandle, OwnedHandle};

    use crate::{Error, Result};

    /// A handle of our own.
    pub(super) type Own = OwnedHandle;

    const MANY: Error = Error::Fail("the process has too many handles for another shared one");

    /// `PUBLIC_OBJECT_BASIC_INFORMATION`.
    #[repr(C)]
    #[derive(Default)]
    struct BasicInformation {
        attributes: u32,
        access: u32,
        handles: u32,
        pointers: u32,
        reserved: [u32; 10],
    }

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn CreateEventW(attributes: *const c_void, manual: i32, set: i32, name: *const u16) -> *mut c_void;
    }

    #[link(name = "ntdll")]
    unsafe extern "system" {
        fn NtQueryObject(handle: *mut c_void, class: u32, out: *mut c_void, size: u32, used: *mut u32) -> i32;
    }

    pub(super) fn new() -> Result<(OwnedHandle, *mut c_void)> {
        // SAFETY: an event without attributes or a name.
        let handle = unsafe { CreateEventW(null(), 1, 0, null()) };
        if handle.is_null() {
            return Err(MANY);
        }
        // SAFETY: a new handle, owned by nobody else.
        let handle = unsafe { OwnedHandle::from_raw_handle(handle) };
        let own = handle.try_clone().map_err(|_| MANY)?;
        Ok((own, handle.into_raw_handle()))
    }

    /// Whether both are of one object.
    pub(super) fn is(own: &OwnedHandle, handle: *mut c_void) -> bool {
        type Compare = unsafe extern "system" fn(*mut c_void, *mut c_void) -> i32;
        let Some(compare) = crate::module::function(c"ntdll.dll", c"NtCompareObjects") else { return false };
        // SAFETY: the function has this signature since Windows 10; the system checks handles.
        !handle.is_null()
            && unsafe { core::mem::transmute::<*const c_void, Compare>(compare)(own.as_raw_handle(), handle) == 0 }
    }

    pub(super) fn duplicate(own: &OwnedHandle) -> Result<*mut c_void> {
        own.try_clone().map(IntoRawHandle::into_raw_handle).map_err(|_| MANY)
    }

    pub(super) fn is_closed(own: &OwnedHandle) -> bool {
        const BASIC: u32 = 0;
        let mut about = BasicInformation::default();
        let size = size_of::<BasicInformation>() as u32;
        // SAFETY: a handle of ours; a structure of ours, of the size that is said.
        let asked = unsafe { NtQueryObject(own.as_raw_handle(), BASIC, (&raw mut about).cast(), size, null_mut()) };
        asked == 0 && about.handles == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    fn close(handle: *mut c_void) {
        // SAFETY: a handle that the test owns.
        unsafe { libc::close(handle as usize as i32) };
    }

    #[cfg(windows)]
    fn close(handle: *mut c_void) {
        use std::os::windows::io::{FromRawHandle, OwnedHandle};
        // SAFETY: a handle that the test owns.
        drop(unsafe { OwnedHandle::from_raw_handle(handle) });
    }

    #[test]
    fn a_token_knows_its_handles_and_their_end() {
        let (first, handle) = Token::new().expect("handles can be made");
        let (second, other) = Token::new().expect("handles can be made");
        let again = first.duplicate().expect("handles can be made");
        assert!(first.is(handle) && first.is(again) && second.is(other));
        assert!(!first.is(other) && !second.is(again) && !first.is(core::ptr::null_mut()));
        assert!(!first.is(0x7fff_0000 as *mut c_void), "no such handle");
        close(handle);
        assert!(!first.is_closed() && first.is(again), "the duplicate is open");
        close(again);
        assert!(first.is_closed() && !second.is_closed());
        close(other);
        assert!(second.is_closed());
    }
}
