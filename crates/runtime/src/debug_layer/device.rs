//! `ID3D12DebugDevice2` and the separate `ID3D12DebugDevice1`: settings of checks, of which there are none, and a report of the device.
//!
//! Parameters are taken where their size is right, have no effect, and are not kept.

use core::ffi::c_void;
use core::mem::offset_of;

use reprise_com::result::{E_INVALIDARG, S_OK};
use reprise_com::{Facet, Faceted, Object, Slots, Vtable, facet, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;
use reprise_d3d12::types::{
    D3D12_DEBUG_DEVICE_PARAMETER_TYPE, D3D12_DEBUG_FEATURE, D3D12_MESSAGE_CATEGORY, D3D12_MESSAGE_ID,
    D3D12_MESSAGE_SEVERITY, D3D12_RLDO_FLAGS,
};

use crate::debug_layer::info_queue;
use crate::device::{Device, Facets};
use crate::message::Kind;
use crate::own::is_of;

const NEWEST: InterfaceId = interface("ID3D12DebugDevice2");
const FIRST: InterfaceId = interface("ID3D12DebugDevice1");
/// The numbers of the facets.
const OF_NEWEST: usize = 6;
const OF_FIRST: usize = 7;

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable(
    NEWEST,
    <Device as Faceted<OF_NEWEST>>::UNKNOWN,
    &[
        ("SetFeatureMask", set_feature_mask as *const c_void),
        ("GetFeatureMask", get_feature_mask as *const c_void),
        ("ReportLiveDeviceObjects", report_live_device_objects::<OF_NEWEST> as *const c_void),
        PARAMETERS[0],
        PARAMETERS[1],
    ],
);

static FIRST_VTABLE: Vtable<{ FIRST.slots() as usize }> = vtable(
    FIRST,
    <Device as Faceted<OF_FIRST>>::UNKNOWN,
    &[
        ("ReportLiveDeviceObjects", report_live_device_objects::<OF_FIRST> as *const c_void),
        PARAMETERS[0],
        PARAMETERS[1],
    ],
);

const PARAMETERS: &Slots = &[
    ("SetDebugParameter", set_debug_parameter as *const c_void),
    ("GetDebugParameter", get_debug_parameter as *const c_void),
];

// SAFETY: the field of this offset is a facet with the newest vtable.
unsafe impl Faceted<OF_NEWEST> for Device {
    const PLACE: usize = offset_of!(Device, facets) + offset_of!(Facets, debug_device);
}

// SAFETY: the field of this offset is a facet with the first vtable.
unsafe impl Faceted<OF_FIRST> for Device {
    const PLACE: usize = offset_of!(Device, facets) + offset_of!(Facets, debug_parameters);
}

/// The facet of a new device.
pub(crate) fn new_facet() -> Facet {
    Facet::new(VTABLE.tables())
}

/// The other one.
pub(crate) fn new_parameters_facet() -> Facet {
    Facet::new(FIRST_VTABLE.tables())
}

/// What a device that was made with the layer answers beside its own interfaces.
pub(crate) fn answer(object: &Object<Device>, asked: InterfaceId) -> Option<*mut c_void> {
    if !object.is_debugged {
        return None;
    }
    let newest = || is_of(NEWEST, asked).then(|| facet::pointer::<Device, OF_NEWEST>(object));
    let first = || is_of(FIRST, asked).then(|| facet::pointer::<Device, OF_FIRST>(object));
    info_queue::answer(object, asked).or_else(newest).or_else(first)
}

unsafe extern "C" fn set_feature_mask(_this: *mut c_void, _mask: D3D12_DEBUG_FEATURE) -> i32 {
    S_OK
}

unsafe extern "C" fn get_feature_mask(_this: *mut c_void) -> D3D12_DEBUG_FEATURE {
    D3D12_DEBUG_FEATURE::NONE
}

/// One message: the device, and how many references there are to it, of the program's and of its objects. What these objects are is not
/// known.
unsafe extern "C" fn report_live_device_objects<const N: usize>(this: *mut c_void, _flags: D3D12_RLDO_FLAGS) -> i32
where
    Device: Faceted<N>,
{
    guard(E_INVALIDARG, || {
        // SAFETY: a facet of a living device of ours.
        let device = unsafe { facet::object::<Device, N>(this) };
        let count = device.add_ref() - 1;
        // SAFETY: the reference that was just taken.
        unsafe { Object::release(device.origin()) };
        let kind = Kind {
            category: D3D12_MESSAGE_CATEGORY::STATE_CREATION,
            severity: D3D12_MESSAGE_SEVERITY::WARNING,
            id: D3D12_MESSAGE_ID::LIVE_DEVICE,
        };
        device.messages.add(kind, &format!("Live ID3D12Device at {:p}, Refcount: {count}", device.pointer()));
        S_OK
    })
}

/// Bytes of a parameter.
fn size(parameter: D3D12_DEBUG_DEVICE_PARAMETER_TYPE) -> Option<u32> {
    type Parameter = D3D12_DEBUG_DEVICE_PARAMETER_TYPE;
    match parameter {
        Parameter::FEATURE_FLAGS | Parameter::GPU_SLOWDOWN_PERFORMANCE_FACTOR | Parameter::BYTECODE_VALIDATION_MODE => {
            Some(4)
        }
        Parameter::GPU_BASED_VALIDATION_SETTINGS => Some(12),
        _ => None,
    }
}

unsafe extern "C" fn set_debug_parameter(
    _this: *mut c_void,
    parameter: D3D12_DEBUG_DEVICE_PARAMETER_TYPE,
    data: *const c_void,
    bytes: u32,
) -> i32 {
    if data.is_null() || size(parameter) != Some(bytes) { E_INVALIDARG } else { S_OK }
}

/// All zeros: none, and the layer's defaults.
unsafe extern "C" fn get_debug_parameter(
    _this: *mut c_void,
    parameter: D3D12_DEBUG_DEVICE_PARAMETER_TYPE,
    data: *mut c_void,
    bytes: u32,
) -> i32 {
    if data.is_null() || size(parameter) != Some(bytes) {
        return E_INVALIDARG;
    }
    // SAFETY: the program has room for so many bytes.
    unsafe { data.cast::<u8>().write_bytes(0, bytes as usize) };
    S_OK
}
