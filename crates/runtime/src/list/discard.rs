//! Discards: a program gives up the contents of a target.
//!
//! A target that is placed in a heap, or whose tiles are mapped anew, may lie where another resource was. The API lets a program begin with a clear, a discard or a
//! copy of the whole. Vulkan wants a transition out of `UNDEFINED` there: otherwise the data that it keeps beside the texels is the
//! other resource's. All other images keep their contents, which the API allows a discard to do.

use core::ffi::c_void;
use std::sync::Arc;

use ash::vk;
use reprise_com::{Object, Slots};
use reprise_d3d12::types::{D3D12_DISCARD_REGION, D3D12_RESOURCE_STATES as States};

use crate::Error;
use crate::list::barrier::scope;
use crate::list::recording::Recording;
use crate::resource::object::Resource;
use reprise_gpu::descriptor::record::Target;
use reprise_gpu::image::{Image, Shape, Use};
use reprise_gpu::scope::Gathered;

/// Methods that discard.
pub(super) const LIST_METHODS: &Slots = &[("DiscardResource", discard as *const c_void)];

impl Recording {
    /// All of a range is overwritten next by a use, in a state that targets are overwritten in.
    pub(super) fn overwrites(&mut self, image: &Arc<Image>, range: vk::ImageSubresourceRange, by: Use) {
        let separate = self.encoder.device.caps.features.v12.separate_depth_stencil_layouts != 0;
        if !image.is_shared_target() || !lets_go(image, range.aspect_mask, separate) {
            return;
        }
        let uses = [States::RENDER_TARGET, States::DEPTH_WRITE, States::UNORDERED_ACCESS, States::COPY_DEST];
        let uses = uses.into_iter().map(scope).reduce(|all, one| all.or(one)).unwrap_or_default();
        self.encoder.let_go(image, range, by, [uses; 2]);
        self.encoder.barriers(&Gathered::default());
    }

    /// A target's view is cleared next: its colour, depth, stencil.
    pub(super) fn overwrites_target(&mut self, target: &Target, [colour, depth, stencil]: [bool; 3]) {
        // SAFETY: the recording keeps the resources of its targets.
        let resource = unsafe { Object::<Resource>::from_pointer(target.resource) };
        let Some(image) = resource.and_then(|resource| resource.image()) else { return };
        let rows = [
            (colour, vk::ImageAspectFlags::COLOR),
            (depth, vk::ImageAspectFlags::DEPTH),
            (stencil, vk::ImageAspectFlags::STENCIL),
        ];
        let cleared = rows.into_iter().filter(|(cleared, _)| *cleared);
        let aspects = cleared.fold(vk::ImageAspectFlags::empty(), |all, (_, aspect)| all | aspect);
        if let Some(range) = shown(image, target, aspects) {
            self.overwrites(image, range, Use::Target);
        }
    }
}

/// Whether Vulkan can let go of some aspects of an image. Depth and stencil are subresources of their own, and programs may clear
/// one after the other. A device without `separateDepthStencilLayouts` lets go of both at once only, so there a clear of one of
/// them keeps both.
fn lets_go(image: &Shape, aspects: vk::ImageAspectFlags, separate: bool) -> bool {
    // Planes of video stay together: Vulkan's barriers do not know them.
    let apart = vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL;
    aspects == image.aspects || separate && aspects.intersects(apart) && image.aspects.contains(aspects)
}

/// The subresources that a target's view shows; `None` when it shows some slices of a volume.
fn shown(image: &Shape, target: &Target, aspects: vk::ImageAspectFlags) -> Option<vk::ImageSubresourceRange> {
    let slices = (image.extent.depth >> target.mip.min(31)).max(1);
    let volume = image.extent.depth > 1;
    if volume && (target.first_layer, target.layers) != (0, slices) {
        return None;
    }
    let (first, count) = if volume { (0, 1) } else { (target.first_layer, target.layers.max(1)) };
    Some(vk::ImageSubresourceRange {
        aspect_mask: aspects,
        base_mip_level: target.mip,
        level_count: 1,
        base_array_layer: first,
        layer_count: count,
    })
}

unsafe extern "C" fn discard(this: *mut c_void, resource: *mut c_void, region: *const D3D12_DISCARD_REGION) {
    // SAFETY: a list of ours, the program's resource and region.
    unsafe {
        Recording::outside_pass(this, |list| {
            let resource = Object::<Resource>::from_pointer(resource);
            let resource = resource.ok_or(Error::Call("DiscardResource: no resource"))?;
            list.uses(resource);
            let Some(image) = resource.image() else { return Ok(()) };
            // Parts keep their contents.
            let all = |region: &D3D12_DISCARD_REGION| {
                region.NumRects == 0
                    && region.FirstSubresource == 0
                    && region.NumSubresources >= resource.subresources()
            };
            if region.as_ref().is_none_or(all) {
                // Shaders write next, or rendering, which makes it a target.
                let stored = image.usage.contains(vk::ImageUsageFlags::STORAGE);
                list.overwrites(image, image.whole(), if stored { Use::Rest } else { Use::Target });
            }
            Ok(())
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_and_stencil_are_let_go_one_after_the_other() {
        let (depth, stencil) = (vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL);
        let both = of_shape(depth | stencil, 1, 1);
        for aspects in [depth, stencil] {
            assert!(lets_go(&both, aspects, true));
            assert!(!lets_go(&both, aspects, false), "layouts change together");
        }
        let (luma, chroma) = (vk::ImageAspectFlags::PLANE_0, vk::ImageAspectFlags::PLANE_1);
        let video = of_shape(luma | chroma, 1, 1);
        assert!(lets_go(&video, luma | chroma, true) && !lets_go(&video, luma, true), "planes of video stay together");
        assert!(lets_go(&both, depth | stencil, false));
        let none = vk::ImageAspectFlags::empty();
        assert!(!lets_go(&both, none, true) && !lets_go(&of_shape(depth, 1, 1), stencil, true));
        assert!(lets_go(&of_shape(depth, 1, 1), depth, false));
    }

    fn of_shape(aspects: vk::ImageAspectFlags, levels: u32, layers: u32) -> Shape {
        let extent = vk::Extent3D { width: 1 << levels, height: 1 << levels, depth: 1 };
        Shape { aspects, extent, levels, layers, ..Shape::default() }
    }

    #[test]
    fn a_view_shows_its_level_and_layers() {
        let colour = vk::ImageAspectFlags::COLOR;
        let mut image = of_shape(colour, 3, 6);
        let target = Target {
            view: vk::ImageView::null(),
            resource: core::ptr::null_mut(),
            image: vk::Image::null(),
            format: vk::Format::UNDEFINED,
            width: 4,
            height: 4,
            mip: 1,
            first_layer: 2,
            layers: 3,
            samples: 1,
            flags: 0,
        };
        let parts = |range: vk::ImageSubresourceRange| {
            (range.base_mip_level, range.level_count, range.base_array_layer, range.layer_count)
        };
        assert_eq!(shown(&image, &target, colour).map(parts), Some((1, 1, 2, 3)));
        image.extent.depth = 8;
        image.layers = 1;
        assert!(shown(&image, &target, colour).is_none(), "some slices");
        let all = Target { first_layer: 0, layers: 4, ..target };
        assert_eq!(shown(&image, &all, colour).map(parts), Some((1, 1, 0, 1)));
    }
}
