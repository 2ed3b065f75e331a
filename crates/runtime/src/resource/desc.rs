//! Rules of resource descriptions. Pure.

use reprise_d3d12::types::{D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION as Dimension};

use crate::format::Format;

/// Array layers in Vulkan's sense: 1 for volumes.
pub fn layers(desc: &D3D12_RESOURCE_DESC1) -> u32 {
    if desc.Dimension == Dimension::TEXTURE3D { 1 } else { desc.DepthOrArraySize.into() }
}

/// Planes of the format; 1 for buffers.
pub fn planes(desc: &D3D12_RESOURCE_DESC1) -> u32 {
    Format::get(desc.Format).map_or(1, |format| format.planes.len().max(1) as u32)
}

/// Subresources of all planes.
pub fn subresources(desc: &D3D12_RESOURCE_DESC1) -> u32 {
    u32::from(desc.MipLevels) * layers(desc) * planes(desc)
}
