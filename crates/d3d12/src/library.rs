//! A Direct3D 12 library, open for the life of the process: found by name, and asked which convention it speaks.
//!
//! Drivers start threads and register exit handlers of their own: a runtime that was loaded once is never unloaded.
//! Invariant: a symbol's address is valid for as long as the process lives.

use std::ffi::{CString, c_void};
use std::path::PathBuf;

use crate::abi::Convention;

/// Debian's vkd3d, by the part that has the API's entry points.
pub const VKD3D: &str = "libvkd3d-utils.so.1";
/// vkd3d-proton's native library, or ours under its name.
pub const VKD3D_PROTON: &str = "libvkd3d-proton-d3d12.so";
/// The other half of vkd3d-proton's, which it looks for along the loader's path only.
const VKD3D_PROTON_CORE: &str = "libvkd3d-proton-d3d12core.so";
/// Our own runtime.
pub const OURS: &str = "libreprise_d3d12.so";

/// An open library.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    handle: *mut c_void,
}

// SAFETY: a handle of the loader may be used on any thread, and is never closed.
unsafe impl Send for Library {}
// SAFETY: the loader may be asked about one handle by several threads at once.
unsafe impl Sync for Library {}

/// Who finds the symbols of a library that is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Only who asks the library: nothing that was loaded before or comes later stands before them.
    Local,
    /// Everybody, as if the program had been linked with it: a library preloaded before it has its symbols first.
    Global,
}

impl Library {
    /// Opens by path or by a name that the system's loader resolves.
    ///
    /// # Errors
    /// The loader's own words.
    pub fn open(name: &str, scope: Scope) -> Result<Self, String> {
        let c_name = CString::new(name).map_err(|_| "the name has a zero byte".to_owned())?;
        if let Some(folder) = name.strip_suffix(VKD3D_PROTON).filter(|folder| !folder.is_empty())
            && let Ok(core) = CString::new(format!("{folder}{VKD3D_PROTON_CORE}"))
        {
            // What lies beside it is found by name once it is loaded; where there is none, the library says so itself.
            let _ = system::open(&core, scope);
        }
        let handle = system::open(&c_name, scope)?;
        Ok(Self { handle })
    }

    /// The first of the names that opens, with that name.
    ///
    /// # Errors
    /// What the loader said of each.
    pub fn open_first(names: &[String], scope: Scope) -> Result<(&str, Self), String> {
        let mut reasons = Vec::new();
        for name in names {
            match Self::open(name, scope) {
                Ok(library) => return Ok((name, library)),
                Err(reason) => reasons.push(reason),
            }
        }
        Err(reasons.join("; "))
    }

    /// The address of an exported function.
    pub fn symbol(&self, name: &str) -> Option<*const c_void> {
        let c_name = CString::new(name).ok()?;
        let address = system::symbol(self.handle, &c_name);
        (!address.is_null()).then_some(address.cast_const())
    }

    /// The address that a program linked with this library would call: a preloaded library's where it has the function
    /// too. Of a library opened with [`Scope::Global`]; `None` where the library itself lacks the function.
    pub fn linked_symbol(&self, name: &str) -> Option<*const c_void> {
        let own = self.symbol(name)?;
        let first = system::first_symbol(&CString::new(name).ok()?);
        Some(if first.is_null() { own } else { first.cast_const() })
    }

    /// The convention of its `D3D12*` functions and of all methods, by what it exports.
    pub fn convention(&self) -> Convention {
        let win64 = cfg!(windows) || self.symbol("D3D12CreateDeviceVKD3D").is_some();
        if win64 { Convention::Win64 } else { Convention::SystemV }
    }
}

/// Library names for what a user wrote: `ours`, `vkd3d`, `vkd3d-proton`, or a path.
pub fn candidates(wanted: &str) -> Vec<String> {
    match wanted {
        "vkd3d" => vec![VKD3D.into()],
        "vkd3d-proton" => vec![VKD3D_PROTON.into()],
        "ours" => beside_us(OURS),
        // libvkd3d itself has no D3D12 entry points; its companion has, and brings it.
        _ => match wanted.strip_suffix("libvkd3d.so.1") {
            Some(folder) => vec![format!("{folder}{VKD3D}"), wanted.to_owned()],
            None => vec![wanted.to_owned()],
        },
    }
}

/// Beside the executable, where a build leaves it (tests run one folder deeper), then wherever the loader looks.
pub fn beside_us(name: &str) -> Vec<String> {
    let folder: Option<PathBuf> = std::env::current_exe().ok().and_then(|path| Some(path.parent()?.to_owned()));
    let mut places: Vec<String> = folder
        .iter()
        .flat_map(|folder| [folder.join(name), folder.join("..").join(name)])
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    places.push(name.to_owned());
    places
}

#[cfg(unix)]
mod system {
    use super::Scope;
    use std::ffi::{CStr, c_void};

    pub(super) fn open(name: &CStr, scope: Scope) -> Result<*mut c_void, String> {
        let scope = if scope == Scope::Global { libc::RTLD_GLOBAL } else { libc::RTLD_LOCAL };
        // SAFETY: the name ends with a zero byte; initialisers of a library that the user chose are the user's choice.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | scope) };
        if !handle.is_null() {
            return Ok(handle);
        }
        // SAFETY: dlerror returns null or a text that stays valid until this thread's next call of the loader.
        let text = unsafe {
            let text = libc::dlerror();
            if text.is_null() { None } else { Some(CStr::from_ptr(text).to_string_lossy().into_owned()) }
        };
        Err(text.unwrap_or_else(|| "the loader gave no reason".into()))
    }

    pub(super) fn symbol(handle: *mut c_void, name: &CStr) -> *mut c_void {
        // SAFETY: the handle came from dlopen and is never closed.
        unsafe { libc::dlsym(handle, name.as_ptr()) }
    }

    pub(super) fn first_symbol(name: &CStr) -> *mut c_void {
        symbol(libc::RTLD_DEFAULT, name)
    }
}

#[cfg(windows)]
mod system {
    use super::Scope;
    use std::ffi::{CStr, c_char, c_void};

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn LoadLibraryA(name: *const c_char) -> *mut c_void;
        fn GetProcAddress(module: *mut c_void, name: *const c_char) -> *mut c_void;
        fn GetLastError() -> u32;
    }

    pub(super) fn open(name: &CStr, _scope: Scope) -> Result<*mut c_void, String> {
        // SAFETY: the name ends with a zero byte.
        let handle = unsafe { LoadLibraryA(name.as_ptr()) };
        // SAFETY: no requirements.
        if handle.is_null() { Err(format!("error {}", unsafe { GetLastError() })) } else { Ok(handle) }
    }

    pub(super) fn symbol(handle: *mut c_void, name: &CStr) -> *mut c_void {
        // SAFETY: the handle came from LoadLibraryA and is never freed.
        unsafe { GetProcAddress(handle, name.as_ptr()) }
    }

    /// Windows has no order of symbols: the library that stands in front is the one that was opened.
    pub(super) fn first_symbol(_name: &CStr) -> *mut c_void {
        core::ptr::null_mut()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_symbol_is_found_and_a_missing_one_is_not() {
        let library = Library::open("libc.so.6", Scope::Local).unwrap();
        assert!(library.symbol("getpid").is_some());
        assert_eq!(library.symbol("getpid"), library.linked_symbol("getpid"));
        assert!(library.symbol("reprise_no_such_symbol").is_none());
        assert_eq!(library.convention(), Convention::SystemV);
        assert!(Library::open("libreprise-no-such-library.so", Scope::Local).unwrap_err().contains("no-such-library"));
        assert!(Library::open("a\0b", Scope::Local).is_err());
        let names = ["libreprise-no-such-library.so".to_owned(), "libc.so.6".to_owned()];
        assert_eq!(Library::open_first(&names, Scope::Local).unwrap().0, "libc.so.6");
        assert!(Library::open_first(&names[..1], Scope::Local).is_err());
    }

    #[test]
    fn names_are_understood() {
        assert_eq!(candidates("vkd3d"), [VKD3D]);
        assert_eq!(candidates("/x/libvkd3d.so.1"), ["/x/libvkd3d-utils.so.1", "/x/libvkd3d.so.1"]);
        assert_eq!(candidates("./mine.so"), ["./mine.so"]);
        assert!(candidates("ours").iter().all(|name| name.ends_with(OURS)));
    }
}
