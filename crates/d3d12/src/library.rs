//! A Direct3D 12 library, open for the life of the process: found by name, and asked which convention it speaks.
//!
//! Drivers start threads and register exit handlers of their own: a runtime that was loaded once is never unloaded.
//! Invariant: a symbol's address is valid for as long as the process lives.

use std::ffi::c_void;
use std::path::PathBuf;

use crate::abi::Convention;
use crate::file;
use system::Loaded;

#[cfg(unix)]
#[path = "library/unix.rs"]
mod system;
#[cfg(windows)]
#[path = "library/windows.rs"]
mod system;

/// Debian's vkd3d, by the part that has the API's entry points.
pub const VKD3D: &str = "libvkd3d-utils.so.1";
/// vkd3d-proton's native library, or ours under its name.
pub const VKD3D_PROTON: &str = "libvkd3d-proton-d3d12.so";
/// The other half of vkd3d-proton's, which it looks for along the loader's path only.
#[cfg(unix)]
const VKD3D_PROTON_CORE: &str = "libvkd3d-proton-d3d12core.so";
/// Our own runtime.
pub const OURS: &str = "libreprise_d3d12.so";
/// The library of Windows, or what stands for it beside the program.
pub const WINDOWS: &str = "d3d12.dll";

/// An open library.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    loaded: &'static Loaded,
    /// By its file name: nothing that it exports tells.
    is_itanium: bool,
}

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
        // The error holds the loader's words as its source.
        let library = system::open(name, scope).map_err(|error| {
            use std::error::Error;
            error.source().map_or_else(|| error.to_string(), ToString::to_string)
        })?;
        // A leaked library runs no finalisers.
        let is_itanium = file::convention(name) == Convention::Itanium;
        Ok(Self { loaded: Box::leak(Box::new(library)), is_itanium })
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
        address(self.loaded, name)
    }

    /// The address that a program linked with this library would call: a preloaded library's where it has the function
    /// too. Of a library opened with [`Scope::Global`]; `None` where the library itself lacks the function.
    pub fn linked_symbol(&self, name: &str) -> Option<*const c_void> {
        let own = self.symbol(name)?;
        Some(system::process().and_then(|process| address(&process, name)).unwrap_or(own))
    }

    /// The convention of its `D3D12*` functions and of all methods, by its file name and by what it exports.
    pub fn convention(&self) -> Convention {
        // libvkd3d has the calling convention of Windows wherever it is.
        let win64 = cfg!(windows) || self.symbol("D3D12CreateDeviceVKD3D").is_some();
        match (win64, self.is_itanium) {
            (true, _) => Convention::Win64,
            (false, true) => Convention::Itanium,
            (false, false) => Convention::SystemV,
        }
    }
}

/// The address of a function that a library, or the process as a whole, has.
fn address(library: &Loaded, name: &str) -> Option<*const c_void> {
    // SAFETY: the address is only taken; whoever calls it states its type.
    let found = unsafe { library.get::<*const c_void>(name.as_bytes()) };
    found.ok().map(|symbol| *symbol).filter(|address| !address.is_null())
}

/// Library names for what a user wrote: `ours`, `vkd3d`, `vkd3d-proton`, `windows`, or a path.
pub fn candidates(wanted: &str) -> Vec<String> {
    match wanted {
        "vkd3d" => vec![VKD3D.into()],
        "vkd3d-proton" => vec![VKD3D_PROTON.into()],
        "windows" => vec![WINDOWS.into()],
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
