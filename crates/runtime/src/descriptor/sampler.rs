//! Samplers of the API, in the words of Vulkan. Pure.

use ash::vk;
use reprise_d3d12::description::newer_sampler;
use reprise_d3d12::types::{
    D3D12_COMPARISON_FUNC, D3D12_FILTER, D3D12_SAMPLER_DESC, D3D12_SAMPLER_DESC2, D3D12_TEXTURE_ADDRESS_MODE,
};
use reprise_gpu::descriptor::sampler::Description;

/// How a filter combines texels; bits 7 and 8.
const COMPARISON: u32 = 1;
const MINIMUM: u32 = 2;
const MAXIMUM: u32 = 3;
/// Bits of a filter: linear between levels, magnified, minified; anisotropic.
const LEVELS: i32 = 0x1;
const MAGNIFIED: i32 = 0x4;
const MINIFIED: i32 = 0x10;
const ANISOTROPIC: i32 = 0x40;
/// Flags: the border's numbers are integers; coordinates count texels.
const SHADER_INTEGERS: u32 = 1;
const TEXELS: u32 = 2;

/// The sampler of the newest structure.
pub fn description(desc: &D3D12_SAMPLER_DESC2) -> Description {
    let modes = [desc.AddressU, desc.AddressV, desc.AddressW];
    let filter = |bit: i32| if desc.Filter.0 & bit != 0 { vk::Filter::LINEAR } else { vk::Filter::NEAREST };
    let reduction = reduction(desc.Filter);
    let compares = reduction == COMPARISON && desc.ComparisonFunc != D3D12_COMPARISON_FUNC::NONE;
    // SAFETY: both members are four words.
    let border = unsafe { desc.Anonymous.UintBorderColor };
    Description {
        magnified: filter(MAGNIFIED),
        minified: filter(MINIFIED),
        levels: match desc.Filter.0 & LEVELS {
            0 => vk::SamplerMipmapMode::NEAREST,
            _ => vk::SamplerMipmapMode::LINEAR,
        },
        reduction: match reduction {
            MINIMUM => vk::SamplerReductionMode::MIN,
            MAXIMUM => vk::SamplerReductionMode::MAX,
            _ => vk::SamplerReductionMode::WEIGHTED_AVERAGE,
        },
        address: modes.map(address),
        bias: desc.MipLODBias.to_bits(),
        anisotropy: if desc.Filter.0 & ANISOTROPIC != 0 { desc.MaxAnisotropy } else { 0 },
        comparison: compares.then(|| compare(desc.ComparisonFunc)),
        border: if modes.contains(&D3D12_TEXTURE_ADDRESS_MODE::BORDER) { border } else { [0; 4] },
        integer: desc.Flags.0 & SHADER_INTEGERS != 0,
        least: desc.MinLOD.to_bits(),
        greatest: desc.MaxLOD.to_bits(),
        texels: desc.Flags.0 & TEXELS != 0,
    }
}

/// The sampler of the older structure.
pub fn older_description(desc: &D3D12_SAMPLER_DESC) -> Description {
    description(&newer_sampler(desc))
}

fn reduction(filter: D3D12_FILTER) -> u32 {
    (filter.0 as u32 >> 7) & 3
}

fn address(mode: D3D12_TEXTURE_ADDRESS_MODE) -> vk::SamplerAddressMode {
    match mode {
        D3D12_TEXTURE_ADDRESS_MODE::MIRROR => vk::SamplerAddressMode::MIRRORED_REPEAT,
        D3D12_TEXTURE_ADDRESS_MODE::CLAMP => vk::SamplerAddressMode::CLAMP_TO_EDGE,
        D3D12_TEXTURE_ADDRESS_MODE::BORDER => vk::SamplerAddressMode::CLAMP_TO_BORDER,
        D3D12_TEXTURE_ADDRESS_MODE::MIRROR_ONCE => vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE,
        _ => vk::SamplerAddressMode::REPEAT,
    }
}

/// The Vulkan comparison of the API's.
pub fn compare(function: D3D12_COMPARISON_FUNC) -> vk::CompareOp {
    // Same order, the API's from 1 on.
    if (1..=8).contains(&function.0) { vk::CompareOp::from_raw(function.0 - 1) } else { vk::CompareOp::NEVER }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anisotropic_filters_may_take_one_level() {
        let of = |filter: i32| {
            let filter = reprise_d3d12::types::D3D12_FILTER(filter);
            description(&D3D12_SAMPLER_DESC2 { Filter: filter, MaxAnisotropy: 8, ..Default::default() })
        };
        // `MIN_MAG_ANISOTROPIC_MIP_POINT` and `ANISOTROPIC`.
        let (point, linear) = (of(0x54), of(0x55));
        assert_eq!((point.anisotropy, linear.anisotropy), (8, 8));
        assert_eq!((point.minified, point.magnified), (vk::Filter::LINEAR, vk::Filter::LINEAR));
        assert_eq!(point.levels, vk::SamplerMipmapMode::NEAREST);
        assert_eq!(linear.levels, vk::SamplerMipmapMode::LINEAR);
    }
}
