//! Heaps of memory, in which resources are placed, over each other if the program wants it so.

use crate::com::{Com, Null, call, create};
use crate::device::Device;
use crate::failure::Failure;
use reprise_d3d12::types::*;

/// Memory of the GPU for buffers and textures alike, or of the processor for buffers.
pub(crate) struct Memory {
    com: Com,
    device: Com,
}

/// What a device wants for a resource in a heap.
#[derive(Clone, Copy)]
pub(crate) struct Room {
    pub(crate) size: u64,
    pub(crate) alignment: u64,
}

impl Memory {
    /// Where placed resources may begin: `D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT`.
    pub(crate) const ALIGNMENT: u64 = 64 << 10;

    /// Makes a heap of so many bytes; fails where buffers and textures may not lie in one.
    pub(crate) fn new(device: &Device, size: u64) -> Result<Self, Failure> {
        Self::of(device, D3D12_HEAP_TYPE::DEFAULT, size, 0)
    }

    /// Makes a heap of a type, whose alignment is as the device chooses (0) or one of the two that there are.
    pub(crate) fn of(device: &Device, kind: D3D12_HEAP_TYPE, size: u64, alignment: u64) -> Result<Self, Failure> {
        let buffers = kind != D3D12_HEAP_TYPE::DEFAULT;
        if !buffers && device.options().ResourceHeapTier < D3D12_RESOURCE_HEAP_TIER::TIER_2 {
            return Err(Failure::Cannot("buffers and textures in one heap need resource heap tier 2".into()));
        }
        let only = D3D12_HEAP_FLAGS::DENY_RT_DS_TEXTURES.0 | D3D12_HEAP_FLAGS::DENY_NON_RT_DS_TEXTURES.0;
        let desc = D3D12_HEAP_DESC {
            SizeInBytes: size,
            Properties: D3D12_HEAP_PROPERTIES { Type: kind, ..Default::default() },
            Alignment: alignment,
            Flags: D3D12_HEAP_FLAGS(if buffers { only } else { 0 }),
        };
        let com = create!(device.com, "ID3D12Device", "CreateHeap", &raw const desc; "ID3D12Heap")?;
        Ok(Self { com, device: device.com.clone() })
    }

    /// What the device wants for a resource.
    pub(crate) fn room(device: &Device, desc: &D3D12_RESOURCE_DESC) -> Room {
        let mut info = D3D12_RESOURCE_ALLOCATION_INFO::default();
        call!(device.com, "ID3D12Device", "GetResourceAllocationInfo", &raw mut info, 0u32, 1u32, &raw const *desc);
        Room { size: info.SizeInBytes, alignment: info.Alignment }
    }

    /// The heap.
    pub(crate) fn com(&self) -> &Com {
        &self.com
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
