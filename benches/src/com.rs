//! Calling a D3D12 library from here: its exports, and the slots of its objects, in either convention.
//!
//! The convention is a constant of the calling code, so that a measured call costs what it costs a C++ program.

use anyhow::{Context, Result, anyhow};
use core::ffi::c_void;
use reprise_d3d12::library::{self, Scope};

/// The convention of the libraries whose calls are measured one by one.
pub(crate) const WIN64: bool = cfg!(windows);

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
pub struct Library(library::Library, Scope);

impl Library {
    /// Loads a library for all to see. Its exports are those that the process finds first: a preloaded library's before the
    /// runtime's own.
    ///
    /// # Errors
    /// The loader's own words.
    pub fn shared(path: &str) -> Result<Library> {
        open(path, Scope::Global)
    }

    /// Loads a library beside others that export the same names.
    ///
    /// # Errors
    /// The loader's own words.
    pub fn alone(path: &str) -> Result<Library> {
        open(path, Scope::Local)
    }

    /// The function of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn export(self, name: &str) -> Result<*const c_void> {
        let found = if self.1 == Scope::Global { self.0.linked_symbol(name) } else { self.0.symbol(name) };
        found.with_context(|| format!("the library does not export {name}"))
    }
}

fn open(path: &str, scope: Scope) -> Result<Library> {
    let opened = library::Library::open(path, scope);
    opened.map(|library| Library(library, scope)).map_err(|reason| anyhow!("cannot load {path}: {reason}"))
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
