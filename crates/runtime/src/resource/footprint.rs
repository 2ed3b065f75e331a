//! Footprints of copies: how subresources lie in buffers. Pure.

use reprise_d3d12::types::{
    D3D12_PLACED_SUBRESOURCE_FOOTPRINT, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION as Dimension,
    D3D12_SUBRESOURCE_FOOTPRINT, DXGI_FORMAT,
};

use crate::resource::desc;
use reprise_gpu::format::Format;

/// Rows of footprints are multiples of this.
pub const PITCH_ALIGNMENT: u32 = 256;
/// Footprints begin at multiples of this.
pub const PLACEMENT_ALIGNMENT: u64 = 512;

/// How a subresource lies in a buffer.
#[derive(Clone, Copy)]
pub struct Footprint {
    /// What `GetCopyableFootprints` says.
    pub placed: D3D12_PLACED_SUBRESOURCE_FOOTPRINT,
    /// Rows of a slice; of blocks for compressed formats.
    pub rows: u32,
    /// Bytes of a row that mean something.
    pub row_size: u64,
    /// Bytes of the whole, from the first to the last that means something.
    pub size: u64,
}

/// A subresource's level, layer and plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subresource {
    /// Mip level.
    pub level: u32,
    /// Array layer; 0 for volumes.
    pub layer: u32,
    /// Plane of the format.
    pub plane: u32,
}

/// Takes a subresource's number apart; `None` when the resource has no such one.
pub fn subresource(desc: &D3D12_RESOURCE_DESC1, number: u32) -> Option<Subresource> {
    let (levels, layers) = (u32::from(desc.MipLevels), desc::layers(desc));
    let found = Subresource {
        level: number.checked_rem(levels)?,
        layer: (number / levels).checked_rem(layers)?,
        plane: number / levels / layers,
    };
    (found.plane < desc::planes(desc)).then_some(found)
}

/// Size of a subresource's plane in texels: width, height, slices.
pub fn extent(desc: &D3D12_RESOURCE_DESC1, at: Subresource) -> (u64, u32, u32) {
    let subsample = Format::get(desc.Format)
        .and_then(|format| format.planes.get(at.plane as usize))
        .map_or(0, |plane| plane.subsample_log2);
    let shift = at.level + u32::from(subsample);
    let mip = |size: u64, shift: u32| size.checked_shr(shift).unwrap_or(0).max(1);
    (mip(desc.Width, shift), mip(desc.Height.into(), shift) as u32, mip(desc::depth(desc).into(), at.level) as u32)
}

/// The footprint of one subresource that begins at `offset`. `None` for formats whose layout is not known.
fn one(desc: &D3D12_RESOURCE_DESC1, at: Subresource, offset: u64) -> Option<Footprint> {
    let (width, height, slices) = extent(desc, at);
    if desc.Dimension == Dimension::BUFFER {
        let row_pitch = u32::try_from(width).ok()?.checked_next_multiple_of(PITCH_ALIGNMENT)?;
        let footprint = D3D12_SUBRESOURCE_FOOTPRINT {
            Format: DXGI_FORMAT::FORMAT_UNKNOWN,
            Width: width as u32,
            Height: 1,
            Depth: 1,
            RowPitch: row_pitch,
        };
        let placed = D3D12_PLACED_SUBRESOURCE_FOOTPRINT { Offset: offset, Footprint: footprint };
        return Some(Footprint { placed, rows: 1, row_size: width, size: width });
    }
    let format = Format::get(desc.Format)?;
    let plane = format.planes.get(at.plane as usize)?;
    let own = plane.footprint == DXGI_FORMAT::FORMAT_UNKNOWN;
    let bytes = if own { format.block_bytes } else { plane.bytes };
    let (block_width, block_height) = (u32::from(format.block_width), u32::from(format.block_height));
    let (width, height) = ((width as u32).next_multiple_of(block_width), height.next_multiple_of(block_height));
    let rows = height / block_height;
    let row_size = u32::from(bytes) * (width / block_width);
    // Undocumented, but every implementation does so: formats of two planes have wider rows.
    let pitch_alignment = if format.planes.len() > 1 { 2 * PITCH_ALIGNMENT } else { PITCH_ALIGNMENT };
    let row_pitch = row_size.next_multiple_of(pitch_alignment);
    let all_rows = u64::from(rows) * u64::from(slices);
    let footprint = D3D12_SUBRESOURCE_FOOTPRINT {
        Format: if own { desc.Format } else { plane.footprint },
        Width: width,
        Height: height,
        Depth: slices,
        RowPitch: row_pitch,
    };
    Some(Footprint {
        placed: D3D12_PLACED_SUBRESOURCE_FOOTPRINT { Offset: offset, Footprint: footprint },
        rows,
        row_size: row_size.into(),
        size: (all_rows - 1) * u64::from(row_pitch) + u64::from(row_size),
    })
}

/// The footprints of subresources one after the other, and the bytes of all, without `base`. The description is complete.
/// `None` when one of them does not exist. Offsets wrap, as the API's do.
pub fn footprints(
    desc: &D3D12_RESOURCE_DESC1,
    first: u32,
    count: u32,
    base: u64,
    mut each: impl FnMut(u32, &Footprint),
) -> Option<u64> {
    let (mut offset, mut total) = (0u64, 0);
    if first.checked_add(count)? > desc::subresources(desc) {
        return None;
    }
    for index in 0..count {
        let at = subresource(desc, first + index)?;
        let footprint = one(desc, at, base.wrapping_add(offset))?;
        each(index, &footprint);
        total = offset.checked_add(footprint.size)?;
        offset = total.checked_next_multiple_of(PLACEMENT_ALIGNMENT)?;
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;
    use reprise_d3d12::types::{D3D12_RESOURCE_FLAGS as Flags, D3D12_TEXTURE_LAYOUT as Layout, DXGI_SAMPLE_DESC};

    use super::*;

    fn texture(width: u64, height: u32, layers: u16, mips: u16, format: DXGI_FORMAT) -> D3D12_RESOURCE_DESC1 {
        let desc = D3D12_RESOURCE_DESC1 {
            Dimension: Dimension::TEXTURE2D,
            Width: width,
            Height: height,
            DepthOrArraySize: layers,
            MipLevels: mips,
            Format: format,
            SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            Layout: Layout::LAYOUT_UNKNOWN,
            Flags: Flags::NONE,
            ..Default::default()
        };
        desc::complete(&desc, &[]).unwrap()
    }

    /// Depth is a plane of 32-bit words, stencil one of bytes, by the API's documentation; chroma has half the rows and columns.
    #[test]
    fn planes_have_their_own_footprints() {
        let shapes = |desc: &D3D12_RESOURCE_DESC1| {
            let (mut shapes, count) = (Vec::new(), desc::subresources(desc));
            let total = footprints(desc, 0, count, 0, |_, found| {
                let shape = found.placed.Footprint;
                shapes.push((found.placed.Offset, shape.Format, shape.Width, shape.Height, shape.RowPitch, found.rows));
            });
            (shapes, total.unwrap())
        };
        let depth = (0, DXGI_FORMAT::FORMAT_R32_TYPELESS, 100, 10, 512, 10);
        let stencil = (5120, DXGI_FORMAT::FORMAT_R8_TYPELESS, 100, 10, 512, 10);
        for format in [DXGI_FORMAT::FORMAT_D24_UNORM_S8_UINT, DXGI_FORMAT::FORMAT_R32G8X24_TYPELESS] {
            let (found, total) = shapes(&texture(100, 10, 1, 1, format));
            assert_eq!(found, [depth, stencil]);
            assert_eq!(total, 5120 + 9 * 512 + 100);
        }
        let luma = (0, DXGI_FORMAT::FORMAT_R8_TYPELESS, 100, 10, 512, 10);
        let chroma = (5120, DXGI_FORMAT::FORMAT_R8G8_TYPELESS, 50, 5, 512, 5);
        let (found, total) = shapes(&texture(100, 10, 1, 1, DXGI_FORMAT::FORMAT_NV12));
        assert_eq!((found, total), (vec![luma, chroma], 5120 + 4 * 512 + 100));
    }

    proptest! {
        #[test]
        fn subresources_are_counted_by_level_layer_and_plane(
            size in 1u64..300, layers in 1u16..7, mips in 0u16..9, planar in any::<bool>(), number in any::<u32>()
        ) {
            let format = if planar { DXGI_FORMAT::FORMAT_D24_UNORM_S8_UINT } else { DXGI_FORMAT::FORMAT_R8_UNORM };
            let desc = texture(size, 1, layers, mips % (size.ilog2() as u16 + 2), format);
            let (levels, layers, planes) = (u32::from(desc.MipLevels), u32::from(layers), 1 + u32::from(planar));
            let all = (0..planes).flat_map(|plane| (0..layers).flat_map(move |layer| {
                (0..levels).map(move |level| Subresource { level, layer, plane })
            }));
            for (number, expected) in all.enumerate() {
                prop_assert_eq!(subresource(&desc, number as u32), Some(expected));
            }
            prop_assert_eq!(desc::subresources(&desc), levels * layers * planes);
            if number >= levels * layers * planes {
                prop_assert_eq!(subresource(&desc, number), None);
            }
        }
    }
}
