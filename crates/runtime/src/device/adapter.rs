//! The adapter object that the program made the device with, for those who ask a swap chain for it.

use core::ffi::c_void;
use std::sync::OnceLock;

use reprise_com::result::E_NOINTERFACE;
use reprise_d3d12::method;
use reprise_d3d12::model::{Guid, MethodId};

/// The program's adapter, held; natively programs have none.
#[derive(Debug, Default)]
pub struct Adapter(OnceLock<Held>);

/// A reference to an object of the program or of its dxgi.
#[derive(Debug)]
struct Held(*mut c_void);

// SAFETY: adapters are objects of DXGI, which threads may share.
unsafe impl Send for Held {}
// SAFETY: adapters are objects of DXGI, which threads may share.
unsafe impl Sync for Held {}

/// A method of `IUnknown` of any object.
///
/// # Safety
/// `object` is a living COM pointer.
unsafe fn slot(object: *mut c_void, method: MethodId) -> *const c_void {
    // SAFETY: a COM pointer begins with its vtable, which begins with `IUnknown`.
    unsafe { *(*object.cast::<*const *const c_void>()).add(method.get().slot as usize) }
}

impl Adapter {
    /// Holds an adapter; the first one stays. Null is none.
    ///
    /// # Safety
    /// `adapter` is null or a living COM pointer.
    pub unsafe fn hold(&self, adapter: *mut c_void) {
        if adapter.is_null() {
            return;
        }
        self.0.get_or_init(|| {
            type AddRef = unsafe extern "C" fn(*mut c_void) -> u32;
            // SAFETY: the caller passes a living COM pointer; slot and signature are the model's.
            unsafe {
                let add: AddRef = core::mem::transmute(slot(adapter, method("IUnknown", "AddRef")));
                add(adapter);
            }
            Held(adapter)
        });
    }

    /// Asks the adapter for an interface.
    ///
    /// # Safety
    /// `out` is writable.
    pub unsafe fn query(&self, iid: &Guid, out: *mut *mut c_void) -> i32 {
        type Query = unsafe extern "C" fn(*mut c_void, *const Guid, *mut *mut c_void) -> i32;
        let Some(Held(adapter)) = self.0.get() else { return E_NOINTERFACE };
        // SAFETY: the reference keeps the adapter; slot and signature are the model's; `out` is writable.
        unsafe {
            let query: Query = core::mem::transmute(slot(*adapter, method("IUnknown", "QueryInterface")));
            query(*adapter, iid, out)
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        type Release = unsafe extern "C" fn(*mut c_void) -> u32;
        // SAFETY: the reference of `hold`, given back once; slot and signature are the model's.
        unsafe {
            let release: Release = core::mem::transmute(slot(self.0, method("IUnknown", "Release")));
            release(self.0);
        }
    }
}
