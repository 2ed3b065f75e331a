//! Heaps of memory, in which resources are placed, over each other if the program wants it so.

use crate::com::{Com, Null, create};
use crate::device::Device;
use crate::failure::Failure;
use reprise_d3d12::types::*;

/// Memory of the GPU for buffers and textures alike.
pub(crate) struct Memory {
    com: Com,
    device: Com,
}

impl Memory {
    /// Where placed resources may begin: `D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT`.
    pub(crate) const ALIGNMENT: u64 = 64 << 10;

    /// Makes a heap of so many bytes; fails where buffers and textures may not lie in one.
    pub(crate) fn new(device: &Device, size: u64) -> Result<Self, Failure> {
        if device.options().ResourceHeapTier < D3D12_RESOURCE_HEAP_TIER::TIER_2 {
            return Err(Failure::Cannot("buffers and textures in one heap need resource heap tier 2".into()));
        }
        let desc = D3D12_HEAP_DESC {
            SizeInBytes: size,
            Properties: D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() },
            ..Default::default()
        };
        let com = create!(device.com, "ID3D12Device", "CreateHeap", &raw const desc; "ID3D12Heap")?;
        Ok(Self { com, device: device.com.clone() })
    }

    /// Makes a resource that begins `offset` bytes into the heap.
    pub(crate) fn place(
        &self,
        offset: u64,
        desc: &D3D12_RESOURCE_DESC,
        state: D3D12_RESOURCE_STATES,
    ) -> Result<Com, Failure> {
        create!(
            self.device, "ID3D12Device", "CreatePlacedResource",
            &self.com, offset, &raw const *desc, state.0, Null; "ID3D12Resource"
        )
    }
}
