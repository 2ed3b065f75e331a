//! Lists whose calls are watched: the same methods, entered through thunks that look at each call first. They leave breadcrumbs
//! (`crate::trail`), seed faults ([`fault`]) and slow pipeline states ([`slow`]), and tell checks of descriptors which operation and which tables there are (`operations`).
//!
//! Lists are made so only where something wants to know of operations ([`is_wanted`]), so that all others pay nothing.
//! Invariant: a watched list does what any list does; the thunk calls the class's own method with the same words.

use core::ffi::c_void;
use core::ptr::with_exposed_provenance;
use std::sync::LazyLock;

use reprise_com::{Class, Object, Vtable, vtable_of_thunks};
use reprise_d3d12::abi::{Abi, Handler, call};
use reprise_d3d12::generated::METHODS;
use reprise_d3d12::operation::{Operation, is_work, of};

use super::{CommandList, NEWEST, fault, mark, slow};
use crate::descriptor::handle::GpuHandle;
use crate::device::Device;
use crate::environment::settings;
use crate::trail::crumbs::{Crumb, of_method};

/// Watches the calls of lists.
pub(super) struct Watched;

pub(super) static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable_of_thunks::<Watched, _>(NEWEST);

/// Whether lists of a device are to be watched.
pub(super) fn is_wanted(device: &Device) -> bool {
    let settings = settings();
    settings.fault.is_some()
        || settings.slow.is_some()
        || settings.gpu.descriptor_checks.is_some()
        || device.trail.wishes().crumbs
}

/// What is done about a method.
#[derive(Clone, Copy)]
struct Interest {
    /// The method's.
    name: &'static str,
    crumb: Option<Crumb>,
    /// Whether faults count it.
    work: bool,
    /// Whether it runs the pipeline state that is bound.
    runs: bool,
}

/// By slot; `None` where a call is passed on as it is.
static INTERESTS: LazyLock<Vec<Option<Interest>>> = LazyLock::new(|| {
    let slots = (0..NEWEST.slots()).map(|slot| {
        let method = NEWEST.slot(slot)?.get();
        use Operation::{Bundle, Dispatch, Draw, Indirect};
        let runs = of(method).is_some_and(|kind| matches!(kind, Draw | Dispatch | Indirect | Bundle));
        let interest = Interest { name: method.name, crumb: of_method(method.name), work: is_work(method), runs };
        (interest.crumb.is_some() || interest.work).then_some(interest)
    });
    slots.collect()
});

impl Handler for Watched {
    unsafe fn method<A: Abi, const M: u16, const N: usize>(this: *mut c_void, words: [u64; N]) -> u64 {
        let method = &METHODS[M as usize];
        let slot = usize::from(method.slot);
        let interest = INTERESTS.get(slot).copied().flatten();
        // SAFETY: only lists have this vtable, and the program calls no other method of the list meanwhile; the words are the method's.
        let number = interest.and_then(|interest| unsafe { before(this, interest, &words) });
        if interest.is_none_or(|interest| !interest.work) && settings().gpu.descriptor_checks.is_some() {
            // SAFETY: a list of ours, whose method the program calls; the words are that method's.
            unsafe { tables(this, method.name, &words) };
        }
        let function = CommandList::VTABLE.native()[slot];
        // SAFETY: the slot has this method, and the words are what the caller of the method passed.
        let result = unsafe { call(A::CONVENTION, function, Some(this), &words, method) };
        if number.is_some() || (settings().slow.is_some() && interest.is_some_and(|interest| interest.runs)) {
            // SAFETY: a list of ours, and the program calls no other method of it until this one returns.
            unsafe { after(this, number, interest.is_some_and(|interest| interest.runs)) };
        }
        result
    }

    unsafe fn function<A: Abi, const M: u16, const N: usize>(_words: [u64; N]) -> u64 {
        0
    }
}

/// Before a call is recorded; the number of its breadcrumb, where the GPU writes one.
///
/// # Safety
/// `this` is a list of ours, and the program calls no other method of it meanwhile; the words are those of the method that the interest is
/// about.
unsafe fn before(this: *mut c_void, interest: Interest, words: &[u64]) -> Option<u32> {
    reprise_com::guard(None, || {
        // SAFETY: as the caller promises.
        let (list, recording) = unsafe {
            let list = Object::<CommandList>::this(this);
            (list, list.recording())
        };
        if !recording.is_open() || list.is_bundle() {
            return None;
        }
        let number = match (interest.crumb, &mut recording.crumbs) {
            (Some(crumb), Some(crumbs)) => {
                let text = || match (crumb, words) {
                    (Crumb::Mark(_), &[metadata, data, size]) => {
                        // SAFETY: markers and events have these three arguments: the size is that of the program's bytes.
                        Some(unsafe {
                            mark::text(metadata as u32, with_exposed_provenance(data as usize), size as u32)
                        })
                    }
                    _ => None,
                };
                crumbs.begin(crumb, &mut recording.encoder, text)
            }
            _ => None,
        };
        if interest.work {
            let owner = recording.owner();
            fault::before_operation(&owner, recording);
            if let Some(operations) = &mut recording.operations {
                operations.begin(interest.name);
            }
        }
        number
    })
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

/// When a call is recorded, with a breadcrumb of this number; `runs`: it runs the pipeline state that is bound.
///
/// # Safety
/// As [`before`].
unsafe fn after(this: *mut c_void, number: Option<u32>, runs: bool) {
    reprise_com::guard((), || {
        // SAFETY: as the caller promises.
        let list = unsafe { Object::<CommandList>::this(this) };
        // SAFETY: as the caller promises.
        let recording = unsafe { list.recording() };
        if runs && recording.is_open() && !list.is_bundle() {
            slow::after_operation(recording);
        }
        if let (Some(number), Some(crumbs)) = (number, &recording.crumbs) {
            crumbs.end(number, &mut recording.encoder);
        }
    });
}
