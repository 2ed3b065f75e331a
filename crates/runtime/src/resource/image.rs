//! Textures: images and the rules of their layouts.
//!
//! Layout rule, decided here and nowhere else: an image leaves `UNDEFINED` once, before its first use, and is then in
//! [`LAYOUT`] for good, for every use: sampling, storage, attachments and copies all allow it. So barriers never change layouts,
//! and a subresource's state is the same for all queues and lists.

use core::sync::atomic::{AtomicBool, Ordering};

use ash::vk;

use crate::list::barrier::Scope;
use crate::memory::Slice;

/// The layout of every image from its first use on.
pub const LAYOUT: vk::ImageLayout = vk::ImageLayout::GENERAL;

/// The layout before the first use: what the CPU wrote until then is kept where the CPU can write at all.
pub fn initial_layout(tiling: vk::ImageTiling) -> vk::ImageLayout {
    match tiling {
        vk::ImageTiling::LINEAR => vk::ImageLayout::PREINITIALIZED,
        _ => vk::ImageLayout::UNDEFINED,
    }
}

/// A texture.
#[derive(Debug)]
pub struct Image {
    /// Vulkan's image.
    pub image: vk::Image,
    /// Vulkan's format of it, after depth and casting have been taken into account.
    pub format: vk::Format,
    /// All aspects of the image.
    pub aspects: vk::ImageAspectFlags,
    /// What it was created for.
    pub usage: vk::ImageUsageFlags,
    /// What it was created as.
    pub flags: vk::ImageCreateFlags,
    /// `LINEAR` for textures that the CPU reads and writes.
    pub tiling: vk::ImageTiling,
    /// Size of mip 0; depth 1 unless a volume.
    pub extent: vk::Extent3D,
    /// Mip levels.
    pub levels: u32,
    /// Array layers; 1 for volumes.
    pub layers: u32,
    /// Samples of a texel.
    pub samples: vk::SampleCountFlags,
    /// The layout of every use: [`LAYOUT`].
    pub layout: vk::ImageLayout,
    /// Whether the image has left `UNDEFINED`.
    pub initialised: AtomicBool,
    /// Its bytes; `None` when somebody else owns them (swap chains).
    pub slice: Option<Slice>,
    /// Whether the image is destroyed with the resource.
    pub owned: bool,
}

impl Image {
    /// Every subresource, all aspects.
    pub fn whole(&self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange {
            aspect_mask: self.aspects,
            base_mip_level: 0,
            level_count: vk::REMAINING_MIP_LEVELS,
            base_array_layer: 0,
            layer_count: vk::REMAINING_ARRAY_LAYERS,
        }
    }

    /// Whether other resources may lie at the same bytes, and a program begins to use it by a clear, a discard or a copy.
    pub fn is_placed_target(&self) -> bool {
        let targets = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
        self.flags.contains(vk::ImageCreateFlags::ALIAS) && self.usage.intersects(targets)
    }

    /// The transition out of `UNDEFINED`, for the submission that asks first.
    pub fn begin(&self) -> Option<vk::ImageMemoryBarrier2<'static>> {
        if self.initialised.load(Ordering::Relaxed) || self.initialised.swap(true, Ordering::AcqRel) {
            return None;
        }
        let all = vk::PipelineStageFlags2::ALL_COMMANDS;
        let first = self.transition(self.whole()).src_stage_mask(all).dst_stage_mask(all);
        let access = vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE;
        let first = first.src_access_mask(vk::AccessFlags2::MEMORY_WRITE).dst_access_mask(access);
        Some(first.old_layout(initial_layout(self.tiling)))
    }

    /// The transition that lets contents go: what lies in the memory may be another resource's. Uses before it are done, uses
    /// after it wait.
    pub fn let_go(
        &self,
        range: vk::ImageSubresourceRange,
        [before, after]: [Scope; 2],
    ) -> vk::ImageMemoryBarrier2<'static> {
        self.transition(range)
            .src_stage_mask(before.stages)
            .src_access_mask(before.access)
            .dst_stage_mask(after.stages)
            .dst_access_mask(after.access)
    }

    /// From `UNDEFINED` to the layout of all uses.
    fn transition(&self, range: vk::ImageSubresourceRange) -> vk::ImageMemoryBarrier2<'static> {
        vk::ImageMemoryBarrier2::default()
            .old_layout(vk::ImageLayout::UNDEFINED)
            .new_layout(self.layout)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(self.image)
            .subresource_range(range)
    }

    /// An image that is nothing but its shape.
    #[cfg(test)]
    pub fn shape(aspects: vk::ImageAspectFlags, levels: u32, layers: u32) -> Image {
        Image {
            image: vk::Image::null(),
            format: vk::Format::UNDEFINED,
            aspects,
            usage: vk::ImageUsageFlags::empty(),
            flags: vk::ImageCreateFlags::empty(),
            tiling: vk::ImageTiling::OPTIMAL,
            extent: vk::Extent3D { width: 1 << levels, height: 1 << levels, depth: 1 },
            levels,
            layers,
            samples: vk::SampleCountFlags::TYPE_1,
            layout: LAYOUT,
            initialised: AtomicBool::new(false),
            slice: None,
            owned: false,
        }
    }

    pub(super) fn destroy(&self, vk: &ash::Device) {
        if self.owned {
            // SAFETY: the resource goes; queues keep what they use.
            unsafe { vk.destroy_image(self.image, None) };
        }
    }
}
