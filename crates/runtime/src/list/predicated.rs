//! Transfers under a predicate, which Vulkan does not skip.
//!
//! The bytes that a transfer may write are saved before and after it. A kernel, which Vulkan does skip, copies one over the other,
//! and the result is written back. This is costly and exact: programs do it rarely.

use core::ops::Range;
use std::sync::Arc;

use ash::vk;
use reprise_com::Object;
use reprise_d3d12::types::D3D12_RESOURCE_STATES as States;

use crate::list::barrier::scope;
use crate::list::recording::Recording;
use crate::list::region::Subresource;
use crate::resource::object::Resource;
use crate::{Error, Result};
use reprise_gpu::buffer::Buffer;
use reprise_gpu::encoder::{ALIGNMENT, Piece};
use reprise_gpu::image::{Image, Use};
use reprise_gpu::scope::Gathered;

/// What a transfer may write.
#[derive(Clone)]
pub(super) enum Written<'a> {
    /// Bytes of a buffer: from where, how many.
    Bytes(&'a Buffer, u64, u64),
    /// Subresources of a texture.
    Texels(&'a Object<Resource>, &'a Arc<Image>, Range<u32>),
}

impl<'a> Written<'a> {
    /// All of a buffer.
    pub(super) fn buffer(buffer: &'a Buffer) -> Written<'a> {
        Written::Bytes(buffer, 0, buffer.size)
    }

    /// All of a texture.
    pub(super) fn texture(resource: &'a Object<Resource>, image: &'a Arc<Image>) -> Written<'a> {
        Written::Texels(resource, image, 0..resource.subresources())
    }

    /// Bytes that hold a copy, and for textures how it lies from `start` on.
    fn plan(&self, start: u64) -> Result<(u64, Vec<vk::BufferImageCopy2<'static>>)> {
        match self {
            Written::Bytes(_, _, size) => Ok((*size, Vec::new())),
            Written::Texels(resource, image, range) => {
                let (mut at, mut regions) = (start, Vec::new());
                for index in range.clone() {
                    let part = Subresource::of(resource, image, index)?;
                    if !ALIGNMENT.is_multiple_of(part.bytes) {
                        return Err(Error::Unsupported("transfers to texels of 12 bytes under a predicate"));
                    }
                    let blocks = |size: u32, block: u32| u64::from(size.div_ceil(block));
                    let rows = blocks(part.extent.height, part.block[1]) * u64::from(part.extent.depth);
                    let region = vk::BufferImageCopy2::default()
                        .buffer_offset(at)
                        .image_subresource(part.layers())
                        .image_extent(part.extent);
                    regions.push(region);
                    at += part.bytes * blocks(part.extent.width, part.block[0]) * rows;
                    at = at.next_multiple_of(ALIGNMENT);
                }
                Ok((at - start, regions))
            }
        }
    }
}

impl Recording {
    /// Runs a transfer that writes nothing else than `to`, as the predicate says.
    pub(super) fn transfer_to(
        &mut self,
        to: &Written<'_>,
        body: impl FnOnce(&mut Recording) -> Result<()>,
    ) -> Result<()> {
        if !self.encoder.is_predicated() {
            return body(self);
        }
        let predicate = self.encoder.pause_predication();
        let done = (|| {
            let old = self.save(to)?;
            body(self)?;
            let new = self.save(to)?;
            let (copies, shaders) = (scope(States::COPY_DEST), scope(States::UNORDERED_ACCESS));
            self.encoder.barriers(&Gathered { before: copies, after: shaders });
            self.encoder.resume_predication(predicate);
            let words = u32::try_from(old.1.div_ceil(4));
            let words = words.map_err(|_| Error::Unsupported("transfers of so many bytes under a predicate"))?;
            let taken = self.copy_commands(new.0, old.0, None, [words, 1, 1]);
            self.encoder.pause_predication();
            taken?;
            self.encoder.barriers(&Gathered { before: shaders, after: copies });
            self.restore(to, old.0)
        })();
        self.encoder.resume_predication(predicate);
        done
    }

    /// A copy of what may be written, and its size.
    fn save(&mut self, what: &Written<'_>) -> Result<(Piece, u64)> {
        let size = what.plan(0)?.0.next_multiple_of(4);
        let piece = self.encoder.scratch(size)?;
        let layout = match what {
            Written::Texels(_, image, _) => self.ready_whole(image, Use::Source),
            Written::Bytes(..) => vk::ImageLayout::UNDEFINED,
        };
        self.encoder.transfer();
        match what {
            Written::Bytes(buffer, start, size) => {
                self.copy_piece((buffer.vk(), buffer.offset() + start), (piece.buffer, piece.offset), *size);
            }
            Written::Texels(resource, image, _) => {
                if image.samples != vk::SampleCountFlags::TYPE_1 {
                    return Err(Error::Unsupported("transfers to textures of several samples under a predicate"));
                }
                self.uses(resource);
                let (_, regions) = what.plan(piece.offset)?;
                let info = vk::CopyImageToBufferInfo2::default()
                    .src_image(image.image)
                    .src_image_layout(layout)
                    .dst_buffer(piece.buffer)
                    .regions(&regions);
                // SAFETY: an image of a living resource; the recording keeps its scratch memory, which has room.
                unsafe { self.encoder.logical.vk.cmd_copy_image_to_buffer2(self.encoder.buffer, &info) };
            }
        }
        Ok((piece, size))
    }

    /// Writes a copy back.
    fn restore(&mut self, what: &Written<'_>, piece: Piece) -> Result<()> {
        let layout = match what {
            Written::Texels(_, image, _) => self.ready_whole(image, Use::Destination),
            Written::Bytes(..) => vk::ImageLayout::UNDEFINED,
        };
        self.encoder.transfer();
        match what {
            Written::Bytes(buffer, start, size) => {
                self.copy_piece((piece.buffer, piece.offset), (buffer.vk(), buffer.offset() + start), *size);
            }
            Written::Texels(_, image, _) => {
                let (_, regions) = what.plan(piece.offset)?;
                let info = vk::CopyBufferToImageInfo2::default()
                    .src_buffer(piece.buffer)
                    .dst_image(image.image)
                    .dst_image_layout(layout)
                    .regions(&regions);
                // SAFETY: an image of a living resource; the recording keeps its scratch memory, which has room.
                unsafe { self.encoder.logical.vk.cmd_copy_buffer_to_image2(self.encoder.buffer, &info) };
            }
        }
        Ok(())
    }

    fn copy_piece(&mut self, from: (vk::Buffer, u64), to: (vk::Buffer, u64), size: u64) {
        if size != 0 {
            let region = [vk::BufferCopy::default().src_offset(from.1).dst_offset(to.1).size(size)];
            // SAFETY: the ranges lie inside of a living resource and of the recording's scratch memory.
            unsafe { self.encoder.logical.vk.cmd_copy_buffer(self.encoder.buffer, from.0, to.0, &region) };
        }
    }
}
