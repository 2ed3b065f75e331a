//! `ID3D12Debug` to 6, and the separate `ID3D12Debug1` and `ID3D12Debug2`: whether devices are made with the debug layer.

use core::ffi::c_void;
use core::mem::offset_of;
use core::sync::atomic::{AtomicBool, Ordering};

use reprise_com::guid::guid;
use reprise_com::{Class, Facet, Faceted, Object, Tables, Vtable, facet, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::lookup::by_iid;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{BOOL, D3D12_GPU_BASED_VALIDATION_FLAGS};

use crate::own::is_of;

/// `CLSID_D3D12Debug`.
pub const CLASS: Guid = guid(0xf235_2aeb, 0xdd84, 0x49fe, [0xb9, 0x7b, 0xa9, 0xdc, 0xfd, 0xcc, 0x1b, 0x4f]);

static ENABLED: AtomicBool = AtomicBool::new(false);

/// Whether devices that are made now have the debug layer.
pub(crate) fn is_enabled() -> bool {
    ENABLED.load(Ordering::Relaxed)
}

/// The layer's object.
#[derive(Debug)]
pub struct Layer {
    /// `ID3D12Debug1`.
    first: Facet,
    /// `ID3D12Debug2`.
    second: Facet,
}

impl Default for Layer {
    fn default() -> Layer {
        Layer { first: Facet::new(FIRST_VTABLE.tables()), second: Facet::new(SECOND_VTABLE.tables()) }
    }
}

const NEWEST: InterfaceId = interface("ID3D12Debug6");
const FIRST: InterfaceId = interface("ID3D12Debug1");
const SECOND: InterfaceId = interface("ID3D12Debug2");

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable(
    NEWEST,
    Object::<Layer>::SHARED,
    &[
        ("EnableDebugLayer", enable_debug_layer as *const c_void),
        ("SetEnableGPUBasedValidation", set_gpu_based_validation as *const c_void),
        ("SetEnableSynchronizedCommandQueueValidation", set as *const c_void),
        ("SetGPUBasedValidationFlags", set_flags as *const c_void),
        ("DisableDebugLayer", disable_debug_layer as *const c_void),
        ("SetEnableAutoName", set as *const c_void),
        ("SetForceLegacyBarrierValidation", set as *const c_void),
    ],
);

static FIRST_VTABLE: Vtable<{ FIRST.slots() as usize }> = vtable(
    FIRST,
    <Layer as Faceted<1>>::UNKNOWN,
    &[
        ("EnableDebugLayer", enable_debug_layer as *const c_void),
        ("SetEnableGPUBasedValidation", set_gpu_based_validation as *const c_void),
        ("SetEnableSynchronizedCommandQueueValidation", set as *const c_void),
    ],
);

static SECOND_VTABLE: Vtable<{ SECOND.slots() as usize }> =
    vtable(SECOND, <Layer as Faceted<2>>::UNKNOWN, &[("SetGPUBasedValidationFlags", set_flags as *const c_void)]);

impl Class for Layer {
    const INTERFACE: InterfaceId = NEWEST;
    const VTABLE: Tables = VTABLE.tables();

    fn facet(object: &Object<Layer>, iid: &Guid) -> Option<*mut c_void> {
        let asked = by_iid(iid)?;
        let first = || is_of(FIRST, asked).then(|| facet::pointer::<Layer, 1>(object));
        let second = || is_of(SECOND, asked).then(|| facet::pointer::<Layer, 2>(object));
        first().or_else(second)
    }
}

// SAFETY: the field of this offset is a facet with the first vtable.
unsafe impl Faceted<1> for Layer {
    const PLACE: usize = offset_of!(Layer, first);
}

// SAFETY: the field of this offset is a facet with the second vtable.
unsafe impl Faceted<2> for Layer {
    const PLACE: usize = offset_of!(Layer, second);
}

unsafe extern "C" fn enable_debug_layer(_this: *mut c_void) {
    ENABLED.store(true, Ordering::Relaxed);
}

unsafe extern "C" fn disable_debug_layer(_this: *mut c_void) {
    ENABLED.store(false, Ordering::Relaxed);
}

unsafe extern "C" fn set_gpu_based_validation(_this: *mut c_void, enable: BOOL) {
    if enable != 0 {
        let instead = "GPU-based validation checks nothing; REPRISE_CHECK_DESCRIPTORS=1 checks descriptors";
        reprise_log::warning_once("the debug layer:", instead);
    }
}

/// What a layer without checks does not need.
unsafe extern "C" fn set(_this: *mut c_void, _enable: BOOL) {}

unsafe extern "C" fn set_flags(_this: *mut c_void, _flags: D3D12_GPU_BASED_VALIDATION_FLAGS) {}
