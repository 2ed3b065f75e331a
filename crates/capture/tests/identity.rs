//! COM identity, reference counts and private data through the wrappers are the same as without them.
#![allow(clippy::unwrap_used, clippy::undocumented_unsafe_blocks, missing_docs)]

mod fake;

use core::ffi::c_void;
use fake::{Object, UNKNOWN, add_ref, call, query, query_name, release};
use reprise_capture::{Convention, entry};
use reprise_d3d12::{interface, method};
use std::sync::atomic::Ordering;

const ALL: [Convention; 3] = [Convention::Win64, Convention::SystemV, Convention::Itanium];

fn attach(object: *mut Object, name: &str, convention: Convention) -> *mut c_void {
    unsafe { entry::attach((*object).face(0), interface(name), convention) }
}

#[test]
fn counts_are_the_real_ones() {
    for convention in ALL {
        let object = Object::make(convention, &["ID3D12Resource"]);
        let wrapper = attach(object, "ID3D12Resource", convention);
        unsafe {
            assert_ne!(wrapper, (*object).face(0));
            assert_eq!((*object).references.load(Ordering::Relaxed), 1);
            assert_eq!(add_ref(convention, wrapper), 2);
            assert_eq!(add_ref(convention, wrapper), 3);
            assert_eq!((*object).references.load(Ordering::Relaxed), 3);
            assert_eq!(release(convention, wrapper), 2);
            assert_eq!(release(convention, wrapper), 1);
            assert_eq!(release(convention, wrapper), 0);
            assert!((*object).dead.load(Ordering::Relaxed));
        }
    }
}

#[test]
fn one_pointer_for_each_family_and_one_for_the_identity() {
    for convention in ALL {
        let object = Object::make(convention, &["ID3D12GraphicsCommandList4", "ID3D12DebugCommandList"]);
        let list = attach(object, "ID3D12GraphicsCommandList", convention);
        unsafe {
            for older in
                ["ID3D12GraphicsCommandList4", "ID3D12GraphicsCommandList", "ID3D12CommandList", "ID3D12Object"]
            {
                assert_eq!(query_name(convention, list, older), (0, list), "{older}");
            }
            let (result, debug) = query_name(convention, list, "ID3D12DebugCommandList");
            assert_eq!(result, 0);
            assert_ne!(debug, list);
            assert_ne!(debug, (*object).face(1));
            assert_eq!(query_name(convention, list, "ID3D12DebugCommandList"), (0, debug));
            assert_eq!(query_name(convention, debug, "ID3D12GraphicsCommandList2"), (0, list));
            let (_, unknown) = query_name(convention, list, "IUnknown");
            assert_eq!(query_name(convention, debug, "IUnknown"), (0, unknown));
            assert_eq!(query_name(convention, unknown, "IUnknown"), (0, unknown));
            assert_eq!(query_name(convention, list, "ID3D12GraphicsCommandList9").0, 0x8000_4002_u32 as i32);
            assert_eq!(query_name(convention, list, "ID3D12Fence"), (0x8000_4002_u32 as i32, core::ptr::null_mut()));
            // One from the start, eleven interfaces asked for with success.
            assert_eq!((*object).references.load(Ordering::Relaxed), 11);
            assert_eq!(entry::object_id(debug), entry::object_id(list));
        }
    }
}

/// A runtime asks what a program hands to it for its own object, whatever wraps it.
#[test]
fn the_runtimes_own_object_is_reached_through_the_wrapper() {
    for convention in ALL {
        let object = Object::make(convention, &["ID3D12CommandQueue", "ID3D12ExtDummyInterface"]);
        let queue = attach(object, "ID3D12CommandQueue", convention);
        unsafe {
            assert_eq!(query_name(convention, queue, "ID3D12ExtDummyInterface"), (0, (*object).face(1)));
            assert_eq!((*object).references.load(Ordering::Relaxed), 2);
            assert_eq!(release(convention, (*object).face(1)), 1);
            assert_eq!(query_name(convention, queue, "ID3D12CommandQueue"), (0, queue));
            assert_eq!(release(convention, queue), 1);
            assert_eq!(release(convention, queue), 0);
        }
        // A runtime without it says so itself.
        let object = Object::make(convention, &["ID3D12CommandQueue"]);
        let queue = attach(object, "ID3D12CommandQueue", convention);
        unsafe {
            assert_eq!(query_name(convention, queue, "ID3D12ExtDummyInterface").0, 0x8000_4002_u32 as i32);
            assert_eq!(release(convention, queue), 0);
        }
    }
}

#[test]
fn an_object_met_twice_has_one_wrapper() {
    for convention in ALL {
        let device = Object::make(convention, &["ID3D12Device5"]);
        let first = attach(device, "ID3D12Device", convention);
        unsafe { (*device).references.fetch_add(1, Ordering::Relaxed) };
        assert_eq!(attach(device, "ID3D12Device", convention), first);
        unsafe {
            assert_eq!(entry::unwrap(first), (*device).face(0));
            assert_eq!(entry::attach(first, interface("ID3D12Device"), convention), first);
        }
    }
}

#[test]
fn a_re_used_address_is_a_new_object() {
    for (name, counted) in [("ID3D12Heap", false), ("ID3DBlob", true)] {
        for convention in ALL {
            let object = Object::make(convention, &[name]);
            let old = attach(object, name, convention);
            unsafe {
                let id = entry::object_id(old);
                assert_eq!(release(convention, old), 0);
                (*object).references.store(1, Ordering::Relaxed);
                (*object).dead.store(false, Ordering::Relaxed);
                let new = attach(object, name, convention);
                assert_ne!(entry::object_id(new), id, "counted: {counted}");
                assert_eq!(release(convention, new), 0);
            }
        }
    }
}

#[test]
fn an_object_that_outlives_the_programs_references_keeps_its_wrapper() {
    let convention = Convention::Win64;
    let object = Object::make(convention, &["ID3D12Resource"]);
    let wrapper = attach(object, "ID3D12Resource", convention);
    unsafe {
        // The runtime's own reference: a swap chain's.
        (*object).references.fetch_add(1, Ordering::Relaxed);
        assert_eq!(release(convention, wrapper), 1);
        let again = entry::attach((*object).face(0), interface("ID3D12Resource"), convention);
        assert_eq!(again, wrapper);
    }
}

#[test]
fn an_unknown_interface_is_forwarded_and_keeps_identity() {
    for convention in ALL {
        let object = Object::make(convention, &["ID3D12Resource"]);
        unsafe { (*object).add_face(None) };
        let wrapper = attach(object, "ID3D12Resource", convention);
        unsafe {
            let (result, shim) = query(convention, wrapper, &UNKNOWN);
            assert_eq!(result, 0);
            assert_ne!(shim, (*object).face(1));
            assert_eq!(query(convention, wrapper, &UNKNOWN), (0, shim));
            assert_eq!(query_name(convention, shim, "ID3D12Resource"), (0, wrapper));
            assert_eq!(query_name(convention, shim, "IUnknown").1, query_name(convention, wrapper, "IUnknown").1);
            // CreateSampler's slot of the stand-in's vtable: two words.
            let slot = method("ID3D12Device", "CreateSampler").get().slot as usize;
            *(*object).answer.lock().unwrap() = 77;
            assert_eq!(call(convention, shim, slot, &[5, 6]), 77);
            let calls = (*object).calls.lock().unwrap();
            assert_eq!(*calls, [(method("ID3D12Device", "CreateSampler").0, vec![5, 6])]);
        }
    }
}

/// A runtime takes pointers of its own interfaces for its own objects, so a method that we do not know must not get a wrapper.
#[test]
fn an_unknown_method_gets_the_runtimes_own_objects_and_all_else_as_it_was() {
    for convention in ALL {
        let object = Object::make(convention, &["ID3D12Resource"]);
        unsafe { (*object).add_face(None) };
        let queue = Object::make(convention, &["ID3D12CommandQueue"]);
        let wrapped = attach(queue, "ID3D12CommandQueue", convention) as u64;
        let wrapper = attach(object, "ID3D12Resource", convention);
        unsafe {
            let shim = query(convention, wrapper, &UNKNOWN).1;
            let own = (*queue).face(0) as u64;
            // Five words: CreateCommandList's slot of the stand-in's vtable has six.
            let slot = method("ID3D12Device", "CopyDescriptorsSimple").get().slot as usize;
            let (word, unmapped) = (7u64, 0x6000_0000_0008u64);
            let place = (&raw const word) as u64;
            for (given, got) in [
                ([wrapped, place, unmapped, 2], [own, place, unmapped, 2]),
                ([3, wrapped, u64::from(u32::MAX), 1], [3, own, u64::from(u32::MAX), 1]),
                ([wrapped + 1, wrapped, wrapped, 0], [wrapped + 1, own, own, 0]),
            ] {
                call(convention, shim, slot, &given);
                let calls = std::mem::take(&mut *(*object).calls.lock().unwrap());
                // The first parameter of this method has 32 bits.
                let masked = [got[0] & u64::from(u32::MAX), got[1], got[2]];
                assert_eq!(calls[0].1[..3], masked, "{convention:?} {given:x?}");
            }
        }
    }
}

#[test]
fn our_private_data_is_not_found_and_the_programs_comes_back() {
    for convention in ALL {
        let object = Object::make(convention, &["ID3D12Resource"]);
        let other = Object::make(convention, &["ID3D12Heap"]);
        let (wrapper, stored) = (attach(object, "ID3D12Resource", convention), attach(other, "ID3D12Heap", convention));
        unsafe {
            let get = method("ID3D12Object", "GetPrivateData").get().slot as usize;
            let set = method("ID3D12Object", "SetPrivateDataInterface").get().slot as usize;
            let (mut size, mut data) = (8u32, core::ptr::null_mut::<c_void>());
            let ours = reprise_d3d12::model::Guid {
                data1: 0x5b1d_7a60,
                data2: 0x3f0e,
                data3: 0x4c52,
                data4: [0x9e, 0x11, 0x72, 0x65, 0x70, 0x72, 0x69, 0x73],
            };
            let words = |guid: &reprise_d3d12::model::Guid, size: &mut u32, data: &mut *mut c_void| {
                [core::ptr::from_ref(guid) as u64, core::ptr::from_mut(size) as u64, core::ptr::from_mut(data) as u64]
            };
            let result = call(convention, wrapper, get, &words(&ours, &mut size, &mut data));
            assert_eq!(result as u32, 0x887a_0002);
            assert!(data.is_null());
            let pointer = core::ptr::from_ref(&UNKNOWN) as u64;
            assert_eq!(call(convention, wrapper, set, &[pointer, stored as u64]), 0);
            assert_eq!((*other).references.load(Ordering::Relaxed), 2);
            assert_eq!(call(convention, wrapper, get, &words(&UNKNOWN, &mut size, &mut data)), 0);
            assert_eq!(data, stored);
            assert_eq!(release(convention, stored), 2);
            assert_eq!(release(convention, stored), 1);
            // The resource gives back what it held as it dies.
            assert_eq!(release(convention, wrapper), 0);
            assert_eq!((*other).references.load(Ordering::Relaxed), 0);
        }
    }
}

#[test]
fn a_newer_versions_own_pointer_is_the_one_called() {
    for convention in ALL {
        // Two faces: the older version's pointer does not answer for the newer one.
        let object = Object::make(convention, &["ID3D12Resource"]);
        unsafe { (*object).add_face(Some(interface("ID3D12Resource2"))) };
        let wrapper = attach(object, "ID3D12Resource", convention);
        unsafe {
            assert_eq!(query_name(convention, wrapper, "ID3D12Resource2"), (0, wrapper));
            assert_eq!(entry::unwrap(wrapper), (*object).face(1));
            assert_eq!(query_name(convention, wrapper, "ID3D12Resource"), (0, wrapper));
            assert_eq!(entry::unwrap(wrapper), (*object).face(1));
            assert_eq!(release(convention, wrapper), 2);
        }
    }
}

#[test]
fn an_object_met_as_nothing_but_unknown_tells_of_its_end_too() {
    for convention in ALL {
        let object = Object::make(convention, &["ID3D12Resource"]);
        // The class is stated by the model, the interface asked for is the program's choice.
        let wrapper = unsafe { entry::attach((*object).face(0), interface("IUnknown"), convention) };
        unsafe {
            let id = entry::object_id(wrapper);
            let (result, resource) = query_name(convention, wrapper, "ID3D12Resource");
            assert_eq!(result, 0);
            assert_eq!(query_name(convention, resource, "IUnknown"), (0, wrapper));
            assert_eq!(release(convention, wrapper), 2);
            assert_eq!(release(convention, resource), 1);
            assert_eq!(release(convention, wrapper), 0);
            (*object).references.store(1, Ordering::Relaxed);
            let again = entry::attach((*object).face(0), interface("ID3D12Resource"), convention);
            assert_ne!(entry::object_id(again), id);
        }
    }
}
