//! Extents of subresources, as copies of texels and mapped textures need them.
//!
//! Owns the sizes of texel blocks by format. Invariant: a format that is not listed has no size; nothing is guessed.

use crate::Texels;
use reprise_d3d12::types::D3D12_RESOURCE_DESC;

const BUFFER: i64 = 1;
const TEXTURE_3D: i64 = 4;

/// Bytes and edge of a block of a format (plane 0), as in the documentation of `DXGI_FORMAT`.
fn block(format: u32) -> Option<(u32, u32)> {
    Some(match format {
        1..=4 => (16, 1),
        5..=8 => (12, 1),
        9..=22 => (8, 1),
        23..=47 => (4, 1),
        48..=59 => (2, 1),
        60..=65 => (1, 1),
        67 | 87..=93 => (4, 1),
        70..=72 | 79..=81 => (8, 4),
        73..=78 | 82..=84 | 94..=99 => (16, 4),
        85 | 86 | 115 => (2, 1),
        _ => return None,
    })
}

/// Bytes of one texel of a `DXGI_FORMAT`, by its number; `None` for compressed formats and those with several planes.
pub fn texel_bytes(format: u32) -> Option<u32> {
    block(format).filter(|(_, edge)| *edge == 1).map(|(bytes, _)| bytes)
}

/// Bytes of a texel of a plane of video, and the logarithm of how many texels of luma it stands for in each direction.
fn video(format: u32, plane: u32) -> Option<(u32, u32)> {
    let luma = match format {
        103 => 1,
        104 | 105 => 2,
        _ => return None,
    };
    match plane {
        0 => Some((luma, 0)),
        1 => Some((2 * luma, 1)),
        _ => None,
    }
}

impl Texels {
    /// The extent of one subresource; `None` for buffers and for formats whose planes are not known.
    pub fn of(desc: &D3D12_RESOURCE_DESC, subresource: u32) -> Option<Texels> {
        if i64::from(desc.Dimension.0) == BUFFER {
            return None;
        }
        let levels = u32::from(desc.MipLevels).max(1);
        let volume = i64::from(desc.Dimension.0) == TEXTURE_3D;
        let layers = if volume { 1 } else { u32::from(desc.DepthOrArraySize).max(1) };
        let format = desc.Format.0 as u32;
        let (block_bytes, edge, shift) = match video(format, subresource / levels / layers) {
            Some((bytes, shift)) => (bytes, 1, shift),
            None => block(format).map(|(bytes, edge)| (bytes, edge, 0))?,
        };
        let level = (subresource % levels + shift).min(31);
        Some(Texels {
            width: u32::try_from(desc.Width >> level).unwrap_or(u32::MAX).max(1),
            height: (desc.Height >> level).max(1),
            depth: if volume { (u32::from(desc.DepthOrArraySize) >> level).max(1) } else { 1 },
            block_bytes,
            block_width: edge,
            block_height: edge,
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
    }
}
