//! Copies between buffers and textures: what Vulkan needs to know of a region. Pure.
//!
//! Invariant: a region never leaves its subresource; a region that the API does not allow is an error.

use core::ops::Range;

use ash::vk;
use reprise_d3d12::types::{D3D12_BOX, D3D12_PLACED_SUBRESOURCE_FOOTPRINT, D3D12_RESOURCE_DESC1};

use crate::resource::desc;
use crate::resource::object::Resource;
use crate::{Error, Result};
use reprise_gpu::format::{Format, is_map};
use reprise_gpu::image::Image;

/// Bytes of a texel of a map of sampler feedback.
const MAP_BYTES: u64 = 4;

/// A subresource of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subresource {
    /// Mip level.
    pub level: u32,
    /// Array layer.
    pub layer: u32,
    /// Vulkan's name of its plane.
    pub aspect: vk::ImageAspectFlags,
    /// Bytes of a block of the plane.
    pub bytes: u64,
    /// Size in texels of the plane.
    pub extent: vk::Extent3D,
    /// Width and height of a block of the plane, in texels.
    pub block: [u32; 2],
}

impl Subresource {
    /// The subresource of a texture with an index.
    ///
    /// # Errors
    /// The texture has no subresource with this index.
    pub fn of(texture: &Resource, image: &Image, index: u32) -> Result<Subresource> {
        let mut found = Subresource::new(&texture.desc, index)?;
        if is_map(texture.desc.Format) {
            // One image level holds the map's levels, and copies take all of it.
            (found.level, found.extent, found.bytes) = (0, image.extent, MAP_BYTES);
        }
        if !image.aspects.contains(found.aspect) {
            // A colour format's image that has depth.
            found.aspect = image.aspects;
        }
        Ok(found)
    }

    /// The subresource of a description with an index.
    fn new(description: &D3D12_RESOURCE_DESC1, index: u32) -> Result<Subresource> {
        let format = Format::get(description.Format).ok_or(Error::Invalid("copy: the texture's format"))?;
        let (levels, layers) = (u32::from(description.MipLevels).max(1), desc::layers(description));
        let plane = format.planes.get((index / levels / layers) as usize);
        let plane = plane.ok_or(Error::Invalid("copy: the texture has no subresource with this index"))?;
        let level = index % levels;
        let volume = desc::layers(description) != u32::from(description.DepthOrArraySize);
        let depth = if volume { u32::from(description.DepthOrArraySize) } else { 1 };
        let size = |whole: u64, shift: u32| ((whole >> level).max(1) >> shift).max(1) as u32;
        let shift = u32::from(plane.subsample_log2);
        Ok(Subresource {
            level,
            layer: index / levels % layers,
            aspect: plane.aspect,
            // Of formats with one plane the table states the size once.
            bytes: u64::from(if plane.bytes == 0 { format.block_bytes } else { plane.bytes }),
            extent: vk::Extent3D {
                width: size(description.Width, shift),
                height: size(u64::from(description.Height), shift),
                depth: size(u64::from(depth), 0),
            },
            block: [format.block_width.max(1).into(), format.block_height.max(1).into()],
        })
    }

    /// Vulkan's name for it.
    pub fn layers(&self) -> vk::ImageSubresourceLayers {
        vk::ImageSubresourceLayers {
            aspect_mask: self.aspect,
            mip_level: self.level,
            base_array_layer: self.layer,
            layer_count: 1,
        }
    }

    /// The part of a box that may be copied to or from an offset: `size` texels, cut to the subresource where blocks reach
    /// over its edge.
    fn cut(&self, at: [u32; 3], size: [u32; 3]) -> Result<vk::Extent3D> {
        let whole = [self.extent.width, self.extent.height, self.extent.depth];
        let block = [self.block[0], self.block[1], 1];
        let mut cut = [0; 3];
        for axis in 0..3 {
            let end = at[axis].checked_add(size[axis]).ok_or(Error::Invalid("copy: a region without end"))?;
            if end > whole[axis].next_multiple_of(block[axis]) {
                return Err(Error::Invalid("copy: the region leaves the texture"));
            }
            cut[axis] = end.min(whole[axis]).saturating_sub(at[axis]);
        }
        Ok(vk::Extent3D { width: cut[0], height: cut[1], depth: cut[2] })
    }
}

/// Offset and size of a box; `None` when it is empty.
pub fn boxed(given: &D3D12_BOX) -> Option<([u32; 3], [u32; 3])> {
    let size = [
        given.right.checked_sub(given.left)?,
        given.bottom.checked_sub(given.top)?,
        given.back.checked_sub(given.front)?,
    ];
    (!size.contains(&0)).then_some(([given.left, given.top, given.front], size))
}

/// Texels of a block of the format that a footprint names; `of` when it names none.
fn block(footprint: &D3D12_PLACED_SUBRESOURCE_FOOTPRINT, of: &Subresource) -> [u32; 2] {
    let format = Format::get(footprint.Footprint.Format);
    format.map_or(of.block, |format| [format.block_width.max(1).into(), format.block_height.max(1).into()])
}

/// What a box of a footprint is in a texture: where only one of them has blocks, one block is one texel.
pub fn in_texture(
    footprint: &D3D12_PLACED_SUBRESOURCE_FOOTPRINT,
    size: [u32; 3],
    subresource: &Subresource,
) -> [u32; 3] {
    let block = block(footprint, subresource);
    let across = |axis: usize| match block == subresource.block {
        true => size[axis],
        false => size[axis].div_ceil(block[axis]).saturating_mul(subresource.block[axis]),
    };
    [across(0), across(1), size[2]]
}

/// Whether a copy between textures leaves Vulkan's bounds where one side's blocks reach over the edge of a small level: the
/// other side's texels stand for whole blocks.
pub fn overhangs(from: &Subresource, to: &Subresource, region: &vk::ImageCopy2<'_>) -> bool {
    if from.block == to.block {
        return false;
    }
    let end = |at: i32, size: u32| at as u32 + size;
    let across = |size: u32, axis: usize| size.div_ceil(from.block[axis]) * to.block[axis];
    let (offset, extent) = (region.dst_offset, region.extent);
    end(offset.x, across(extent.width, 0)) > to.extent.width
        || end(offset.y, across(extent.height, 1)) > to.extent.height
}

/// Whether a copy within an image reads texels that it writes.
pub fn overlaps(from: &Subresource, to: &Subresource, region: &vk::ImageCopy2<'_>) -> bool {
    let meets = |one: i32, other: i32, size: u32| one.abs_diff(other) < size;
    let (one, other, size) = (region.src_offset, region.dst_offset, region.extent);
    (from.level, from.layer, from.aspect) == (to.level, to.layer, to.aspect)
        && meets(one.x, other.x, size.width)
        && meets(one.y, other.y, size.height)
        && meets(one.z, other.z, size.depth)
}

/// The regions of a copy between a buffer and a texture: one, or one a row when Vulkan cannot say the row's pitch.
///
/// `bytes` are those of the buffer, by their places in Vulkan's; `in_buffer` is the first texel of the footprint, `in_texture` that
/// of the texture, `size` the texels of the texture.
///
/// # Errors
/// The region leaves the buffer or the subresource.
pub fn regions(
    footprint: &D3D12_PLACED_SUBRESOURCE_FOOTPRINT,
    bytes: Range<u64>,
    in_buffer: [u32; 3],
    subresource: &Subresource,
    in_texture: [u32; 3],
    size: [u32; 3],
) -> Result<Vec<vk::BufferImageCopy2<'static>>> {
    let layout = &footprint.Footprint;
    let (whole, bytes) = (bytes, subresource.bytes);
    let [block_width, block_height] = subresource.block.map(u64::from);
    let [buffer_width, buffer_height] = block(footprint, subresource).map(u64::from);
    if bytes == 0 {
        return Err(Error::Unsupported("copies of this format"));
    }
    let pitch = u64::from(layout.RowPitch);
    let rows = u64::from(layout.Height).div_ceil(buffer_height);
    const LEAVES: Error = Error::Invalid("copy: the region leaves the buffer");
    // None of the sums of what 32 bits say can be too large; the program's offset can.
    let first = u64::from(in_buffer[0]) / buffer_width * bytes;
    let first = u128::from(in_buffer[2]) * u128::from(rows * pitch)
        + u128::from(u64::from(in_buffer[1]) / buffer_height * pitch + first);
    let start = u64::try_from(first + u128::from(footprint.Offset) + u128::from(whole.start)).map_err(|_| LEAVES)?;
    let extent = subresource.cut(in_texture, size)?;
    if extent.width != 0 && extent.height != 0 && extent.depth != 0 {
        let [columns, lines] =
            [u64::from(extent.width).div_ceil(block_width), u64::from(extent.height).div_ceil(block_height)];
        let last = u128::from(u64::from(extent.depth - 1) * rows + lines - 1) * u128::from(pitch);
        if u128::from(start) + last + u128::from(columns * bytes) > u128::from(whole.end) {
            return Err(LEAVES);
        }
    }
    let region = |offset: u64, row: u64, height: u64, at: [u32; 3], extent: vk::Extent3D| {
        vk::BufferImageCopy2::default()
            .buffer_offset(offset)
            .buffer_row_length(row as u32)
            .buffer_image_height(height as u32)
            .image_subresource(subresource.layers())
            .image_offset(vk::Offset3D { x: at[0] as i32, y: at[1] as i32, z: at[2] as i32 })
            .image_extent(extent)
    };
    // The buffer's texels, in Vulkan, are those of the texture.
    let row = pitch / bytes * block_width;
    let height = rows * block_height;
    let fits = row >= u64::from(extent.width) && height >= u64::from(extent.height);
    if pitch.is_multiple_of(bytes) && fits {
        return Ok(vec![region(start, row, height, in_texture, extent)]);
    }
    // 96-bit texels, and rows without a pitch or with one that is too small.
    let mut all = Vec::new();
    for slice in 0..extent.depth {
        for row in 0..extent.height.div_ceil(block_height as u32) {
            let first = row * block_height as u32;
            let offset = start + (u64::from(slice) * rows + u64::from(row)) * pitch;
            let at = [in_texture[0], in_texture[1] + first, in_texture[2] + slice];
            let height = (extent.height - first).min(block_height as u32);
            all.push(region(offset, 0, 0, at, vk::Extent3D { width: extent.width, height, depth: 1 }));
        }
    }
    Ok(all)
}

/// The region of a copy between textures.
///
/// # Errors
/// The region leaves a subresource, or the blocks differ.
pub fn texture_region(
    from: &Subresource,
    from_at: [u32; 3],
    size: [u32; 3],
    to: &Subresource,
    to_at: [u32; 3],
) -> Result<vk::ImageCopy2<'static>> {
    let mut extent = from.cut(from_at, size)?;
    // Vulkan counts the source's texels; where only one side has blocks, one block is one texel.
    let across = |texels: u32, axis: usize| match from.block == to.block {
        true => texels,
        false => texels.div_ceil(from.block[axis]).saturating_mul(to.block[axis]),
    };
    let there = to.cut(to_at, [across(extent.width, 0), across(extent.height, 1), extent.depth])?;
    if from.block == to.block {
        extent = there;
    }
    let offset = |at: [u32; 3]| vk::Offset3D { x: at[0] as i32, y: at[1] as i32, z: at[2] as i32 };
    Ok(vk::ImageCopy2::default()
        .src_subresource(from.layers())
        .src_offset(offset(from_at))
        .dst_subresource(to.layers())
        .dst_offset(offset(to_at))
        .extent(extent))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use reprise_d3d12::types::{D3D12_RESOURCE_DIMENSION, D3D12_SUBRESOURCE_FOOTPRINT, DXGI_FORMAT};

    use super::*;

    fn description(format: DXGI_FORMAT, width: u32, height: u32, layers: u16, levels: u16) -> D3D12_RESOURCE_DESC1 {
        D3D12_RESOURCE_DESC1 {
            Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
            Width: width.into(),
            Height: height,
            DepthOrArraySize: layers,
            MipLevels: levels,
            Format: format,
            ..Default::default()
        }
    }

    fn footprint(offset: u64, width: u32, height: u32, pitch: u32) -> D3D12_PLACED_SUBRESOURCE_FOOTPRINT {
        let footprint = D3D12_SUBRESOURCE_FOOTPRINT {
            Width: width,
            Height: height,
            Depth: 1,
            RowPitch: pitch,
            ..Default::default()
        };
        D3D12_PLACED_SUBRESOURCE_FOOTPRINT { Offset: offset, Footprint: footprint }
    }

    proptest! {
        /// Where Vulkan reads a texel is where the API says it lies, for formats with 1 to 16 bytes a texel.
        #[test]
        fn texels_lie_where_the_footprint_says(
            (format, bytes) in prop::sample::select(vec![
                (DXGI_FORMAT::FORMAT_R8_UNORM, 1u64), (DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM, 4),
                (DXGI_FORMAT::FORMAT_R32G32B32_FLOAT, 12), (DXGI_FORMAT::FORMAT_R32G32B32A32_FLOAT, 16),
            ]),
            base in 0u64..4096, offset in 0u64..16, at in (0u32..8, 0u32..8), to in (0u32..8, 0u32..8),
            size in (1u32..8, 1u32..8), pick: u32,
        ) {
            let texture = Subresource::new(&description(format, 16, 16, 1, 1), 0).unwrap();
            let placed = footprint(offset * 512, 16, 16, 256);
            let all = regions(&placed, base..1 << 32, [at.0, at.1, 0], &texture, [to.0, to.1, 0], [size.0, size.1, 1]).unwrap();
            let texel = (pick % size.0, (pick >> 8) % size.1);
            let image = ((to.0 + texel.0) as i32, (to.1 + texel.1) as i32);
            let region = all.iter().find(|region| {
                let rows = region.image_offset.y..region.image_offset.y + region.image_extent.height as i32;
                rows.contains(&image.1)
            }).unwrap();
            let (x, y) = ((image.0 - region.image_offset.x) as u64, (image.1 - region.image_offset.y) as u64);
            let row = if region.buffer_row_length == 0 { region.image_extent.width } else { region.buffer_row_length };
            let vulkan = region.buffer_offset + (y * u64::from(row) + x) * bytes;
            let api = base + offset * 512 + u64::from(at.1 + texel.1) * 256 + u64::from(at.0 + texel.0) * bytes;
            prop_assert_eq!(vulkan, api);
        }
    }

    #[test]
    fn blocks_may_reach_over_the_edge_of_small_mips() {
        let all = description(DXGI_FORMAT::FORMAT_BC1_UNORM, 8, 8, 2, 4);
        let mip = Subresource::new(&all, 3).unwrap();
        assert_eq!((mip.level, mip.layer, mip.extent.width), (3, 0, 1));
        let region = regions(&footprint(0, 4, 4, 256), 0..8, [0; 3], &mip, [0; 3], [4, 4, 1]).unwrap()[0];
        assert_eq!((region.image_extent.width, region.image_extent.height), (1, 1));
        assert_eq!((region.buffer_row_length, region.buffer_image_height), (128, 4));
        assert!(regions(&footprint(0, 8, 4, 256), 0..4096, [0; 3], &mip, [0; 3], [8, 4, 1]).is_err());
        assert!(Subresource::new(&all, 8).is_err());
    }

    #[test]
    fn regions_stay_in_their_buffer() {
        let texture = Subresource::new(&description(DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM, 16, 16, 1, 1), 0).unwrap();
        let fits = |offset: u64, base: u64, end: u64, at: [u32; 3], rows: u32| {
            regions(&footprint(offset, 16, 16, 256), base..end, at, &texture, [0; 3], [16, rows, 1]).is_ok()
        };
        // Fifteen rows with their padding, and one without.
        let bytes = 15 * 256 + 64;
        assert!(fits(0, 0, bytes, [0; 3], 16) && !fits(0, 0, bytes - 1, [0; 3], 16));
        assert!(fits(512, 64, 64 + 512 + bytes, [0; 3], 16) && !fits(512, 64, 512 + bytes, [0; 3], 16));
        assert!(
            !fits(0, 0, bytes, [1, 0, 0], 16) && !fits(0, 0, bytes, [0, 1, 0], 16) && !fits(0, 0, bytes, [0, 0, 1], 16)
        );
        assert!(fits(0, 0, bytes, [0, 1, 0], 15), "from the second row on");
        assert!(!fits(u64::MAX - 3, 64, bytes, [0; 3], 1), "no sum is too large");
        assert!(!fits(0, 0, bytes, [u32::MAX; 3], 1));
    }

    #[test]
    fn texels_of_a_buffer_may_be_blocks_of_a_texture() {
        let texture = Subresource::new(&description(DXGI_FORMAT::FORMAT_BC3_UNORM, 256, 256, 1, 1), 0).unwrap();
        let mut placed = footprint(0, 64, 64, 1024);
        placed.Footprint.Format = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
        let size = in_texture(&placed, [64, 63, 1], &texture);
        assert_eq!(size, [256, 252, 1]);
        let region = regions(&placed, 0..1 << 20, [1, 1, 0], &texture, [0; 3], [4, 4, 1]).unwrap()[0];
        assert_eq!((region.buffer_offset, region.buffer_row_length), (1024 + 16, 256));
        placed.Footprint.Format = DXGI_FORMAT::FORMAT_BC3_UNORM;
        assert_eq!(in_texture(&placed, [64, 63, 1], &texture), [64, 63, 1]);
    }

    #[test]
    fn planes_follow_layers() {
        let all = description(DXGI_FORMAT::FORMAT_D24_UNORM_S8_UINT, 4, 4, 2, 3);
        let (depth, stencil) = (Subresource::new(&all, 5).unwrap(), Subresource::new(&all, 6).unwrap());
        assert_eq!((depth.layer, depth.level, depth.aspect), (1, 2, vk::ImageAspectFlags::DEPTH));
        assert_eq!((stencil.layer, stencil.level, stencil.aspect), (0, 0, vk::ImageAspectFlags::STENCIL));
    }

    #[test]
    fn compressed_blocks_copy_to_texels_of_their_size() {
        let from = Subresource::new(&description(DXGI_FORMAT::FORMAT_BC1_UNORM, 16, 8, 1, 1), 0).unwrap();
        let to = Subresource::new(&description(DXGI_FORMAT::FORMAT_R32G32_UINT, 4, 2, 1, 1), 0).unwrap();
        let region = texture_region(&from, [0; 3], [16, 8, 1], &to, [0; 3]).unwrap();
        assert_eq!((region.extent.width, region.extent.height), (16, 8), "the source's texels count");
        assert!(texture_region(&from, [0; 3], [16, 8, 1], &to, [1, 0, 0]).is_err());
        assert_eq!(boxed(&D3D12_BOX { right: 4, bottom: 4, back: 1, ..Default::default() }), Some(([0; 3], [4, 4, 1])));
        assert_eq!(boxed(&D3D12_BOX { left: 4, right: 4, bottom: 4, back: 1, ..Default::default() }), None);
    }
}
