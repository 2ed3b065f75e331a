//! `ID3D12DebugCommandList3` and the separate `ID3D12DebugCommandList1`.

use core::ffi::c_void;
use core::mem::offset_of;

use reprise_com::result::{E_INVALIDARG, S_OK};
use reprise_com::{Facet, Faceted, Object, Slots, Vtable, facet, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::lookup::by_iid;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{D3D12_DEBUG_COMMAND_LIST_PARAMETER_TYPE, D3D12_DEBUG_FEATURE};

use crate::debug_layer::assertions::{ASSERT_ACCESS, ASSERT_STATE};
use crate::list::CommandList;
use crate::own::is_of;

const NEWEST: InterfaceId = interface("ID3D12DebugCommandList3");
const FIRST: InterfaceId = interface("ID3D12DebugCommandList1");
/// The numbers of the facets.
const OF_NEWEST: usize = 1;
const OF_FIRST: usize = 2;

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable(
    NEWEST,
    <CommandList as Faceted<OF_NEWEST>>::UNKNOWN,
    &[
        ASSERT_STATE[0],
        ("SetFeatureMask", set_feature_mask as *const c_void),
        ("GetFeatureMask", get_feature_mask as *const c_void),
        PARAMETERS[0],
        PARAMETERS[1],
        ASSERT_ACCESS[0],
        ASSERT_ACCESS[1],
    ],
);

static FIRST_VTABLE: Vtable<{ FIRST.slots() as usize }> =
    vtable(FIRST, <CommandList as Faceted<OF_FIRST>>::UNKNOWN, &[ASSERT_STATE[0], PARAMETERS[0], PARAMETERS[1]]);

const PARAMETERS: &Slots = &[
    ("SetDebugParameter", set_debug_parameter as *const c_void),
    ("GetDebugParameter", get_debug_parameter as *const c_void),
];

// SAFETY: the field of this offset is a facet with the newest vtable.
unsafe impl Faceted<OF_NEWEST> for CommandList {
    const PLACE: usize = offset_of!(CommandList, debug);
}

// SAFETY: the field of this offset is a facet with the first vtable.
unsafe impl Faceted<OF_FIRST> for CommandList {
    const PLACE: usize = offset_of!(CommandList, debug_parameters);
}

/// The facets of a new list.
pub(crate) fn new_facets() -> [Facet; 2] {
    [Facet::new(VTABLE.tables()), Facet::new(FIRST_VTABLE.tables())]
}

/// A facet, where the list's device has the layer.
pub(crate) fn answer(object: &Object<CommandList>, iid: &Guid) -> Option<*mut c_void> {
    let asked = by_iid(iid).filter(|_| object.device.is_debugged)?;
    let newest = || is_of(NEWEST, asked).then(|| facet::pointer::<CommandList, OF_NEWEST>(object));
    let first = || is_of(FIRST, asked).then(|| facet::pointer::<CommandList, OF_FIRST>(object));
    newest().or_else(first)
}

unsafe extern "C" fn set_feature_mask(_this: *mut c_void, _mask: D3D12_DEBUG_FEATURE) -> i32 {
    S_OK
}

unsafe extern "C" fn get_feature_mask(_this: *mut c_void) -> D3D12_DEBUG_FEATURE {
    D3D12_DEBUG_FEATURE::NONE
}

/// The one parameter is settings of GPU-based validation, a mode of patching shaders.
const PARAMETER_SIZE: u32 = 4;

unsafe extern "C" fn set_debug_parameter(
    _this: *mut c_void,
    parameter: D3D12_DEBUG_COMMAND_LIST_PARAMETER_TYPE,
    data: *const c_void,
    bytes: u32,
) -> i32 {
    if data.is_null() || parameter.0 != 0 || bytes != PARAMETER_SIZE { E_INVALIDARG } else { S_OK }
}

/// The mode of no patching.
unsafe extern "C" fn get_debug_parameter(
    _this: *mut c_void,
    parameter: D3D12_DEBUG_COMMAND_LIST_PARAMETER_TYPE,
    data: *mut c_void,
    bytes: u32,
) -> i32 {
    if data.is_null() || parameter.0 != 0 || bytes != PARAMETER_SIZE {
        return E_INVALIDARG;
    }
    // SAFETY: the program has room for so many bytes.
    unsafe { data.cast::<u8>().write_bytes(0, bytes as usize) };
    S_OK
}
