//! What the exported entry points call: functions of the API by model id, and wrapping of objects made elsewhere.

use core::ffi::c_void;
use reprise_d3d12::model::{InterfaceId, MethodId};

/// The calling convention of the runtime behind an exported function; every object that comes out of it inherits it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Convention {
    Win64 = 0,
    SysV = 1,
}

/// Records a call of an exported function and forwards it to `function`, objects unwrapped in and wrapped out.
///
/// Inside another recorded call of this thread (the runtime's own libraries call each other's exports) it forwards only.
///
/// # Safety
/// `function` must have the signature the model gives for `method`, in `convention`; `words` are the program's arguments, one
/// per parameter.
pub unsafe fn call_function(
    _convention: Convention,
    _method: MethodId,
    _function: *const c_void,
    _words: &[u64],
) -> u64 {
    0
}

/// The wrapper of a real object: the one it has, or a new one. Takes over the caller's reference.
///
/// # Safety
/// `real` must be a live interface pointer of `interface`, in `convention`.
pub unsafe fn attach(real: *mut c_void, _interface: InterfaceId, _convention: Convention) -> *mut c_void {
    real
}

/// The real interface behind a pointer the program holds; itself where it is none of ours.
///
/// # Safety
/// `pointer` must be null or a live COM interface pointer.
pub unsafe fn unwrap(pointer: *mut c_void) -> *mut c_void {
    pointer
}

/// Object id of a wrapper; 0 where the pointer is none of ours.
///
/// # Safety
/// As [`unwrap`].
pub unsafe fn object_id(_pointer: *mut c_void) -> u32 {
    0
}

/// Records a frame boundary (`source` as in FORMAT.md: 1 present, 2 marker, 3 submission).
pub fn frame(_source: u32) {}

/// True while this thread is inside a recorded call: hooks outside the model pass on unrecorded.
pub fn inside() -> bool {
    false
}
