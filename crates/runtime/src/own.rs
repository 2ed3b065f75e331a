//! Our objects behind the pointers that private methods get.

use core::ffi::c_void;

use reprise_com::{Class, Object};
use reprise_d3d12::model::{Guid, InterfaceId, MethodId};
use reprise_d3d12::{interface, method};

/// Whether an interface is one of the newest private one's chain, below `IUnknown`.
pub(crate) fn is_of(newest: InterfaceId, asked: InterfaceId) -> bool {
    newest.derives_from(asked) && asked != interface("IUnknown")
}

/// The interface by which a library reaches our object through another's wrapper of it.
pub(crate) fn is_own(iid: &Guid) -> bool {
    *iid == interface("ID3D12ExtDummyInterface").get().iid
}

/// Calls `act` with our object behind a COM pointer, which may be another library's wrapper of it. `None` where it is neither.
///
/// # Safety
/// `pointer` is null or a living COM pointer.
pub(crate) unsafe fn with_own<T: Class, R>(pointer: *mut c_void, act: impl FnOnce(&Object<T>) -> R) -> Option<R> {
    const QUERY: MethodId = method("IUnknown", "QueryInterface");
    const RELEASE: MethodId = method("IUnknown", "Release");
    type Query = unsafe extern "C" fn(*mut c_void, *const Guid, *mut *mut c_void) -> i32;
    type Release = unsafe extern "C" fn(*mut c_void) -> u32;
    if pointer.is_null() {
        return None;
    }
    // SAFETY: living COM pointers begin with their vtables; slots and signatures are the model's. The reference that the question
    // gave keeps the object, whosever it is, and is given back once.
    unsafe {
        if let Some(object) = Object::<T>::from_pointer(pointer) {
            return Some(act(object));
        }
        let slot = |object: *mut c_void, method: MethodId| {
            *(*object.cast::<*const *const c_void>()).add(method.get().slot.into())
        };
        let query: Query = core::mem::transmute(slot(pointer, QUERY));
        let mut own = core::ptr::null_mut();
        if query(pointer, &interface("ID3D12ExtDummyInterface").get().iid, &mut own) < 0 || own.is_null() {
            return None;
        }
        let result = Object::<T>::from_pointer(own).map(act);
        let release: Release = core::mem::transmute(slot(own, RELEASE));
        release(own);
        result
    }
}
