//! Masks of signals, and the system calls that the signal handler and its lock need.
//!
//! The C library's functions are not used: they leave signals of the library's own out of masks, and `signal_calls` stands in
//! front of them. Invariant: each function makes at most one bare system call, so it may run in a signal handler.

use core::ffi::c_int;

/// The signals of a thread's mask, as the kernel has them: bit 0 is signal 1.
pub(in crate::memory) type Mask = u64;

pub(in crate::memory) const SEGV: Mask = 1 << (libc::SIGSEGV - 1);

/// `struct sigaction` of the system call.
#[repr(C)]
#[derive(Default)]
pub(in crate::memory) struct KernelAction {
    pub(in crate::memory) handler: usize,
    pub(in crate::memory) flags: u64,
    pub(in crate::memory) restorer: usize,
    pub(in crate::memory) mask: Mask,
}

/// The first 64 signals of a set, which are all there are.
pub(in crate::memory) fn signals(set: &libc::sigset_t) -> Mask {
    // SAFETY: the C library's set begins with these 8 bytes.
    unsafe { core::ptr::from_ref(set).cast::<Mask>().read() }
}

/// The reverse of [`signals`].
pub(in crate::memory) fn set_signals(set: &mut libc::sigset_t, mask: Mask) {
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

/// All signals of this thread are blocked while it lives.
pub(in crate::memory) struct Quiet(Mask);

impl Quiet {
    /// Blocks them.
    pub(in crate::memory) fn begin() -> Self {
        Self(change_mask(libc::SIG_BLOCK, u64::MAX))
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        set_mask(self.0);
    }
}

/// Gives the thread a mask.
pub(in crate::memory) fn set_mask(mask: Mask) {
    change_mask(libc::SIG_SETMASK, mask);
}

/// Lets this thread be told of its faults.
pub(in crate::memory) fn unblock() {
    change_mask(libc::SIG_UNBLOCK, SEGV);
}
