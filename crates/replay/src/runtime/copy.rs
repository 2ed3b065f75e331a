//! Copies of texels that replay records for itself.

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_PLACED_SUBRESOURCE_FOOTPRINT, D3D12_TEXTURE_COPY_LOCATION, D3D12_TEXTURE_COPY_LOCATION_2,
    D3D12_TEXTURE_COPY_TYPE,
};

use super::Runtime;

const COPY: MethodId = method("ID3D12GraphicsCommandList", "CopyTextureRegion");

/// A subresource as the end of a copy.
pub(crate) fn whole((texture, subresource): (u64, u32)) -> D3D12_TEXTURE_COPY_LOCATION {
    D3D12_TEXTURE_COPY_LOCATION {
        pResource: texture as *mut _,
        Type: D3D12_TEXTURE_COPY_TYPE::SUBRESOURCE_INDEX,
        Anonymous: D3D12_TEXTURE_COPY_LOCATION_2 { SubresourceIndex: subresource },
    }
}

/// Texels in a buffer as the end of a copy.
pub(crate) fn placed(buffer: u64, footprint: D3D12_PLACED_SUBRESOURCE_FOOTPRINT) -> D3D12_TEXTURE_COPY_LOCATION {
    D3D12_TEXTURE_COPY_LOCATION {
        pResource: buffer as *mut _,
        Type: D3D12_TEXTURE_COPY_TYPE::PLACED_FOOTPRINT,
        Anonymous: D3D12_TEXTURE_COPY_LOCATION_2 { PlacedFootprint: footprint },
    }
}

/// Copies all of one place to the beginning of another, in a list that is recording and in no render pass.
pub(crate) fn copy_texels(
    runtime: &Runtime,
    list: u64,
    from: D3D12_TEXTURE_COPY_LOCATION,
    to: D3D12_TEXTURE_COPY_LOCATION,
) {
    let words = [core::ptr::from_ref(&to) as u64, 0, 0, 0, core::ptr::from_ref(&from) as u64, 0];
    // SAFETY: the list is recording, the callers' resources are alive, the structures are ours.
    unsafe { runtime.call(list, COPY, &words) };
}
