//! Maps of sampler feedback: what a texture's regions were read for. Pure.
//!
//! A map has a region for each `SamplerFeedbackMipRegion` texels of every mip level. Its image has two texels of 32 bits for a region
//! of level 0, side by side, and bits in them for the region of the same number in each level (`reprise_shader::feedback`). The
//! translator reads the size of a region from the size of the image: its lowest four bits are the power of two.

use reprise_d3d12::types::{
    D3D12_MIP_REGION, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION as Dimension, D3D12_RESOURCE_FLAGS as Flags,
};

use crate::{Error, Result};

/// Texels of the image for a region.
const HALVES: u32 = 2;
/// The image's width and height say the region's in so many of their values.
const SIZES: u32 = 16;

/// The regions of a mip level of a map: columns and rows. The description is allowed.
pub fn regions(desc: &D3D12_RESOURCE_DESC1, level: u32) -> [u32; 2] {
    let D3D12_MIP_REGION { Width, Height, .. } = desc.SamplerFeedbackMipRegion;
    let texels = |size: u32| size.checked_shr(level).unwrap_or(0).max(1);
    [texels(desc.Width as u32).div_ceil(Width.max(1)), texels(desc.Height).div_ceil(Height.max(1))]
}

/// Width and height of a map's image. The description is allowed.
pub fn extent(desc: &D3D12_RESOURCE_DESC1) -> [u32; 2] {
    let [columns, rows] = regions(desc, 0);
    let region = desc.SamplerFeedbackMipRegion;
    let padded = |size: u32, region: u32| {
        let power = region.max(1).ilog2();
        size.saturating_sub(power).next_multiple_of(SIZES) + power
    };
    [padded(HALVES * columns, region.Width), padded(rows, region.Height)]
}

/// Checks the description of a map.
///
/// # Errors
/// The API does not allow it; the error says what of it.
pub fn check(desc: &D3D12_RESOURCE_DESC1) -> Result<()> {
    let D3D12_MIP_REGION { Width, Height, Depth } = desc.SamplerFeedbackMipRegion;
    let targets = Flags::ALLOW_RENDER_TARGET.0 | Flags::ALLOW_DEPTH_STENCIL.0;
    if desc.Dimension != Dimension::TEXTURE2D || desc.SampleDesc.Count != 1 || desc.Flags.0 & targets != 0 {
        return Err(Error::Invalid("sampler feedback has two dimensions and one sample, and is no target"));
    }
    let fits =
        |region: u32, size: u64| region.is_power_of_two() && region >= 4 && u64::from(region).saturating_mul(2) <= size;
    if !fits(Width, desc.Width) || !fits(Height, desc.Height.into()) || Depth > 1 {
        return Err(Error::Invalid(
            "a region of sampler feedback is a power of two, from 4 texels to half of the texture, and flat",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use reprise_gpu::format::MIN_MIP;

    use super::*;

    fn map(width: u32, height: u32, region: [u32; 2]) -> D3D12_RESOURCE_DESC1 {
        let mut desc = D3D12_RESOURCE_DESC1 {
            Dimension: Dimension::TEXTURE2D,
            Width: width.into(),
            Height: height,
            DepthOrArraySize: 1,
            MipLevels: 3,
            Format: MIN_MIP,
            SamplerFeedbackMipRegion: D3D12_MIP_REGION { Width: region[0], Height: region[1], Depth: 0 },
            ..Default::default()
        };
        desc.SampleDesc.Count = 1;
        desc
    }

    #[test]
    fn regions_at_the_edge_are_whole() {
        let desc = map(65, 64, [4, 8]);
        assert_eq!([0, 1, 2, 9].map(|level| regions(&desc, level)), [[17, 8], [8, 4], [4, 2], [1, 1]]);
        // 34 columns: the next number whose lowest four bits are 2; 8 rows: of which they are 3.
        assert_eq!(extent(&desc), [34, 19]);
    }

    #[test]
    fn regions_are_powers_of_two_within_half_the_texture() {
        for (region, allowed) in
            [([4, 4], true), ([5, 4], false), ([2, 4], false), ([0, 0], false), ([32, 32], true), ([64, 32], false)]
        {
            assert_eq!(check(&map(65, 64, region)).is_ok(), allowed, "{region:?}");
        }
        let mut deep = map(64, 64, [4, 4]);
        deep.SamplerFeedbackMipRegion.Depth = 2;
        assert!(check(&deep).is_err());
    }

    proptest! {
        #[test]
        fn the_image_has_room_and_says_the_size(width in 8u32..16384, height in 8u32..16384, x in 2u32..14, y in 2u32..14) {
            let desc = map(width, height, [1 << x, 1 << y]);
            let ([columns, rows], [wide, high]) = (regions(&desc, 0), extent(&desc));
            prop_assert!(wide >= HALVES * columns && wide < HALVES * columns + 2 * SIZES);
            prop_assert!(high >= rows && high < rows + 2 * SIZES);
            prop_assert_eq!((wide % SIZES, high % SIZES), (x, y));
        }
    }
}
