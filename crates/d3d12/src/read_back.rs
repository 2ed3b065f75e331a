//! Pictures that a program reads back: what a copy of a texture leaves in a buffer.
//!
//! Programs that show their frames by other means than the API (OpenGL's on Mesa's driver) copy the back buffer to a buffer and map
//! that. Capture and replay both take such a picture for the frame's, so the rule is stated here, once. It refuses what may be a part
//! of a picture, because a part is no frame.

use crate::format::{is_presentable, texel_bytes};
use crate::types::{D3D12_BOX, D3D12_TEXTURE_COPY_LOCATION, D3D12_TEXTURE_COPY_TYPE};

/// A picture in a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadBack {
    /// The first byte of the first row.
    pub offset: u64,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Number of the `DXGI_FORMAT`.
    pub format: u32,
    /// Bytes from row to row.
    pub pitch: u32,
    /// Bytes of a row without its padding.
    pub row: u32,
}

impl ReadBack {
    /// What `CopyTextureRegion` leaves, if that is a whole subresource of two dimensions with pixels that can be presented.
    #[must_use]
    pub fn of_copy(
        to: &D3D12_TEXTURE_COPY_LOCATION,
        place: [u32; 3],
        from: &D3D12_TEXTURE_COPY_LOCATION,
        part: Option<&D3D12_BOX>,
    ) -> Option<ReadBack> {
        let types = (from.Type, to.Type);
        if types != (D3D12_TEXTURE_COPY_TYPE::SUBRESOURCE_INDEX, D3D12_TEXTURE_COPY_TYPE::PLACED_FOOTPRINT)
            || place != [0; 3]
            || part.is_some()
        {
            return None;
        }
        // SAFETY: every bit pattern is a value of both members, and the type says that it is this one.
        let placed = unsafe { to.Anonymous.PlacedFootprint };
        let footprint = placed.Footprint;
        let format = footprint.Format.0 as u32;
        let texel = texel_bytes(format).filter(|_| is_presentable(format))?;
        let row = footprint.Width.checked_mul(texel).filter(|row| *row > 0 && *row <= footprint.RowPitch)?;
        let (width, height, pitch) = (footprint.Width, footprint.Height, footprint.RowPitch);
        let is_picture = height > 0 && footprint.Depth == 1;
        is_picture.then_some(ReadBack { offset: placed.Offset, width, height, format, pitch, row })
    }

    /// Bytes from the first row to the end of the last one.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        u64::from(self.pitch) * u64::from(self.height - 1) + u64::from(self.row)
    }

    /// Whether the program, mapping these bytes of the buffer for reading, sees all of the picture. Without a range it sees all.
    #[must_use]
    pub fn is_within(&self, range: Option<(u64, u64)>) -> bool {
        range.is_none_or(|(begin, end)| begin <= self.offset && self.offset.saturating_add(self.bytes()) <= end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{D3D12_PLACED_SUBRESOURCE_FOOTPRINT, D3D12_SUBRESOURCE_FOOTPRINT, DXGI_FORMAT};

    fn to(format: DXGI_FORMAT, (width, height, depth): (u32, u32, u32), pitch: u32) -> D3D12_TEXTURE_COPY_LOCATION {
        let footprint =
            D3D12_SUBRESOURCE_FOOTPRINT { Format: format, Width: width, Height: height, Depth: depth, RowPitch: pitch };
        let mut to = D3D12_TEXTURE_COPY_LOCATION {
            Type: D3D12_TEXTURE_COPY_TYPE::PLACED_FOOTPRINT,
            ..D3D12_TEXTURE_COPY_LOCATION::default()
        };
        to.Anonymous.PlacedFootprint = D3D12_PLACED_SUBRESOURCE_FOOTPRINT { Offset: 512, Footprint: footprint };
        to
    }

    #[test]
    fn a_whole_texture_is_a_picture_and_a_part_is_none() {
        let from = D3D12_TEXTURE_COPY_LOCATION {
            Type: D3D12_TEXTURE_COPY_TYPE::SUBRESOURCE_INDEX,
            ..D3D12_TEXTURE_COPY_LOCATION::default()
        };
        let x8 = DXGI_FORMAT::FORMAT_B8G8R8X8_UNORM;
        let whole = to(x8, (300, 2, 1), 1280);
        let found = ReadBack::of_copy(&whole, [0; 3], &from, None).expect("a picture");
        assert_eq!(found, ReadBack { offset: 512, width: 300, height: 2, format: x8.0 as u32, pitch: 1280, row: 1200 });
        assert_eq!(found.bytes(), 1280 + 1200);
        let parts = [(None, true), (Some((512, 2992)), true), (Some((0, 2991)), false), (Some((513, 9999)), false)];
        for (range, all) in parts {
            assert_eq!(found.is_within(range), all, "{range:?}");
        }
        let part = D3D12_BOX { left: 0, top: 0, front: 0, right: 300, bottom: 2, back: 1 };
        for none in [
            ReadBack::of_copy(&whole, [0, 1, 0], &from, None),
            ReadBack::of_copy(&whole, [0; 3], &from, Some(&part)),
            ReadBack::of_copy(&from, [0; 3], &whole, None),
            ReadBack::of_copy(&to(x8, (300, 2, 2), 1280), [0; 3], &from, None),
            ReadBack::of_copy(&to(x8, (300, 0, 1), 1280), [0; 3], &from, None),
            ReadBack::of_copy(&to(x8, (u32::MAX, 2, 1), 1280), [0; 3], &from, None),
            ReadBack::of_copy(&to(x8, (300, 2, 1), 1024), [0; 3], &from, None),
            ReadBack::of_copy(&to(DXGI_FORMAT::FORMAT_D32_FLOAT, (300, 2, 1), 1280), [0; 3], &from, None),
            ReadBack::of_copy(&to(DXGI_FORMAT::FORMAT_BC1_UNORM, (300, 4, 1), 1280), [0; 3], &from, None),
        ] {
            assert_eq!(none, None);
        }
    }
}
