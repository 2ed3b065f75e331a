//! `ID3D12DebugCommandQueue1`.

use core::ffi::c_void;
use core::mem::offset_of;

use reprise_com::{Facet, Faceted, Object, Vtable, facet, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::lookup::by_iid;
use reprise_d3d12::model::{Guid, InterfaceId};

use crate::debug_layer::assertions::{ASSERT_ACCESS, ASSERT_STATE};
use crate::own::is_of;
use crate::queue::{CommandQueue, Facets};

const NEWEST: InterfaceId = interface("ID3D12DebugCommandQueue1");
/// The facet's number.
const NUMBER: usize = 5;

static VTABLE: Vtable<{ NEWEST.slots() as usize }> =
    vtable(NEWEST, <CommandQueue as Faceted<NUMBER>>::UNKNOWN, &[ASSERT_STATE[0], ASSERT_ACCESS[0], ASSERT_ACCESS[1]]);

// SAFETY: the field of this offset is a facet with the vtable of this module.
unsafe impl Faceted<NUMBER> for CommandQueue {
    const PLACE: usize = offset_of!(CommandQueue, facets) + offset_of!(Facets, debug);
}

/// The facet of a new queue.
pub(crate) fn new_facet() -> Facet {
    Facet::new(VTABLE.tables())
}

/// The facet, where the queue's device has the layer.
pub(crate) fn answer(object: &Object<CommandQueue>, iid: &Guid) -> Option<*mut c_void> {
    let asked = by_iid(iid)?;
    (object.device.is_debugged && is_of(NEWEST, asked)).then(|| facet::pointer::<CommandQueue, NUMBER>(object))
}
