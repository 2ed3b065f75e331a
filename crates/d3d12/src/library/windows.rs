//! Libraries of Windows: the loader looks beside the program first, so a library placed there stands before the system's.

use super::Scope;
use libloading::os::windows::Library;

pub(super) type Loaded = Library;

/// Opens a library for the rest of the process. There is one scope: a function is always asked of its library.
pub(super) fn open(name: &str, _: Scope) -> Result<Loaded, libloading::Error> {
    // SAFETY: initialisers of a library that the user chose are the user's choice; nobody unloads it.
    unsafe { Library::new(name) }
}

/// No library stands before another one by being preloaded.
pub(super) fn process() -> Option<Loaded> {
    None
}
