//! Access violations: a vectored handler, which asks `pages` first.
//!
//! Invariant: a violation that we did not cause goes on to the next handler, as it was.

use core::ffi::c_void;
use std::io;
use std::sync::OnceLock;

use crate::memory::pages;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn AddVectoredExceptionHandler(first: u32, handler: *const c_void) -> *mut c_void;
}

/// `EXCEPTION_RECORD`.
#[repr(C)]
struct Record {
    code: u32,
    flags: u32,
    next: *mut Record,
    address: *mut c_void,
    count: u32,
    /// Of an access violation: 1 for a store, and the address.
    parameters: [usize; 15],
}

/// `EXCEPTION_POINTERS`.
#[repr(C)]
struct Pointers {
    record: *mut Record,
    context: *mut c_void,
}

const ACCESS_VIOLATION: u32 = 0xc000_0005;
const STORE: usize = 1;
const CONTINUE_EXECUTION: i32 = -1;
const CONTINUE_SEARCH: i32 = 0;

/// Makes our handler the first.
///
/// # Errors
/// The system takes no handler.
pub(in crate::memory) fn install() -> io::Result<()> {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    // SAFETY: the handler has the type of vectored handlers; this library is never unloaded while objects of ours live.
    let install = || unsafe { !AddVectoredExceptionHandler(1, on_violation as *const c_void).is_null() };
    if *INSTALLED.get_or_init(install) { Ok(()) } else { Err(io::ErrorKind::Unsupported.into()) }
}

unsafe extern "system" fn on_violation(pointers: *mut Pointers) -> i32 {
    // SAFETY: Windows passes valid structures to vectored handlers.
    let record = unsafe { &*(*pointers).record };
    let store = record.code == ACCESS_VIOLATION && record.count >= 2 && record.parameters[0] == STORE;
    if store && pages::resolve(record.parameters[1]) { CONTINUE_EXECUTION } else { CONTINUE_SEARCH }
}
