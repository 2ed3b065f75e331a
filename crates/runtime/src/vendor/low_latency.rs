//! `ID3DLowLatencyDevice`: says that Vulkan's extension for it is not in use here. NVIDIA's libraries ask this before all else.
//!
//! Without the interface they would ask once more in other ways. AMD's counterpart, `IAmdExtAntiLagApi`, has no such question: it is
//! not answered.

use core::ffi::c_void;
use core::mem::offset_of;

use reprise_com::{Facet, Faceted, Object, Vtable, facet, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;
use reprise_d3d12::types::BOOL;

use crate::device::{Device, Facets};
use crate::own::is_of;

const INTERFACE: InterfaceId = interface("ID3DLowLatencyDevice");

/// The facet's number.
const NUMBER: usize = 3;

static VTABLE: Vtable<{ INTERFACE.slots() as usize }> = vtable(
    INTERFACE,
    <Device as Faceted<NUMBER>>::UNKNOWN,
    &[("SupportsLowLatency", supports_low_latency as *const c_void)],
);

// SAFETY: the field of this offset is a facet with the vtable of this module.
unsafe impl Faceted<NUMBER> for Device {
    const PLACE: usize = offset_of!(Device, facets) + offset_of!(Facets, low_latency);
}

/// The facet of a new device.
pub(crate) fn new_facet() -> Facet {
    Facet::new(VTABLE.tables())
}

/// The facet, where it is asked for.
pub(super) fn answer(object: &Object<Device>, asked: InterfaceId) -> Option<*mut c_void> {
    is_of(INTERFACE, asked).then(|| facet::pointer::<Device, NUMBER>(object))
}

unsafe extern "C" fn supports_low_latency(_this: *mut c_void) -> BOOL {
    0
}
