//! What programs assert of states in lists and queues. It always holds here, because nothing is tracked.

use core::ffi::c_void;

use reprise_com::Slots;
use reprise_d3d12::types::{BOOL, D3D12_BARRIER_ACCESS, D3D12_BARRIER_LAYOUT};

pub(crate) const ASSERT_STATE: &Slots = &[("AssertResourceState", assert_resource_state as *const c_void)];

pub(crate) const ASSERT_ACCESS: &Slots = &[
    ("AssertResourceAccess", assert_resource_access as *const c_void),
    ("AssertTextureLayout", assert_texture_layout as *const c_void),
];

unsafe extern "C" fn assert_resource_state(
    _this: *mut c_void,
    _resource: *mut c_void,
    _subresource: u32,
    _state: u32,
) -> BOOL {
    1
}

unsafe extern "C" fn assert_resource_access(
    _this: *mut c_void,
    _resource: *mut c_void,
    _subresource: u32,
    _access: D3D12_BARRIER_ACCESS,
) {
}

unsafe extern "C" fn assert_texture_layout(
    _this: *mut c_void,
    _resource: *mut c_void,
    _subresource: u32,
    _layout: D3D12_BARRIER_LAYOUT,
) {
}
