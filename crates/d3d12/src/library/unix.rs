//! Libraries of Unix systems: ELF's global scope, where a preloaded library stands before all others.

use super::{Scope, VKD3D_PROTON, VKD3D_PROTON_CORE};
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_LOCAL, RTLD_NOW};

pub(super) type Loaded = Library;

/// Opens a library for the rest of the process, with the part that it does not find itself.
pub(super) fn open(name: &str, scope: Scope) -> Result<Loaded, libloading::Error> {
    if let Some(folder) = name.strip_suffix(VKD3D_PROTON).filter(|folder| !folder.is_empty()) {
        // What lies beside it is found by name once it is loaded; where there is none, the library says so itself.
        if let Ok(core) = load(&format!("{folder}{VKD3D_PROTON_CORE}"), scope) {
            std::mem::forget(core);
        }
    }
    load(name, scope)
}

fn load(name: &str, scope: Scope) -> Result<Loaded, libloading::Error> {
    let scope = if scope == Scope::Global { RTLD_GLOBAL } else { RTLD_LOCAL };
    // SAFETY: initialisers of a library that the user chose are the user's choice; nobody unloads it.
    unsafe { Library::open(Some(name), RTLD_NOW | scope) }
}

/// The process as a whole: the program, what was preloaded, and all libraries of global scope, in the loader's order.
pub(super) fn process() -> Option<Loaded> {
    Some(Library::this())
}
