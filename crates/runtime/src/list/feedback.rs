//! Resolves of sampler feedback: its maps as bytes that programs read, and back.
//!
//! A kernel does the work on one layer and level at a time. Bytes that the program wants, or gives, in a buffer go through a
//! texture of the runtime's own.

use core::ffi::c_void;

use ash::vk;
use reprise_com::{Object, Ref};
use reprise_d3d12::types::{
    D3D12_RECT, D3D12_RESOLVE_MODE as Mode, D3D12_RESOURCE_FLAGS as Flags, D3D12_RESOURCE_STATES as States, DXGI_FORMAT,
};

use crate::list::barrier::scope;
use crate::list::recording::Recording;
use crate::list::side::Side;
use crate::resource::desc;
use crate::resource::feedback;
use crate::resource::object::Resource;
use crate::{Error, Result};
use reprise_gpu::buffer::Buffer;
use reprise_gpu::descriptor::view::ImageView;
use reprise_gpu::encoder::{Images, push};
use reprise_gpu::format::{MIN_MIP, is_map};
use reprise_gpu::image::{Image, Use};
use reprise_gpu::kernel::Kernel;
use reprise_gpu::scope::Gathered;

/// All subresources.
const ALL: u32 = u32::MAX;
/// All levels of a map at once, to kernels.
const EVERY_LEVEL: u32 = u32::MAX;

/// One side of the program's call: a resource, and a subresource or [`ALL`].
type Part<'a> = (&'a Object<Resource>, u32);

/// What of a map goes where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    /// Layer and level of the map; [`EVERY_LEVEL`] for what has one number for all.
    map: [u32; 2],
    /// Subresource of the bytes.
    bytes: u32,
}

/// The steps of a call with these subresources of the map and of the bytes, both or none of which are [`ALL`]. Pure.
fn steps(every_level: bool, layers: u32, levels: u32, map: u32, bytes: u32) -> Result<Vec<Step>> {
    let all = map == ALL || bytes == ALL;
    let outside = Error::Invalid("a resolve of sampler feedback: the map has no subresource with this index");
    if every_level {
        // The bytes have one level, so their subresource is the layer. The map's is not looked at.
        return match bytes {
            ALL => Ok((0..layers).map(|layer| Step { map: [layer, EVERY_LEVEL], bytes: layer }).collect()),
            layer if layer < layers => Ok(vec![Step { map: [layer, EVERY_LEVEL], bytes: layer }]),
            _ => Err(outside),
        };
    }
    let place = |index: u32| [index / levels, index % levels];
    if all && (map, bytes) == (ALL, ALL) {
        return Ok((0..layers * levels).map(|index| Step { map: place(index), bytes: index }).collect());
    }
    // One that is named stands for both.
    let (map, bytes) = (if map == ALL { bytes } else { map }, if bytes == ALL { map } else { bytes });
    if map >= layers * levels || bytes >= layers * levels {
        return Err(outside);
    }
    Ok(vec![Step { map: place(map), bytes }])
}

/// First texel and size of what is resolved.
#[derive(Clone, Copy)]
struct Area {
    from: [u32; 2],
    to: [u32; 2],
    size: [u32; 2],
}

impl Area {
    /// Cuts what the program asks for to both sides. Of maps with one number for all levels the API takes the whole.
    fn new(every_level: bool, to: [u32; 2], rect: Option<&D3D12_RECT>, sizes: [[u32; 2]; 2]) -> Result<Area> {
        let [from_size, to_size] = sizes;
        let (mut area, mut size) = (Area { from: [0; 2], to: [0; 2], size: [0; 2] }, from_size);
        if !every_level {
            area.to = to;
            if let Some(rect) = rect {
                let part = [rect.left, rect.top, rect.right, rect.bottom].map(u32::try_from);
                let [Ok(left), Ok(top), Ok(right), Ok(bottom)] = part else {
                    return Err(Error::Invalid("ResolveSubresourceRegion: the rectangle leaves the texture"));
                };
                area.from = [left, top];
                size = [right.saturating_sub(left), bottom.saturating_sub(top)];
            }
        }
        for axis in 0..2 {
            let left = from_size[axis].saturating_sub(area.from[axis]);
            area.size[axis] = size[axis].min(left).min(to_size[axis].saturating_sub(area.to[axis]));
        }
        Ok(area)
    }

    fn is_empty(&self) -> bool {
        self.size.contains(&0)
    }

    fn groups(&self) -> [u32; 3] {
        [self.size[0].div_ceil(8), self.size[1].div_ceil(8), 1]
    }
}

/// A map, as it is checked once.
struct Map<'a> {
    resource: &'a Object<Resource>,
    every_level: bool,
    levels: u32,
}

impl<'a> Map<'a> {
    fn new(resource: &'a Object<Resource>, bytes: &Object<Resource>) -> Result<Map<'a>> {
        let (desc, other) = (&resource.desc, &bytes.desc);
        if !is_map(desc.Format) {
            return Err(Error::Invalid("a resolve of sampler feedback: not a map"));
        }
        let every_level = desc.Format == MIN_MIP;
        let map = Map { resource, every_level, levels: desc.MipLevels.into() };
        if bytes.buffer().is_some() {
            return match every_level && desc.DepthOrArraySize == 1 {
                true => Ok(map),
                false => Err(Error::Invalid("only finest levels of one layer of sampler feedback lie in buffers")),
            };
        }
        let levels = if every_level { 1 } else { desc.MipLevels };
        let bytes = bytes.format.is_some_and(|format| format.family == DXGI_FORMAT::FORMAT_R8_TYPELESS);
        match bytes && (other.Dimension, other.DepthOrArraySize) == (desc.Dimension, desc.DepthOrArraySize) {
            true if other.MipLevels == levels => Ok(map),
            _ => Err(Error::Invalid("bytes of sampler feedback have its layers, and one level or the map's levels")),
        }
    }

    /// Columns and rows of the regions of a step.
    fn size(&self, level: u32) -> [u32; 2] {
        feedback::regions(&self.resource.desc, if level == EVERY_LEVEL { 0 } else { level })
    }
}

fn view(image: &Image, format: vk::Format, usage: vk::ImageUsageFlags, array: bool) -> Result<vk::ImageView> {
    let kind = if array { vk::ImageViewType::TYPE_2D_ARRAY } else { vk::ImageViewType::TYPE_2D };
    let view = ImageView {
        format,
        kind,
        aspects: vk::ImageAspectFlags::COLOR,
        usage,
        first_level: 0,
        levels: image.levels,
        first_layer: 0,
        layers: if array { image.layers } else { 1 },
        components: [0; 4],
        least: 0,
        sliced: false,
    };
    Ok(image.view(&view)?)
}

const NO_IMAGE: Error = Error::Invalid("a resolve of sampler feedback: not a texture");

impl Recording {
    /// Makes bytes of a map.
    fn decode(
        &mut self,
        (to, to_index): Part<'_>,
        at: [u32; 2],
        from: Part<'_>,
        rect: Option<&D3D12_RECT>,
    ) -> Result<()> {
        let map = Map::new(from.0, to)?;
        let image = map.resource.image().ok_or(NO_IMAGE)?.clone();
        let desc = &map.resource.desc;
        let to_index = if to.buffer().is_some() { 0 } else { to_index };
        let read = view(&image, vk::Format::R32_UINT, vk::ImageUsageFlags::SAMPLED, true)?;
        let layout = image.discipline.layout(Use::Rest);
        for step in steps(map.every_level, desc::layers(desc), map.levels, from.1, to_index)? {
            let [layer, level] = step.map;
            let target = to.image().map(|_| Side::new(to, step.bytes, [at[0], at[1], 0])).transpose()?;
            let own = map.size(level);
            let room = target.map_or(own, |side| [side.subresource.extent.width, side.subresource.extent.height]);
            let area = Area::new(map.every_level, at, rect, [own, room])?;
            if area.is_empty() {
                continue;
            }
            let result = self.bytes(area.size, Flags::ALLOW_UNORDERED_ACCESS)?;
            let result = Side::whole(&result)?;
            let written = view(result.image, vk::Format::R8_UINT, vk::ImageUsageFlags::STORAGE, false)?;
            let ([x, y], [width, height]) = (area.from, area.size);
            let paired = [desc.Width as u32, desc.Height];
            let block = push([x, y, layer, level, width, height, map.levels, 0, paired[0], paired[1]]);
            let (copies, shaders) = (scope(States::COPY_SOURCE), scope(States::UNORDERED_ACCESS));
            self.encoder.ready(&image, image.whole(), Use::Rest);
            self.encoder.barriers(&Gathered { before: scope(States::RESOLVE_SOURCE), after: shaders });
            self.run(Kernel::Decode, Images { written, read, layout }, &block, area.groups())?;
            self.encoder.barriers(&Gathered { before: shaders, after: copies });
            match (target, to.buffer()) {
                (Some(target), _) => {
                    let target = Side { at: [area.to[0], area.to[1], 0], ..target };
                    self.copy_subresource(target.place(), result.place(), [width, height, 1])?;
                }
                (None, Some(buffer)) => self.copy_bytes(buffer, result, area.size, true)?,
                (None, None) => return Err(NO_IMAGE),
            }
        }
        Ok(())
    }

    /// Makes a map of bytes.
    fn encode(
        &mut self,
        (to, to_index): Part<'_>,
        at: [u32; 2],
        from: Part<'_>,
        rect: Option<&D3D12_RECT>,
    ) -> Result<()> {
        let map = Map::new(to, from.0)?;
        let image = map.resource.image().ok_or(NO_IMAGE)?.clone();
        let desc = &map.resource.desc;
        let from_index = if from.0.buffer().is_some() { 0 } else { from.1 };
        let written = view(&image, vk::Format::R32_UINT, vk::ImageUsageFlags::STORAGE, true)?;
        for step in steps(map.every_level, desc::layers(desc), map.levels, to_index, from_index)? {
            let [layer, level] = step.map;
            let own = map.size(level);
            let given = match from.0.buffer() {
                Some(buffer) => {
                    let bytes = self.bytes(own, Flags::NONE)?;
                    self.copy_bytes(buffer, Side::whole(&bytes)?, own, false)?;
                    Some(bytes)
                }
                None => None,
            };
            let source = match &given {
                Some(bytes) => Side::whole(bytes)?,
                None => Side::new(from.0, step.bytes, [0; 3])?,
            };
            let extent = source.subresource.extent;
            let area = Area::new(map.every_level, at, rect, [[extent.width, extent.height], own])?;
            if area.is_empty() {
                continue;
            }
            let read = view(source.image, vk::Format::R8_UINT, vk::ImageUsageFlags::SAMPLED, true)?;
            let ([x, y], [width, height]) = (area.to, area.size);
            let place = [area.from[0], area.from[1], source.subresource.layer, source.subresource.level];
            let block = push([x, y, layer, level, width, height, place[0], place[1], place[2], place[3]]);
            let before = scope(States::RESOLVE_SOURCE).or(scope(States::RESOLVE_DEST)).or(scope(States::COPY_DEST));
            let shaders = scope(States::UNORDERED_ACCESS);
            self.encoder.ready(source.image, source.image.whole(), Use::Rest);
            self.encoder.barriers(&Gathered { before, after: shaders });
            let layout = source.image.discipline.layout(Use::Rest);
            self.run(Kernel::Encode, Images { written, read, layout }, &block, area.groups())?;
            // The next level's bits lie in the same texels.
            let after = shaders.or(scope(States::RESOLVE_DEST));
            self.encoder.barriers(&Gathered { before: shaders, after });
        }
        Ok(())
    }

    /// A texture of the runtime's own, of bytes.
    fn bytes(&mut self, size: [u32; 2], flags: Flags) -> Result<Ref<Resource>> {
        self.temporary(DXGI_FORMAT::FORMAT_R8_UINT, [size[0], size[1], 1], 1, flags)
    }

    /// Copies rows that lie one behind the other at the beginning of a buffer: `out` to it, or else from it.
    fn copy_bytes(&mut self, buffer: &Buffer, side: Side<'_>, [width, height]: [u32; 2], out: bool) -> Result<()> {
        if u64::from(width) * u64::from(height) > buffer.size {
            return Err(Error::Invalid("a resolve of sampler feedback: the buffer is too small"));
        }
        let region = [vk::BufferImageCopy2::default()
            .buffer_offset(buffer.offset())
            .image_subresource(side.subresource.layers())
            .image_extent(vk::Extent3D { width, height, depth: 1 })];
        let (image, vulkan) = (side.image.image, buffer.vk());
        let layout = self.ready_copy(side.image, &side.subresource, if out { Use::Source } else { Use::Destination });
        self.encoder.transfer();
        let vk = &self.encoder.logical.vk;
        // SAFETY: a buffer of the program's with room for the rows, and an image that the list keeps.
        unsafe {
            if out {
                let info = vk::CopyImageToBufferInfo2::default()
                    .src_image(image)
                    .src_image_layout(layout)
                    .dst_buffer(vulkan)
                    .regions(&region);
                vk.cmd_copy_image_to_buffer2(self.encoder.buffer, &info);
            } else {
                let info = vk::CopyBufferToImageInfo2::default()
                    .src_buffer(vulkan)
                    .dst_image(image)
                    .dst_image_layout(layout)
                    .regions(&region);
                vk.cmd_copy_buffer_to_image2(self.encoder.buffer, &info);
            }
        }
        Ok(())
    }
}

/// Whether `ResolveSubresourceRegion` in this mode is of sampler feedback.
pub(super) fn is_of_feedback(mode: Mode) -> bool {
    matches!(mode, Mode::DECODE_SAMPLER_FEEDBACK | Mode::ENCODE_SAMPLER_FEEDBACK)
}

/// # Safety
/// The resources are the program's.
pub(super) unsafe fn resolve(
    list: &mut Recording,
    (to, to_index, at): (*mut c_void, u32, [u32; 2]),
    (from, from_index, rect): (*mut c_void, u32, Option<&D3D12_RECT>),
    format: DXGI_FORMAT,
    mode: Mode,
) -> Result<()> {
    list.draws()?;
    if format != DXGI_FORMAT::FORMAT_R8_UINT {
        return Err(Error::Invalid("a resolve of sampler feedback: its bytes are R8_UINT"));
    }
    if list.encoder.is_predicated() {
        return Err(Error::Unsupported("resolves of sampler feedback under a predicate"));
    }
    // SAFETY: the caller promises: resources of ours, or null.
    let (to, from) = unsafe { (Object::<Resource>::from_pointer(to), Object::<Resource>::from_pointer(from)) };
    let (Some(to), Some(from)) = (to, from) else { return Err(Error::Invalid("a resolve: no resource")) };
    list.uses(to);
    list.uses(from);
    match mode {
        Mode::DECODE_SAMPLER_FEEDBACK => list.decode((to, to_index), at, (from, from_index), rect),
        _ => list.encode((to, to_index), at, (from, from_index), rect),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn layers_and_levels_meet_their_bytes() {
        let step = |map, bytes| Step { map, bytes };
        // One number for all levels: a layer each.
        let finest = |bytes| steps(true, 2, 3, ALL, bytes);
        assert_eq!(finest(ALL).unwrap(), [step([0, EVERY_LEVEL], 0), step([1, EVERY_LEVEL], 1)]);
        assert_eq!(finest(1).unwrap(), [step([1, EVERY_LEVEL], 1)]);
        assert!(finest(2).is_err());
        // Each level by itself.
        let used = |map, bytes| steps(false, 2, 3, map, bytes);
        assert_eq!(used(ALL, ALL).unwrap().len(), 6);
        assert_eq!(used(ALL, ALL).unwrap()[4], step([1, 1], 4));
        assert_eq!(used(4, 2).unwrap(), [step([1, 1], 2)]);
        assert_eq!(used(ALL, 5).unwrap(), [step([1, 2], 5)]);
        assert_eq!(used(5, ALL).unwrap(), [step([1, 2], 5)]);
        assert!(used(6, 0).is_err() && used(0, 6).is_err());
    }

    #[test]
    fn areas_lie_within_both_sides() {
        let rect = D3D12_RECT { left: 2, top: 1, right: 20, bottom: 3 };
        let area = Area::new(false, [3, 0], Some(&rect), [[8, 8], [5, 9]]).unwrap();
        assert_eq!((area.from, area.to, area.size), ([2, 1], [3, 0], [2, 2]));
        let whole = Area::new(true, [3, 0], Some(&rect), [[8, 8], [5, 9]]).unwrap();
        assert_eq!((whole.from, whole.to, whole.size), ([0, 0], [0, 0], [5, 8]));
        assert!(Area::new(false, [5, 0], None, [[8, 8], [5, 9]]).unwrap().is_empty());
        let negative = D3D12_RECT { left: -1, ..rect };
        assert!(Area::new(false, [0; 2], Some(&negative), [[8, 8], [5, 9]]).is_err());
    }
}
