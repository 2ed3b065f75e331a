//! Methods of the device that need no other module, and its vtable.

use core::ffi::c_void;

use reprise_com::{Class, Object, Slots, Vtable, vtable_of_lists};
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;
use reprise_d3d12::types::LUID;

use crate::device::{Device, create, this};
use crate::{command_signature, descriptor, fence, heap, list, pipeline, query, queue, resource, root};

const NEWEST: InterfaceId = interface("ID3D12Device15");

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable_of_lists(
    NEWEST,
    Object::<Device>::SHARED,
    &[
        DEVICE_METHODS,
        command_signature::DEVICE_METHODS,
        descriptor::DEVICE_METHODS,
        fence::DEVICE_METHODS,
        heap::DEVICE_METHODS,
        list::DEVICE_METHODS,
        pipeline::DEVICE_METHODS,
        query::DEVICE_METHODS,
        queue::DEVICE_METHODS,
        resource::DEVICE_METHODS,
        root::DEVICE_METHODS,
    ],
);

impl Class for Device {
    const INTERFACE: InterfaceId = NEWEST;
    const VTABLE: &'static [*const c_void] = VTABLE.slots();

    fn released(object: &Object<Device>) {
        create::forget(object);
    }
}

const DEVICE_METHODS: &Slots = &[
    ("GetNodeCount", get_node_count as *const c_void),
    ("GetDeviceRemovedReason", get_device_removed_reason as *const c_void),
    ("GetAdapterLuid", get_adapter_luid as *const c_void),
];

unsafe extern "C" fn get_node_count(_this: *mut c_void) -> u32 {
    1
}

unsafe extern "C" fn get_device_removed_reason(device: *mut c_void) -> i32 {
    // SAFETY: a device of ours.
    unsafe { this(device) }.removed_reason()
}

unsafe extern "C" fn get_adapter_luid(device: *mut c_void, out: *mut LUID) -> *mut LUID {
    // SAFETY: a device of ours; the place is the caller's.
    unsafe { out.write(this(device).luid) };
    out
}
