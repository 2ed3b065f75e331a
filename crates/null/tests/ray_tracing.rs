//! What programs of ray tracing need of a runtime that does nothing: identifiers to keep, and sizes to allocate.
#![allow(clippy::unwrap_used, missing_docs)]

use core::ffi::c_void;
use reprise_d3d12::abi::{self, Convention};
use reprise_d3d12::types::*;
use reprise_d3d12::{interface, method};
use reprise_null as null;

const ALL: [Convention; 3] = [Convention::Win64, Convention::SystemV, Convention::Itanium];
const IDENTIFIER: usize = 32;

/// Calls a method of a live object.
fn call(convention: Convention, this: *mut c_void, class: &str, name: &str, words: &[u64]) -> u64 {
    let id = method(class, name);
    // SAFETY: a live object of this class; the tests' arguments are valid.
    unsafe {
        let slot = *(*this.cast::<*const *const c_void>()).add(id.get().slot as usize);
        abi::call(convention, slot, Some(this), words, id.get())
    }
}

/// The object's other interface.
fn query(convention: Convention, this: *mut c_void, class: &str) -> *mut c_void {
    let (iid, mut out) = (interface(class).get().iid, core::ptr::null_mut::<c_void>());
    let words = [&raw const iid as u64, &raw mut out as u64];
    assert_eq!(call(convention, this, "IUnknown", "QueryInterface", &words), 0, "{class}");
    out
}

fn text(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}

#[test]
fn identifiers_are_those_of_their_names_also_in_what_grows() {
    for convention in ALL {
        let device = null::new_object(convention, interface("ID3D12Device"));
        let device = query(convention, device, "ID3D12Device7");
        let config = D3D12_STATE_OBJECT_CONFIG { Flags: D3D12_STATE_OBJECT_FLAGS::ALLOW_STATE_OBJECT_ADDITIONS };
        let subobject = D3D12_STATE_SUBOBJECT {
            Type: D3D12_STATE_SUBOBJECT_TYPE::STATE_OBJECT_CONFIG,
            pDesc: (&raw const config).cast(),
        };
        let desc = D3D12_STATE_OBJECT_DESC {
            Type: D3D12_STATE_OBJECT_TYPE::RAYTRACING_PIPELINE,
            NumSubobjects: 1,
            pSubobjects: &raw const subobject,
        };
        let iid = interface("ID3D12StateObject").get().iid;
        let (mut first, mut second) = (core::ptr::null_mut::<c_void>(), core::ptr::null_mut::<c_void>());
        let words = [&raw const desc as u64, &raw const iid as u64, &raw mut first as u64];
        assert_eq!(call(convention, device, "ID3D12Device5", "CreateStateObject", &words), 0);
        let words = [&raw const desc as u64, first as u64, &raw const iid as u64, &raw mut second as u64];
        assert_eq!(call(convention, device, "ID3D12Device7", "AddToStateObject", &words), 0);
        let identifier = |object: *mut c_void, name: &str| {
            let properties = query(convention, object, "ID3D12StateObjectProperties");
            let name = text(name);
            let words = [name.as_ptr() as u64];
            let at = call(convention, properties, "ID3D12StateObjectProperties", "GetShaderIdentifier", &words);
            // SAFETY: the state object lives, and so does what it gives out.
            let bytes = unsafe { *(at as *const [u8; IDENTIFIER]) };
            assert_ne!(bytes, [0; IDENTIFIER]);
            (at, bytes)
        };
        let (generate, miss) = (identifier(first, "generate"), identifier(first, "miss"));
        assert_ne!(generate.1, miss.1);
        assert_eq!(identifier(first, "generate"), generate, "it stays where it is");
        assert_eq!(identifier(second, "generate").1, generate.1);
        for class in ["ID3D12StateObjectProperties1", "ID3D12StateObjectProperties2"] {
            assert!(!query(convention, second, class).is_null());
        }
    }
}

#[test]
fn sizes_grow_with_what_is_built() {
    for convention in ALL {
        let device = null::new_object(convention, interface("ID3D12Device"));
        let sizes = |count: u32| {
            let kind = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE::TOP_LEVEL;
            let inputs = D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS {
                Type: kind,
                NumDescs: count,
                ..Default::default()
            };
            let mut sizes = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO::default();
            let words = [&raw const inputs as u64, &raw mut sizes as u64];
            let name = "GetRaytracingAccelerationStructurePrebuildInfo";
            call(convention, device, "ID3D12Device5", name, &words);
            [sizes.ResultDataMaxSizeInBytes, sizes.ScratchDataSizeInBytes, sizes.UpdateScratchDataSizeInBytes]
        };
        let (few, many) = (sizes(1), sizes(1000));
        assert!(
            few.iter().zip(many).all(|(few, many)| *few >= 256 && few % 256 == 0 && many > *few),
            "{few:?} {many:?}"
        );
    }
}
