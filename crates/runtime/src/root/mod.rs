//! Root signatures as pipeline layouts.
//!
//! All root arguments are one block of push constants (see [`layout`]). Pipeline layouts begin with the device's bindless sets,
//! behind which come a set of static samplers and a set of the block, each where it is needed: the block is a uniform buffer where
//! push constants have no room for it. Layouts of different root signatures are compatible in the bindless sets, so heaps stay
//! bound when the root signature changes.

pub mod layout;
mod signature;
mod static_sampler;

use core::ffi::c_void;

use reprise_com::result::{E_INVALIDARG, E_NOTIMPL};
use reprise_com::{Object, Slots, guard};
use reprise_d3d12::method;
use reprise_d3d12::model::Guid;

pub use layout::{Argument, PushLayout};
pub use signature::{RootSignature, Work};
pub(crate) use signature::{heaps, set_layouts};
pub(crate) use static_sampler::descriptions as sampler_descriptions;

use crate::deserializer::subobject;
use crate::device::this;

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = &[
    ("CreateRootSignature", create_root_signature as *const c_void),
    ("CreateRootSignatureFromSubobjectInLibrary", create_root_signature_from_subobject as *const c_void),
];

unsafe extern "C" fn create_root_signature(
    device: *mut c_void,
    _node_mask: u32,
    bytes: *const u8,
    size: usize,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_NOTIMPL, || {
        if bytes.is_null() || iid.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: the slot is of a device's vtable; the bytes are not null, and the program keeps `size` of them unchanged until the call
        // returns: what is made has a copy.
        let (device, bytes) = unsafe { (this(device), core::slice::from_raw_parts(bytes, size)) };
        match RootSignature::new(device, bytes) {
            // SAFETY: `out` is null or writable.
            Ok(root) => unsafe { Object::make(root).give(&*iid, out) },
            Err(error) => crate::error::code_at(Err(error), const { method("ID3D12Device", "CreateRootSignature") }),
        }
    })
}

unsafe extern "C" fn create_root_signature_from_subobject(
    device: *mut c_void,
    node_mask: u32,
    bytes: *const u8,
    size: usize,
    name: *const u16,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_NOTIMPL, || {
        if bytes.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: the bytes are not null, and the program keeps `size` of them until the call returns; the name ends with a zero. The other
        // arguments are passed on to the method that looks at them.
        unsafe {
            match subobject(core::slice::from_raw_parts(bytes, size), name) {
                Ok(found) => create_root_signature(device, node_mask, found.as_ptr(), found.len(), iid, out),
                Err(error) => crate::error::code(Err(error)),
            }
        }
    })
}
