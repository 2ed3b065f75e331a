//! Static samplers of root signatures, in the words of samplers.

use reprise_d3d12::types::{
    D3D12_COMPARISON_FUNC, D3D12_FILTER, D3D12_SAMPLER_DESC2, D3D12_SAMPLER_FLAGS, D3D12_TEXTURE_ADDRESS_MODE,
};
use reprise_dxbc::root_signature::StaticSampler;
use reprise_gpu::descriptor::sampler::Description;

use crate::descriptor::sampler;
use crate::{Error, Result};

/// The descriptions of static samplers.
///
/// # Errors
/// A number in one is none of the API's.
pub(crate) fn descriptions(samplers: &[StaticSampler]) -> Result<Vec<Description>> {
    samplers.iter().map(description).collect()
}

/// The description of a static sampler.
///
/// # Errors
/// A number in it is none of the API's.
fn description(sampler: &StaticSampler) -> Result<Description> {
    const BORDER: u32 = D3D12_TEXTURE_ADDRESS_MODE::BORDER.0 as u32;
    let address = [sampler.address_u, sampler.address_v, sampler.address_w];
    if !address.iter().all(|mode| (1..=5).contains(mode)) {
        return Err(Error::Invalid("a static sampler's address mode is none of the API's"));
    }
    if !(0..=8).contains(&sampler.comparison) {
        return Err(Error::Invalid("a static sampler's comparison function is none of the API's"));
    }
    let one = 1.0f32.to_bits();
    // Black that lets through, black, white; then the latter two as integers.
    let (border, integer) = match sampler.border_color {
        0 => ([0; 4], false),
        1 => ([0, 0, 0, one], false),
        2 => ([one; 4], false),
        3 => ([0, 0, 0, 1], true),
        4 => ([1; 4], true),
        _ => return Err(Error::Invalid("a static sampler's border colour is none of the API's")),
    };
    let mut desc = D3D12_SAMPLER_DESC2 {
        Filter: D3D12_FILTER(sampler.filter as i32),
        AddressU: D3D12_TEXTURE_ADDRESS_MODE(address[0] as i32),
        AddressV: D3D12_TEXTURE_ADDRESS_MODE(address[1] as i32),
        AddressW: D3D12_TEXTURE_ADDRESS_MODE(address[2] as i32),
        MipLODBias: f32::from_bits(sampler.mip_lod_bias),
        MaxAnisotropy: sampler.max_anisotropy,
        ComparisonFunc: D3D12_COMPARISON_FUNC(sampler.comparison as i32),
        MinLOD: f32::from_bits(sampler.min_lod),
        MaxLOD: f32::from_bits(sampler.max_lod),
        Flags: D3D12_SAMPLER_FLAGS(sampler.flags),
        ..Default::default()
    };
    desc.Anonymous.UintBorderColor = border;
    Ok(Description { integer: integer && address.contains(&BORDER), ..sampler::description(&desc) })
}
