//! The Direct3D 12 library that plays a trace: found, loaded, and called in its own convention.
//!
//! Invariant: only this folder knows which convention the runtime has. A caller passes only pointers that this runtime gave out;
//! that makes the calls sound.

pub(crate) mod barrier;
pub(crate) mod clock;
pub(crate) mod com;
pub(crate) mod copy;
pub(crate) mod fence;
pub(crate) mod host_memory;
pub(crate) mod machine;
pub(crate) mod reference;
pub(crate) mod replay_objects;

use std::ffi::c_void;

use reprise_codec::Wide;
use reprise_d3d12::abi;
use reprise_d3d12::library::{self, Library, Scope};
#[cfg(unix)]
use reprise_d3d12::library::{VKD3D, VKD3D_PROTON};
use reprise_d3d12::model::MethodId;

use crate::error::Error;

/// The calling convention of a runtime's methods.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Convention {
    /// As on Windows; Debian's libvkd3d has it on Linux, too.
    Win64,
    /// System V, the ordinary convention of Linux; vkd3d-proton's native library has it.
    SysV,
    /// System V with structures as C++ for Linux returns them; Microsoft's library for Linux, and ours in its place, have it.
    Itanium,
}

/// A runtime that is part of this program.
#[derive(Clone, Copy, Debug)]
pub struct LinkedRuntime {
    /// As a report names it.
    pub name: &'static str,
    /// Calls the function that a library would export under this name, with the shape of the method; `None` where there
    /// is no such function. The words must be valid arguments of it.
    pub call: unsafe fn(Convention, &str, MethodId, &[u64]) -> Option<u64>,
    /// What it wants to know of heaps, if anything.
    pub heaps: Option<ExpectedHeaps>,
}

/// What a runtime wants to know of the descriptor heaps that it will be asked for, where they take room for the largest one that there may be.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedHeaps {
    /// Whether that makes a difference on this machine: finding out takes a walk through the trace.
    pub matter: fn() -> bool,
    /// Told before the first device is made: the views of the largest heap that shaders see.
    pub expect: fn(u32),
}

/// The loaded runtime.
pub(crate) struct Runtime {
    /// As the user would name it.
    pub(crate) name: String,
    pub(crate) convention: Convention,
    functions: Functions,
}

enum Functions {
    Library(Library),
    Linked(LinkedRuntime),
}

/// The libraries that `system` stands for, in the order of preference.
#[cfg(unix)]
const SEARCH: [&str; 2] = [VKD3D, VKD3D_PROTON];
#[cfg(windows)]
const SEARCH: [&str; 1] = ["d3d12.dll"];

impl Runtime {
    /// Finds and loads the library `wanted`. The linked runtime, if there is one, serves where no library or `ours` is named.
    /// A stated `convention` overrides what is known of the library.
    ///
    /// # Errors
    /// No library of that name, or none at all where none is named, can be loaded.
    pub(crate) fn load(
        wanted: Option<&str>,
        convention: Option<Convention>,
        linked: Option<LinkedRuntime>,
    ) -> Result<Self, Error> {
        if let (None | Some("ours"), Some(linked)) = (wanted, linked) {
            let convention = convention.unwrap_or(Convention::NATIVE);
            return Ok(Self { name: linked.name.into(), convention, functions: Functions::Linked(linked) });
        }
        let Some(wanted) = wanted.filter(|name| *name != "system") else {
            let names = SEARCH.map(str::to_owned);
            return match Library::open_first(&names, Scope::Local) {
                Ok((name, library)) => Ok(Self::from_library(name, library, convention)),
                Err(_) => Err(Error::NoRuntime { looked_for: SEARCH.join(", ") }),
            };
        };
        match Library::open_first(&candidates(wanted, convention), Scope::Local) {
            Ok((name, library)) => Ok(Self::from_library(name, library, convention)),
            Err(reason) => Err(Error::Runtime { name: wanted.to_owned(), reason }),
        }
    }

    /// What it wants to know of heaps, if anything.
    pub(crate) fn heaps(&self) -> Option<ExpectedHeaps> {
        match &self.functions {
            Functions::Linked(linked) => linked.heaps,
            Functions::Library(_) => None,
        }
    }

    fn from_library(name: &str, library: Library, convention: Option<Convention>) -> Self {
        let convention = convention.unwrap_or_else(|| match library.convention() {
            abi::Convention::Win64 => Convention::Win64,
            abi::Convention::SystemV => Convention::SysV,
            abi::Convention::Itanium => Convention::Itanium,
        });
        Self { name: name.to_owned(), convention, functions: Functions::Library(library) }
    }

    /// The width of `WCHAR` in its functions: libvkd3d and Microsoft's library for Linux take the system's `wchar_t`, everything else
    /// UTF-16.
    pub(crate) fn wide(&self) -> Wide {
        let has_wchar_t = self.vkd3d_create_device() || self.convention == Convention::Itanium;
        if cfg!(unix) && has_wchar_t { Wide::Bits32 } else { Wide::Bits16 }
    }

    /// Whether devices are made through `D3D12CreateDeviceVKD3D`.
    pub(crate) fn vkd3d_create_device(&self) -> bool {
        self.symbol("D3D12CreateDeviceVKD3D").is_some()
    }

    /// Whether lists have to be recorded in the order of the trace, and descriptors to be as they were then: libvkd3d notes
    /// while it records which list uses an image first, and looks into descriptors that the API lets change until execution.
    pub(crate) fn records_in_order(&self) -> bool {
        self.vkd3d_create_device()
    }

    /// Whether it is part of this program.
    pub(crate) fn is_linked(&self) -> bool {
        matches!(self.functions, Functions::Linked(_))
    }

    /// The address of an exported function, where the runtime is a library.
    pub(crate) fn symbol(&self, name: &str) -> Option<*const c_void> {
        match &self.functions {
            Functions::Library(library) => library.symbol(name),
            Functions::Linked(_) => None,
        }
    }

    /// Calls an exported function with the shape of `method`. `None` where the runtime does not export it.
    ///
    /// # Safety
    /// The words must be valid arguments of the function, with pointers of this runtime.
    pub(crate) unsafe fn call_function(&self, method: MethodId, words: &[u64]) -> Option<u64> {
        let name = exported_name(method.get().name);
        match &self.functions {
            Functions::Library(library) => {
                let function = library.symbol(name)?;
                // SAFETY: the library exports this function under the name that the model gives its shape.
                Some(unsafe { abi::call(self.convention.abi(), function, None, words, method.get()) })
            }
            // SAFETY: the words are valid arguments of the function, says the caller.
            Functions::Linked(linked) => unsafe { (linked.call)(self.convention, name, method, words) },
        }
    }

    /// Calls a method on an object of this runtime.
    ///
    /// # Safety
    /// `this` is a live pointer of this runtime to the interface that declares `method`, or to one derived from it; the
    /// words are valid arguments.
    pub(crate) unsafe fn call(&self, this: u64, method: MethodId, words: &[u64]) -> u64 {
        // SAFETY: a COM object begins with the address of its table, which has a function in each slot of its interface.
        let function = unsafe { *(*(this as *const *const *const c_void)).add(usize::from(method.get().slot)) };
        // SAFETY: the function has the shape of the method, in the convention of this runtime.
        clock::counted(|| unsafe {
            abi::call(self.convention.abi(), function, Some(this as *mut c_void), words, method.get())
        })
    }
}

impl Runtime {
    /// As [`Runtime::call`], for methods that a plan is known for.
    ///
    /// # Safety
    /// As for [`Runtime::call`], `method` being the one that the plan was made for.
    #[inline]
    pub(crate) unsafe fn call_direct(&self, this: u64, method: &abi::Direct, words: &[u64]) {
        // SAFETY: `this` is live and has the method, and the words are valid arguments of it, says the caller.
        unsafe { method.call(self.convention.abi(), this as *mut c_void, words) };
    }
}

/// Whether a library of this name is there; it stays loaded.
pub fn is_installed(name: &str) -> bool {
    Library::open_first(&candidates(name, None), Scope::Local).is_ok()
}

/// Names of libraries for the word of the user: those of `d3d12::library`, and `null` in the convention that is wanted.
fn candidates(wanted: &str, convention: Option<Convention>) -> Vec<String> {
    match (wanted, convention) {
        ("null", Some(Convention::Win64)) => library::beside_us("libreprise_null_win64.so"),
        ("null", Some(Convention::Itanium)) => library::beside_us("libreprise_null_itanium.so"),
        ("null", _) => library::beside_us("libreprise_null_sysv.so"),
        _ => library::candidates(wanted),
    }
}

/// Functions of libvkd3d that are, but for the name, those of D3D12.
fn exported_name(name: &str) -> &str {
    match name {
        "vkd3d_serialize_root_signature" => "D3D12SerializeRootSignature",
        "vkd3d_serialize_versioned_root_signature" => "D3D12SerializeVersionedRootSignature",
        "vkd3d_create_root_signature_deserializer" => "D3D12CreateRootSignatureDeserializer",
        "vkd3d_create_versioned_root_signature_deserializer" => "D3D12CreateVersionedRootSignatureDeserializer",
        other => other,
    }
}

impl Convention {
    /// The convention of functions of this program.
    const NATIVE: Self = if cfg!(windows) { Self::Win64 } else { Self::SysV };

    pub(crate) fn abi(self) -> abi::Convention {
        match self {
            Self::Win64 => abi::Convention::Win64,
            Self::SysV => abi::Convention::SystemV,
            Self::Itanium => abi::Convention::Itanium,
        }
    }
}

impl std::fmt::Display for Convention {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Win64 => "win64",
            Self::SysV => "sysv",
            Self::Itanium => "itanium",
        })
    }
}

impl std::str::FromStr for Convention {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "win64" => Ok(Self::Win64),
            "sysv" => Ok(Self::SysV),
            "itanium" => Ok(Self::Itanium),
            _ => Err(format!("{text} is no calling convention: win64, sysv or itanium")),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_are_understood() {
        assert_eq!(candidates("./mine.so", None), ["./mine.so"]);
        assert!(candidates("null", None).iter().all(|name| name.ends_with("null_sysv.so")));
        assert!(candidates("null", Some(Convention::Win64)).iter().all(|name| name.ends_with("null_win64.so")));
        assert!(candidates("null", Some(Convention::Itanium)).iter().all(|name| name.ends_with("null_itanium.so")));
    }

    #[test]
    fn ours_is_the_default_where_it_is_linked() {
        unsafe fn call(_: Convention, _: &str, _: MethodId, _: &[u64]) -> Option<u64> {
            None
        }
        let linked = LinkedRuntime { name: "ours", call, heaps: None };
        for (wanted, ours) in [(None, true), (Some("ours"), true), (Some("libc.so.6"), false)] {
            let runtime = Runtime::load(wanted, None, Some(linked)).unwrap();
            assert_eq!(runtime.name == "ours", ours, "{wanted:?}");
        }
    }

    #[test]
    fn a_missing_library_is_named() {
        let error = Runtime::load(Some("libreprise-none.so"), None, None).err().unwrap().to_string();
        assert!(error.contains("libreprise-none.so"), "{error}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn debians_library_is_win64() {
        let runtime = Runtime::load(Some("vkd3d"), None, None).unwrap();
        assert_eq!(runtime.convention, Convention::Win64);
        assert_eq!(runtime.wide(), Wide::Bits32);
    }
}
