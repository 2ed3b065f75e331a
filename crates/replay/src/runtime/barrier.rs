//! Barriers of replay's own.

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_RESOURCE_ALIASING_BARRIER, D3D12_RESOURCE_BARRIER, D3D12_RESOURCE_BARRIER_2, D3D12_RESOURCE_BARRIER_TYPE,
    D3D12_RESOURCE_STATES as State, D3D12_RESOURCE_TRANSITION_BARRIER,
};

use crate::runtime::Runtime;

const BARRIER: MethodId = method("ID3D12GraphicsCommandList", "ResourceBarrier");

pub(crate) fn transition(resource: u64, subresource: u32, before: State, after: State) -> D3D12_RESOURCE_BARRIER {
    let transition = D3D12_RESOURCE_TRANSITION_BARRIER {
        pResource: resource as *mut _,
        Subresource: subresource,
        StateBefore: before,
        StateAfter: after,
    };
    D3D12_RESOURCE_BARRIER { Anonymous: D3D12_RESOURCE_BARRIER_2 { Transition: transition }, ..Default::default() }
}

/// Between any two resources: everything before is done before anything after begins.
pub(crate) fn aliasing() -> D3D12_RESOURCE_BARRIER {
    D3D12_RESOURCE_BARRIER {
        Type: D3D12_RESOURCE_BARRIER_TYPE::ALIASING,
        Anonymous: D3D12_RESOURCE_BARRIER_2 { Aliasing: D3D12_RESOURCE_ALIASING_BARRIER::default() },
        ..Default::default()
    }
}

pub(crate) fn barriers(runtime: &Runtime, list: u64, barriers: &[D3D12_RESOURCE_BARRIER]) {
    if !barriers.is_empty() {
        // SAFETY: the list is alive and recording; the resources are alive, the array is ours.
        unsafe { runtime.call(list, BARRIER, &[barriers.len() as u64, barriers.as_ptr() as u64]) };
    }
}
