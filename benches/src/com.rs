//! Calling a D3D12 library from here: its exports, and the slots of its objects, in either convention.
//!
//! The convention is a constant of the calling code, so that a measured call costs what it costs a C++ program.

use anyhow::{Context, Result, ensure};
use core::ffi::{CStr, c_void};
use std::ffi::CString;

/// Calls slot `$slot` of `$this`, which must be live and have such a method there.
#[macro_export]
macro_rules! call {
    ($win64:expr, $this:expr, $slot:expr, ($($ty:ty),*) -> $result:ty, ($($arg:expr),*)) => {{
        let this: *mut core::ffi::c_void = $this;
        let table = *this.cast::<*const *const core::ffi::c_void>();
        $crate::call_at!($win64, *table.add($slot), (*mut core::ffi::c_void $(, $ty)*) -> $result, (this $(, $arg)*))
    }};
}

/// Calls the function at an address.
#[macro_export]
macro_rules! call_at {
    ($win64:expr, $function:expr, ($($ty:ty),*) -> $result:ty, ($($arg:expr),*)) => {{
        let function: *const core::ffi::c_void = $function;
        if $win64 {
            let function: unsafe extern "win64" fn($($ty),*) -> $result = core::mem::transmute(function);
            function($($arg),*)
        } else {
            let function: unsafe extern "sysv64" fn($($ty),*) -> $result = core::mem::transmute(function);
            function($($arg),*)
        }
    }};
}

/// A D3D12 library of this process.
#[derive(Clone, Copy, Debug)]
pub struct Library(*mut c_void);

impl Library {
    /// Loads a library for all to see. Its exports are those that the process finds first: a preloaded library's before the
    /// runtime's own.
    ///
    /// # Errors
    /// The loader's own words.
    pub fn shared(path: &str) -> Result<Library> {
        open(path, libc::RTLD_GLOBAL)?;
        Ok(Library(libc::RTLD_DEFAULT))
    }

    /// Loads a library beside others that export the same names.
    ///
    /// # Errors
    /// The loader's own words.
    pub fn alone(path: &str) -> Result<Library> {
        open(path, libc::RTLD_LOCAL).map(Library)
    }

    /// The function of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn export(self, name: &str) -> Result<*const c_void> {
        let text = CString::new(name)?;
        // SAFETY: looks a terminated name up; handles are never closed.
        let address = unsafe { libc::dlsym(self.0, text.as_ptr()) };
        ensure!(!address.is_null(), "the library does not export {name}");
        Ok(address)
    }
}

fn open(path: &str, scope: i32) -> Result<*mut c_void> {
    let name = CString::new(path)?;
    // SAFETY: a terminated name; the library's constructors are trusted as the program under test is.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | scope) };
    if handle.is_null() {
        // SAFETY: dlerror returns terminated text or null right after a failure.
        let text = unsafe { libc::dlerror() };
        // SAFETY: not null, so terminated text, which stays until the next call of the loader.
        let text = if text.is_null() { "no reason".into() } else { unsafe { CStr::from_ptr(text) }.to_string_lossy() };
        anyhow::bail!("cannot load {path}: {text}");
    }
    Ok(handle)
}

/// Slot of a method, as the model has it.
///
/// # Errors
/// The model does not have the method.
pub fn slot(interface: &str, method: &str) -> Result<usize> {
    let model = &reprise_d3d12::MODEL;
    let at = model.interfaces.iter().find(|i| i.name == interface).context("no such interface in the model")?;
    let first = at.first_method.0 as usize;
    let own = &model.methods[first..first + at.method_count as usize];
    let found = own.iter().find(|m| m.name == method);
    Ok(found.with_context(|| format!("no method {interface}::{method} in the model"))?.slot as usize)
}

/// The id of an interface, as the model has it.
///
/// # Errors
/// The model does not have the interface.
pub fn iid(interface: &str) -> Result<reprise_d3d12::model::Guid> {
    let model = &reprise_d3d12::MODEL;
    let at = model.interfaces.iter().find(|i| i.name == interface).context("no such interface in the model")?;
    Ok(at.iid)
}
