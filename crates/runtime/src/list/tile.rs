//! Copies between tiles of reserved resources and buffers.

use core::ffi::c_void;

use ash::vk;
use reprise_com::{Object, Slots};
use reprise_d3d12::types::{D3D12_TILE_COPY_FLAGS as Flags, D3D12_TILE_REGION_SIZE, D3D12_TILED_RESOURCE_COORDINATE};

use crate::list::predicated::Written;
use crate::list::recording::Recording;
use crate::resource::backing::Backing;
use crate::resource::object::Resource;
use crate::resource::tiling::{Place, TILE, Tiling};
use crate::{Error, Result};
use reprise_gpu::buffer::Buffer;
use reprise_gpu::image::Image;

/// Methods about tiles.
pub(super) const LIST_METHODS: &Slots = &[("CopyTiles", copy_tiles as *const c_void)];

impl Recording {
    /// Copies tiles to or from the bytes of a buffer, one tile after the other.
    fn copy_tiles(
        &mut self,
        resource: &Object<Resource>,
        tiling: &Tiling,
        tiles: &[u32],
        bytes: (&Buffer, u64),
        into_tiles: bool,
    ) -> Result<()> {
        let end = (tiles.len() as u64).checked_mul(TILE).and_then(|size| size.checked_add(bytes.1));
        if end.is_none_or(|end| end > bytes.0.size) {
            return Err(Error::Call("CopyTiles leaves its buffer"));
        }
        if tiles.is_empty() {
            return Ok(());
        }
        let first = bytes.0.offset() + bytes.1;
        match &resource.backing {
            Backing::Buffer(tiled) => {
                self.encoder.transfer();
                let regions: Vec<_> = tiles
                    .iter()
                    .zip(0u64..)
                    .map(|(tile, at)| {
                        let (tile, linear) = (u64::from(*tile) * TILE, first + at * TILE);
                        let (from, to) = if into_tiles { (linear, tile) } else { (tile, linear) };
                        vk::BufferCopy { src_offset: from, dst_offset: to, size: TILE }
                    })
                    .collect();
                let (from, to) = if into_tiles { (bytes.0, tiled) } else { (tiled, bytes.0) };
                // SAFETY: buffers of living resources; the regions lie inside of them.
                unsafe { self.encoder.logical.vk.cmd_copy_buffer(self.encoder.buffer, from.vk(), to.vk(), &regions) };
            }
            Backing::Image(image) => {
                self.uses(resource);
                let regions: Result<Vec<_>> = tiles
                    .iter()
                    .zip(0u64..)
                    .map(|(tile, at)| region(image, tiling, *tile, first + at * TILE))
                    .collect();
                let regions = regions?;
                self.encoder.transfer();
                if into_tiles {
                    let info = vk::CopyBufferToImageInfo2::default()
                        .src_buffer(bytes.0.vk())
                        .dst_image(image.image)
                        .dst_image_layout(image.layout)
                        .regions(&regions);
                    // SAFETY: buffers of living resources; the regions lie inside of them.
                    unsafe { self.encoder.logical.vk.cmd_copy_buffer_to_image2(self.encoder.buffer, &info) };
                } else {
                    let info = vk::CopyImageToBufferInfo2::default()
                        .src_image(image.image)
                        .src_image_layout(image.layout)
                        .dst_buffer(bytes.0.vk())
                        .regions(&regions);
                    // SAFETY: buffers of living resources; the regions lie inside of them.
                    unsafe { self.encoder.logical.vk.cmd_copy_image_to_buffer2(self.encoder.buffer, &info) };
                }
            }
        }
        Ok(())
    }
}

/// A tile of an image, whose rows in the buffer are as long as a tile's also where the level ends within it.
fn region(image: &Image, tiling: &Tiling, tile: u32, offset: u64) -> Result<vk::BufferImageCopy2<'static>> {
    let Place::Level(layer, level, at) = tiling.place(tile) else {
        return Err(Error::Call("CopyTiles of levels that share their tiles"));
    };
    let [width, height, depth] = tiling.shape;
    let size = |whole: u32, at: u32, tile: u32| tile.min((whole >> level).max(1) - at * tile);
    Ok(vk::BufferImageCopy2::default()
        .buffer_offset(offset)
        .buffer_row_length(width)
        .buffer_image_height(height)
        .image_subresource(vk::ImageSubresourceLayers {
            aspect_mask: image.aspects,
            mip_level: level,
            base_array_layer: layer,
            layer_count: 1,
        })
        .image_offset(vk::Offset3D { x: (at[0] * width) as i32, y: (at[1] * height) as i32, z: (at[2] * depth) as i32 })
        .image_extent(vk::Extent3D {
            width: size(image.extent.width, at[0], width),
            height: size(image.extent.height, at[1], height),
            depth: size(image.extent.depth, at[2], depth),
        }))
}

unsafe extern "C" fn copy_tiles(
    this: *mut c_void,
    tiled: *mut c_void,
    start: *const D3D12_TILED_RESOURCE_COORDINATE,
    size: *const D3D12_TILE_REGION_SIZE,
    buffer: *mut c_void,
    offset: u64,
    flags: Flags,
) {
    // SAFETY: a list of ours, the program's resources and structures.
    unsafe {
        Recording::outside_pass(this, |list| {
            let resource = Object::<Resource>::from_pointer(tiled);
            let tiles = resource.and_then(|resource| Some((resource, &resource.tiles.as_ref()?.tiling)));
            let (resource, tiling) = tiles.ok_or(Error::Call("CopyTiles: the resource is not a reserved one"))?;
            let bytes = Object::<Resource>::from_pointer(buffer).and_then(|buffer| buffer.buffer());
            let bytes = bytes.ok_or(Error::Call("CopyTiles: not a buffer"))?;
            let (Some(start), Some(size)) = (start.as_ref(), size.as_ref()) else {
                return Err(Error::Call("CopyTiles without a region"));
            };
            let mut tiles = Vec::new();
            tiling.region(start, size, &mut tiles)?;
            let into_tiles = flags.0 & Flags::LINEAR_BUFFER_TO_SWIZZLED_TILED_RESOURCE.0 != 0;
            let written = match (into_tiles, resource.buffer(), resource.image()) {
                (true, Some(buffer), _) => Written::buffer(buffer),
                (true, None, Some(image)) => Written::texture(resource, image),
                _ => Written::buffer(bytes),
            };
            list.transfer_to(&written, |list| list.copy_tiles(resource, tiling, &tiles, (bytes, offset), into_tiles))
        });
    }
}
