//! Command lists, each with an allocator of its own.
//!
//! A method here is the API's under a shorter name; what is not here is called with [`call!`] on `com`. Invariant: recording
//! takes `&mut`, because a list may be used by one thread at a time.

use crate::buffer::Buffer;
use crate::com::{Com, Null, attempt, call, create};
use crate::descriptor::Heap;
use crate::device::Device;
use crate::failure::Failure;
use crate::pipeline::Pipeline;
use crate::root::RootSignature;
use core::ffi::c_void;
use reprise_d3d12::types::*;

/// A list and its allocator.
pub(crate) struct List {
    pub(crate) com: Com,
    allocator: Com,
}

impl List {
    /// Makes a list that is open for recording.
    pub(crate) fn new(device: &Device, kind: D3D12_COMMAND_LIST_TYPE) -> Result<Self, Failure> {
        let allocator =
            create!(device.com, "ID3D12Device", "CreateCommandAllocator", kind.0; "ID3D12CommandAllocator")?;
        let com = create!(
            device.com, "ID3D12Device", "CreateCommandList", 0u32, kind.0, &allocator, Null; "ID3D12GraphicsCommandList"
        )?;
        Ok(Self { com, allocator })
    }

    /// A direct list that is open for recording.
    pub(crate) fn direct(device: &Device) -> Result<Self, Failure> {
        Self::new(device, D3D12_COMMAND_LIST_TYPE::DIRECT)
    }

    /// The list, and its allocator.
    pub(crate) fn into_parts(self) -> (Com, Com) {
        (self.com, self.allocator)
    }

    /// Ends recording.
    pub(crate) fn close(&mut self) -> Result<(), Failure> {
        attempt!(self.com, "ID3D12GraphicsCommandList", "Close")
    }

    /// Empties the allocator and begins recording. The GPU must be done with the list.
    pub(crate) fn reset(&mut self) -> Result<(), Failure> {
        attempt!(self.allocator, "ID3D12CommandAllocator", "Reset")?;
        attempt!(self.com, "ID3D12GraphicsCommandList", "Reset", &self.allocator, Null)
    }

    /// Lets tables lead into this heap.
    pub(crate) fn set_heap(&mut self, heap: &Heap) {
        let heaps: [*mut c_void; 1] = [heap.com.as_ptr()];
        call!(self.com, "ID3D12GraphicsCommandList", "SetDescriptorHeaps", 1u32, heaps.as_ptr());
    }

    /// Sets what dispatches run.
    pub(crate) fn set_pipeline(&mut self, pipeline: &Pipeline) {
        call!(self.com, "ID3D12GraphicsCommandList", "SetPipelineState", &pipeline.com);
    }

    /// Sets what dispatches are given, in which form.
    pub(crate) fn set_compute_root(&mut self, root: &RootSignature) {
        call!(self.com, "ID3D12GraphicsCommandList", "SetComputeRootSignature", &root.com);
    }

    /// Root constants from the first on.
    pub(crate) fn compute_constants(&mut self, parameter: u32, values: &[u32]) {
        let count = values.len() as u32;
        let first = values.as_ptr();
        call!(self.com, "ID3D12GraphicsCommandList", "SetComputeRoot32BitConstants", parameter, count, first, 0u32);
    }

    /// A root constant buffer, by its address.
    pub(crate) fn compute_cbv(&mut self, parameter: u32, address: u64) {
        call!(self.com, "ID3D12GraphicsCommandList", "SetComputeRootConstantBufferView", parameter, address);
    }

    /// A root buffer or acceleration structure to read, by its address.
    pub(crate) fn compute_srv(&mut self, parameter: u32, address: u64) {
        call!(self.com, "ID3D12GraphicsCommandList", "SetComputeRootShaderResourceView", parameter, address);
    }

    /// A root buffer to write, by its address.
    pub(crate) fn compute_uav(&mut self, parameter: u32, address: u64) {
        call!(self.com, "ID3D12GraphicsCommandList", "SetComputeRootUnorderedAccessView", parameter, address);
    }

    /// A table that begins at a descriptor of the heap that is set.
    pub(crate) fn compute_table(&mut self, parameter: u32, first: D3D12_GPU_DESCRIPTOR_HANDLE) {
        call!(self.com, "ID3D12GraphicsCommandList", "SetComputeRootDescriptorTable", parameter, first.ptr);
    }

    /// Begins an event of PIX, in its form for text of one-byte characters.
    pub(crate) fn begin_event(&mut self, name: &str) {
        let bytes = [name.as_bytes(), &[0]].concat();
        call!(self.com, "ID3D12GraphicsCommandList", "BeginEvent", 1u32, bytes.as_ptr(), bytes.len() as u32);
    }

    /// Ends it.
    pub(crate) fn end_event(&mut self) {
        call!(self.com, "ID3D12GraphicsCommandList", "EndEvent");
    }

    /// Runs thread groups.
    pub(crate) fn dispatch(&mut self, x: u32, y: u32, z: u32) {
        call!(self.com, "ID3D12GraphicsCommandList", "Dispatch", x, y, z);
    }

    /// Copies bytes between buffers.
    pub(crate) fn copy_bytes(&mut self, to: &Buffer, to_offset: u64, from: &Buffer, from_offset: u64, size: u64) {
        call!(
            self.com,
            "ID3D12GraphicsCommandList",
            "CopyBufferRegion",
            &to.com,
            to_offset,
            &from.com,
            from_offset,
            size
        );
    }

    /// Any barriers, in one call.
    pub(crate) fn barriers(&mut self, barriers: &[D3D12_RESOURCE_BARRIER]) {
        let count = barriers.len() as u32;
        call!(self.com, "ID3D12GraphicsCommandList", "ResourceBarrier", count, barriers.as_ptr());
    }

    /// All subresources from one state to another.
    pub(crate) fn transition(&mut self, resource: &Com, before: D3D12_RESOURCE_STATES, after: D3D12_RESOURCE_STATES) {
        let mut barrier =
            D3D12_RESOURCE_BARRIER { Type: D3D12_RESOURCE_BARRIER_TYPE::TRANSITION, ..Default::default() };
        barrier.Anonymous.Transition = D3D12_RESOURCE_TRANSITION_BARRIER {
            pResource: resource.as_ptr(),
            Subresource: u32::MAX,
            StateBefore: before,
            StateAfter: after,
        };
        self.barriers(&[barrier]);
    }

    /// Unordered accesses before come before those after.
    pub(crate) fn uav_barrier(&mut self, resource: &Com) {
        let mut barrier = D3D12_RESOURCE_BARRIER { Type: D3D12_RESOURCE_BARRIER_TYPE::UAV, ..Default::default() };
        barrier.Anonymous.UAV = D3D12_RESOURCE_UAV_BARRIER { pResource: resource.as_ptr() };
        self.barriers(&[barrier]);
    }

    /// From now on the memory that both share is that of `after`; `None` stands for whatever lies there.
    pub(crate) fn alias(&mut self, before: Option<&Com>, after: Option<&Com>) {
        let pointer = |com: Option<&Com>| com.map_or(core::ptr::null_mut(), Com::as_ptr);
        let mut barrier = D3D12_RESOURCE_BARRIER { Type: D3D12_RESOURCE_BARRIER_TYPE::ALIASING, ..Default::default() };
        barrier.Anonymous.Aliasing =
            D3D12_RESOURCE_ALIASING_BARRIER { pResourceBefore: pointer(before), pResourceAfter: pointer(after) };
        self.barriers(&[barrier]);
    }
}
