//! The CPU and resources: mapping, and texels written and read: in place, or by the GPU where the CPU does not see them.

use core::ptr::NonNull;
use std::sync::Arc;

use ash::vk;
use reprise_d3d12::types::D3D12_BOX;

use crate::resource::backing::Backing;
use crate::resource::desc;
use crate::resource::footprint;
use crate::resource::heap_type;
use crate::resource::object::Resource;
use crate::{Error, Result};
use reprise_gpu::format::Format;
use reprise_gpu::image::Image;

/// Rows of texels as the program sees them, or as they lie in a texture.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// The first byte.
    pub bytes: NonNull<u8>,
    /// Bytes from a row to the next.
    pub row_pitch: u64,
    /// Bytes from a slice to the next.
    pub slice_pitch: u64,
}

/// What is copied between two [`Rows`], in bytes and rows of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extent {
    row_size: u64,
    rows: u64,
    slices: u64,
}

impl Extent {
    /// Bytes without padding.
    fn bytes(&self) -> u64 {
        self.row_size * self.rows * self.slices
    }

    /// Rows without padding, from a place on.
    fn tight(&self, bytes: NonNull<u8>) -> Rows {
        Rows { bytes, row_pitch: self.row_size, slice_pitch: self.row_size * self.rows }
    }
}

/// Where the texels of a box lie.
enum Texels<'a> {
    /// Where the CPU sees them.
    Seen(Rows),
    /// In an image that it does not see.
    Hidden(&'a Arc<Image>, vk::BufferImageCopy),
}

impl Resource {
    /// Where the CPU sees a subresource. `Ok(None)` for textures, which are mapped without an address.
    ///
    /// # Errors
    /// There is no such subresource, or the CPU does not see it.
    pub fn map(&self, subresource: u32, address_wanted: bool) -> Result<Option<NonNull<u8>>> {
        if !heap_type::access(&self.heap_properties).is_mappable() {
            return Err(Error::Invalid("the heap cannot be mapped"));
        }
        if subresource >= desc::subresources(&self.desc) {
            return Err(Error::Invalid("no such subresource"));
        }
        match &self.backing {
            Backing::Buffer(buffer) => match buffer.slice.mapped() {
                Some(place) => Ok(Some(place)),
                None => Err(Error::Unsupported("the heap's memory is not visible to the CPU")),
            },
            Backing::Image(image) if image.extent.depth > 1 && image.levels > 1 => {
                Err(Error::Invalid("volumes of several levels cannot be mapped"))
            }
            Backing::Image(_) if address_wanted => Err(Error::Invalid("textures of unknown layout have no address")),
            Backing::Image(_) => Ok(None),
        }
    }

    /// A box of a subresource that the CPU may touch: where its texels lie, and how much it is; `None` when it is empty.
    fn region(&self, number: u32, within: Option<&D3D12_BOX>) -> Result<Option<(Texels<'_>, Extent)>> {
        let at = footprint::subresource(&self.desc, number).ok_or(Error::Invalid("no such subresource"))?;
        if !heap_type::access(&self.heap_properties).is_mappable() {
            return Err(Error::Invalid("the heap cannot be mapped"));
        }
        let image = self.image().ok_or(Error::Invalid("buffers have no texels"))?;
        let (width, height, slices) = footprint::extent(&self.desc, at);
        let format = Format::get(self.desc.Format).ok_or(Error::Invalid("a texture has a format"))?;
        let plane = format.planes.get(at.plane as usize);
        let bytes = plane.map_or(0, |plane| plane.bytes);
        let bytes = u64::from(if bytes == 0 { format.block_bytes } else { bytes });
        let (block_width, block_height) = (u64::from(format.block_width), u64::from(format.block_height));
        let [left, top, front, right, bottom, back] = match within {
            None => [0, 0, 0, width, height.into(), slices.into()],
            Some(b) => [b.left, b.top, b.front, b.right, b.bottom, b.back].map(u64::from),
        };
        let whole = |size: u64, block: u64| size.next_multiple_of(block);
        let (columns, lines, slices) = (whole(width, block_width), whole(height.into(), block_height), slices.into());
        if right > columns || bottom > lines || back > slices || left > columns || top > lines || front > slices {
            return Err(Error::Invalid("the box is larger than the subresource"));
        }
        if left >= right || top >= bottom || front >= back {
            return Ok(None);
        }
        let ends = |end: u64, block: u64, size: u64| end.is_multiple_of(block) || end == size;
        let begins = left.is_multiple_of(block_width) && top.is_multiple_of(block_height);
        if !begins || !ends(right, block_width, width) || !ends(bottom, block_height, height.into()) {
            return Err(Error::Invalid("the box begins or ends inside of a block"));
        }
        let extent = Extent {
            row_size: (right - left).div_ceil(block_width) * bytes,
            rows: (bottom - top).div_ceil(block_height),
            slices: back - front,
        };
        let aspect_mask = plane.map_or(image.aspects, |plane| plane.aspect);
        let base = image.slice().and_then(|slice| slice.mapped());
        let texels = match base.filter(|_| image.tiling == vk::ImageTiling::LINEAR) {
            Some(base) => {
                let place = vk::ImageSubresource { aspect_mask, mip_level: at.level, array_layer: at.layer };
                // SAFETY: the image is linear and has this subresource.
                let layout = unsafe { self.device.vk.get_image_subresource_layout(image.image, place) };
                let (row_pitch, slice_pitch) = (layout.row_pitch, layout.depth_pitch);
                let start = front * slice_pitch + top / block_height * row_pitch + left / block_width * bytes;
                // SAFETY: the subresource lies inside of the image's slice, and the box inside of the subresource.
                let bytes = unsafe { base.add((layout.offset + start) as usize) };
                Texels::Seen(Rows { bytes, row_pitch, slice_pitch })
            }
            None => {
                let texels = |from: u64, to: u64, size: u64| (to.min(size) - from) as u32;
                let copy = vk::BufferImageCopy {
                    image_subresource: vk::ImageSubresourceLayers {
                        aspect_mask,
                        mip_level: at.level,
                        base_array_layer: at.layer,
                        layer_count: 1,
                    },
                    image_offset: vk::Offset3D { x: left as i32, y: top as i32, z: front as i32 },
                    image_extent: vk::Extent3D {
                        width: texels(left, right, width),
                        height: texels(top, bottom, height.into()),
                        depth: (back - front) as u32,
                    },
                    ..Default::default()
                };
                Texels::Hidden(image, copy)
            }
        };
        Ok(Some((texels, extent)))
    }

    /// Writes a box of texels.
    ///
    /// # Errors
    /// There is no such box, or the CPU may not touch the texture; for textures that it does not see, also that the device is lost
    /// or out of memory.
    ///
    /// # Safety
    /// `source` has the box's bytes.
    pub unsafe fn write(&self, number: u32, within: Option<&D3D12_BOX>, source: Rows) -> Result<()> {
        match self.region(number, within)? {
            // SAFETY: the texture's side was checked, the other is the caller's.
            Some((Texels::Seen(to), extent)) => unsafe { copy(to, source, extent) },
            Some((Texels::Hidden(image, region), extent)) => {
                let (device, bytes) = (&self.device.gpu, extent.bytes());
                // SAFETY: the staging buffer has the extent's bytes, the other side is the caller's.
                let fill = |place| unsafe { copy(extent.tight(place), source, extent) };
                device.staging.write(device.parts(), image, region, bytes, fill)?;
            }
            None => {}
        }
        Ok(())
    }

    /// Reads a box of texels.
    ///
    /// # Errors
    /// As [`Resource::write`].
    ///
    /// # Safety
    /// `target` has room for the box's bytes.
    pub unsafe fn read(&self, number: u32, within: Option<&D3D12_BOX>, target: Rows) -> Result<()> {
        match self.region(number, within)? {
            // SAFETY: the texture's side was checked, the other is the caller's.
            Some((Texels::Seen(from), extent)) => unsafe { copy(target, from, extent) },
            Some((Texels::Hidden(image, region), extent)) => {
                let (device, bytes) = (&self.device.gpu, extent.bytes());
                // SAFETY: the staging buffer has the extent's bytes, the other side is the caller's.
                let take = |place| unsafe { copy(target, extent.tight(place), extent) };
                device.staging.read(device.parts(), image, region, bytes, take)?;
            }
            None => {}
        }
        Ok(())
    }
}

/// # Safety
/// Both have the extent's bytes and do not overlap.
unsafe fn copy(to: Rows, from: Rows, extent: Extent) {
    for slice in 0..extent.slices {
        for row in 0..extent.rows {
            let at = |rows: &Rows| (slice * rows.slice_pitch + row * rows.row_pitch) as usize;
            // SAFETY: the caller promises: both have the extent's bytes and do not overlap.
            unsafe {
                let (to, from) = (to.bytes.add(at(&to)), from.bytes.add(at(&from)));
                from.copy_to_nonoverlapping(to, extent.row_size as usize);
            }
        }
    }
}
