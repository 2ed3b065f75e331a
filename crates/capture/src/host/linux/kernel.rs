//! Linux's system calls, through the C library. None of them allocates.

use core::ffi::{CStr, c_void};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// An open file of the kernel's.
#[derive(Debug)]
pub(crate) struct Descriptor(OwnedFd);

impl Descriptor {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// What the kernel says.
    pub(crate) fn open(path: &CStr) -> io::Result<Self> {
        // SAFETY: a terminated path, and flags.
        let raw = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
        // SAFETY: `checked` lets only a descriptor of ours through, which nobody else closes.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(checked(raw.into())? as RawFd) }))
    }

    /// A `userfaultfd`.
    ///
    /// # Errors
    /// What the kernel says: it is too old, or a sandbox forbids the call.
    pub(crate) fn userfault(flags: i32) -> io::Result<Self> {
        // SAFETY: the call takes flags only and returns a new descriptor or -1.
        let raw = unsafe { libc::syscall(libc::SYS_userfaultfd, flags) };
        // SAFETY: `checked` lets only a descriptor of ours through, which nobody else closes.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(checked(raw)? as RawFd) }))
    }

    /// An `ioctl` with a structure; gives its result.
    ///
    /// # Errors
    /// What the kernel says.
    ///
    /// # Safety
    /// `request` takes a `T`, and touches no memory but that and what it points to.
    pub(crate) unsafe fn control<T>(&self, request: u64, argument: &mut T) -> io::Result<usize> {
        // SAFETY: the caller says that the request takes this structure.
        let result = unsafe { libc::ioctl(self.0.as_raw_fd(), request, core::ptr::from_mut(argument)) };
        checked(result.into()).map(|result| result as usize)
    }
}

fn checked(result: libc::c_long) -> io::Result<libc::c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Whether the kernel asks to try a call again.
pub(crate) fn asks_again(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EAGAIN)
}

/// Lets whole pages be read, and stored to where `writable`.
///
/// # Errors
/// What the kernel says.
pub(crate) fn protect(start: usize, len: usize, writable: bool) -> io::Result<()> {
    let prot = if writable { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_READ };
    // SAFETY: the caller knows the memory as the program's mapped memory, and lets it be readable always.
    checked(unsafe { libc::syscall(libc::SYS_mprotect, start, len, prot) }).map(drop)
}

/// New memory of this process, all zeros, which takes room where it is touched.
///
/// # Errors
/// What the kernel says.
pub(crate) fn zeros(len: usize) -> io::Result<*mut u8> {
    let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: new memory at a place of the kernel's choice.
    let made = unsafe { libc::mmap(core::ptr::null_mut(), len, prot, flags, -1, 0) };
    if made == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(made.cast()) }
}

/// Gives back what [`zeros`] made.
///
/// # Safety
/// `start` and `len` are those of one call of [`zeros`], and nobody uses the memory any more.
pub(crate) unsafe fn give_back(start: *mut u8, len: usize) {
    // SAFETY: the caller says that this is a whole mapping of ours which nobody uses.
    unsafe { libc::munmap(start.cast(), len) };
}

/// Maps memory a second time, somewhere else, to be read and stored to: both mappings have the same bytes.
///
/// # Errors
/// The memory is private to its mapping, or a device's.
pub(crate) fn map_again(start: usize, len: usize) -> io::Result<usize> {
    // SAFETY: an old length of 0 leaves the mapping as it is and makes another one, at a place of the kernel's choice.
    let made = checked(unsafe { libc::syscall(libc::SYS_mremap, start, 0, len, libc::MREMAP_MAYMOVE) })? as usize;
    // The mapping may be protected, and then so is the new one.
    if let Err(error) = protect(made, len, true) {
        // SAFETY: made just now, and nobody knows it.
        unsafe { give_back(made as *mut u8, len) };
        return Err(error);
    }
    Ok(made)
}

/// Puts zeros that nobody shares in the place of memory, which takes no room until someone stores there.
///
/// # Safety
/// The memory is whole mappings of ours.
pub(crate) unsafe fn put_zeros(start: usize, len: usize) {
    let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: the caller owns what lies there.
    unsafe { libc::mmap(start as *mut c_void, len, prot, flags | libc::MAP_FIXED | libc::MAP_NORESERVE, -1, 0) };
}

/// Lets another thread run.
pub(crate) fn yield_now() {
    // SAFETY: the call takes no arguments.
    unsafe { libc::syscall(libc::SYS_sched_yield) };
}

/// The word at an address of this process; `None` where nothing is mapped, or a sandbox forbids to ask.
pub(crate) fn word(address: usize) -> Option<u64> {
    let mut word = 0u64;
    let local = libc::iovec { iov_base: (&raw mut word).cast(), iov_len: 8 };
    let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: 8 };
    // SAFETY: the kernel stores 8 bytes to the local word, or answers with an error.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0) };
    (read == 8).then_some(word)
}
