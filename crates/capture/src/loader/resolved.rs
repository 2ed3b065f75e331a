//! The real function behind each export, found on first use.
//!
//! Invariant: once found, an answer stays, and so does the library that holds it: a program never meets two runtimes through one
//! name, and no call goes on to a library that is gone.

use core::ffi::{CStr, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use reprise_d3d12::model::MethodId;

use super::names::{COUNT, EXPORTS};
use super::next::{self, Next};

/// What is known about an export after its first use.
pub(crate) struct Known {
    pub(crate) next: Next,
    /// `None` where the model does not have the function: it is passed on.
    pub(crate) method: Option<MethodId>,
}

// SAFETY: the address is that of a function, whose library stays loaded; any thread may call it.
unsafe impl Send for Known {}
// SAFETY: nothing in it changes.
unsafe impl Sync for Known {}

static KNOWN: [OnceLock<Known>; COUNT] = [const { OnceLock::new() }; COUNT];

/// What is known about an export, found out on first use; `None` where nobody behind us has the function yet. A library that has
/// it may be loaded later.
pub(crate) fn known(index: usize) -> Option<&'static Known> {
    let known = KNOWN.get(index)?;
    if let Some(found) = known.get() {
        return Some(found);
    }
    let export = &EXPORTS[index];
    next::note_runtime();
    // A lookup behind a library's handle says which library the program means.
    let behind = BEHIND[index].load(Ordering::Acquire);
    let next = if behind.is_null() { next::find(export.name)? } else { next::at(behind) };
    next::keep_loaded(next.address);
    Some(known.get_or_init(|| Known { next, method: function(export.name) }))
}

/// What lookups behind a library's handle have found for each export.
pub(crate) static BEHIND: [AtomicPtr<c_void>; COUNT] = [const { AtomicPtr::new(core::ptr::null_mut()) }; COUNT];

/// The model's number of an exported function.
pub(crate) fn function(name: &CStr) -> Option<MethodId> {
    let functions = reprise_d3d12::MODEL.methods.iter().enumerate().rev();
    let mut functions = functions.take_while(|(_, method)| method.interface.is_none());
    let found = functions.find(|(_, method)| method.name.as_bytes() == name.to_bytes())?;
    Some(MethodId(found.0 as u16))
}

/// The real function behind an export, for hooks.
pub(crate) fn real(name: &CStr) -> Option<*const c_void> {
    let index = EXPORTS.iter().position(|export| export.name == name)?;
    known(index).map(|known| known.next.address)
}
