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
                // SAFETY: by contract.
                unsafe { entry::$function($($argument),*) }
            }
        )*
    };
}

exports! {
    D3D12CreateDevice = create_device(adapter: *mut c_void, level: D3D_FEATURE_LEVEL, iid: *const GUID, out: Out);
    D3D12GetDebugInterface = get_debug_interface(iid: *const GUID, out: Out);
    D3D12GetInterface = get_interface(class: *const GUID, iid: *const GUID, out: Out);
    D3D12SerializeRootSignature = serialize_root_signature(
        desc: *const D3D12_ROOT_SIGNATURE_DESC, version: D3D_ROOT_SIGNATURE_VERSION, out: Out, error: Out);
    D3D12SerializeVersionedRootSignature = serialize_versioned_root_signature(
        desc: *const D3D12_VERSIONED_ROOT_SIGNATURE_DESC, out: Out, error: Out);
    D3D12CreateRootSignatureDeserializer = create_root_signature_deserializer(
        bytes: *const c_void, size: usize, iid: *const GUID, out: Out);
    D3D12CreateVersionedRootSignatureDeserializer = create_versioned_root_signature_deserializer(
        bytes: *const c_void, size: usize, iid: *const GUID, out: Out);
    D3D12EnableExperimentalFeatures = enable_experimental_features(
        count: u32, features: *const GUID, structures: *const c_void, sizes: *const u32);
}
