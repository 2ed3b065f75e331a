//! Texels between buffers and textures.
//!
//! The API lets texels lie at any multiple of their size. Vulkan wants multiples of four for depth and stencil, and on queues that
//! only copy: such copies go by way of a buffer of the list's own, row by row.

use std::sync::Arc;

use ash::vk;
use reprise_d3d12::types::D3D12_COMMAND_LIST_TYPE;

use crate::Result;
use crate::list::recording::Recording;
use crate::list::region::Subresource;
use reprise_gpu::buffer::Buffer;
use reprise_gpu::encoder::Touch;
use reprise_gpu::image::{Image, Use};

/// Bytes of which Vulkan wants multiples where a texel's size is not enough.
const UNIT: u64 = 4;

/// A buffer as a whole.
pub(super) fn all(buffer: &Buffer) -> Touch {
    Touch::buffer(buffer.vk(), buffer.offset(), buffer.size)
}

/// Some layers of a level; those between two of them count, too.
pub(super) fn layers(image: &Image, part: &vk::ImageSubresourceLayers) -> Touch {
    let number = |layer: u32| layer * image.levels + part.mip_level;
    let first = number(part.base_array_layer);
    let last = number(part.base_array_layer + part.layer_count.max(1) - 1);
    Touch::image(image.image, first, last - first + 1)
}

/// Regions that Vulkan takes, in a buffer without gaps between rows, and their rows: from the other buffer to this one.
struct Packed {
    regions: Vec<vk::BufferImageCopy2<'static>>,
    rows: Vec<vk::BufferCopy>,
    size: u64,
}

/// Packs the rows of regions of a subresource.
fn pack(part: &Subresource, regions: &[vk::BufferImageCopy2<'static>]) -> Packed {
    let [width, height] = part.block;
    let mut packed = Packed { regions: Vec::new(), rows: Vec::new(), size: 0 };
    for region in regions {
        let extent = region.image_extent;
        let or = |given: u32, own: u32| if given == 0 { own } else { given };
        let row = u64::from(or(region.buffer_row_length, extent.width).div_ceil(width)) * part.bytes;
        let slice = u64::from(or(region.buffer_image_height, extent.height).div_ceil(height)) * row;
        let (lines, size) = (extent.height.div_ceil(height), u64::from(extent.width.div_ceil(width)) * part.bytes);
        // A multiple of the texel's size, too.
        let mut at = packed.size.next_multiple_of(UNIT * part.bytes);
        packed.regions.push(region.buffer_offset(at).buffer_row_length(0).buffer_image_height(0));
        for z in 0..u64::from(extent.depth) {
            for y in 0..u64::from(lines) {
                let from = region.buffer_offset + z * slice + y * row;
                packed.rows.push(vk::BufferCopy { src_offset: from, dst_offset: at, size });
                at += size;
            }
        }
        packed.size = at;
    }
    packed
}

impl Recording {
    /// Whether Vulkan takes the bytes of regions where they lie.
    fn takes(&self, part: &Subresource, regions: &[vk::BufferImageCopy2<'_>]) -> bool {
        let colour = !part.aspect.intersects(vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL);
        let any = colour && self.kind != D3D12_COMMAND_LIST_TYPE::COPY;
        any || regions.iter().all(|region| region.buffer_offset.is_multiple_of(UNIT))
    }

    /// Fills regions of a subresource from a buffer.
    ///
    /// # Errors
    /// There is no memory.
    pub(super) fn bytes_to_texels(
        &mut self,
        bytes: &Buffer,
        (image, part): (&Arc<Image>, &Subresource),
        regions: &[vk::BufferImageCopy2<'static>],
    ) -> Result<()> {
        let device = self.encoder.device.clone();
        let mut packed = None;
        if !self.takes(part, regions) {
            let mut all = pack(part, regions);
            let piece = self.encoder.scratch(all.size)?;
            all.rows.iter_mut().for_each(|row| row.dst_offset += piece.offset);
            all.regions.iter_mut().for_each(|region| region.buffer_offset += piece.offset);
            self.encoder.transfer();
            // SAFETY: the regions lie inside of the program's buffer, and their rows inside of one that the recording keeps.
            unsafe { device.vk.cmd_copy_buffer(self.encoder.buffer, bytes.vk(), piece.buffer, &all.rows) };
            packed = Some((piece.buffer, all.regions));
        }
        let layout = self.ready_copy(image, part, Use::Destination);
        let (buffer, regions) = match &packed {
            Some((buffer, regions)) => {
                self.encoder.transfer();
                (*buffer, &regions[..])
            }
            None => {
                self.encoder.transfer_between(all(bytes), layers(image, &part.layers()));
                (bytes.vk(), regions)
            }
        };
        let info = vk::CopyBufferToImageInfo2::default()
            .src_buffer(buffer)
            .dst_image(image.image)
            .dst_image_layout(layout)
            .regions(regions);
        // SAFETY: the resources live; the regions lie inside of them.
        unsafe { device.vk.cmd_copy_buffer_to_image2(self.encoder.buffer, &info) };
        Ok(())
    }

    /// Fills a buffer from regions of a subresource.
    ///
    /// # Errors
    /// There is no memory.
    pub(super) fn texels_to_bytes(
        &mut self,
        (image, part): (&Arc<Image>, &Subresource),
        bytes: &Buffer,
        regions: &[vk::BufferImageCopy2<'static>],
    ) -> Result<()> {
        let device = self.encoder.device.clone();
        let layout = self.ready_copy(image, part, Use::Source);
        let info = vk::CopyImageToBufferInfo2::default().src_image(image.image).src_image_layout(layout);
        if self.takes(part, regions) {
            self.encoder.transfer_between(layers(image, &part.layers()), all(bytes));
            let info = info.dst_buffer(bytes.vk()).regions(regions);
            // SAFETY: the resources live; the regions lie inside of them.
            unsafe { device.vk.cmd_copy_image_to_buffer2(self.encoder.buffer, &info) };
            return Ok(());
        }
        let mut packed = pack(part, regions);
        let piece = self.encoder.scratch(packed.size)?;
        packed.regions.iter_mut().for_each(|region| region.buffer_offset += piece.offset);
        for row in &mut packed.rows {
            (row.src_offset, row.dst_offset) = (row.dst_offset + piece.offset, row.src_offset);
        }
        self.encoder.transfer();
        let info = info.dst_buffer(piece.buffer).regions(&packed.regions);
        // SAFETY: the image lives, the regions lie inside of it and of a buffer that the recording keeps.
        unsafe { device.vk.cmd_copy_image_to_buffer2(self.encoder.buffer, &info) };
        self.encoder.transfer();
        // SAFETY: the rows lie inside of that buffer, and inside of the program's, as the regions do.
        unsafe { device.vk.cmd_copy_buffer(self.encoder.buffer, piece.buffer, bytes.vk(), &packed.rows) };
        Ok(())
    }
}
