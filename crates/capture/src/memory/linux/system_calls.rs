//! The C library's functions that make the kernel store to the program's memory, exported in front of the real ones.
//!
//! A system call that meets a protected page fails with `EFAULT`; the kernel does not resume it after a fault. So these
//! functions pin protected memory first (`pages::pin`). `fread` is one of them, because the C library reads large pieces
//! straight into the caller's memory, by a call that no other library can stand before. Its copies out of its own buffers are
//! ordinary stores. docs/limits.md lists the system calls that are not seen.
//!
//! Invariant: arguments and results are the real functions'. Where nothing is protected, each function costs a comparison and a
//! jump.

use core::ffi::{c_int, c_uint, c_void};

use super::beyond::{Beyond, PTHREAD_SIGMASK, SIGACTION, SIGPROCMASK, nobody};
use super::fault;
use crate::memory::pages::{Pin, pin};
use crate::memory::process_tracker;

/// Bytes that a list of buffers spans, from the least address to the greatest: pinned at once.
///
/// # Safety
/// `list` has `count` readable entries, or is not readable, which the kernel would answer with an error.
unsafe fn pin_list(list: *const libc::iovec, count: usize) -> Option<Pin> {
    let count = if list.is_null() { 0 } else { count.min(1024) };
    // SAFETY: the caller passes a list with `count` entries, of which the kernel takes 1024 at most; each is read by itself, since
    // the program's threads may store to the list.
    let places = (0..count).map(move |at| unsafe { list.add(at).read() });
    let places = places.filter(|place| place.iov_len > 0).map(|place| (place.iov_base as usize, place.iov_len));
    let start = places.clone().map(|(start, _)| start).min()?;
    let end = places.map(|(start, len)| start.saturating_add(len)).max()?;
    pin(start, end - start)
}

macro_rules! shims {
    ($(fn $name:ident($($argument:ident: $ty:ty),*) -> $result:ty { $pinned:expr })*) => {
        mod real {
            use super::Beyond;
            $(
                #[allow(non_upper_case_globals)]
                pub(in crate::memory) static $name: Beyond = Beyond::new(
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
            pub(in crate::memory) unsafe extern "C" fn $name($($argument: $ty),*) -> $result {
                let beyond = real::$name.get();
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
            $(real::$name.get();)*
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
        if process_tracker::may_protect() {
            fault::expect();
        }
    }
    loaded
};
