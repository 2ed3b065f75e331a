//! What a device runs on, stated once in the trace: the DLL, the adapter, the system.
//!
//! Invariant: only getters are called, on a device that the program has just made. What fails is left out.

use core::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

use reprise_trace::fact;

use super::library;
use super::names::Dll;
use crate::entry;
use crate::host::process;
use crate::host::windows::sign::{self, Event};
use crate::interposition::private_interfaces;
use crate::json::member;

/// The program made a device; `out` is where it wanted the pointer, null when it only asked whether it could.
///
/// # Safety
/// The output of a call that succeeded.
pub(super) unsafe fn made(out: *const *mut c_void) {
    static SAID: AtomicBool = AtomicBool::new(false);
    private_interfaces::told();
    // SAFETY: the place of a call that succeeded, which holds the device.
    let device = if out.is_null() { core::ptr::null_mut() } else { unsafe { *out } };
    if device.is_null() || SAID.swap(true, Ordering::Relaxed) {
        return;
    }
    sign::leave(Event::Device, "");
    let mut text = String::from("{");
    let file = library::real(Dll::D3d12).and_then(|library| library.file());
    if let Some(name) = file.as_deref().and_then(std::path::Path::file_name) {
        member(&mut text, "runtime", &name.to_string_lossy());
    }
    if let Some(host) = process::host() {
        member(&mut text, "host", &host);
    }
    text.push('}');
    entry::fact(0, fact::META, text.as_bytes());
}
