//! Wine: Windows' interfaces on a process of Linux.
//!
//! `peek` reads memory that may not be there, `elf` finds the C library's code with it, `kernel` calls Linux through an instruction
//! of that code, `process` says who this process is to native ones, and
//! `swap_chains` lets Wine's DXGI make swap chains for wrapped queues.

mod elf;
pub(crate) mod kernel;
mod peek;
pub(crate) mod process;
pub(crate) mod swap_chains;

use core::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

use crate::host::module::Module;

/// `ntdll.dll`, which tells Wine from Windows.
fn ntdll() -> Option<Module> {
    Module::loaded(c"ntdll.dll")
}

/// Wine's version and the system below it, such as `Wine 8.0 on Linux 6.8.0`; `None` on Windows.
pub(crate) fn version() -> Option<String> {
    static VERSION: OnceLock<Option<String>> = OnceLock::new();
    VERSION.get_or_init(ask_version).clone()
}

fn ask_version() -> Option<String> {
    let ntdll = ntdll()?;
    let version = ntdll.export(c"wine_get_version")?;
    // SAFETY: Wine's function of this name takes nothing and returns a terminated text that stays.
    let version = unsafe {
        let get = core::mem::transmute::<*const c_void, unsafe extern "win64" fn() -> *const c_char>(version);
        CStr::from_ptr(get()).to_string_lossy().into_owned()
    };
    let mut text = format!("Wine {version}");
    if let Some(host) = ntdll.export(c"wine_get_host_version") {
        let (mut system, mut release): (*const c_char, *const c_char) = (core::ptr::null(), core::ptr::null());
        // SAFETY: Wine's function of this name stores two terminated texts that stay.
        unsafe {
            type Get = unsafe extern "win64" fn(*mut *const c_char, *mut *const c_char);
            core::mem::transmute::<*const c_void, Get>(host)(&raw mut system, &raw mut release);
            if !system.is_null() && !release.is_null() {
                let (system, release) = (CStr::from_ptr(system), CStr::from_ptr(release));
                text.push_str(&format!(" on {} {}", system.to_string_lossy(), release.to_string_lossy()));
            }
        }
    }
    Some(text)
}
