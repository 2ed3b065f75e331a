//! Samplers that take texels as they are, from heaps and in root signatures.

use crate::com::call;
use crate::descriptor::Heap;
use crate::device::Device;
use reprise_d3d12::types::*;

/// The nearest texel, in a root signature, at `s[register]`; coordinates outside are those of the edge.
pub(crate) fn clamping(register: u32) -> D3D12_STATIC_SAMPLER_DESC {
    let address = D3D12_TEXTURE_ADDRESS_MODE::CLAMP;
    D3D12_STATIC_SAMPLER_DESC {
        Filter: D3D12_FILTER::MIN_MAG_MIP_POINT,
        AddressU: address,
        AddressV: address,
        AddressW: address,
        MaxAnisotropy: 1,
        ComparisonFunc: D3D12_COMPARISON_FUNC::NEVER,
        MaxLOD: f32::MAX,
        ShaderRegister: register,
        ShaderVisibility: D3D12_SHADER_VISIBILITY::PIXEL,
        ..Default::default()
    }
}

/// As [`clamping`], but says whether the shader's reference is less than the texel: 1 or 0.
pub(crate) fn comparing(register: u32) -> D3D12_STATIC_SAMPLER_DESC {
    D3D12_STATIC_SAMPLER_DESC {
        Filter: D3D12_FILTER::COMPARISON_MIN_MAG_MIP_POINT,
        ComparisonFunc: D3D12_COMPARISON_FUNC::LESS,
        ..clamping(register)
    }
}

/// Writes a sampler of the nearest texel into a heap; coordinates outside begin again.
pub(crate) fn write_repeating(device: &Device, heap: &Heap, index: u32) {
    let address = D3D12_TEXTURE_ADDRESS_MODE::WRAP;
    let desc = D3D12_SAMPLER_DESC {
        Filter: D3D12_FILTER::MIN_MAG_MIP_POINT,
        AddressU: address,
        AddressV: address,
        AddressW: address,
        MaxAnisotropy: 1,
        ComparisonFunc: D3D12_COMPARISON_FUNC::NEVER,
        MaxLOD: f32::MAX,
        ..Default::default()
    };
    call!(device.com, "ID3D12Device", "CreateSampler", &raw const desc, heap.cpu(index).ptr);
}
