//! Textures: images and the rules of their layouts.
//!
//! Invariant: an image leaves `UNDEFINED` once, before its first use, and rests from then on between lists: its layout is then
//! [`Image::layout`]. On most devices that is `GENERAL`, for every use. `image/layout.rs` says which images have other layouts within
//! a list, and where.

mod layout;
mod sight;

pub use layout::{Discipline, Use};

use core::ops::Deref;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use ash::vk;

use crate::answers::Kind;
use crate::caps::WIDE;
use crate::descriptor::view::{ImageView, Views};
use crate::error::{Context, Error, Result};
use crate::families::Distinct;
use crate::format::caps;
use crate::logical::Logical;
use crate::memory::Slice;
use crate::memory::outside::KIND;
use crate::scope::Scope;

/// The layout before the first use: what the CPU wrote until then is kept where the CPU can write at all.
pub fn initial_layout(tiling: vk::ImageTiling) -> vk::ImageLayout {
    match tiling {
        vk::ImageTiling::LINEAR => vk::ImageLayout::PREINITIALIZED,
        _ => vk::ImageLayout::UNDEFINED,
    }
}

/// What an image is like.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    /// Vulkan's format of it, after depth and casting have been taken into account.
    pub format: vk::Format,
    /// All aspects of the image.
    pub aspects: vk::ImageAspectFlags,
    /// What it is created for.
    pub usage: vk::ImageUsageFlags,
    /// What it is created as.
    pub flags: vk::ImageCreateFlags,
    /// `LINEAR` for textures that the CPU reads and writes, where the device can.
    pub tiling: vk::ImageTiling,
    /// Size of mip 0; depth 1 unless a volume.
    pub extent: vk::Extent3D,
    /// Mip levels.
    pub levels: u32,
    /// Array layers; 1 for volumes.
    pub layers: u32,
    /// Samples of a texel.
    pub samples: vk::SampleCountFlags,
    /// Whether queues use it at the same time, without barriers.
    pub simultaneous: bool,
    /// Whether other devices and processes may open it ([`crate::memory::outside`]).
    pub outside: bool,
}

impl Shape {
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

    /// Whether it is a target in a heap, where other resources may lie at the same bytes. Its user begins with a clear, a discard
    /// or a copy.
    pub fn is_placed_target(&self) -> bool {
        self.is_target() && self.flags.contains(vk::ImageCreateFlags::ALIAS)
    }

    /// Whether it is a target whose bytes may have belonged to another resource. Those in heaps may, and those whose tiles were
    /// mapped to other memory.
    pub fn is_shared_target(&self) -> bool {
        let shared = vk::ImageCreateFlags::ALIAS | vk::ImageCreateFlags::SPARSE_ALIASED;
        self.is_target() && self.flags.intersects(shared)
    }

    fn is_target(&self) -> bool {
        self.usage.intersects(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT)
    }
}

/// A texture. It lives until its owner and the last submission that takes it out of `UNDEFINED` have let it go.
#[derive(Debug)]
pub struct Image {
    /// Views, which live as long as the image.
    views: OnceLock<Box<Views>>,
    logical: Arc<Logical>,
    /// Vulkan's image.
    pub image: vk::Image,
    /// The layout between lists. Descriptors state it, and shaders read and write the image in it.
    pub layout: vk::ImageLayout,
    /// The layouts within a list.
    pub discipline: Discipline,
    /// What it is like.
    pub shape: Shape,
    /// Whether the image has left `UNDEFINED`.
    initialised: AtomicBool,
    /// Whether it did so on another device, where others go on to use it.
    elsewhere: AtomicBool,
    /// Its bytes, once it is bound; sparse images have none.
    slice: OnceLock<Slice>,
}

impl Deref for Image {
    type Target = Shape;

    #[inline(always)]
    fn deref(&self) -> &Shape {
        &self.shape
    }
}

impl Image {
    /// Its bytes; `None` for sparse images.
    pub fn slice(&self) -> Option<&Slice> {
        self.slice.get()
    }

    /// Whether the image has left `UNDEFINED`, or a submission takes it out.
    #[inline]
    pub fn is_begun(&self) -> bool {
        self.initialised.load(Ordering::Relaxed)
    }

    /// Another device or process has begun to use the image: it has left `UNDEFINED` there.
    pub fn begun_elsewhere(&self) {
        self.elsewhere.store(true, Ordering::Relaxed);
    }

    /// The transition out of `UNDEFINED`, for the submission that asks first. What others have begun to use is taken over as it is.
    pub fn begin(&self) -> Option<vk::ImageMemoryBarrier2<'static>> {
        if self.is_begun() || self.initialised.swap(true, Ordering::AcqRel) {
            return None;
        }
        if self.elsewhere.load(Ordering::Relaxed) {
            // The layer (1.3.239) takes every new image for undefined, also where it comes from elsewhere.
            let before = match self.logical.instance.validation {
                Some(_) => vk::ImageLayout::UNDEFINED,
                None => self.layout,
            };
            let barrier = self.barrier(self.whole(), [before, self.layout], [Scope::ALL; 2]);
            let family = match self.logical.families.distinct()[..] {
                [only] => only,
                // Several share it.
                _ => vk::QUEUE_FAMILY_IGNORED,
            };
            return Some(barrier.src_queue_family_index(vk::QUEUE_FAMILY_EXTERNAL).dst_queue_family_index(family));
        }
        let before = Scope { stages: vk::PipelineStageFlags2::ALL_COMMANDS, access: vk::AccessFlags2::MEMORY_WRITE };
        Some(self.barrier(self.whole(), [initial_layout(self.tiling), self.layout], [before, Scope::ALL]))
    }

    /// The transition that lets contents go, for a use: what lies in the memory may be another resource's. Commands of the first
    /// scope come before, those of the second wait.
    pub fn let_go(
        &self,
        range: vk::ImageSubresourceRange,
        to: Use,
        scopes: [Scope; 2],
    ) -> vk::ImageMemoryBarrier2<'static> {
        self.barrier(range, [vk::ImageLayout::UNDEFINED, self.discipline.layout(to)], scopes)
    }

    /// The transition from one use to another. Commands of the first scope come before, those of the second wait.
    pub fn transition(
        &self,
        range: vk::ImageSubresourceRange,
        uses: [Use; 2],
        scopes: [Scope; 2],
    ) -> vk::ImageMemoryBarrier2<'static> {
        self.barrier(range, uses.map(|of| self.discipline.layout(of)), scopes)
    }

    /// Whether the memory of both images has bytes in common.
    pub fn shares_memory(&self, other: &Image) -> bool {
        let (Some(one), Some(other)) = (self.slice.get(), other.slice.get()) else { return false };
        Arc::ptr_eq(one.allocation(), other.allocation())
            && one.offset < other.offset.saturating_add(other.size)
            && other.offset < one.offset.saturating_add(one.size)
    }

    fn barrier(
        &self,
        mut range: vk::ImageSubresourceRange,
        [from, to]: [vk::ImageLayout; 2],
        [before, after]: [Scope; 2],
    ) -> vk::ImageMemoryBarrier2<'static> {
        // Barriers know no planes of colour: they lie in one memory.
        if range.aspect_mask.intersects(vk::ImageAspectFlags::PLANE_0 | vk::ImageAspectFlags::PLANE_1) {
            range.aspect_mask = vk::ImageAspectFlags::COLOR;
        }
        vk::ImageMemoryBarrier2::default()
            .src_stage_mask(before.stages)
            .src_access_mask(before.access)
            .dst_stage_mask(after.stages)
            .dst_access_mask(after.access)
            .old_layout(from)
            .new_layout(to)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(self.image)
            .subresource_range(range)
    }

    /// A view of the image.
    ///
    /// # Errors
    /// The device has no such views, or no memory for one more.
    #[inline]
    pub fn view(&self, view: &ImageView) -> Result<vk::ImageView> {
        self.views().image(self.image, view, |device| sight::check(device, &self.shape, view))
    }

    /// The number of the image's lifetime, for descriptors.
    #[inline]
    pub fn lifetime(&self) -> u32 {
        self.views().lifetime()
    }

    #[inline]
    fn views(&self) -> &Views {
        self.views.get_or_init(|| Box::new(Views::new(&self.logical)))
    }

    /// The number under which shaders find a view as 64-bit texels ([`Views::wide_image`]).
    ///
    /// # Errors
    /// The device has no such views.
    pub fn wide_view(&self, view: &ImageView) -> Result<u64> {
        let wide = ImageView { format: WIDE, ..*view };
        let check = |device: &Logical| sight::check(device, &self.shape, &wide);
        self.views().wide_image(self.image, &wide, self.layout, check)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // Views go before the image that they show.
        self.views.take();
        // SAFETY: made by this device; the owner and all submissions have let it go.
        unsafe { self.logical.vk.destroy_image(self.image, None) };
    }
}

/// Flags of images that are mapped piece by piece, and whose pieces may be mapped elsewhere too.
pub const SPARSE: vk::ImageCreateFlags = vk::ImageCreateFlags::from_raw(
    vk::ImageCreateFlags::SPARSE_BINDING.as_raw()
        | vk::ImageCreateFlags::SPARSE_RESIDENCY.as_raw()
        | vk::ImageCreateFlags::SPARSE_ALIASED.as_raw(),
);

/// An image to be.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// What it is like.
    pub shape: Shape,
    /// Dimensions.
    pub kind: vk::ImageType,
}

/// Where an image lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Bytes.
    pub size: u64,
    /// Alignment of the place in the memory.
    pub alignment: u64,
    /// Memory types, one bit each.
    pub types: u32,
    /// Whether Vulkan insists that the image is alone in its memory.
    pub alone: bool,
}

impl Needs {
    fn new(needs: vk::MemoryRequirements, alone: vk::MemoryDedicatedRequirements<'_>) -> Needs {
        Needs {
            size: needs.size,
            alignment: needs.alignment,
            types: needs.memory_type_bits,
            alone: alone.requires_dedicated_allocation != 0,
        }
    }
}

/// What the driver says of a kind of images; `None` where it has none.
fn limits(device: &Logical, kind: &Kind) -> Result<Option<vk::ImageFormatProperties>> {
    let features = caps::features(device, kind.format);
    let features = match kind.tiling {
        vk::ImageTiling::LINEAR => features.linear_tiling_features,
        _ => features.optimal_tiling_features,
    };
    if features.is_empty() {
        return Ok(None);
    }
    let Kind { format, dimensions, tiling, usage, flags } = *kind;
    let instance = &device.instance.instance;
    // SAFETY: plain arguments; the instance lives as long as the device.
    let limits = unsafe {
        instance.get_physical_device_image_format_properties(device.physical, format, dimensions, tiling, usage, flags)
    };
    match limits {
        Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED) => Ok(None),
        other => other.call("vkGetPhysicalDeviceImageFormatProperties").map(Some),
    }
}

impl Plan {
    /// Whether the device has such images.
    ///
    /// # Errors
    /// [`Error::Invalid`] says what of the plan the device has not.
    pub fn check(&self, device: &Logical) -> Result<()> {
        let kind = Kind {
            format: self.shape.format,
            dimensions: self.kind,
            tiling: self.shape.tiling,
            usage: self.shape.usage,
            flags: self.shape.flags,
        };
        let limits = device.answers.limits(kind, || limits(device, &kind))?;
        let limits = limits.ok_or(Error::Invalid("the device has no such textures of this format"))?;
        let most = limits.max_extent;
        let fits = self.shape.extent.width <= most.width
            && self.shape.extent.height <= most.height
            && self.shape.extent.depth <= most.depth
            && self.shape.levels <= limits.max_mip_levels
            && self.shape.layers <= limits.max_array_layers
            && limits.sample_counts.contains(self.shape.samples);
        if fits { Ok(()) } else { Err(Error::Invalid("the device has no textures of this size or sample count")) }
    }

    /// Whether other devices and processes can open such images.
    pub fn can_be_shared(&self, device: &Logical) -> bool {
        if device.ext.memory_files.is_none() || cfg!(not(unix)) {
            return false;
        }
        let mut outside = vk::PhysicalDeviceExternalImageFormatInfo::default().handle_type(KIND);
        let ask = vk::PhysicalDeviceImageFormatInfo2::default()
            .format(self.shape.format)
            .ty(self.kind)
            .tiling(self.shape.tiling)
            .usage(self.shape.usage)
            .flags(self.shape.flags)
            .push_next(&mut outside);
        let mut said = vk::ExternalImageFormatProperties::default();
        let mut answer = vk::ImageFormatProperties2::default().push_next(&mut said);
        let instance = &device.instance.instance;
        // SAFETY: plain structures; the instance lives as long as the device.
        let known =
            unsafe { instance.get_physical_device_image_format_properties2(device.physical, &ask, &mut answer) };
        let both = vk::ExternalMemoryFeatureFlags::EXPORTABLE | vk::ExternalMemoryFeatureFlags::IMPORTABLE;
        known.is_ok() && said.external_memory_properties.external_memory_features.contains(both)
    }

    /// `families`: queue families that use the image.
    fn info<'f>(
        &self,
        families: &'f Distinct,
        outside: &'f mut vk::ExternalMemoryImageCreateInfo<'static>,
    ) -> vk::ImageCreateInfo<'f> {
        *outside = outside.handle_types(KIND);
        let info = vk::ImageCreateInfo::default()
            .flags(self.shape.flags)
            .image_type(self.kind)
            .format(self.shape.format)
            .extent(self.shape.extent)
            .mip_levels(self.shape.levels)
            .array_layers(self.shape.layers)
            .samples(self.shape.samples)
            .tiling(self.shape.tiling)
            .usage(self.shape.usage)
            .initial_layout(initial_layout(self.shape.tiling));
        let info = if self.shape.outside { info.push_next(outside) } else { info };
        if families.len() > 1 {
            info.sharing_mode(vk::SharingMode::CONCURRENT).queue_family_indices(families)
        } else {
            info
        }
    }

    /// Whether its texels lie in rows, where the CPU can find them.
    pub fn is_linear(&self) -> bool {
        self.shape.tiling == vk::ImageTiling::LINEAR
    }

    /// What memory the image needs; makes no image.
    pub fn needs(&self, device: &Logical) -> Needs {
        let families = device.families.distinct();
        let mut outside = vk::ExternalMemoryImageCreateInfo::default();
        let info = self.info(&families, &mut outside);
        let ask = vk::DeviceImageMemoryRequirements::default().create_info(&info);
        let mut alone = vk::MemoryDedicatedRequirements::default();
        let mut answer = vk::MemoryRequirements2::default().push_next(&mut alone);
        // SAFETY: plain structures.
        unsafe { device.vk.get_device_image_memory_requirements(&ask, &mut answer) };
        let needs = answer.memory_requirements;
        Needs::new(needs, alone)
    }

    /// Makes the image without memory.
    ///
    /// # Errors
    /// The device is out of memory.
    pub fn create(&self, logical: &Arc<Logical>) -> Result<Unbound> {
        let families = logical.families.distinct();
        let mut outside = vk::ExternalMemoryImageCreateInfo::default();
        // SAFETY: plain structures; the plan was checked.
        let image =
            unsafe { logical.vk.create_image(&self.info(&families, &mut outside), None) }.call("vkCreateImage")?;
        let separate = logical.caps.features.v12.separate_depth_stencil_layouts != 0;
        let discipline = Discipline::new(logical.layouts, &self.shape, separate);
        // It is not moved any more: copies of so large a structure that was just written cost more than they look.
        Ok(Unbound(Arc::new(Image {
            views: OnceLock::new(),
            logical: logical.clone(),
            image,
            layout: discipline.layout(Use::Rest),
            discipline,
            shape: self.shape,
            initialised: AtomicBool::new(false),
            elsewhere: AtomicBool::new(false),
            slice: OnceLock::new(),
        })))
    }
}

/// An image without memory.
#[derive(Debug)]
pub struct Unbound(Arc<Image>);

impl Unbound {
    /// The image's handle.
    pub fn vk(&self) -> vk::Image {
        self.0.image
    }

    /// What memory the image needs. Drivers answer this faster than [`Plan::needs`], for which some make an image.
    pub fn needs(&self) -> Needs {
        let ask = vk::ImageMemoryRequirementsInfo2::default().image(self.0.image);
        let mut alone = vk::MemoryDedicatedRequirements::default();
        let mut answer = vk::MemoryRequirements2::default().push_next(&mut alone);
        // SAFETY: the image is there.
        unsafe { self.0.logical.vk.get_image_memory_requirements2(&ask, &mut answer) };
        let needs = answer.memory_requirements;
        Needs::new(needs, alone)
    }

    /// Gives the image its memory.
    ///
    /// # Errors
    /// The device is out of memory.
    ///
    /// # Safety
    /// The slice is as large and aligned as the plan needs, of one of its memory types, and a whole allocation where it says so.
    pub unsafe fn bind(self, slice: Slice) -> Result<Arc<Image>> {
        // SAFETY: the caller gives memory as the image needs it.
        unsafe { self.0.logical.vk.bind_image_memory(self.0.image, slice.allocation().memory, slice.offset) }
            .call("vkBindImageMemory")?;
        // Binding takes the unbound image, so this is the first slice.
        let _ = self.0.slice.set(slice);
        Ok(self.0)
    }

    /// A sparse image: queues give its parts memory.
    pub fn sparse(self) -> Arc<Image> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_in_heaps_and_in_tiles_may_have_been_others() {
        let (target, sampled) = (vk::ImageUsageFlags::COLOR_ATTACHMENT, vk::ImageUsageFlags::SAMPLED);
        let shape = |usage, flags| Shape { usage, flags, ..Shape::default() };
        let none = vk::ImageCreateFlags::empty();
        // Usage and flags, then: placed, shared.
        for (usage, flags, expected) in [
            (target, none, (false, false)),
            (target, vk::ImageCreateFlags::ALIAS, (true, true)),
            (target, SPARSE, (false, true)),
            (vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT, SPARSE, (false, true)),
            (sampled, vk::ImageCreateFlags::ALIAS, (false, false)),
            (sampled, SPARSE, (false, false)),
        ] {
            let shape = shape(usage, flags);
            assert_eq!((shape.is_placed_target(), shape.is_shared_target()), expected, "{usage:?} {flags:?}");
        }
    }
}
