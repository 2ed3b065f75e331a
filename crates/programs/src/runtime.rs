//! The library that the programs run on, loaded as if they had been linked with it.
//!
//! Invariant: every exported function is called at the address that the loader gives to the whole process. A capture library
//! that was preloaded stands before the runtime there, so a captured run needs no word of these programs.

use crate::com::Word;
use crate::failure::Failure;
use core::ffi::c_void;
use reprise_d3d12::abi::{self, Convention};
use reprise_d3d12::library::{self, Library, Scope};
use reprise_d3d12::model::MethodId;

/// A loaded library, for the rest of the process.
pub(crate) struct Runtime {
    library: Library,
    /// Of its `D3D12*` functions and of all methods.
    pub(crate) convention: Convention,
}

impl Runtime {
    /// Loads what the user named.
    pub(crate) fn load(wanted: &str) -> Result<&'static Self, Failure> {
        let names = library::candidates(wanted);
        let (_, library) = Library::open_first(&names, Scope::Global)
            .map_err(|reason| Failure::NoLibrary(format!("cannot load the library {wanted:?}: {reason}")))?;
        Ok(Box::leak(Box::new(Self { library, convention: library.convention() })))
    }

    /// Whether the library exports a function.
    pub(crate) fn has(&self, function: MethodId) -> bool {
        self.library.symbol(function.get().name).is_some()
    }

    /// Calls an exported function; fails where the library does not have it.
    ///
    /// # Safety
    /// The words are valid arguments of the function.
    pub(crate) unsafe fn call(&self, function: MethodId, words: &[Word]) -> Result<u64, Failure> {
        let name = function.get().name;
        let address: *const c_void = self
            .library
            .linked_symbol(name)
            .or_else(|| companion(name))
            .ok_or_else(|| Failure::Cannot(format!("the library does not export {name}")))?;
        // What libvkd3d adds to the API is System V, whatever its objects are.
        let convention = if name.starts_with("vkd3d_") { Convention::SystemV } else { self.convention };
        let words = Word::checked(words, function);
        // SAFETY: the export has the shape that the model gives its name; the rest is the caller's promise.
        Ok(unsafe { abi::call(convention, address, None, &words, function.get()) })
    }
}

/// A function of DXGI, which Windows has in a library of its own.
fn companion(name: &str) -> Option<*const c_void> {
    let dxgi = cfg!(windows) && name.contains("DXGI");
    dxgi.then(|| Library::open("dxgi.dll", Scope::Local).ok()?.symbol(name)).flatten()
}
