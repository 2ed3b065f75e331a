//! Calls of COM objects by the model's methods.

use reprise_d3d12::abi::{self, Convention};
use reprise_d3d12::interface;
use reprise_d3d12::model::MethodId;
use std::ffi::c_void;

/// The function in the slot of a method.
///
/// # Safety
/// The object is alive and has the method.
pub(crate) unsafe fn slot(object: *mut c_void, method: MethodId) -> *const c_void {
    // SAFETY: a COM object begins with the address of its table, which has the method's slot.
    unsafe { *table(object).add(usize::from(method.get().slot)) }
}

/// The object's table of functions.
///
/// # Safety
/// The object is alive.
pub(crate) unsafe fn table(object: *mut c_void) -> *mut *const c_void {
    // SAFETY: a COM object begins with the address of its table.
    unsafe { *object.cast::<*mut *const c_void>() }
}

/// Calls a method.
///
/// # Safety
/// The object is alive, has the method, and takes these words.
pub(crate) unsafe fn call(object: *mut c_void, method: MethodId, words: &[u64]) -> u64 {
    // SAFETY: the function in the method's slot of a living object takes this object and these words.
    unsafe { abi::call(Convention::Win64, slot(object, method), Some(object), words, method.get()) }
}

/// Calls a method whose last two words are an interface's id and a place for the object.
///
/// # Safety
/// As [`call`]; `words` are those before the last two.
pub(crate) unsafe fn make(object: *mut c_void, method: MethodId, words: &[u64], class: &str) -> Option<*mut c_void> {
    let iid = interface(class).get().iid;
    let mut made: *mut c_void = std::ptr::null_mut();
    let mut all = words.to_vec();
    all.extend([(&raw const iid) as u64, (&raw mut made) as u64]);
    // SAFETY: the object has the method, which takes these words; id and place outlive the call.
    let result = unsafe { call(object, method, &all) } as i32;
    (result >= 0 && !made.is_null()).then_some(made)
}

/// # Safety
/// The caller's reference to the object is given up.
pub(crate) unsafe fn release(object: *mut c_void) -> u32 {
    // SAFETY: every COM object has this method in its third slot, and the caller has a reference.
    unsafe { call(object, reprise_d3d12::method("IUnknown", "Release"), &[]) as u32 }
}
