//! Handles of the system that stand for an object: the program closes them as any other.
//!
//! On Linux a handle is the number of a socket, cast to a pointer, as handles of events are numbers there. It carries a message to whoever
//! gets it ([`packet`](super::packet)). On Windows it is an event's. Invariant: a token knows its handles, duplicates too, and tells when the program has closed the last one.

use core::ffi::c_void;

use crate::Result;
use crate::handle::Packet;

/// The runtime's side of the handles of one object.
#[derive(Debug)]
pub(crate) struct Token(system::Own);

impl Token {
    /// A token and its first handle, which the program owns, with what the handle carries to other processes. `inherited`: children of
    /// the process have the handle, too.
    ///
    /// # Errors
    /// The process has too many handles.
    pub(crate) fn new(packet: Packet, inherited: bool) -> Result<(Token, *mut c_void)> {
        system::new(packet, inherited).map(|(own, handle)| (Token(own), handle))
    }

    /// Whether a handle is one of this token's.
    pub(crate) fn is(&self, handle: *mut c_void) -> bool {
        system::is(&self.0, handle)
    }

    /// One more handle, which the program owns.
    ///
    /// # Errors
    /// The process has too many handles.
    pub(crate) fn duplicate(&mut self) -> Result<*mut c_void> {
        system::duplicate(&mut self.0)
    }

    /// Whether all handles are closed.
    pub(crate) fn is_closed(&self) -> bool {
        system::is_closed(&self.0)
    }
}

#[cfg(unix)]
mod system {
    use core::ffi::c_void;
    use std::fs::File;
    use std::mem::ManuallyDrop;
    use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
    use std::os::unix::fs::MetadataExt;

    use crate::handle::packet::{self, Packet};
    use crate::{Error, Result};

    /// The ends that the program does not have: each hears when the last handle of its pair is closed.
    #[derive(Debug)]
    pub(super) struct Own {
        pairs: Vec<Pair>,
        packet: Packet,
    }

    #[derive(Debug)]
    struct Pair {
        own: OwnedFd,
        /// The file behind the handles.
        handle: (u64, u64),
    }

    const MANY: Error = Error::Fail("the process has too many open files for another shared handle");

    pub(super) fn new(packet: Packet, inherited: bool) -> Result<(Own, *mut c_void)> {
        let mut own = Own { pairs: Vec::new(), packet };
        let handle = own.pair(inherited)?;
        Ok((own, handle))
    }

    impl Own {
        /// One more pair, and its handle.
        fn pair(&mut self, inherited: bool) -> Result<*mut c_void> {
            let (own, end) = packet::pair().map_err(|_| MANY)?;
            self.packet.send(&own).map_err(|_| MANY)?;
            let handle = identity(end.as_raw_fd()).ok_or(MANY)?;
            let given = give(end, inherited)?;
            self.pairs.push(Pair { own, handle });
            Ok(given)
        }
    }

    /// The program takes 0 for no handle.
    fn give(end: OwnedFd, inherited: bool) -> Result<*mut c_void> {
        if end.as_raw_fd() == 0 {
            return give(end.try_clone().map_err(|_| MANY)?, inherited);
        }
        if inherited {
            // SAFETY: a file of ours.
            unsafe { libc::fcntl(end.as_raw_fd(), libc::F_SETFD, 0) };
        }
        Ok(end.into_raw_fd() as usize as *mut c_void)
    }

    pub(super) fn is(own: &Own, handle: *mut c_void) -> bool {
        let Ok(number) = RawFd::try_from(handle as usize) else { return false };
        identity(number).is_some_and(|it| own.pairs.iter().any(|pair| pair.handle == it))
    }

    fn identity(number: RawFd) -> Option<(u64, u64)> {
        // SAFETY: the file is not closed here: it is never dropped. The system checks the number.
        let file = ManuallyDrop::new(unsafe { File::from_raw_fd(number) });
        file.metadata().ok().map(|data| (data.dev(), data.ino()))
    }

    /// In a pair of its own: the program's end of another one cannot be had from here.
    pub(super) fn duplicate(own: &mut Own) -> Result<*mut c_void> {
        own.pair(false)
    }

    pub(super) fn is_closed(own: &Own) -> bool {
        own.pairs.iter().all(|pair| {
            let mut asked = libc::pollfd { fd: pair.own.as_raw_fd(), events: 0, revents: 0 };
            // SAFETY: one structure of ours.
            unsafe { libc::poll(&raw mut asked, 1, 0) == 1 && asked.revents & libc::POLLHUP != 0 }
        })
    }
}

#[cfg(windows)]
mod system {
    use core::ffi::c_void;
    use core::ptr::{null, null_mut};
    use std::os::windows::io::{AsRawHandle, FromRawHandle, IntoRawHandle, OwnedHandle};

    use crate::handle::Packet;
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

    /// `SECURITY_ATTRIBUTES`.
    #[repr(C)]
    struct Attributes {
        size: u32,
        security: *const c_void,
        inherited: i32,
    }

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn CreateEventW(attributes: *const c_void, manual: i32, set: i32, name: *const u16) -> *mut c_void;
    }

    #[link(name = "ntdll")]
    unsafe extern "system" {
        fn NtQueryObject(handle: *mut c_void, class: u32, out: *mut c_void, size: u32, used: *mut u32) -> i32;
    }

    pub(super) fn new(_packet: Packet, inherited: bool) -> Result<(OwnedHandle, *mut c_void)> {
        let attributes =
            Attributes { size: size_of::<Attributes>() as u32, security: null(), inherited: inherited.into() };
        // SAFETY: an event without a name; the attributes live until the call returns.
        let handle = unsafe { CreateEventW((&raw const attributes).cast(), 1, 0, null()) };
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

    pub(super) fn duplicate(own: &mut OwnedHandle) -> Result<*mut c_void> {
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
        let (mut first, handle) = Token::new(Packet::default(), false).expect("handles can be made");
        let (second, other) = Token::new(Packet::default(), false).expect("handles can be made");
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
