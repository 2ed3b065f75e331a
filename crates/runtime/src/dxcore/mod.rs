//! DXCore (`libdxcore.so`): the runtime's adapters for programs that choose one without DXGI. No part of the model.
//!
//! There is one factory and one object for each adapter, as long as the process lives; only lists come and go.

mod adapter;
mod factory;
mod list;
mod object;

use core::ffi::c_void;

use reprise_com::guard;
use reprise_com::result::E_NOINTERFACE;
use reprise_d3d12::model::Guid;

/// `DXCoreCreateAdapterFactory`.
///
/// # Safety
/// `iid` is null or readable; `out` is null or writable.
pub unsafe fn create_adapter_factory(iid: *const Guid, out: *mut *mut c_void) -> i32 {
    object::FACTORY.get_or_init(|| factory::give);
    // SAFETY: the caller promises: `iid` is null or readable; `out` is null or writable.
    guard(E_NOINTERFACE, || unsafe { factory::give(iid, out) })
}
