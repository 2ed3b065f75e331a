//! The interface of the device: its vtable, and the methods that need no other module.

use core::ffi::c_void;

use reprise_com::result::{DXGI_ERROR_DEVICE_REMOVED, E_INVALIDARG, S_OK};
use reprise_com::{Class, Object, Slots, Tables, Vtable, guard, vtable_of_lists};
use reprise_d3d12::interface;
use reprise_d3d12::lookup;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{BOOL, D3D12_FEATURE, LUID};

use crate::debug_layer;
use crate::device::{Device, features, this};
use crate::dred;
use crate::entry::{configuration, device};
use crate::resource::place;
use crate::state_object::handles;
use crate::{
    acceleration, command_signature, descriptor, fence, list, meta_command, pipeline, query, queue, resource, root,
    shared, state_object, vendor,
};

const NEWEST: InterfaceId = interface("ID3D12Device15");

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable_of_lists(
    NEWEST,
    Object::<Device>::SHARED,
    &[
        DEVICE_METHODS,
        acceleration::DEVICE_METHODS,
        command_signature::DEVICE_METHODS,
        descriptor::DEVICE_METHODS,
        fence::DEVICE_METHODS,
        resource::heap::DEVICE_METHODS,
        list::DEVICE_METHODS,
        meta_command::DEVICE_METHODS,
        pipeline::DEVICE_METHODS,
        query::DEVICE_METHODS,
        queue::DEVICE_METHODS,
        resource::DEVICE_METHODS,
        resource::RESERVED_METHODS,
        resource::SIZE_METHODS,
        root::DEVICE_METHODS,
        shared::DEVICE_METHODS,
        state_object::DEVICE_METHODS,
        resource::TILE_METHODS,
    ],
);

impl Class for Device {
    const INTERFACE: InterfaceId = NEWEST;
    const VTABLE: Tables = VTABLE.tables();

    fn facet(object: &Object<Device>, iid: &Guid) -> Option<*mut c_void> {
        let own = vendor::answer(object, iid).or_else(|| configuration::answer(object, iid));
        let tools = |asked| dred::data::answer(object, asked).or_else(|| debug_layer::device::answer(object, asked));
        own.or_else(|| tools(lookup::by_iid(iid)?))
    }

    fn own_data(object: &Object<Device>, id: &Guid) -> Option<Vec<u8>> {
        place::of_device(object, id)
    }

    fn take_data(object: &Object<Device>, id: &Guid, bytes: Option<&[u8]>) -> Option<i32> {
        // Each forgets what was asked before.
        let place = place::ask(object, id, bytes);
        let others = || pipeline::executables::ask(object, id).or_else(|| pipeline::meshlets::ask(object, id, bytes));
        handles::ask(object, id, bytes).or(place).or_else(others)
    }

    fn released(object: &Object<Device>) {
        device::forget(object);
    }
}

const DEVICE_METHODS: &Slots = &[
    ("GetNodeCount", get_node_count as *const c_void),
    ("CheckFeatureSupport", check_feature_support as *const c_void),
    ("GetDeviceRemovedReason", get_device_removed_reason as *const c_void),
    ("GetAdapterLuid", get_adapter_luid as *const c_void),
    ("SetStablePowerState", set_stable_power_state as *const c_void),
    ("RemoveDevice", remove_device as *const c_void),
];

unsafe extern "C" fn get_node_count(_this: *mut c_void) -> u32 {
    1
}

unsafe extern "C" fn check_feature_support(
    device: *mut c_void,
    feature: D3D12_FEATURE,
    data: *mut c_void,
    size: u32,
) -> i32 {
    // SAFETY: the slot is of a device's vtable; `data` is null or has `size` bytes, which `check` compares with the structure of the
    // feature before it touches them.
    guard(E_INVALIDARG, || unsafe { features::check(this(device), feature, data, size as usize) })
}

unsafe extern "C" fn get_device_removed_reason(device: *mut c_void) -> i32 {
    // SAFETY: a device of ours.
    unsafe { this(device) }.removed_reason()
}

unsafe extern "C" fn get_adapter_luid(device: *mut c_void, out: *mut LUID) -> *mut LUID {
    // SAFETY: a device of ours; the place is the caller's.
    unsafe {
        let device = this(device);
        out.write(device.adapter.luid(&device.logical));
    }
    out
}

/// Clocks are the driver's; the API lets a runtime accept this without doing more.
unsafe extern "C" fn set_stable_power_state(_this: *mut c_void, _enable: BOOL) -> i32 {
    S_OK
}

unsafe extern "C" fn remove_device(device: *mut c_void) {
    // SAFETY: a device of ours.
    unsafe { this(device) }.remove(DXGI_ERROR_DEVICE_REMOVED);
}
