//! Layouts of tracked images: what the API's states, barrier layouts and commands make of them.
//!
//! The program's barriers say when a target is rendered to and when it is read again. What they do not say, because another list said
//! it or because the API needs no barrier, the commands say themselves: rendering and copies bring their images into the layouts that
//! they need. `reprise_gpu::image` says which images are tracked; nothing happens here for others.
//!
//! Invariant: what shaders may read by the API's rules is at rest.

use std::sync::Arc;

use ash::vk;
use reprise_com::Object;
use reprise_d3d12::types::{
    D3D12_BARRIER_LAYOUT as Layout, D3D12_BARRIER_SUBRESOURCE_RANGE, D3D12_RESOURCE_STATES as States,
};
use reprise_gpu::descriptor::record::Target;
use reprise_gpu::format::Format;
use reprise_gpu::image::{Image, Use};

use crate::list::recording::Recording;
use crate::list::region::Subresource;
use crate::resource::object::Resource;

type Range = vk::ImageSubresourceRange;

/// What a state makes of an image. States that only read may be combined, and shaders may be among their readers.
pub(super) fn of_state(state: States) -> Use {
    let only = |states: u32| state.0 & !states == 0;
    match state.0 {
        0 => Use::Rest,
        _ if only(States::RENDER_TARGET.0 | States::DEPTH_WRITE.0) => Use::Target,
        _ if only(States::COPY_DEST.0 | States::RESOLVE_DEST.0) => Use::Destination,
        _ if only(States::COPY_SOURCE.0 | States::RESOLVE_SOURCE.0) => Use::Source,
        _ => Use::Rest,
    }
}

/// What a layout of an enhanced barrier makes of an image.
pub(super) fn of_layout(layout: Layout) -> Use {
    match layout {
        Layout::RENDER_TARGET | Layout::DEPTH_STENCIL_WRITE => Use::Target,
        Layout::COPY_SOURCE
        | Layout::RESOLVE_SOURCE
        | Layout::DIRECT_QUEUE_COPY_SOURCE
        | Layout::COMPUTE_QUEUE_COPY_SOURCE => Use::Source,
        Layout::COPY_DEST | Layout::RESOLVE_DEST | Layout::DIRECT_QUEUE_COPY_DEST | Layout::COMPUTE_QUEUE_COPY_DEST => {
            Use::Destination
        }
        _ => Use::Rest,
    }
}

/// The subresource with an index; all where the index says so, `None` where there is none.
pub(super) fn indexed(resource: &Resource, image: &Image, index: u32) -> Option<Range> {
    match index {
        u32::MAX => Some(image.whole()),
        _ => Subresource::of(resource, image, index).ok().map(|part| range(&part)),
    }
}

/// The subresources of an enhanced barrier; `None` where some do not exist.
pub(super) fn named(resource: &Resource, image: &Image, named: &D3D12_BARRIER_SUBRESOURCE_RANGE) -> Option<Range> {
    if named.NumMipLevels == 0 {
        return indexed(resource, image, named.IndexOrFirstMipLevel);
    }
    let inside = |first: u32, count: u32, all: u32| first.checked_add(count).is_some_and(|end| end <= all);
    let fits = inside(named.IndexOrFirstMipLevel, named.NumMipLevels, image.levels)
        && inside(named.FirstArraySlice, named.NumArraySlices, image.layers);
    let planes = Format::get(resource.desc.Format).map_or(&[][..], |format| format.planes);
    let chosen = planes.iter().skip(named.FirstPlane as usize).take(named.NumPlanes as usize);
    let aspects = chosen.fold(vk::ImageAspectFlags::empty(), |all, plane| all | plane.aspect);
    // Images of one plane may have another aspect than their format says.
    let aspects = if planes.len() <= 1 { image.aspects } else { aspects & image.aspects };
    (fits && !aspects.is_empty()).then_some(Range {
        aspect_mask: aspects,
        base_mip_level: named.IndexOrFirstMipLevel,
        level_count: named.NumMipLevels,
        base_array_layer: named.FirstArraySlice,
        layer_count: named.NumArraySlices,
    })
}

/// One subresource.
pub(super) fn range(part: &Subresource) -> Range {
    of_layers(&part.layers())
}

/// Layers of a level.
fn of_layers(layers: &vk::ImageSubresourceLayers) -> Range {
    Range {
        aspect_mask: layers.aspect_mask,
        base_mip_level: layers.mip_level,
        level_count: 1,
        base_array_layer: layers.base_array_layer,
        layer_count: layers.layer_count,
    }
}

/// The image of a target and the subresources that its view shows.
fn shown(target: &Target, aspects: vk::ImageAspectFlags) -> Option<(&'static Arc<Image>, Range)> {
    // SAFETY: the recording keeps the resources of its targets; the reference is used in the same call.
    let resource = unsafe { Object::<Resource>::from_pointer(target.resource) };
    let image = resource?.image()?;
    // Slices of a volume are one layer.
    let (first, count) = if image.extent.depth > 1 { (0, 1) } else { (target.first_layer, target.layers.max(1)) };
    let range = Range {
        aspect_mask: aspects,
        base_mip_level: target.mip,
        level_count: 1,
        base_array_layer: first,
        layer_count: count,
    };
    Some((image, range))
}

/// The image that a target shows.
pub(super) fn image_of(target: &Target) -> vk::Image {
    shown(target, vk::ImageAspectFlags::empty()).map_or(vk::Image::null(), |(image, _)| image.image)
}

impl Recording {
    /// Some aspects of a target are rendered to next, behind the caller's barrier, in the layout that this gives.
    pub(super) fn ready_target(&mut self, target: &Target, aspects: vk::ImageAspectFlags) -> vk::ImageLayout {
        self.ready_attachment(target, aspects, true)
    }

    /// As [`Recording::ready_target`]. `written`: rendering may write them; otherwise it takes them as they are.
    pub(super) fn ready_attachment(
        &mut self,
        target: &Target,
        aspects: vk::ImageAspectFlags,
        written: bool,
    ) -> vk::ImageLayout {
        if !self.encoder.tracks_layouts() {
            return vk::ImageLayout::GENERAL;
        }
        let Some((image, range)) = shown(target, aspects) else { return vk::ImageLayout::GENERAL };
        let of = match written || self.encoder.is_target(image, range) {
            true => Use::Target,
            false => Use::Rest,
        };
        self.encoder.ready(image, range, of);
        image.discipline.layout(of)
    }

    /// A subresource is copied from or to next, behind the copy's own barrier, in the layout that this gives.
    pub(super) fn ready_copy(&mut self, image: &Arc<Image>, part: &Subresource, of: Use) -> vk::ImageLayout {
        self.encoder.ready_copy(image, range(part), of);
        image.discipline.layout(of)
    }

    /// All of an image is copied from or to next, behind the copy's own barrier, in the layout that this gives.
    pub(super) fn ready_whole(&mut self, image: &Arc<Image>, of: Use) -> vk::ImageLayout {
        self.encoder.ready_copy(image, image.whole(), of);
        image.discipline.layout(of)
    }

    /// Images are copied next, behind the copy's own barrier, in the layouts that this gives.
    pub(super) fn ready_copies(
        &mut self,
        from: &Arc<Image>,
        to: &Arc<Image>,
        regions: &[vk::ImageCopy2<'_>],
    ) -> [vk::ImageLayout; 2] {
        if !self.encoder.tracks_layouts() {
            return [vk::ImageLayout::GENERAL; 2];
        }
        let (first, second) = match regions {
            [one] => (of_layers(&one.src_subresource), of_layers(&one.dst_subresource)),
            _ => (from.whole(), to.whole()),
        };
        let level = |range: &Range| (range.aspect_mask, range.base_mip_level, range.base_array_layer);
        let same = Arc::ptr_eq(from, to) && level(&first) == level(&second);
        let uses = if same { [Use::Copy; 2] } else { [Use::Source, Use::Destination] };
        self.encoder.ready_copy(from, first, uses[0]);
        self.encoder.ready_copy(to, second, uses[1]);
        [from.discipline.layout(uses[0]), to.discipline.layout(uses[1])]
    }
}

#[cfg(test)]
mod tests;
