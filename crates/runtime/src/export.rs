//! The runtime's exported functions: one list of names, functions and arguments.
//!
//! The shared library exports them under these names; a program that links the runtime finds them by [`function`].

use core::ffi::c_void;

use crate::entry;
use crate::entry::types::{
    D3D_FEATURE_LEVEL, D3D_ROOT_SIGNATURE_VERSION, D3D12_ROOT_SIGNATURE_DESC, D3D12_VERSIONED_ROOT_SIGNATURE_DESC, GUID,
};

/// Passes the list to a macro. The names of types are those of [`entry::types`], and `Out` is the place of an object.
#[macro_export]
macro_rules! with_exports {
    ($then:ident) => {
        $then! {
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
            D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary =
                create_versioned_root_signature_deserializer_from_subobject(
                    bytes: *const c_void, size: usize, name: *const u16, iid: *const GUID, out: Out);
            D3D12EnableExperimentalFeatures = enable_experimental_features(
                count: u32, features: *const GUID, structures: *const c_void, sizes: *const u32);
        }
    };
}

type Out = *mut *mut c_void;

macro_rules! table {
    ($($name:ident = $function:ident($($argument:ident: $ty:ty),*);)*) => {
        /// The address of the function that is exported under this name, in the native convention.
        pub fn function(name: &str) -> Option<*const c_void> {
            match name {
                $(stringify!($name) => {
                    unsafe extern "C" fn native($($argument: $ty),*) -> i32 {
                        // SAFETY: the caller of the exported address keeps what the function demands of its arguments.
                        unsafe { entry::$function($($argument),*) }
                    }
                    Some(native as *const c_void)
                })*
                _ => None,
            }
        }
    };
}

with_exports!(table);

#[cfg(test)]
mod tests {
    #[test]
    fn functions_are_found_by_name() {
        assert!(super::function("D3D12CreateDevice").is_some());
        assert!(super::function("D3D12CreateDevic").is_none());
        assert_ne!(super::function("D3D12GetInterface"), super::function("D3D12GetDebugInterface"));
    }
}
