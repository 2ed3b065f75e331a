//! Copies between buffers and textures, and small writes.

use core::ffi::c_void;
use core::ops::Range;
use std::sync::Arc;

use ash::vk;
use reprise_com::{Object, Slots};
use reprise_d3d12::types::{
    D3D12_BOX, D3D12_COMMAND_LIST_TYPE, D3D12_RESOURCE_STATES as States, D3D12_TEXTURE_COPY_LOCATION,
    D3D12_TEXTURE_COPY_TYPE as Place, D3D12_WRITEBUFFERIMMEDIATE_MODE, D3D12_WRITEBUFFERIMMEDIATE_PARAMETER,
};

use crate::list::barrier::scope;
use crate::list::command::Command;
use crate::list::layouts::range;
use crate::list::predicated::Written;
use crate::list::recording::Recording;
use crate::list::region::{Subresource, boxed, in_texture, overhangs, overlaps, regions, texture_region};
use crate::list::texels::layers;
use crate::resource::object::Resource;
use crate::{Error, Result};
use reprise_gpu::buffer::Buffer;
use reprise_gpu::encoder::Touch;
use reprise_gpu::image::{Image, Use};
use reprise_gpu::scope::{Gathered, Scope};
use reprise_log::warning_once;

/// Methods that copy.
pub(super) const LIST_METHODS: &Slots = &[
    ("CopyBufferRegion", copy_buffer_region as *const c_void),
    ("AtomicCopyBufferUINT", atomic_copy::<4> as *const c_void),
    ("AtomicCopyBufferUINT64", atomic_copy::<8> as *const c_void),
    ("CopyTextureRegion", copy_texture_region as *const c_void),
    ("CopyResource", copy_resource as *const c_void),
    ("WriteBufferImmediate", write_buffer_immediate as *const c_void),
];

/// The bytes of a copy that both buffers have.
fn within(to: (&Buffer, u64), from: (&Buffer, u64), size: u64) -> u64 {
    let left = |(buffer, offset): (&Buffer, u64)| buffer.size.saturating_sub(offset);
    let most = left(to).min(left(from));
    if most < size {
        warning_once("a command list leaves out", "what a copy of bytes has beyond its buffers");
    }
    most.min(size)
}

impl Recording {
    fn copy_buffer(&mut self, to: (&Buffer, u64), from: (&Buffer, u64), size: u64) -> Result<()> {
        let size = within(to, from, size);
        if size == 0 {
            return Ok(());
        }
        let touch = |(buffer, offset): (&Buffer, u64)| Touch::buffer(buffer.vk(), buffer.offset() + offset, size);
        self.encoder.transfer_between(touch(from), touch(to));
        let region =
            vk::BufferCopy::default().src_offset(from.0.offset() + from.1).dst_offset(to.0.offset() + to.1).size(size);
        // SAFETY: buffers of living resources, the region lies inside of them.
        unsafe { self.encoder.logical.vk.cmd_copy_buffer(self.encoder.buffer, from.0.vk(), to.0.vk(), &[region]) };
        Ok(())
    }

    fn copy_images(&mut self, to: &Arc<Image>, from: &Arc<Image>, regions: &[vk::ImageCopy2<'_>]) {
        let (first, second) = match regions {
            [one] => (layers(from, &one.src_subresource), layers(to, &one.dst_subresource)),
            _ => (Touch::image(from.image, 0, u32::MAX), Touch::image(to.image, 0, u32::MAX)),
        };
        let [source, destination] = self.ready_copies(from, to, regions);
        self.encoder.transfer_between(first, second);
        let info = vk::CopyImageInfo2::default()
            .src_image(from.image)
            .src_image_layout(source)
            .dst_image(to.image)
            .dst_image_layout(destination)
            .regions(regions);
        // SAFETY: images of living resources; the regions lie inside of them.
        unsafe { self.encoder.logical.vk.cmd_copy_image2(self.encoder.buffer, &info) };
    }

    /// Copies between subresources. Where the aspects differ, or cannot be copied one by one, by way of a buffer.
    pub(super) fn copy_subresource(
        &mut self,
        to: (&Arc<Image>, &Subresource, [u32; 3]),
        from: (&Arc<Image>, &Subresource, [u32; 3]),
        size: [u32; 3],
    ) -> Result<()> {
        if from.1.bytes != to.1.bytes {
            return Err(Error::Call("CopyTextureRegion between formats of different sizes"));
        }
        let region = texture_region(from.1, from.2, size, to.1, to.2)?;
        if region.extent.width == 0 || region.extent.height == 0 || region.extent.depth == 0 {
            return Ok(());
        }
        if from.0.samples != to.0.samples {
            return Err(Error::Call("CopyTextureRegion: numbers of samples differ"));
        }
        if from.0.image == to.0.image && overlaps(from.1, to.1, &region) {
            return Err(Error::Call("CopyTextureRegion of a part of a subresource over itself"));
        }
        self.overwrites_part(to, [region.extent.width, region.extent.height, region.extent.depth]);
        let alone = from.1.aspect == from.0.aspects || !self.encoder.device.caps.copies_aspects_together();
        if from.1.aspect == to.1.aspect && alone && !overhangs(from.1, to.1, &region) {
            self.copy_images(to.0, from.0, &[region]);
            return Ok(());
        }
        self.copy_by_buffer(to, from, &region)
    }

    /// Copies between aspects, and between texels and blocks at the edge of a level: they meet in buffers only.
    fn copy_by_buffer(
        &mut self,
        to: (&Arc<Image>, &Subresource, [u32; 3]),
        from: (&Arc<Image>, &Subresource, [u32; 3]),
        region: &vk::ImageCopy2<'_>,
    ) -> Result<()> {
        let extent = region.extent;
        if from.0.samples != vk::SampleCountFlags::TYPE_1 {
            return Err(Error::Unsupported("copies of samples between a depth or stencil plane and a colour texture"));
        }
        let [columns, rows] = [extent.width.div_ceil(from.1.block[0]), extent.height.div_ceil(from.1.block[1])];
        let bytes = from.1.bytes * u64::from(columns) * u64::from(rows) * u64::from(extent.depth);
        let device = self.encoder.device.clone();
        let piece = self.encoder.scratch(bytes)?;
        let scratch = (piece.buffer, piece.offset);
        // The same blocks on both sides, cut where the level ends.
        let region = |(_, subresource, at): (&Arc<Image>, &Subresource, [u32; 3])| {
            let cut = |count: u32, axis: usize, whole: u32| {
                (count * subresource.block[axis]).min(whole.saturating_sub(at[axis]))
            };
            let extent = vk::Extent3D {
                width: cut(columns, 0, subresource.extent.width),
                height: cut(rows, 1, subresource.extent.height),
                depth: extent.depth,
            };
            vk::BufferImageCopy2::default()
                .buffer_offset(scratch.1)
                .image_subresource(subresource.layers())
                .image_offset(vk::Offset3D { x: at[0] as i32, y: at[1] as i32, z: at[2] as i32 })
                .image_extent(extent)
        };
        let (out, back) = ([region(from)], [region(to)]);
        let layout = self.ready_copy(from.0, from.1, Use::Source);
        self.encoder.transfer();
        let info = vk::CopyImageToBufferInfo2::default()
            .src_image(from.0.image)
            .src_image_layout(layout)
            .dst_buffer(scratch.0)
            .regions(&out);
        // SAFETY: images of living resources, and a buffer that the recording keeps.
        unsafe { device.vk.cmd_copy_image_to_buffer2(self.encoder.buffer, &info) };
        let layout = self.ready_copy(to.0, to.1, Use::Destination);
        self.encoder.transfer();
        let info = vk::CopyBufferToImageInfo2::default()
            .src_buffer(scratch.0)
            .dst_image(to.0.image)
            .dst_image_layout(layout)
            .regions(&back);
        // SAFETY: images of living resources, and a buffer that the recording keeps.
        unsafe { device.vk.cmd_copy_buffer_to_image2(self.encoder.buffer, &info) };
        Ok(())
    }

    /// A box of a subresource is overwritten next.
    fn overwrites_part(&mut self, (image, part, at): (&Arc<Image>, &Subresource, [u32; 3]), size: [u32; 3]) {
        let whole = [part.extent.width, part.extent.height, part.extent.depth];
        if at == [0; 3] && size == whole {
            self.overwrites(image, range(part), Use::Destination);
        }
    }

    /// Copies all of a texture to another.
    fn copy_textures(
        &mut self,
        (to_resource, to_image): (&Object<Resource>, &Arc<Image>),
        (from_resource, from_image): (&Object<Resource>, &Arc<Image>),
    ) -> Result<()> {
        let same = to_resource.desc.Dimension == from_resource.desc.Dimension
            && to_image.layers == from_image.layers
            && to_image.levels == from_image.levels
            && to_image.samples == from_image.samples
            && to_resource.subresources() == from_resource.subresources();
        if !same {
            return Err(Error::Call("CopyResource: textures of different shapes"));
        }
        self.uses(to_resource);
        self.uses(from_resource);
        let mut all = Vec::new();
        // One region has all layers of a level; planes are apart.
        // The description may have more levels than the image.
        let levels = u32::from(from_resource.desc.MipLevels);
        let step = levels * from_image.layers;
        for plane in (0..from_resource.subresources()).step_by(step.max(1) as usize) {
            for level in 0..from_image.levels {
                let source = Subresource::of(from_resource, from_image, plane + level)?;
                let target = Subresource::of(to_resource, to_image, plane + level)?;
                if source.bytes != target.bytes {
                    return Err(Error::Call("CopyResource between formats of different sizes"));
                }
                let size = [source.extent.width, source.extent.height, source.extent.depth];
                let mut region = texture_region(&source, [0; 3], size, &target, [0; 3])?;
                if source.aspect != target.aspect || overhangs(&source, &target, &region) {
                    for layer in 0..from_image.layers {
                        let index = plane + layer * levels + level;
                        let source = Subresource::of(from_resource, from_image, index)?;
                        let target = Subresource::of(to_resource, to_image, index)?;
                        self.copy_subresource((to_image, &target, [0; 3]), (from_image, &source, [0; 3]), size)?;
                    }
                    continue;
                }
                region.src_subresource.layer_count = from_image.layers;
                region.dst_subresource.layer_count = to_image.layers;
                all.push(region);
            }
        }
        if !all.is_empty() {
            if all.len() as u32 * from_image.layers == from_resource.subresources() {
                self.overwrites(to_image, to_image.whole(), Use::Destination);
            }
            self.copy_images(to_image, from_image, &all);
        }
        Ok(())
    }

    /// Writes a word of a buffer, as its mode says: like a copy, once everything before it has begun (MARKER_IN), or once everything
    /// before it is done (MARKER_OUT).
    ///
    /// Markers do not hold up what comes after them where the driver has `VK_AMD_buffer_marker`, which keeps them in order among
    /// themselves. Elsewhere they are copies: a barrier before MARKER_OUT waits for everything, and a barrier behind MARKER_IN keeps
    /// later commands back, because a copy may run before draws that were recorded earlier (lavapipe does so).
    pub(super) fn write_immediate(
        &mut self,
        address: u64,
        value: u32,
        mode: D3D12_WRITEBUFFERIMMEDIATE_MODE,
    ) -> Result<()> {
        let place = self.encoder.addresses.find(address).filter(|place| address.is_multiple_of(4) && place.left >= 4);
        let place =
            place.ok_or(Error::Invalid("WriteBufferImmediate: an address that is no buffer's or not of a word"))?;
        let stage = match mode {
            D3D12_WRITEBUFFERIMMEDIATE_MODE::MARKER_IN => Some(vk::PipelineStageFlags::TOP_OF_PIPE),
            D3D12_WRITEBUFFERIMMEDIATE_MODE::MARKER_OUT => Some(vk::PipelineStageFlags::BOTTOM_OF_PIPE),
            _ => None,
        };
        if let (Some(stage), Some(marker)) = (stage, &self.encoder.logical.ext.buffer_marker) {
            let write = marker.fp().cmd_write_buffer_marker_amd;
            // Builds are recorded together with later ones.
            self.encoder.end_builds();
            // SAFETY: the word lies inside of the buffer, which copies may write; rendering may be under way.
            unsafe { write(self.encoder.buffer, stage, place.buffer, place.offset, value) };
            return Ok(());
        }
        let everything = Gathered { before: Scope::ALL, after: Scope::ALL };
        if mode == D3D12_WRITEBUFFERIMMEDIATE_MODE::MARKER_OUT {
            self.encoder.barriers(&everything);
        }
        self.encoder.transfer();
        // SAFETY: the four bytes lie inside of the buffer.
        unsafe {
            self.encoder.logical.vk.cmd_update_buffer(
                self.encoder.buffer,
                place.buffer,
                place.offset,
                &value.to_le_bytes(),
            )
        };
        if mode == D3D12_WRITEBUFFERIMMEDIATE_MODE::MARKER_IN {
            self.encoder.barriers(&everything);
        }
        Ok(())
    }
}

/// The bytes of a buffer, by their places in Vulkan's.
fn span(buffer: &Buffer) -> Range<u64> {
    buffer.offset()..buffer.offset().saturating_add(buffer.size)
}

/// Samples do not lie in buffers.
fn one_sample(image: &Image) -> Result<()> {
    match image.samples {
        vk::SampleCountFlags::TYPE_1 => Ok(()),
        _ => Err(Error::Call("CopyTextureRegion between a buffer and a texture of several samples")),
    }
}

/// # Safety
/// `pointer` is null or a COM pointer that is alive for `'a`.
unsafe fn buffer<'a>(pointer: *const c_void) -> Result<&'a Buffer> {
    // SAFETY: the caller promises: `pointer` is null or a COM pointer that is alive for `'a`.
    let resource = unsafe { Object::<Resource>::from_pointer(pointer) };
    resource.and_then(|resource| resource.buffer()).ok_or(Error::Call("a copy: not a buffer"))
}

/// # Safety
/// `pointer` is null or a COM pointer that is alive for `'a`.
pub(super) unsafe fn texture<'a>(pointer: *const c_void) -> Result<(&'a Object<Resource>, &'a Arc<Image>)> {
    // SAFETY: the caller promises: `pointer` is null or a COM pointer that is alive for `'a`.
    let resource = unsafe { Object::<Resource>::from_pointer(pointer) };
    resource.and_then(|resource| Some((resource, resource.image()?))).ok_or(Error::Call("a copy: not a texture"))
}

unsafe extern "C" fn copy_buffer_region(
    this: *mut c_void,
    to: *mut c_void,
    to_offset: u64,
    from: *mut c_void,
    from_offset: u64,
    size: u64,
) {
    // SAFETY: a list of ours, the program's resources.
    unsafe {
        Recording::outside_pass(this, |list| {
            let (to, from) = (buffer(to)?, buffer(from)?);
            let size = within((to, to_offset), (from, from_offset), size);
            if size == 0 {
                return Ok(());
            }
            let written = Written::Bytes(to, to_offset, size);
            list.transfer_to(&written, |list| list.copy_buffer((to, to_offset), (from, from_offset), size))
        });
    }
}

/// Copies a number as a whole, after everything that comes before: so after the resources that it depends on. Numbers lie where
/// memory takes them in one piece.
unsafe extern "C" fn atomic_copy<const SIZE: u64>(
    this: *mut c_void,
    to: *mut c_void,
    to_offset: u64,
    from: *mut c_void,
    from_offset: u64,
    _dependencies: u32,
    _resources: *const *mut c_void,
    _ranges: *const c_void,
) {
    // SAFETY: a list of ours, the program's resources.
    unsafe {
        Recording::outside_pass(this, |list| {
            if !to_offset.is_multiple_of(SIZE) || !from_offset.is_multiple_of(SIZE) {
                return Err(Error::Call("AtomicCopyBufferUINT: an offset between numbers"));
            }
            list.encoder.barriers(&Gathered { before: Scope::ALL, after: scope(States::COPY_DEST) });
            list.copy_buffer((buffer(to)?, to_offset), (buffer(from)?, from_offset), SIZE)
        });
    }
}

unsafe extern "C" fn copy_texture_region(
    this: *mut c_void,
    to: *const D3D12_TEXTURE_COPY_LOCATION,
    x: u32,
    y: u32,
    z: u32,
    from: *const D3D12_TEXTURE_COPY_LOCATION,
    part: *const D3D12_BOX,
) {
    // SAFETY: a list of ours, the program's structures.
    unsafe {
        Recording::outside_pass(this, |list| {
            let (to, from) = (&*to, &*from);
            let part = match part.as_ref() {
                Some(part) => match boxed(part) {
                    Some(part) => Some(part),
                    None => return Ok(()),
                },
                None => None,
            };
            let written = match to.Type {
                Place::SUBRESOURCE_INDEX => {
                    let ((resource, image), index) = (texture(to.pResource)?, to.Anonymous.SubresourceIndex);
                    Written::Texels(resource, image, index..index.saturating_add(1))
                }
                _ => Written::buffer(buffer(to.pResource)?),
            };
            list.transfer_to(&written, |list| copy_texture(list, to, [x, y, z], from, part))
        });
    }
}

/// # Safety
/// The structures name living resources, and their types say which arm of the union is set.
unsafe fn copy_texture(
    list: &mut Recording,
    to: &D3D12_TEXTURE_COPY_LOCATION,
    to_at: [u32; 3],
    from: &D3D12_TEXTURE_COPY_LOCATION,
    part: Option<([u32; 3], [u32; 3])>,
) -> Result<()> {
    // SAFETY: the caller promises: the structures name living resources, and their types say which arm of the union is set.
    unsafe {
        match (to.Type, from.Type) {
            (Place::SUBRESOURCE_INDEX, Place::SUBRESOURCE_INDEX) => {
                let ((to_resource, to_image), (from_resource, from_image)) =
                    (texture(to.pResource)?, texture(from.pResource)?);
                list.uses(to_resource);
                list.uses(from_resource);
                let target = Subresource::of(to_resource, to_image, to.Anonymous.SubresourceIndex)?;
                let source = Subresource::of(from_resource, from_image, from.Anonymous.SubresourceIndex)?;
                let whole = ([0; 3], [source.extent.width, source.extent.height, source.extent.depth]);
                let (at, size) = part.unwrap_or(whole);
                list.copy_subresource((to_image, &target, to_at), (from_image, &source, at), size)
            }
            (Place::SUBRESOURCE_INDEX, Place::PLACED_FOOTPRINT) => {
                let ((resource, image), bytes) = (texture(to.pResource)?, buffer(from.pResource)?);
                list.uses(resource);
                let target = Subresource::of(resource, image, to.Anonymous.SubresourceIndex)?;
                let placed = from.Anonymous.PlacedFootprint;
                let size = [placed.Footprint.Width, placed.Footprint.Height, placed.Footprint.Depth];
                let (at, size) = part.unwrap_or(([0; 3], size));
                let size = in_texture(&placed, size, &target);
                let regions = regions(&placed, span(bytes), at, &target, to_at, size)?;
                one_sample(image)?;
                list.overwrites_part((image, &target, to_at), size);
                list.bytes_to_texels(bytes, (image, &target), &regions)
            }
            (Place::PLACED_FOOTPRINT, Place::SUBRESOURCE_INDEX) => {
                let (bytes, (resource, image)) = (buffer(to.pResource)?, texture(from.pResource)?);
                list.uses(resource);
                let source = Subresource::of(resource, image, from.Anonymous.SubresourceIndex)?;
                let whole = ([0; 3], [source.extent.width, source.extent.height, source.extent.depth]);
                let (at, size) = part.unwrap_or(whole);
                let regions = regions(&to.Anonymous.PlacedFootprint, span(bytes), to_at, &source, at, size)?;
                one_sample(image)?;
                list.texels_to_bytes((image, &source), bytes, &regions)
            }
            (Place::PLACED_FOOTPRINT, Place::PLACED_FOOTPRINT) => {
                Err(Error::Unsupported("CopyTextureRegion between two buffers"))
            }
            _ => Err(Error::Call("CopyTextureRegion: the type of a location")),
        }
    }
}

unsafe extern "C" fn copy_resource(this: *mut c_void, to: *mut c_void, from: *mut c_void) {
    // SAFETY: a list of ours, the program's resources.
    unsafe {
        Recording::outside_pass(this, |list| {
            if let (Ok(to), Ok(from)) = (buffer(to), buffer(from)) {
                let body = |list: &mut Recording| list.copy_buffer((to, 0), (from, 0), to.size.max(from.size));
                return list.transfer_to(&Written::buffer(to), body);
            }
            let (to, from) = (texture(to)?, texture(from)?);
            list.transfer_to(&Written::texture(to.0, to.1), |list| list.copy_textures(to, from))
        });
    }
}

/// Values are written in order with the list's other writes; a mode only says how early or late they may be.
unsafe extern "C" fn write_buffer_immediate(
    this: *mut c_void,
    count: u32,
    parameters: *const D3D12_WRITEBUFFERIMMEDIATE_PARAMETER,
    modes: *const D3D12_WRITEBUFFERIMMEDIATE_MODE,
) {
    // SAFETY: a list of ours, the program's arrays.
    unsafe {
        Recording::on_any(this, |list| {
            for at in 0..count as usize {
                let given = &*parameters.add(at);
                let mode = if modes.is_null() { D3D12_WRITEBUFFERIMMEDIATE_MODE::DEFAULT } else { *modes.add(at) };
                if !(0..=2).contains(&mode.0) {
                    return Err(Error::Invalid("WriteBufferImmediate: a mode that the API does not have"));
                }
                let command = Command::WriteImmediate { address: given.Dest, value: given.Value, mode };
                match list.kind {
                    D3D12_COMMAND_LIST_TYPE::BUNDLE => list.commands.push(command),
                    _ => command.record(list)?,
                }
            }
            Ok(())
        });
    }
}
