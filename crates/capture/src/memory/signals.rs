//! Masks of signals, and the system calls that the signal handler and its lock need.
//!
//! The C library's functions are not used: they leave signals of the library's own out of masks, and `signal_calls` stands in
//! front of them. Invariant: each function makes at most one bare system call, so it may run in a signal handler.

use core::ffi::c_int;
use std::io;

/// The signals of a thread's mask, as the kernel has them: bit 0 is signal 1.
pub(super) type Mask = u64;

pub(super) const SEGV: Mask = 1 << (libc::SIGSEGV - 1);

/// `struct sigaction` of the system call.
#[repr(C)]
#[derive(Default)]
pub(super) struct KernelAction {
    pub(super) handler: usize,
    pub(super) flags: u64,
    pub(super) restorer: usize,
    pub(super) mask: Mask,
}

/// The first 64 signals of a set, which are all there are.
pub(super) fn signals(set: &libc::sigset_t) -> Mask {
    // SAFETY: the C library's set begins with these 8 bytes.
    unsafe { core::ptr::from_ref(set).cast::<Mask>().read() }
}

/// The reverse of [`signals`].
pub(super) fn set_signals(set: &mut libc::sigset_t, mask: Mask) {
    // SAFETY: the C library's set begins with these 8 bytes.
    unsafe { core::ptr::from_mut(set).cast::<Mask>().write(mask) };
}

/// Changes this thread's mask; gives the one before.
fn change_mask(how: c_int, mask: Mask) -> Mask {
    let mut before = 0;
    // SAFETY: two masks of 8 bytes.
    unsafe { libc::syscall(libc::SYS_rt_sigprocmask, how, &raw const mask, &raw mut before, 8) };
    before
}

/// Blocks all signals of this thread; gives the mask before.
pub(super) fn block_all() -> Mask {
    change_mask(libc::SIG_BLOCK, u64::MAX)
}

/// Gives the thread a mask.
pub(super) fn set_mask(mask: Mask) {
    change_mask(libc::SIG_SETMASK, mask);
}

/// Lets this thread be told of its faults.
pub(super) fn unblock() {
    change_mask(libc::SIG_UNBLOCK, SEGV);
}

/// `mprotect`, of whole pages.
///
/// # Errors
/// What the kernel says.
pub(super) fn protect(start: usize, len: usize, prot: c_int) -> io::Result<()> {
    // SAFETY: the caller knows the memory as the program's mapped memory, and lets it be readable always.
    let done = unsafe { libc::syscall(libc::SYS_mprotect, start, len, prot) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
