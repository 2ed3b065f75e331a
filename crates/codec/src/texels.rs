//! Extents of subresources, as copies of texels and mapped textures need them.

use crate::Texels;
use reprise_d3d12::format;
use reprise_d3d12::types::D3D12_RESOURCE_DESC;

const BUFFER: i64 = 1;
const TEXTURE_3D: i64 = 4;

impl Texels {
    /// The extent of one subresource; `None` for buffers, for planes that a format lacks, and for what is no format.
    pub fn of(desc: &D3D12_RESOURCE_DESC, subresource: u32) -> Option<Texels> {
        if i64::from(desc.Dimension.0) == BUFFER {
            return None;
        }
        let levels = u32::from(desc.MipLevels).max(1);
        let volume = i64::from(desc.Dimension.0) == TEXTURE_3D;
        let layers = if volume { 1 } else { u32::from(desc.DepthOrArraySize).max(1) };
        let format = format::of(desc.Format.0 as u32)?;
        // A subresource that a texture of one plane lacks is the program's mistake, and its call is recorded all the same.
        let plane = match format.planes {
            [plane] => plane,
            planes => planes.get((subresource / levels / layers) as usize)?,
        };
        let level = subresource % levels;
        let [across, down] = [plane.across, plane.down].map(|fewer| (level + u32::from(fewer)).min(31));
        Some(Texels {
            width: u32::try_from(desc.Width >> across).unwrap_or(u32::MAX).max(1),
            height: (desc.Height >> down).max(1),
            depth: if volume { (u32::from(desc.DepthOrArraySize) >> level.min(31)).max(1) } else { 1 },
            block_bytes: plane.bytes.into(),
            block_width: format.block_width.into(),
            block_height: format.block_height.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use reprise_d3d12::types::{D3D12_RESOURCE_DIMENSION, DXGI_FORMAT};

    use super::*;

    #[test]
    fn planes_of_video_have_extents_of_their_own() {
        let desc = |format| D3D12_RESOURCE_DESC {
            Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
            Width: 20,
            Height: 12,
            DepthOrArraySize: 2,
            MipLevels: 1,
            Format: format,
            ..Default::default()
        };
        let extent = |format, subresource| {
            Texels::of(&desc(format), subresource).map(|it| (it.width, it.height, it.depth, it.block_bytes))
        };
        // Both layers of luma come first.
        let nv12 = [0, 1, 2, 3].map(|subresource| extent(DXGI_FORMAT::FORMAT_NV12, subresource));
        assert_eq!(nv12, [Some((20, 12, 1, 1)), Some((20, 12, 1, 1)), Some((10, 6, 1, 2)), Some((10, 6, 1, 2))]);
        let p010 = [0, 2, 4].map(|subresource| extent(DXGI_FORMAT::FORMAT_P010, subresource));
        assert_eq!(p010, [Some((20, 12, 1, 2)), Some((10, 6, 1, 4)), None]);
        // Chroma at a quarter of the width; colours in planes of their own.
        let nv11 = [0, 2, 4].map(|subresource| extent(DXGI_FORMAT::FORMAT_NV11, subresource));
        assert_eq!(nv11, [Some((20, 12, 1, 1)), Some((5, 12, 1, 2)), None]);
        let v208 = [0, 2, 4, 6].map(|subresource| extent(DXGI_FORMAT::FORMAT_V208, subresource));
        assert_eq!(v208, [Some((20, 12, 1, 1)), Some((20, 6, 1, 1)), Some((20, 6, 1, 1)), None]);
    }

    /// What `WriteToSubresource` gives is recorded by this size: a format without one is not recorded.
    #[test]
    fn every_format_has_an_extent() {
        let desc = |number| D3D12_RESOURCE_DESC {
            Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
            Width: 8,
            Height: 8,
            DepthOrArraySize: 1,
            MipLevels: 1,
            Format: DXGI_FORMAT(number),
            ..Default::default()
        };
        let sizes = |number| {
            let texels = Texels::of(&desc(number), 0)?;
            Some((texels.block_bytes, texels.block_width, texels.block_height))
        };
        let found = [66, 68, 71, 100, 107, 109, 111, 114, 191, 45].map(sizes);
        let expected = [
            (1, 8, 1),
            (4, 2, 1),
            (8, 4, 4),
            (4, 1, 1),
            (4, 2, 1),
            (8, 2, 1),
            (1, 1, 1),
            (2, 1, 1),
            (2, 1, 1),
            (4, 1, 1),
        ];
        assert_eq!(found, expected.map(Some));
        assert_eq!([0, 116, 129, 192].map(sizes), [None; 4]);
    }
}
