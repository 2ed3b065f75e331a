//! Calls by which shaders get at resources that they may write to. Without one of them a flag of the resource says only that they could.

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_timeline::argument;
use reprise_timeline::argument::{Argument, GpuAddress, ObjectId};

/// Root descriptors through which shaders write.
pub(super) const ROOTS: [Argument<GpuAddress>; 2] = [
    argument!("ID3D12GraphicsCommandList", "SetComputeRootUnorderedAccessView", "BufferLocation"),
    argument!("ID3D12GraphicsCommandList", "SetGraphicsRootUnorderedAccessView", "BufferLocation"),
];
/// Calls that make views through which shaders write, with what they show.
pub(super) const VIEWS: [Argument<ObjectId>; 4] = [
    argument!("ID3D12Device", "CreateUnorderedAccessView", "pResource"),
    argument!("ID3D12Device", "CreateUnorderedAccessView", "pCounterResource"),
    argument!("ID3D12Device15", "TryCreateUnorderedAccessView", "pResource"),
    argument!("ID3D12Device15", "TryCreateUnorderedAccessView", "pCounterResource"),
];
/// Commands whose shaders may have addresses that no call of the list names.
pub(super) const ANYWHERE: [MethodId; 4] = [
    method("ID3D12GraphicsCommandList", "ExecuteIndirect"),
    method("ID3D12GraphicsCommandList4", "DispatchRays"),
    method("ID3D12GraphicsCommandList4", "ExecuteMetaCommand"),
    method("ID3D12GraphicsCommandList10", "DispatchGraph"),
];
