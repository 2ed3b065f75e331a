//! The runtime as a shared library: exports the functions of [`reprise_runtime::entry`] in the native convention.
//!
//! Windows programs load `d3d12.dll`, which loads `d3d12core.dll`. This library is both, under two names, so each of the
//! two works with another vendor's library in the place of the other. Native programs load it as `libvkd3d-proton-d3d12.so`, in the place of vkd3d-proton's library: the
//! exported functions and their arguments are the same. As `libd3d12.so`, `libd3d12core.so` and `libdxcore.so` it is what Microsoft's
//! Linux Direct3D 12 programs load; methods then return structures as C++ for Linux does.
//!
//! Invariant: nothing is implemented here.

#[cfg(windows)]
#[allow(non_snake_case, reason = "the API's names")]
mod pix;

use core::ffi::c_void;

use reprise_runtime::entry;
use reprise_runtime::entry::types::{
    D3D_FEATURE_LEVEL, D3D_ROOT_SIGNATURE_VERSION, D3D12_ROOT_SIGNATURE_DESC, D3D12_VERSIONED_ROOT_SIGNATURE_DESC, GUID,
};

// The library loads on Wine before 8.13.
#[cfg(windows)]
use reprise_windows_start as _;

/// Out places of objects.
type Out = *mut *mut c_void;

macro_rules! exports {
    ($($name:ident = $function:ident($($argument:ident: $ty:ty),*);)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`, as the API documents it.")]
            ///
            /// # Safety
            /// Each pointer is null, readable for the structure or the bytes that its type and the count beside it say, or writable where it is a
            /// place for a result; adapters, devices and blobs are living COM objects.
            #[unsafe(no_mangle)]
            #[allow(non_snake_case, reason = "the API's name")]
            pub unsafe extern "C" fn $name($($argument: $ty),*) -> i32 {
                // SAFETY: this is the function under its exported name: it takes the same arguments, of the same types, and looks at them.
                unsafe { entry::$function($($argument),*) }
            }
        )*
    };
}

reprise_runtime::with_exports!(exports);

/// `DXCoreCreateAdapterFactory`, as the API documents it: `libdxcore.so` is this library under another name.
///
/// # Safety
/// `iid` is null or readable, and `out` is null or room for a pointer.
#[cfg(not(windows))]
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the API's name")]
pub unsafe extern "C" fn DXCoreCreateAdapterFactory(iid: *const GUID, out: Out) -> i32 {
    // SAFETY: `iid` is null or readable and `out` null or room for a pointer, which the function looks at.
    unsafe { reprise_runtime::dxcore::create_adapter_factory(iid, out) }
}

/// Runs when the library is loaded: programs may clear their environment before they call us, and a capture has noted what
/// it said then.
#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
#[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
static LOADED: extern "C" fn() = {
    extern "C" fn loaded() {
        reprise_runtime::environment::settle();
    }
    loaded
};

/// The version of the Agility SDK that the library answers for. Programs that bring a `D3D12Core.dll` read it there.
#[cfg(windows)]
#[unsafe(no_mangle)]
pub static D3D12SDKVersion: u32 = reprise_runtime::entry::SDK_VERSION;
