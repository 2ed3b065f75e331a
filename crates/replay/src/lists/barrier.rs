//! Barriers of replay's own in the program's lists.

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_RESOURCE_BARRIER, D3D12_RESOURCE_BARRIER_TYPE};

use crate::runtime::Runtime;

/// Records a barrier that everything after it waits at for all writes of shaders before it: `D3D12_RESOURCE_BARRIER_TYPE_UAV` without a
/// resource.
///
/// # Safety
/// `list` is a live pointer to a list that is recording, outside of render passes.
pub(crate) unsafe fn wait_for_all(runtime: &Runtime, list: u64) {
    const BARRIER: MethodId = method("ID3D12GraphicsCommandList", "ResourceBarrier");
    let barrier = D3D12_RESOURCE_BARRIER { Type: D3D12_RESOURCE_BARRIER_TYPE::UAV, ..Default::default() };
    // SAFETY: the list is alive and recording, says the caller; there is one barrier, ours, which names no resource.
    unsafe { runtime.call(list, BARRIER, &[1, core::ptr::from_ref(&barrier) as u64]) };
}
