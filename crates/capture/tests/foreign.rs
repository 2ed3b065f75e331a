//! What DXGI gives for a device that is not recorded reaches the program as it is.
//!
//! Direct3D 11 has swap chains of the same factories, and takes its own textures back: a wrapper of ours in their place ends the
//! program.
#![allow(clippy::unwrap_used, clippy::undocumented_unsafe_blocks, missing_docs)]

mod fake;

use core::ffi::c_void;
use fake::{Object, UNKNOWN, call};
use reprise_capture::{Convention, entry};
use reprise_d3d12::model::Guid;
use reprise_d3d12::{interface, method};
use std::sync::Arc;

const ALL: [Convention; 3] = [Convention::Win64, Convention::SystemV, Convention::Itanium];

/// Has a method of `object` give out `given`, in the word `out` of its arguments.
fn gives(object: *mut Object, methods: Vec<(u16, usize, *mut Object)>) {
    let places: Vec<(u16, usize, usize)> =
        methods.iter().map(|(method, out, given)| (*method, *out, unsafe { (**given).face(0) } as usize)).collect();
    let hook = move |called: u16, words: &[u64]| {
        for (_, out, given) in places.iter().filter(|(method, ..)| *method == called) {
            unsafe { *(words[*out] as *mut usize) = *given };
        }
    };
    *unsafe { &*object }.hook.lock().unwrap() = Some(Arc::new(hook));
}

fn slot(interface: &str, name: &str) -> usize {
    method(interface, name).get().slot.into()
}

fn place(out: &mut *mut c_void) -> u64 {
    std::ptr::from_mut(out) as u64
}

/// What the program gets: the swap chain, a buffer of an interface that the model has, one of an interface that it has not, and its
/// factory.
fn shown(convention: Convention, device: u64, objects: &[*mut Object; 3], factory: *mut c_void) -> [*mut c_void; 4] {
    let [_, chain, buffer] = *objects;
    let mut got = [core::ptr::null_mut(); 4];
    unsafe {
        assert_eq!(
            call(convention, factory, slot("IDXGIFactory", "CreateSwapChain"), &[device, 0, place(&mut got[0])]),
            0
        );
        for (at, iid) in [(1, &interface("ID3D12Resource").get().iid), (2, &UNKNOWN)] {
            let iid = std::ptr::from_ref::<Guid>(iid) as u64;
            (*buffer).references.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            call(convention, got[0], slot("IDXGISwapChain", "GetBuffer"), &[0, iid, place(&mut got[at])]);
        }
        (*objects[0]).references.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let iid = &raw const interface("IDXGIFactory").get().iid as u64;
        call(convention, got[0], slot("IDXGIObject", "GetParent"), &[iid, place(&mut got[3])]);
        assert_eq!(entry::unwrap(got[0]), (*chain).face(0));
    }
    got
}

#[test]
fn a_device_that_is_not_recorded_gets_its_own_objects_back() {
    for convention in ALL {
        for recorded in [true, false] {
            let [factory, chain] = ["IDXGIFactory4", "IDXGISwapChain3"].map(|name| Object::make(convention, &[name]));
            let buffer = Object::make(convention, &["ID3D12Resource"]);
            let queue = Object::make(convention, &["ID3D12CommandQueue"]);
            gives(factory, vec![(method("IDXGIFactory", "CreateSwapChain").0, 2, chain)]);
            gives(
                chain,
                vec![
                    (method("IDXGISwapChain", "GetBuffer").0, 2, buffer),
                    (method("IDXGIObject", "GetParent").0, 1, factory),
                ],
            );
            unsafe {
                let own = entry::attach((*factory).face(0), interface("IDXGIFactory4"), convention);
                let raw = (*queue).face(0);
                let device =
                    if recorded { entry::attach(raw, interface("ID3D12CommandQueue"), convention) } else { raw };
                let got = shown(convention, device as u64, &[factory, chain, buffer], own);
                // The swap chain itself is wrapped: it takes outputs of ours.
                assert_ne!(got[0], (*chain).face(0));
                assert_eq!(got[1] == (*buffer).face(0), !recorded, "{convention:?}");
                assert_eq!(got[2] == (*buffer).face(0), !recorded, "{convention:?}");
                // Factories serve every device, so a program finds the one that it has.
                assert_eq!(got[3], own);
            }
        }
    }
}

#[test]
fn pictures_of_an_output_stay_with_the_device_that_they_are_for() {
    for convention in ALL {
        let [output, duplication] =
            ["IDXGIOutput1", "IDXGIOutputDuplication"].map(|name| Object::make(convention, &[name]));
        let picture = Object::make(convention, &["IDXGIResource"]);
        let device = Object::make(convention, &["IUnknown"]);
        gives(output, vec![(method("IDXGIOutput1", "DuplicateOutput").0, 1, duplication)]);
        gives(duplication, vec![(method("IDXGIOutputDuplication", "AcquireNextFrame").0, 2, picture)]);
        unsafe {
            let own = entry::attach((*output).face(0), interface("IDXGIOutput1"), convention);
            let (mut duplicated, mut shown) = (core::ptr::null_mut(), core::ptr::null_mut());
            let device = (*device).face(0) as u64;
            call(convention, own, slot("IDXGIOutput1", "DuplicateOutput"), &[device, place(&mut duplicated)]);
            assert_eq!(entry::unwrap(duplicated), (*duplication).face(0));
            let acquire = slot("IDXGIOutputDuplication", "AcquireNextFrame");
            call(convention, duplicated, acquire, &[0, 0, place(&mut shown)]);
            assert_eq!(shown, (*picture).face(0));
        }
    }
}
