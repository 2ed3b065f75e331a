//! Linux system calls from code under Wine, whose processes are Linux processes.
//!
//! Owns the only `syscall` instruction. Numbers are those of x86-64 Linux. Invariant: [`available`] is asked before any
//! other function is called: on Windows itself the numbers mean something else.

use std::ffi::{CStr, c_void};

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetModuleHandleA(name: *const u8) -> *mut c_void;
    fn GetProcAddress(module: *mut c_void, name: *const u8) -> *const c_void;
}

const OPEN: usize = 2;
const CLOSE: usize = 3;
const IOCTL: usize = 16;
const GETPID: usize = 39;
const USERFAULTFD: usize = 323;

/// Whether this is Wine on Linux: `ntdll.dll` says so by a function of its own.
pub(crate) fn available() -> bool {
    // SAFETY: both names are zero-terminated; `ntdll.dll` is always loaded.
    unsafe {
        let ntdll = GetModuleHandleA(c"ntdll.dll".as_ptr().cast());
        !ntdll.is_null() && !GetProcAddress(ntdll, c"wine_get_version".as_ptr().cast()).is_null()
    }
}

/// # Safety
/// The call `number` with these arguments touches no memory but what they point to.
unsafe fn call(number: usize, arguments: [usize; 3]) -> Result<usize, i32> {
    let result: isize;
    // SAFETY: the kernel keeps all registers but rax, rcx and r11; the caller answers for what the call does.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") arguments[0],
            in("rsi") arguments[1],
            in("rdx") arguments[2],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    if (-4095..0).contains(&result) { Err(-result as i32) } else { Ok(result as usize) }
}

/// The process's number as native processes see it; Wine's own number is another.
pub(crate) fn process_id() -> u32 {
    // SAFETY: takes nothing, touches nothing.
    unsafe { call(GETPID, [0; 3]) }.unwrap_or(0) as u32
}

/// A Linux file descriptor.
#[derive(Debug)]
pub(crate) struct Descriptor(usize);

impl Descriptor {
    /// Opens a file for reading. The error is Linux's number.
    pub(crate) fn open(path: &CStr) -> Result<Descriptor, i32> {
        const CLOSE_ON_EXEC: usize = 0o2000000;
        // SAFETY: the path is zero-terminated.
        unsafe { call(OPEN, [path.as_ptr() as usize, CLOSE_ON_EXEC, 0]) }.map(Descriptor)
    }

    /// A `userfaultfd` for faults of user mode only, which needs no privilege.
    pub(crate) fn userfaultfd() -> Result<Descriptor, i32> {
        const CLOSE_ON_EXEC: usize = 0o2000000;
        const USER_MODE_ONLY: usize = 1;
        // SAFETY: takes flags only.
        unsafe { call(USERFAULTFD, [CLOSE_ON_EXEC | USER_MODE_ONLY, 0, 0]) }.map(Descriptor)
    }

    /// An `ioctl` with a structure.
    ///
    /// # Safety
    /// `request` takes a structure of type `T` and writes to no other memory that Rust knows of.
    pub(crate) unsafe fn control<T>(&self, request: usize, argument: &mut T) -> Result<usize, i32> {
        // SAFETY: by the contract above.
        unsafe { call(IOCTL, [self.0, request, std::ptr::from_mut(argument) as usize]) }
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        // SAFETY: the descriptor is ours and not used again.
        let _ = unsafe { call(CLOSE, [self.0, 0, 0]) };
    }
}
