//! COM objects in Rust, for runtimes that implement the API.
//!
//! Owns the object's shape ([`Object`]: vtable, counts, private data, then the class's own body), the methods that every
//! object has (`IUnknown`, `ID3D12Object`), and vtables built from the model at compile time ([`vtable`]).
//!
//! An object has two counts. The *public* one is what the program sees; when it falls to zero the class is told and private
//! data goes. The *internal* one keeps the memory: the public count as a whole holds one, and so does every [`Ref`] that
//! the runtime keeps (queues, lists in flight). So an object that the GPU still needs outlives its last `Release`.
//!
//! Invariants: nothing unwinds into the program ([`guard`]); a slot that a class does not implement answers with one
//! message that names it, never by doing something else.
//!
//! ```
//! use core::ffi::c_void;
//! use reprise_com::result::S_OK;
//! use reprise_com::{Class, Object, Tables, Vtable, vtable};
//! use reprise_d3d12::interface;
//! use reprise_d3d12::model::{Guid, InterfaceId};
//!
//! struct Heap;
//!
//! /// What a program calls in the slot of `ID3D12Heap1::GetProtectedResourceSession`.
//! unsafe extern "C" fn session(_this: *mut c_void, _iid: *const Guid, _out: *mut *mut c_void) -> i32 {
//!     S_OK
//! }
//!
//! static VTABLE: Vtable<10> =
//!     vtable(interface("ID3D12Heap1"), Object::<Heap>::SHARED, &[("GetProtectedResourceSession", session as *const c_void)]);
//!
//! impl Class for Heap {
//!     const INTERFACE: InterfaceId = interface("ID3D12Heap1");
//!     const VTABLE: Tables = VTABLE.tables();
//! }
//!
//! let mut out = core::ptr::null_mut();
//! // SAFETY: the place is writable.
//! let result = unsafe { Object::make(Heap).give(&interface("ID3D12Pageable").get().iid, &mut out) };
//! assert!(result == S_OK && !out.is_null());
//! ```

pub mod facet;
pub mod guid;
mod notifier;
mod object;
mod private;
mod tables;
mod unsupported;
mod vtable;
pub mod wide;

pub use facet::{Facet, Faceted};
pub use object::{Class, Object, Public, Ref};
pub use private::PrivateData;
pub use tables::{Tables, is_itanium, serve};
pub use unsupported::unsupported;
pub use vtable::{Slots, Vtable, vtable, vtable_of_lists, vtable_of_thunks};

/// `HRESULT` values, by the API's names.
pub mod result {
    /// Done.
    pub const S_OK: i32 = 0;
    /// Done, and there was nothing to do.
    pub const S_FALSE: i32 = 1;
    /// Not there yet.
    pub const E_NOTIMPL: i32 = 0x8000_4001_u32 as i32;
    /// No such interface.
    pub const E_NOINTERFACE: i32 = 0x8000_4002_u32 as i32;
    /// A pointer that must not be null is.
    pub const E_POINTER: i32 = 0x8000_4003_u32 as i32;
    /// Failed for a reason that has no number.
    pub const E_FAIL: i32 = 0x8000_4005_u32 as i32;
    /// No memory.
    pub const E_OUTOFMEMORY: i32 = 0x8007_000e_u32 as i32;
    /// An argument is not allowed.
    pub const E_INVALIDARG: i32 = 0x8007_0057_u32 as i32;
    /// The device is gone.
    pub const DXGI_ERROR_DEVICE_REMOVED: i32 = 0x887a_0005_u32 as i32;
    /// The device is gone, because it did not go on.
    pub const DXGI_ERROR_DEVICE_HUNG: i32 = 0x887a_0006_u32 as i32;
    /// There is no answer yet.
    pub const DXGI_ERROR_NOT_CURRENTLY_AVAILABLE: i32 = 0x887a_0022_u32 as i32;
    /// The call is not allowed here.
    pub const DXGI_ERROR_INVALID_CALL: i32 = 0x887a_0001_u32 as i32;
    /// No private data under this name.
    pub const DXGI_ERROR_NOT_FOUND: i32 = 0x887a_0002_u32 as i32;
    /// The buffer is too small; its size was set to what is needed.
    pub const DXGI_ERROR_MORE_DATA: i32 = 0x887a_0003_u32 as i32;
    /// The device does not have it.
    pub const DXGI_ERROR_UNSUPPORTED: i32 = 0x887a_0004_u32 as i32;
}

/// Runs what a method does; a panic inside becomes `otherwise` and a message, because it must not reach the program.
///
/// Inlined: where the compiler sees that the body cannot panic, nothing is left of it.
#[inline(always)]
pub fn guard<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)) {
        Ok(result) => result,
        Err(panic) => {
            failed(panic);
            otherwise
        }
    }
}

#[cold]
#[inline(never)]
fn failed(_panic: Box<dyn core::any::Any + Send>) {
    reprise_log::error("a method of the runtime failed by a fault of ours; the call fails");
}

#[cfg(test)]
mod tests;
