//! Heaps that a program places resources in.

use core::ptr::NonNull;

use reprise_com::{Class, Object, Slots, Vtable, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;
use reprise_d3d12::types::D3D12_HEAP_DESC;

use crate::Child;
use crate::memory::Slice;

/// The body of `ID3D12Heap`.
pub struct Heap {
    /// The device.
    pub device: Child,
    /// Complete: alignment filled in.
    pub desc: D3D12_HEAP_DESC,
    /// The memory.
    pub slice: Slice,
}

impl core::fmt::Debug for Heap {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Heap").field("slice", &self.slice).finish_non_exhaustive()
    }
}

const NEWEST: InterfaceId = interface("ID3D12Heap1");

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable(NEWEST, Object::<Heap>::SHARED, HEAP_METHODS);

impl Class for Heap {
    const INTERFACE: InterfaceId = NEWEST;
    const VTABLE: &'static [*const core::ffi::c_void] = VTABLE.slots();

    fn released(object: &Object<Heap>) {
        object.device.release();
    }

    fn device(&self) -> Option<NonNull<core::ffi::c_void>> {
        Some(self.device.pointer())
    }
}

const HEAP_METHODS: &Slots = &[];

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = &[];
