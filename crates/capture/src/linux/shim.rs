//! Functions of the C library that stand before the real ones, for memory that is watched by protection.
//!
//! Two kinds. Calls that make the kernel store to memory of the program pin it first (`protect::pin`): the kernel does not
//! resume after a fault, it answers `EFAULT`. Calls about the segmentation signal keep our handler first and the signal
//! unblocked (`fault`). Invariant: where nothing is protected each is a comparison and a jump; arguments and results are the
//! real functions'.
//!
//! `fread` is here because the C library reads large pieces straight into the caller's memory by a call that no other library
//! can stand before; what it copies out of its own buffers is a store like any other. Not seen: see `ARCHITECTURE.md`.

use core::ffi::{CStr, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use super::fault::{self, Action};
use super::next;
use super::protect::{Pin, pin};

/// A function behind ours.
struct Beyond {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Beyond {
    const fn new(name: &'static CStr) -> Self {
        Self { name, address: AtomicPtr::new(core::ptr::null_mut()) }
    }

    #[inline(always)]
    fn get(&self) -> *mut c_void {
        let address = self.address.load(Ordering::Relaxed);
        if address.is_null() { self.find() } else { address }
    }

    #[cold]
    fn find(&self) -> *mut c_void {
        let address = next::symbol(self.name).map_or(core::ptr::null_mut(), <*const c_void>::cast_mut);
        self.address.store(address, Ordering::Relaxed);
        address
    }
}

/// What a function answers when it failed.
trait Failed {
    const FAILED: Self;
}

impl Failed for isize {
    const FAILED: isize = -1;
}

impl Failed for c_int {
    const FAILED: c_int = -1;
}

impl Failed for usize {
    const FAILED: usize = 0;
}

/// The answer of a function that nobody has behind us. Does not happen with the C library we are built for.
fn nobody<T: Failed>() -> T {
    // SAFETY: the thread's own.
    unsafe { *libc::__errno_location() = libc::ENOSYS };
    T::FAILED
}

/// Bytes that a list of buffers spans, from the least address to the greatest: pinned at once.
///
/// # Safety
/// `list` has `count` readable entries, or is not readable, which the kernel would answer with an error.
unsafe fn pin_list(list: *const libc::iovec, count: usize) -> Option<Pin> {
    // SAFETY: by contract.
    let list = if list.is_null() { &[] } else { unsafe { core::slice::from_raw_parts(list, count.min(1024)) } };
    let places = list.iter().filter(|place| place.iov_len > 0).map(|place| (place.iov_base as usize, place.iov_len));
    let start = places.clone().map(|(start, _)| start).min()?;
    let end = places.map(|(start, len)| start.saturating_add(len)).max()?;
    pin(start, end - start)
}

macro_rules! shims {
    ($(fn $name:ident($($argument:ident: $ty:ty),*) -> $result:ty { $pinned:expr })*) => {
        mod beyond {
            use super::Beyond;
            $(
                #[allow(non_upper_case_globals)]
                pub(super) static $name: Beyond = Beyond::new(
                    // SAFETY: a literal without inner zeros, and one at the end.
                    unsafe {
                        core::ffi::CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes())
                    },
                );
            )*
        }
        $(
            /// Stands before the C library's: pins what the kernel will store to.
            ///
            /// # Safety
            /// As the function of this name.
            #[unsafe(no_mangle)]
            pub(super) unsafe extern "C" fn $name($($argument: $ty),*) -> $result {
                let beyond = beyond::$name.get();
                if beyond.is_null() {
                    return nobody();
                }
                // SAFETY: the arguments are the program's; the function behind us has this signature.
                unsafe {
                    let _pin: Option<Pin> = $pinned;
                    let beyond: unsafe extern "C" fn($($ty),*) -> $result = core::mem::transmute(beyond);
                    beyond($($argument),*)
                }
            }
        )*
        /// Looks for all of them, so that none is looked for in a signal handler.
        fn find_all() {
            $(beyond::$name.get();)*
        }
    };
}

shims! {
    fn read(file: c_int, to: *mut c_void, len: usize) -> isize { pin(to as usize, len) }
    fn pread(file: c_int, to: *mut c_void, len: usize, at: i64) -> isize { pin(to as usize, len) }
    fn pread64(file: c_int, to: *mut c_void, len: usize, at: i64) -> isize { pin(to as usize, len) }
    fn readv(file: c_int, list: *const libc::iovec, count: c_int) -> isize { pin_list(list, count as usize) }
    fn preadv(file: c_int, list: *const libc::iovec, count: c_int, at: i64) -> isize { pin_list(list, count as usize) }
    fn preadv64(file: c_int, list: *const libc::iovec, count: c_int, at: i64) -> isize { pin_list(list, count as usize) }
    fn preadv2(file: c_int, list: *const libc::iovec, count: c_int, at: i64, flags: c_int) -> isize {
        pin_list(list, count as usize)
    }
    fn preadv64v2(file: c_int, list: *const libc::iovec, count: c_int, at: i64, flags: c_int) -> isize {
        pin_list(list, count as usize)
    }
    fn recv(socket: c_int, to: *mut c_void, len: usize, flags: c_int) -> isize { pin(to as usize, len) }
    fn recvfrom(
        socket: c_int, to: *mut c_void, len: usize, flags: c_int, from: *mut c_void, from_len: *mut c_uint
    ) -> isize {
        pin(to as usize, len)
    }
    fn recvmsg(socket: c_int, message: *mut libc::msghdr, flags: c_int) -> isize {
        if message.is_null() { None } else { pin_list((*message).msg_iov, (*message).msg_iovlen) }
    }
    fn fread(to: *mut c_void, size: usize, count: usize, file: *mut c_void) -> usize {
        pin(to as usize, size.saturating_mul(count))
    }
    fn fread_unlocked(to: *mut c_void, size: usize, count: usize, file: *mut c_void) -> usize {
        pin(to as usize, size.saturating_mul(count))
    }
    // The program may protect its mappings, or throw their contents away: whatever it does counts as a store, and the pages
    // are as writable as it left them before its own protection.
    fn mprotect(start: *mut c_void, len: usize, may: c_int) -> c_int { pin(start as usize, len) }
    fn madvise(start: *mut c_void, len: usize, advice: c_int) -> c_int {
        if matches!(advice, libc::MADV_DONTNEED | libc::MADV_REMOVE | libc::MADV_FREE) {
            pin(start as usize, len)
        } else {
            None
        }
    }
    fn getrandom(to: *mut c_void, len: usize, flags: c_uint) -> isize { pin(to as usize, len) }
    fn getentropy(to: *mut c_void, len: usize) -> c_int { pin(to as usize, len) }
    // What compilers call instead where the size of the target is known.
    fn __read_chk(file: c_int, to: *mut c_void, len: usize, room: usize) -> isize { pin(to as usize, len) }
    fn __pread_chk(file: c_int, to: *mut c_void, len: usize, at: i64, room: usize) -> isize { pin(to as usize, len) }
    fn __pread64_chk(file: c_int, to: *mut c_void, len: usize, at: i64, room: usize) -> isize { pin(to as usize, len) }
    fn __recv_chk(socket: c_int, to: *mut c_void, len: usize, room: usize, flags: c_int) -> isize {
        pin(to as usize, len)
    }
    fn __recvfrom_chk(
        socket: c_int, to: *mut c_void, len: usize, room: usize, flags: c_int, from: *mut c_void, from_len: *mut c_uint
    ) -> isize {
        pin(to as usize, len)
    }
    fn __fread_chk(to: *mut c_void, room: usize, size: usize, count: usize, file: *mut c_void) -> usize {
        pin(to as usize, size.saturating_mul(count))
    }
    fn __fread_unlocked_chk(to: *mut c_void, room: usize, size: usize, count: usize, file: *mut c_void)
        -> usize
    {
        pin(to as usize, size.saturating_mul(count))
    }
}

type SigactionFn = unsafe extern "C" fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;
type MaskFn = unsafe extern "C" fn(c_int, *const libc::sigset_t, *mut libc::sigset_t) -> c_int;
type SignalFn = unsafe extern "C" fn(c_int, usize) -> usize;

static SIGACTION: Beyond = Beyond::new(c"sigaction");
static SIGPROCMASK: Beyond = Beyond::new(c"sigprocmask");
static PTHREAD_SIGMASK: Beyond = Beyond::new(c"pthread_sigmask");

/// The C library's `sigaction`, past ours.
pub(super) fn sigaction_beyond() -> Option<SigactionFn> {
    let address = SIGACTION.get();
    // SAFETY: null, or the function of this name.
    unsafe { core::mem::transmute::<*mut c_void, Option<SigactionFn>>(address) }
}

/// Stands before the C library's: a program's handler of segmentation faults comes behind ours, and no handler runs with the
/// signal blocked.
///
/// # Safety
/// As the function of this name.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn sigaction(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    let Some(beyond) = sigaction_beyond() else { return nobody() };
    // SAFETY: the program's structures, or null, as for the real function.
    unsafe {
        if signal == libc::SIGSEGV && fault::is_installed() {
            let before = fault::exchange(new.as_ref().map(fault::action_of));
            if let Some(old) = old.as_mut() {
                *old = core::mem::zeroed();
                old.sa_sigaction = before.handler;
                old.sa_flags = before.flags as c_int;
                fault::set_signals(&mut old.sa_mask, before.mask);
            }
            return 0;
        }
        match new.as_ref() {
            Some(new) if fault::is_expected() && signal != libc::SIGSEGV => {
                let mut ours = *new;
                fault::set_signals(&mut ours.sa_mask, fault::signals(&new.sa_mask) & !fault::SEGV);
                beyond(signal, &raw const ours, old)
            }
            _ => beyond(signal, new, old),
        }
    }
}

/// A handler that is set by one of the older functions, which the C library does not set through `sigaction` as we see it.
unsafe fn old_signal(beyond: &Beyond, signal: c_int, handler: usize, flags: c_int, mask: fault::Mask) -> usize {
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
        pub(super) unsafe extern "C" fn $name(signal: c_int, handler: usize) -> usize {
            static BEYOND: Beyond = Beyond::new(
                // SAFETY: a literal without inner zeros, and one at the end.
                unsafe { CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) },
            );
            // SAFETY: by contract.
            unsafe { old_signal(&BEYOND, signal, handler, $flags, $mask) }
        }
    )*};
}

const ONCE: c_int = libc::SA_RESETHAND | libc::SA_NODEFER;

old_signals! {
    signal: libc::SA_RESTART, fault::SEGV;
    bsd_signal: libc::SA_RESTART, fault::SEGV;
    ssignal: libc::SA_RESTART, fault::SEGV;
    sysv_signal: ONCE, 0;
    __sysv_signal: ONCE, 0;
}

/// A mask as we let it be: without the signal of faults, where it would be blocked.
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
                fault::set_signals(&mut ours, fault::signals(new) & !fault::SEGV);
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
pub(super) unsafe extern "C" fn sigprocmask(how: c_int, new: *const libc::sigset_t, old: *mut libc::sigset_t) -> c_int {
    // SAFETY: by contract.
    unsafe { mask(&SIGPROCMASK, how, new, old) }
}

/// Stands before the C library's: the signal of faults stays unblocked.
///
/// # Safety
/// As the function of this name.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_sigmask(
    how: c_int,
    new: *const libc::sigset_t,
    old: *mut libc::sigset_t,
) -> c_int {
    // SAFETY: by contract.
    unsafe { mask(&PTHREAD_SIGMASK, how, new, old) }
}

/// Runs when the library is loaded, before the program: functions are found while there is one thread, and threads to come
/// are kept from blocking the signal if memory may be watched by protection.
#[used]
#[unsafe(link_section = ".init_array")]
static LOADED: extern "C" fn() = {
    extern "C" fn loaded() {
        find_all();
        for beyond in [&SIGACTION, &SIGPROCMASK, &PTHREAD_SIGMASK] {
            beyond.get();
        }
        if super::shared::may_protect() {
            fault::expect();
        }
    }
    loaded
};
