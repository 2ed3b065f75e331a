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

impl Texels {
    /// The extent of one subresource; `None` for buffers and for formats with several planes.
    pub fn of(desc: &D3D12_RESOURCE_DESC, subresource: u32) -> Option<Texels> {
        if i64::from(desc.Dimension.0) == BUFFER {
            return None;
        }
        let (block_bytes, edge) = block(desc.Format.0 as u32)?;
        let levels = u32::from(desc.MipLevels).max(1);
        let level = (subresource % levels).min(31);
        let volume = i64::from(desc.Dimension.0) == TEXTURE_3D;
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
