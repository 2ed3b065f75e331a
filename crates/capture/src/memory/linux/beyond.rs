//! The C library's own functions behind those that this library exports, each found once.

use crate::loader::next;
use core::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

/// A function behind ours.
pub(in crate::memory) struct Beyond {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Beyond {
    /// The function of this name; looked for when it is first asked for.
    pub(in crate::memory) const fn new(name: &'static CStr) -> Self {
        Self { name, address: AtomicPtr::new(core::ptr::null_mut()) }
    }

    #[inline(always)]
    /// Its address; null where there is none.
    pub(in crate::memory) fn get(&self) -> *mut c_void {
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
pub(in crate::memory) trait Failed {
    /// The answer.
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
pub(in crate::memory) fn nobody<T: Failed>() -> T {
    // SAFETY: the C library gives the address of the calling thread's own `errno`.
    unsafe { *libc::__errno_location() = libc::ENOSYS };
    T::FAILED
}

/// The type of `sigaction`.
pub(in crate::memory) type SigactionFn =
    unsafe extern "C" fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;

pub(in crate::memory) static SIGACTION: Beyond = Beyond::new(c"sigaction");
pub(in crate::memory) static SIGPROCMASK: Beyond = Beyond::new(c"sigprocmask");
pub(in crate::memory) static PTHREAD_SIGMASK: Beyond = Beyond::new(c"pthread_sigmask");

/// The C library's `sigaction`, past ours.
pub(in crate::memory) fn sigaction() -> Option<SigactionFn> {
    let address = SIGACTION.get();
    // SAFETY: null, or the address of the C library's function, which has this type.
    unsafe { core::mem::transmute::<*mut c_void, Option<SigactionFn>>(address) }
}
