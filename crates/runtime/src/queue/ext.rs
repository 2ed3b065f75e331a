//! `ID3D12CommandQueueExt`: a facet of queues. Its only method needs a vendor's extension, so it fails by name.

use core::ffi::c_void;
use core::mem::offset_of;

use reprise_com::{Facet, Faceted, Object, Vtable, facet, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::{Guid, InterfaceId};

use crate::queue::object::{CommandQueue, Facets};

const INTERFACE: InterfaceId = interface("ID3D12CommandQueueExt");

/// The facet's number: `IDXGIVkSwapChainFactory` is 0.
const NUMBER: usize = 4;

static VTABLE: Vtable<{ INTERFACE.slots() as usize }> =
    vtable(INTERFACE, <CommandQueue as Faceted<NUMBER>>::UNKNOWN, &[]);

// SAFETY: the field of this offset is a facet with the vtable of this module.
unsafe impl Faceted<NUMBER> for CommandQueue {
    const PLACE: usize = offset_of!(CommandQueue, facets) + offset_of!(Facets, ext);
}

/// The facet of a new queue.
pub(crate) fn new_facet() -> Facet {
    Facet::new(VTABLE.tables())
}

/// The facet that answers an interface id.
pub(crate) fn answer(object: &Object<CommandQueue>, iid: &Guid) -> Option<*mut c_void> {
    (*iid == INTERFACE.get().iid).then(|| facet::pointer::<CommandQueue, NUMBER>(object))
}
