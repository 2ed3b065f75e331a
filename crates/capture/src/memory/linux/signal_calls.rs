//! The C library's functions about signals, exported in front of the real ones: our handler of segmentation faults stays first,
//! and no mask blocks that signal.

use core::ffi::{CStr, c_int, c_void};

use super::beyond::{self, Beyond, PTHREAD_SIGMASK, SIGPROCMASK, nobody};
use super::fault::{self, Action};
use super::signals;

type MaskFn = unsafe extern "C" fn(c_int, *const libc::sigset_t, *mut libc::sigset_t) -> c_int;
type SignalFn = unsafe extern "C" fn(c_int, usize) -> usize;

/// Stands before the C library's: a program's handler of segmentation faults comes behind ours, and no handler runs with the
/// signal blocked.
///
/// # Safety
/// As the function of this name.
#[unsafe(no_mangle)]
pub(in crate::memory) unsafe extern "C" fn sigaction(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    let Some(beyond) = beyond::sigaction() else { return nobody() };
    // SAFETY: the program's structures, or null, as for the real function.
    unsafe {
        if signal == libc::SIGSEGV && fault::is_installed() {
            let before = fault::exchange(new.as_ref().map(fault::action_of));
            if let Some(old) = old.as_mut() {
                *old = core::mem::zeroed();
                old.sa_sigaction = before.handler;
                old.sa_flags = before.flags as c_int;
                signals::set_signals(&mut old.sa_mask, before.mask);
            }
            return 0;
        }
        match new.as_ref() {
            Some(new) if fault::is_expected() && signal != libc::SIGSEGV => {
                let mut ours = *new;
                signals::set_signals(&mut ours.sa_mask, signals::signals(&new.sa_mask) & !signals::SEGV);
                beyond(signal, &raw const ours, old)
            }
            _ => beyond(signal, new, old),
        }
    }
}

/// A handler that is set by one of the older functions, which the C library does not set through `sigaction` as we see it.
///
/// # Safety
/// `beyond` is one of these functions; the arguments are the program's.
unsafe fn old_signal(beyond: &Beyond, signal: c_int, handler: usize, flags: c_int, mask: signals::Mask) -> usize {
    if signal == libc::SIGSEGV && handler != libc::SIG_ERR && fault::is_installed() {
        return fault::exchange(Some(Action { handler, flags: u64::from(flags as u32), mask })).handler;
    }
    let address = beyond.get();
    if address.is_null() {
        nobody::<c_int>();
        return libc::SIG_ERR;
    }
    // SAFETY: the function of that name, with the program's arguments.
    unsafe { core::mem::transmute::<*mut c_void, SignalFn>(address)(signal, handler) }
}

macro_rules! old_signals {
    ($($name:ident: $flags:expr, $mask:expr;)*) => {$(
        /// Stands before the C library's, as [`sigaction`].
        ///
        /// # Safety
        /// As the function of this name.
        #[unsafe(no_mangle)]
        pub(in crate::memory) unsafe extern "C" fn $name(signal: c_int, handler: usize) -> usize {
            static BEYOND: Beyond = Beyond::new(
                // SAFETY: a literal without inner zeros, and one at the end.
                unsafe { CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) },
            );
            // SAFETY: the function behind has this signature; the arguments are the program's.
            unsafe { old_signal(&BEYOND, signal, handler, $flags, $mask) }
        }
    )*};
}

const ONCE: c_int = libc::SA_RESETHAND | libc::SA_NODEFER;

old_signals! {
    signal: libc::SA_RESTART, signals::SEGV;
    bsd_signal: libc::SA_RESTART, signals::SEGV;
    ssignal: libc::SA_RESTART, signals::SEGV;
    sysv_signal: ONCE, 0;
    __sysv_signal: ONCE, 0;
}

/// Sets a mask without the signal of faults, where the program would block it.
///
/// # Safety
/// `beyond` is `sigprocmask` or `pthread_sigmask`; the arguments are the program's.
unsafe fn mask(beyond: &Beyond, how: c_int, new: *const libc::sigset_t, old: *mut libc::sigset_t) -> c_int {
    let address = beyond.get();
    if address.is_null() {
        return nobody();
    }
    // SAFETY: the functions of these names have this signature; the arguments are the program's.
    unsafe {
        let beyond = core::mem::transmute::<*mut c_void, MaskFn>(address);
        match new.as_ref() {
            Some(new) if how != libc::SIG_UNBLOCK && fault::is_expected() => {
                let mut ours = *new;
                signals::set_signals(&mut ours, signals::signals(new) & !signals::SEGV);
                beyond(how, &raw const ours, old)
            }
            _ => beyond(how, new, old),
        }
    }
}

/// Stands before the C library's: the signal of faults stays unblocked.
///
/// # Safety
/// As the function of this name.
#[unsafe(no_mangle)]
pub(in crate::memory) unsafe extern "C" fn sigprocmask(
    how: c_int,
    new: *const libc::sigset_t,
    old: *mut libc::sigset_t,
) -> c_int {
    // SAFETY: the function behind has this signature; the arguments are the program's.
    unsafe { mask(&SIGPROCMASK, how, new, old) }
}

/// Stands before the C library's: the signal of faults stays unblocked.
///
/// # Safety
/// As the function of this name.
#[unsafe(no_mangle)]
pub(in crate::memory) unsafe extern "C" fn pthread_sigmask(
    how: c_int,
    new: *const libc::sigset_t,
    old: *mut libc::sigset_t,
) -> c_int {
    // SAFETY: the function behind has this signature; the arguments are the program's.
    unsafe { mask(&PTHREAD_SIGMASK, how, new, old) }
}
