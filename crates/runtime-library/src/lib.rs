//! The runtime as a shared library: exports the functions of [`reprise_runtime::entry`] in the native convention.
//!
//! Under the name `libvkd3d-proton-d3d12.so` it takes that library's place for programs that load it; the functions and their
//! arguments are the API's.

use core::ffi::c_void;

use reprise_runtime::entry;
use reprise_runtime::entry::types::{
    D3D_FEATURE_LEVEL, D3D_ROOT_SIGNATURE_VERSION, D3D12_ROOT_SIGNATURE_DESC, D3D12_VERSIONED_ROOT_SIGNATURE_DESC, GUID,
};

/// Out places of objects.
type Out = *mut *mut c_void;

macro_rules! exports {
    ($($name:ident = $function:ident($($argument:ident: $ty:ty),*);)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`, as the API documents it.")]
            ///
            /// # Safety
            /// The arguments are as the API demands them.
            #[unsafe(no_mangle)]
            #[allow(non_snake_case, reason = "the API's name")]
            pub unsafe extern "C" fn $name($($argument: $ty),*) -> i32 {
                // SAFETY: the program passes arguments as the API documents them; the function takes the same ones.
                unsafe { entry::$function($($argument),*) }
            }
        )*
    };
}

reprise_runtime::with_exports!(exports);

/// Runs when the library is loaded: programs may clear their environment before they call us, and a capture has noted what
/// it said then.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOADED: extern "C" fn() = {
    extern "C" fn loaded() {
        reprise_runtime::environment::settle();
    }
    loaded
};
