//! The work behind the exported entry points: functions of the API by model id, and wrapping of objects made elsewhere.
//!
//! Invariant: a function called while this thread is inside the runtime is passed on unchanged. Its caller is the runtime,
//! which holds real objects (libvkd3d-utils calls its own exports through the dynamic linker).

use crate::call::Call;
use crate::facts::removal;
use crate::model::special::{self, Special};
use crate::panics::protected;
use crate::real;
use crate::recording::{heavy, new_objects, thunk};
use crate::session::{frames, open, record, words};
use crate::submission::flush;
use crate::wrapper::{object, vtable};
use core::ffi::c_void;
use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_trace::record::FrameSource;

pub use reprise_d3d12::abi::Convention;

/// Records a call of an exported function and forwards it to `function`, objects unwrapped in and wrapped out.
///
/// Inside another recorded call of this thread (the runtime's own libraries call each other's exports) it forwards only.
///
/// # Safety
/// `function` must have the signature the model gives for `method`, in `convention`; `words` are the program's arguments, one
/// per parameter.
pub unsafe fn call_function(convention: Convention, method: MethodId, function: *const c_void, words: &[u64]) -> u64 {
    if inside() {
        // SAFETY: the caller states a function with the method's signature, in this convention, and the program's arguments.
        return unsafe { real::invoke(convention, function, None, words, method) };
    }
    vtable::fill_with(thunk::slots);
    let makes_device = special::of(method) == Special::Create;
    protected((), || open::ensure(makes_device));
    if makes_device {
        protected((), || removal::ask_for_breadcrumbs(convention, function));
    }
    // SAFETY: the caller states a function with the method's signature, in this convention, and the program's arguments.
    unsafe { heavy::call(Call { convention, method, chain: None, function, words }) }
}

/// The wrapper of a real object: the one it has, or a new one. Takes over the caller's reference.
///
/// # Safety
/// `real` must be a live interface pointer of `interface`, in `convention`.
pub unsafe fn attach(real: *mut c_void, interface: InterfaceId, convention: Convention) -> *mut c_void {
    vtable::fill_with(thunk::slots);
    // SAFETY: the caller passes null or a live interface pointer of this interface and convention.
    unsafe {
        if real.is_null() || vtable::is_ours(real) {
            return real;
        }
        new_objects::wrap(convention, real, &interface.get().iid, Some(interface)).0.cast()
    }
}

/// The real interface behind a pointer the program holds; itself where it is none of ours.
///
/// # Safety
/// `pointer` must be null or a live COM interface pointer.
pub unsafe fn unwrap(pointer: *mut c_void) -> *mut c_void {
    // SAFETY: the caller passes null or a live COM pointer.
    unsafe { object::from_pointer(pointer) }.map_or(pointer, object::Chain::real)
}

/// Object id of a wrapper; 0 where the pointer is none of ours.
///
/// # Safety
/// As [`unwrap`].
pub unsafe fn object_id(pointer: *mut c_void) -> u32 {
    // SAFETY: the caller passes null or a live COM pointer.
    unsafe { object::from_pointer(pointer) }.map_or(0, |chain| chain.id)
}

/// Records a frame boundary.
pub fn frame(source: FrameSource) {
    protected((), || frames::end_frame(source));
}

/// Whether the frame that is under way is wanted, so that its picture is.
pub fn frame_is_wanted() -> bool {
    frames::is_wanted()
}

/// Records a fact about an object (0: none); kinds and payloads as in [`reprise_trace::fact`].
pub fn fact(object: u32, kind: u32, bytes: &[u8]) {
    protected((), || record::fact(object, kind, bytes));
}

/// Records that something could not be recorded.
pub fn gap(object: u32, text: &str) {
    protected((), || record::gap(object, text));
}

/// Runs a submission that the model does not know, flushed and ordered like the model's own.
pub fn submit<T>(submit: impl FnOnce() -> T) -> T {
    flush::submit(submit)
}

/// True while this thread is inside a recorded call: hooks outside the model pass on unrecorded.
pub fn inside() -> bool {
    words::words().depth.get() > 0
}

/// Runs `call` as a part of the runtime: nothing that it calls is recorded.
pub fn within<T>(call: impl FnOnce() -> T) -> T {
    let here = words::words();
    let depth = here.depth.get();
    here.depth.set(depth + 1);
    let result = call();
    here.depth.set(depth);
    result
}
