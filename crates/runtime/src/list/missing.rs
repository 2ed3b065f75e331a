//! Commands that the runtime does not have, and commands that ask only for what it always does.
//!
//! Invariant: a list with a command that is missing does not close, so that nothing else is executed in its place.

use core::ffi::c_void;

use reprise_com::Slots;

use crate::Error;
use crate::list::recording::Recording;

/// The methods.
pub(super) const LIST_METHODS: &Slots = &[("SetProtectedResourceSession", set_protected_session as *const c_void)];

/// Without a session the usual one is meant.
unsafe extern "C" fn set_protected_session(this: *mut c_void, session: *mut c_void) {
    // SAFETY: a list of ours.
    unsafe {
        Recording::on_any(this, |_| match session.is_null() {
            true => Ok(()),
            false => Err(Error::Unsupported("SetProtectedResourceSession")),
        })
    };
}

#[cfg(test)]
mod tests;
