//! A list's markers: before and behind each operation, two words for each recording.
//!
//! Invariant: `Identity::markers` of a list is null, [`NONE`], or what `Box::into_raw` made here and [`gone`] frees.

use super::words::{Device, Means, NUMBERS, Pair, Recording};
use super::{devices, end, note_policy, submissions};
use crate::session::active;
use crate::session::words::inside;
use crate::wrapper::object::{Chain, Identity};
use crate::{Convention, real};
use core::ffi::c_void;
use reprise_d3d12::model::{Guid, MethodId};
use reprise_d3d12::types::{
    D3D12_COMMAND_LIST_TYPE, D3D12_WRITEBUFFERIMMEDIATE_MODE, D3D12_WRITEBUFFERIMMEDIATE_PARAMETER,
};
use reprise_d3d12::{interface, method};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A list without markers: a bundle, or one of a runtime that cannot have any.
const NONE: *mut c_void = core::ptr::without_provenance_mut(1);

/// What a list has.
pub(crate) struct Marks {
    convention: Convention,
    /// The real `ID3D12GraphicsCommandList2`, without a reference: it lives as long as the list.
    pointer: *mut c_void,
    device: Arc<Device>,
    /// What is recorded in it. One thread at a time records a list, so the lock is free; it is here for programs that break that rule.
    recording: Mutex<Option<Arc<Recording>>>,
}

/// An operation that is being recorded.
pub(crate) struct Operation<'l> {
    marks: &'l Marks,
    pair: Pair,
    number: u32,
}

/// The program records an operation next: the GPU is to say that it comes to it.
///
/// # Safety
/// The chain is that of a live list.
pub(crate) unsafe fn before(chain: &Chain) -> Option<Operation<'_>> {
    // SAFETY: the caller passes a live list.
    let marks = unsafe { of(chain) }?;
    if !active::records() {
        return None;
    }
    let mut recording = marks.recording();
    let recording = match &mut *recording {
        Some(recording) => recording,
        none => match marks.device.take() {
            Ok(pair) => {
                let (device, operations) = (marks.device.clone(), AtomicU32::new(0));
                none.insert(Arc::new(Recording { device, pair, operations }))
            }
            Err(reason) => {
                end::give_up(&reason);
                return None;
            }
        },
    };
    let number = recording.operations.fetch_add(1, Ordering::Relaxed) + 1;
    let operation = Operation { marks, pair: recording.pair, number };
    // SAFETY: the program records on the list next, so it is recording.
    unsafe { operation.mark(0, D3D12_WRITEBUFFERIMMEDIATE_MODE::MARKER_IN) };
    Some(operation)
}

/// The program has recorded the operation.
///
/// # Safety
/// As [`before`].
pub(crate) unsafe fn after(operation: &Operation<'_>) {
    // SAFETY: the program has recorded on the list just now.
    unsafe { operation.mark(4, D3D12_WRITEBUFFERIMMEDIATE_MODE::MARKER_OUT) };
}

/// The program records the list anew.
pub(crate) fn begin(chain: &Chain) {
    if let Some(marks) = known(chain.identity()) {
        *marks.recording() = None;
    }
}

/// The list is gone.
pub(crate) fn gone(identity: &Identity) {
    let marks = identity.markers.swap(NONE, Ordering::AcqRel);
    if !marks.is_null() && marks != NONE {
        // Buffers of the device's last list go with it, unless submissions are under way.
        submissions::look();
        // SAFETY: `attach` made it by `Box::into_raw`; it was taken out just now, and the list's last reference is gone.
        drop(unsafe { Box::from_raw(marks.cast::<Marks>()) });
    }
}

/// What is recorded in a list; `None` where it has no markers yet.
pub(super) fn recording(identity: &Identity) -> Option<Arc<Recording>> {
    known(identity)?.recording().clone()
}

fn known(identity: &Identity) -> Option<&Marks> {
    let marks = identity.markers.load(Ordering::Acquire);
    // SAFETY: not null and not NONE: what `attach` made, which lives as long as the program has a reference to the list.
    (marks != NONE).then(|| unsafe { marks.cast::<Marks>().as_ref() }).flatten()
}

/// What a list has; made at its first operation.
///
/// # Safety
/// The chain is that of a live list.
unsafe fn of(chain: &Chain) -> Option<&Marks> {
    let identity = chain.identity();
    if identity.markers.load(Ordering::Acquire).is_null() {
        // SAFETY: the caller passes a live list.
        let made = unsafe { attach(chain) }.map_or(NONE, |marks| Box::into_raw(Box::new(marks)).cast());
        let (success, failure) = (Ordering::AcqRel, Ordering::Acquire);
        if identity.markers.compare_exchange(core::ptr::null_mut(), made, success, failure).is_err() && made != NONE {
            // SAFETY: made just now, and nobody else has it.
            drop(unsafe { Box::from_raw(made.cast::<Marks>()) });
        }
    }
    known(identity)
}

/// # Safety
/// The chain is that of a live list.
#[cold]
unsafe fn attach(chain: &Chain) -> Option<Marks> {
    const TYPE: MethodId = method("ID3D12CommandList", "GetType");
    const DEVICE: MethodId = method("ID3D12DeviceChild", "GetDevice");
    let (convention, list) = (chain.identity().convention, chain.real());
    let marked = [D3D12_COMMAND_LIST_TYPE::DIRECT, D3D12_COMMAND_LIST_TYPE::COMPUTE, D3D12_COMMAND_LIST_TYPE::COPY];
    // SAFETY: the list is alive; interface ids and places are ours, and references that the answers bring are given back: what they
    // point to lives as long as the list.
    inside(|| unsafe {
        let kind = real::ask(convention, list, TYPE, &[]) as u32;
        if !marked.iter().any(|marked| marked.0 as u32 == kind) {
            return None;
        }
        let pointer = real::query(convention, list, &interface("ID3D12GraphicsCommandList2").get().iid);
        if pointer.is_null() {
            const WHY: &str = "none: the runtime's lists have no ID3D12GraphicsCommandList2";
            note_policy(WHY);
            reprise_log::warning_once(
                "--markers",
                "the runtime's lists have no ID3D12GraphicsCommandList2: no markers",
            );
            return None;
        }
        real::release(convention, pointer);
        let mut device: *mut c_void = core::ptr::null_mut();
        let iid = &interface("ID3D12Device").get().iid;
        let words = [core::ptr::from_ref::<Guid>(iid) as u64, (&raw mut device) as u64];
        if (real::ask(convention, list, DEVICE, &words) as i32) < 0 || device.is_null() {
            return None;
        }
        let of = devices::of(convention, device);
        real::release(convention, device);
        note_policy(match of.means {
            Means::Immediate => {
                "WriteBufferImmediate before and behind each operation of direct, compute and copy lists"
            }
            Means::Copies { .. } => {
                "CopyBufferRegion of 4 bytes before and behind each operation of direct, compute and copy lists, because the runtime's \
                 WriteBufferImmediate writes nothing"
            }
        });
        Some(Marks { convention, pointer, device: of, recording: Mutex::default() })
    })
}

impl Marks {
    fn recording(&self) -> MutexGuard<'_, Option<Arc<Recording>>> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Operation<'_> {
    /// Records that the GPU writes the operation's number, so many bytes behind the pair's beginning.
    ///
    /// # Safety
    /// The list is recording.
    unsafe fn mark(&self, at: u64, mode: D3D12_WRITEBUFFERIMMEDIATE_MODE) {
        const WRITE: MethodId = method("ID3D12GraphicsCommandList2", "WriteBufferImmediate");
        const COPY: MethodId = method("ID3D12GraphicsCommandList", "CopyBufferRegion");
        type Parameter = D3D12_WRITEBUFFERIMMEDIATE_PARAMETER;
        let (convention, list) = (self.marks.convention, self.marks.pointer);
        let id = match self.marks.device.means {
            Means::Immediate => WRITE,
            Means::Copies { .. } => COPY,
        };
        // SAFETY: the list is alive and has the method in this slot.
        let function = unsafe { real::slot(list, id.get().slot.into()) };
        inside(|| match self.marks.device.means {
            Means::Immediate => {
                let parameter = Parameter { Dest: self.pair.address + at, Value: self.number };
                real::call!(
                    convention,
                    function,
                    (*mut c_void, u32, *const Parameter, *const D3D12_WRITEBUFFERIMMEDIATE_MODE) -> u64,
                    (list, 1, &raw const parameter, &raw const mode)
                )
            }
            Means::Copies { numbers } => real::call!(
                convention,
                function,
                (*mut c_void, *mut c_void, u64, *mut c_void, u64, u64) -> u64,
                (list, self.pair.buffer, self.pair.offset + at, numbers, 4 * u64::from(self.number.min(NUMBERS)), 4)
            ),
        });
    }
}
