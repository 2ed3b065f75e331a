//! Buffers of replay's own at the places of buffers that are gone, in heaps that are alive: an address belongs to the allocation, not to the
//! resource, so the heap's bytes are what the GPU of the capture read.
//!
//! Invariant: a stand-in goes with its heap.

use reprise_d3d12::types::{D3D12_HEAP_TYPE, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES};
use reprise_d3d12::{description, interface, method};

use super::ranges::{Placed, Released};
use crate::resolve::ids::IdMap;
use crate::runtime::Runtime;
use crate::runtime::com::Com;
use crate::runtime::replay_objects::{address, create};

struct StandIn {
    heap: u32,
    pointer: u64,
    address: u64,
}

/// By the id of the buffer that is gone.
#[derive(Default)]
pub(crate) struct StandIns {
    all: IdMap<StandIn>,
    /// Rises when some go.
    version: u64,
}

impl StandIns {
    /// The address here of a place in a buffer that is gone; `heap` is the pointer to its heap, which `device` made.
    ///
    /// # Errors
    /// The device makes no such buffer.
    pub(crate) fn address(
        &mut self,
        runtime: &Runtime,
        (device, heap): (u64, u64),
        released: &Released,
        placed: Placed,
    ) -> Result<u64, String> {
        if let Some(known) = self.all.get(&released.resource) {
            return Ok(known.address + released.offset);
        }
        let desc = description::buffer(released.size, D3D12_RESOURCE_FLAGS(placed.flags));
        let state = match D3D12_HEAP_TYPE(placed.heap_type as i32) {
            D3D12_HEAP_TYPE::UPLOAD => D3D12_RESOURCE_STATES::GENERIC_READ,
            D3D12_HEAP_TYPE::READBACK => D3D12_RESOURCE_STATES::COPY_DEST,
            _ => D3D12_RESOURCE_STATES::COMMON,
        };
        let made = create(runtime, device, "a buffer", interface("ID3D12Resource"), |iid, out| {
            let words = vec![heap, placed.offset, core::ptr::from_ref(&desc) as u64, u64::from(state.0), 0, iid, out];
            (method("ID3D12Device", "CreatePlacedResource"), words)
        })?;
        let address = address(runtime, made.pointer());
        let stand_in = StandIn { heap: placed.heap, pointer: made.into_pointer(), address };
        self.all.insert(released.resource, stand_in);
        Ok(address + released.offset)
    }

    /// A heap goes, and what stands in it.
    pub(crate) fn heap_went(&mut self, runtime: &Runtime, heap: u32) {
        let before = self.all.len();
        self.all.retain(|_, it| {
            let stays = it.heap != heap;
            if !stays {
                runtime.release(it.pointer);
            }
            stays
        });
        self.version += u64::from(self.all.len() != before);
    }

    /// Rises when an address that was given is none any more.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Releases all of them.
    pub(super) fn release(&mut self, runtime: &Runtime) {
        self.all.drain().for_each(|(_, it)| runtime.release(it.pointer));
    }
}
