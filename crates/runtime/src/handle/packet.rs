//! What a handle carries to other processes and devices: bytes and files.
//!
//! A handle is one end of a pair of sockets, in which one message waits for ever. A process with the handle looks at the message
//! without taking it, as often as it likes, and gets files of its own each time. So it does not matter which process made the handle, nor
//! whether that process still lives.

use std::io::{Error, ErrorKind, Result};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// Bytes of a message at most.
const MOST_BYTES: usize = 4096;
/// Files of a message at most.
const MOST_FILES: usize = 2;
/// Bytes of the header of files, and of the files.
// SAFETY: it computes a number.
const CONTROL: usize = unsafe { libc::CMSG_SPACE((MOST_FILES * size_of::<RawFd>()) as u32) } as usize;

/// Aligned as the system's headers.
#[repr(C, align(8))]
struct Control([u8; CONTROL]);

/// A message.
#[derive(Debug, Default)]
pub(crate) struct Packet {
    pub(crate) bytes: Vec<u8>,
    pub(crate) files: Vec<OwnedFd>,
}

/// A pair of sockets: what is sent at the first waits at the second, also when the first is closed.
pub(super) fn pair() -> Result<(OwnedFd, OwnedFd)> {
    let mut ends: [RawFd; 2] = [-1; 2];
    // SAFETY: room for two numbers.
    if unsafe { libc::socketpair(libc::AF_UNIX, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC, 0, ends.as_mut_ptr()) } != 0
    {
        return Err(Error::last_os_error());
    }
    // SAFETY: two new files, owned by nobody else.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

/// A header of a message whose parts live as long as the header is used.
fn header(part: &mut libc::iovec, control: &mut Control, control_size: usize) -> libc::msghdr {
    // SAFETY: a plain structure of the system, for which zeros are nothing.
    let mut head: libc::msghdr = unsafe { core::mem::zeroed() };
    (head.msg_iov, head.msg_iovlen) = (part, 1);
    if control_size != 0 {
        (head.msg_control, head.msg_controllen) = (control.0.as_mut_ptr().cast(), control_size as _);
    }
    head
}

impl Packet {
    /// Puts the message into the end of a pair.
    pub(super) fn send(&self, end: &OwnedFd) -> Result<()> {
        if self.bytes.len() > MOST_BYTES || self.files.len() > MOST_FILES {
            return Err(Error::new(ErrorKind::InvalidInput, "a message of more than its room"));
        }
        let mut part = libc::iovec { iov_base: self.bytes.as_ptr().cast_mut().cast(), iov_len: self.bytes.len() };
        let mut control = Control([0; CONTROL]);
        let size = (self.files.len() * size_of::<RawFd>()) as u32;
        // SAFETY: it computes a number.
        let space = unsafe { libc::CMSG_SPACE(size) } as usize;
        let space = if self.files.is_empty() { 0 } else { space };
        let head = header(&mut part, &mut control, space);
        if space != 0 {
            // SAFETY: the room is as large as these headers and files need, and aligned.
            unsafe {
                let first = libc::CMSG_FIRSTHDR(&raw const head);
                (*first).cmsg_level = libc::SOL_SOCKET;
                (*first).cmsg_type = libc::SCM_RIGHTS;
                (*first).cmsg_len = libc::CMSG_LEN(size) as _;
                let place = libc::CMSG_DATA(first).cast::<RawFd>();
                for (at, file) in self.files.iter().enumerate() {
                    place.add(at).write_unaligned(file.as_raw_fd());
                }
            }
        }
        // SAFETY: the header's parts live until the call returns.
        match unsafe { libc::sendmsg(end.as_raw_fd(), &raw const head, libc::MSG_NOSIGNAL) } {
            -1 => Err(Error::last_os_error()),
            _ => Ok(()),
        }
    }

    /// The message that waits at a handle, which anybody may have made; `None` where there is none, or not all of one.
    pub(crate) fn peek(handle: RawFd) -> Option<Packet> {
        let mut bytes = vec![0; MOST_BYTES];
        let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
        let mut control = Control([0; CONTROL]);
        let mut head = header(&mut part, &mut control, CONTROL);
        let how = libc::MSG_PEEK | libc::MSG_DONTWAIT | libc::MSG_CMSG_CLOEXEC;
        // SAFETY: the header's parts live until the call returns; the system checks the number.
        let count = unsafe { libc::recvmsg(handle, &raw mut head, how) };
        let mut files = Vec::new();
        if count >= 0 {
            // SAFETY: the system has written whole headers, whose lengths say how many files there are.
            unsafe {
                let mut at = libc::CMSG_FIRSTHDR(&raw const head);
                while let Some(found) = at.as_ref() {
                    if (found.cmsg_level, found.cmsg_type) == (libc::SOL_SOCKET, libc::SCM_RIGHTS) {
                        let size = found.cmsg_len.saturating_sub(libc::CMSG_LEN(0) as usize);
                        let place = libc::CMSG_DATA(at).cast::<RawFd>();
                        for at in 0..size / size_of::<RawFd>() {
                            files.push(OwnedFd::from_raw_fd(place.add(at).read_unaligned()));
                        }
                    }
                    at = libc::CMSG_NXTHDR(&raw const head, at);
                }
            }
        }
        let whole = count > 0 && head.msg_flags & (libc::MSG_TRUNC | libc::MSG_CTRUNC) == 0;
        bytes.truncate(usize::try_from(count).unwrap_or(0));
        whole.then_some(Packet { bytes, files })
    }
}
