//! Lists whose operations are watched: the same methods, entered through thunks that look at each call first.
//!
//! Lists are made so only where something wants to know of operations ([`is_wanted`]), so that all others pay nothing.
//! Invariant: a watched list does what any list does; the thunk calls the class's own method with the same words.

use core::ffi::c_void;

use reprise_com::{Class, Object, Vtable, vtable_of_thunks};
use reprise_d3d12::abi::{Abi, Handler, call};
use reprise_d3d12::generated::METHODS;
use reprise_d3d12::operation::is_work;

use super::{CommandList, NEWEST, fault};
use crate::descriptor::handle::GpuHandle;
use crate::environment::settings;

/// Watches the calls of lists.
pub(super) struct Watched;

pub(super) static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable_of_thunks::<Watched, _>(NEWEST);

/// Whether lists are to be watched.
pub(super) fn is_wanted() -> bool {
    settings().fault.is_some() || settings().gpu.descriptor_checks.is_some()
}

impl Handler for Watched {
    unsafe fn method<A: Abi, const M: u16, const N: usize>(this: *mut c_void, words: [u64; N]) -> u64 {
        let method = &METHODS[M as usize];
        if is_work(method) {
            // SAFETY: only lists have this vtable, and the program calls no other method of the list meanwhile.
            unsafe { before(this, method.name) };
        } else if settings().gpu.descriptor_checks.is_some() {
            // SAFETY: as above.
            unsafe { tables(this, method.name, &words) };
        }
        let function = CommandList::VTABLE[usize::from(method.slot)];
        // SAFETY: the slot has this method, and the words are what the caller of the method passed.
        unsafe { call(A::CONVENTION, function, Some(this), &words, method) }
    }

    unsafe fn function<A: Abi, const M: u16, const N: usize>(_words: [u64; N]) -> u64 {
        0
    }
}

/// # Safety
/// `this` is a list of ours, and the program calls no other method of it meanwhile.
unsafe fn before(this: *mut c_void, method: &'static str) {
    reprise_com::guard((), || {
        // SAFETY: as the caller promises.
        let (list, recording) = unsafe {
            let list = Object::<CommandList>::this(this);
            (list, list.recording())
        };
        if recording.is_open() && !list.is_bundle() {
            let owner = recording.owner();
            fault::before_operation(&owner, recording);
            if let Some(operations) = &mut recording.operations {
                operations.begin(method);
            }
        }
    });
}

/// Notes which heap a table is of.
///
/// # Safety
/// `this` is a list of ours, and the program calls no other method of it meanwhile.
unsafe fn tables(this: *mut c_void, method: &'static str, words: &[u64]) {
    reprise_com::guard((), || {
        // SAFETY: as the caller promises.
        let recording = unsafe { Object::<CommandList>::this(this).recording() };
        let Some(operations) = &mut recording.operations else { return };
        match (method, words) {
            ("SetGraphicsRootDescriptorTable" | "SetComputeRootDescriptorTable", [parameter, handle]) => {
                let heap = GpuHandle::new(*handle).heap();
                operations.set_table(method.starts_with("SetCompute"), *parameter as u32, heap);
            }
            ("SetGraphicsRootSignature", _) => operations.forget_tables(false),
            ("SetComputeRootSignature", _) => operations.forget_tables(true),
            ("ClearState", _) => [false, true].into_iter().for_each(|compute| operations.forget_tables(compute)),
            _ => {}
        }
    });
}
