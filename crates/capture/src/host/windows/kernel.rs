//! Memory and pages on Windows. Under Wine, Linux's system calls serve: memory mapped by Vulkan lies outside Wine's views, so
//! `VirtualProtect` fails there (measured on Wine 8.0).

use core::ffi::c_void;
use std::io;

use crate::host::wine;
/// Files of Linux's, and its system calls: under Wine only, `Unsupported` on Windows itself.
pub(crate) use crate::host::wine::kernel::{Descriptor, asks_again};

#[link(name = "kernel32")]
unsafe extern "system" {
    fn VirtualProtect(start: *mut c_void, len: usize, protection: u32, before: *mut u32) -> i32;
    fn VirtualAlloc(start: *mut c_void, len: usize, kind: u32, protection: u32) -> *mut c_void;
    fn VirtualFree(start: *mut c_void, len: usize, kind: u32) -> i32;
    fn SwitchToThread() -> i32;
    fn GetCurrentProcess() -> *mut c_void;
    fn ReadProcessMemory(
        process: *mut c_void,
        from: *const c_void,
        to: *mut c_void,
        len: usize,
        read: *mut usize,
    ) -> i32;
}

const PAGE_READONLY: u32 = 2;
const PAGE_READWRITE: u32 = 4;
const MEM_COMMIT: u32 = 0x1000;
const MEM_RESERVE: u32 = 0x2000;
const MEM_RELEASE: u32 = 0x8000;

/// Lets whole pages be read, and stored to where `writable`.
///
/// # Errors
/// What the system says.
pub(crate) fn protect(start: usize, len: usize, writable: bool) -> io::Result<()> {
    if wine::kernel::is_available() {
        return wine::kernel::protect(start, len, writable);
    }
    let mut before = 0;
    let protection = if writable { PAGE_READWRITE } else { PAGE_READONLY };
    // SAFETY: the caller knows the memory as the program's mapped memory, and lets it be readable always.
    let done = unsafe { VirtualProtect(start as *mut c_void, len, protection, &raw mut before) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// New memory of this process, all zeros, which takes room where it is touched.
///
/// # Errors
/// What the system says.
pub(crate) fn zeros(len: usize) -> io::Result<*mut u8> {
    // SAFETY: new memory at a place of the system's choice.
    let made = unsafe { VirtualAlloc(core::ptr::null_mut(), len, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) };
    if made.is_null() { Err(io::Error::last_os_error()) } else { Ok(made.cast()) }
}

/// Gives back what [`zeros`] made.
///
/// # Safety
/// `start` is that of one call of [`zeros`], and nobody uses the memory any more.
pub(crate) unsafe fn give_back(start: *mut u8, _len: usize) {
    // SAFETY: the caller says that this is a whole allocation of ours which nobody uses.
    unsafe { VirtualFree(start.cast(), 0, MEM_RELEASE) };
}

/// Lets another thread run.
pub(crate) fn yield_now() {
    // SAFETY: the call takes no arguments.
    unsafe { SwitchToThread() };
}

/// The word at an address of this process; `None` where nothing is mapped.
pub(crate) fn word(address: usize) -> Option<u64> {
    // Wine's own answer goes through its server.
    if wine::kernel::is_available() {
        return wine::kernel::word(address);
    }
    let (mut word, mut read) = (0u64, 0);
    // SAFETY: the system stores at most 8 bytes to the word, or answers with an error.
    let done = unsafe {
        let from = address as *const c_void;
        ReadProcessMemory(GetCurrentProcess(), from, (&raw mut word).cast(), 8, &raw mut read)
    };
    (done != 0 && read == 8).then_some(word)
}
