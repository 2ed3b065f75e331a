//! Views that belong to a resource.
//!
//! Invariants: a view lives as long as its resource, so descriptors hold it without counting; equal descriptions share one.
//! Finding a view takes no lock.

use std::sync::Arc;

use crate::caps::WIDE;
use crate::descriptor::known::Known;
use crate::error::{Error, Result};
use crate::format::caps;
use crate::lifetime::Lifetime;
use crate::logical::Logical;
use crate::wide::Array;
use ash::vk;
use ash::vk::Handle;

/// An image view, complete but for the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageView {
    /// Vulkan's format.
    pub format: vk::Format,
    /// Vulkan's kind.
    pub kind: vk::ImageViewType,
    /// One aspect for shaders, all for depth-stencil targets.
    pub aspects: vk::ImageAspectFlags,
    /// What the view is for.
    pub usage: vk::ImageUsageFlags,
    /// First mip level.
    pub first_level: u32,
    /// Mip levels; 0 when the view shows nothing.
    pub levels: u32,
    /// First array layer; first slice of views that show a volume's slices.
    pub first_layer: u32,
    /// Array layers; slices of views that show a volume's slices.
    pub layers: u32,
    /// Components, each a `VkComponentSwizzle`; 0 is the identity.
    pub components: [u8; 4],
    /// Bits of the least level that may be read; 0 when there is no limit.
    pub least: u32,
    /// The view is a volume, and `first_layer` and `layers` are not all of its slices.
    pub sliced: bool,
}

impl ImageView {
    /// The same texels as a view of an array, where there is such a view: not of volumes and cubes.
    #[inline]
    pub fn as_array(self) -> ImageView {
        let kind = match self.kind {
            vk::ImageViewType::TYPE_1D => vk::ImageViewType::TYPE_1D_ARRAY,
            vk::ImageViewType::TYPE_2D => vk::ImageViewType::TYPE_2D_ARRAY,
            other => other,
        };
        ImageView { kind, ..self }
    }

    /// The same texels as a view that is no array, where it has one layer.
    #[inline]
    pub fn as_plain(self) -> ImageView {
        let kind = match self.kind {
            vk::ImageViewType::TYPE_1D_ARRAY if self.layers == 1 => vk::ImageViewType::TYPE_1D,
            vk::ImageViewType::TYPE_2D_ARRAY if self.layers == 1 => vk::ImageViewType::TYPE_2D,
            other => other,
        };
        ImageView { kind, ..self }
    }

    /// A number of 32 bytes that only equal views share. The last byte of the second word is 0.
    #[inline]
    pub fn key(&self) -> [u64; 4] {
        let byte = |value: u8, at: u32| u64::from(value) << (8 * at);
        let [r, g, b, a] = self.components;
        [
            u64::from(self.format.as_raw() as u32)
                | byte(self.kind.as_raw() as u8, 4)
                | byte(self.aspects.as_raw() as u8, 5)
                | u64::from(self.usage.as_raw() as u16) << 48,
            byte(self.first_level as u8, 0)
                | byte(self.levels as u8, 1)
                | byte(r << 4 | g, 2)
                | byte(b << 4 | a, 3)
                | byte(self.sliced.into(), 4),
            u64::from(self.first_layer) | u64::from(self.layers) << 32,
            self.least.into(),
        ]
    }
}

/// A texel buffer view, complete but for the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelView {
    /// Vulkan's format.
    pub format: vk::Format,
    /// Bytes from the Vulkan buffer's beginning.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// Whether shaders write through it.
    pub written: bool,
}

/// In the last byte of a key's second word: a texel view. Image views have 0 there.
const TEXELS: u64 = 1 << 56;
/// Beside it: the number of a view of 64-bit texels, which is no Vulkan object.
const NUMBER: u64 = 1 << 57;

impl TexelView {
    #[inline]
    fn key(&self) -> [u64; 4] {
        [self.format.as_raw() as u32 as u64, TEXELS | u64::from(self.written), self.offset, self.size]
    }
}

/// All views of a resource.
#[derive(Debug)]
pub struct Views {
    logical: Arc<Logical>,
    known: Known<4>,
    lifetime: Lifetime,
}

impl Views {
    /// No views yet.
    pub fn new(logical: &Arc<Logical>) -> Views {
        Views { logical: logical.clone(), known: Known::default(), lifetime: Lifetime::begin() }
    }

    /// The number of the views' lifetime, which is the resource's.
    pub fn lifetime(&self) -> u32 {
        self.lifetime.number()
    }

    /// A view of an image; `check` says of a new one whether Vulkan allows it.
    ///
    /// # Errors
    /// The check fails, the device has no such views, or no memory for one more.
    #[inline]
    pub fn image(
        &self,
        image: vk::Image,
        view: &ImageView,
        check: impl FnOnce(&Logical) -> Result<()>,
    ) -> Result<vk::ImageView> {
        let make = || {
            check(&self.logical)?;
            self.make_image(image, view)
        };
        self.get(view.key(), make).map(vk::ImageView::from_raw)
    }

    /// The number under which shaders find a view of an image as 64-bit texels, in a layout; 0 on devices without atomics on those, and
    /// when too many views have one.
    ///
    /// # Errors
    /// As for [`Views::image`].
    pub fn wide_image(
        &self,
        image: vk::Image,
        view: &ImageView,
        layout: vk::ImageLayout,
        check: impl FnOnce(&Logical) -> Result<()>,
    ) -> Result<u64> {
        let Some(wide) = &self.logical.wide else { return Ok(0) };
        let view = ImageView { format: WIDE, ..*view };
        let shown = self.image(image, &view, check)?.as_raw();
        let mut key = view.key();
        key[1] |= NUMBER;
        self.get(key, || Ok(wide.show(&self.logical.vk, Array::Images, shown, layout).into()))
    }

    /// The number under which shaders find a view of a buffer as 64-bit texels; 0 on devices without atomics on those.
    ///
    /// # Errors
    /// As for [`Views::texels`].
    pub fn wide_texels(&self, buffer: vk::Buffer, view: &TexelView) -> Result<u64> {
        let Some(wide) = &self.logical.wide else { return Ok(0) };
        let view = TexelView { format: WIDE, ..*view };
        let shown = self.texels(buffer, &view)?.as_raw();
        let mut key = view.key();
        key[1] |= NUMBER;
        self.get(key, || Ok(wide.show(&self.logical.vk, Array::Texels, shown, vk::ImageLayout::UNDEFINED).into()))
    }

    /// A texel view of a buffer.
    ///
    /// # Errors
    /// The device has no typed buffers of this format, or no memory for one more.
    #[inline]
    pub fn texels(&self, buffer: vk::Buffer, view: &TexelView) -> Result<vk::BufferView> {
        self.get(view.key(), || self.make_texels(buffer, view)).map(vk::BufferView::from_raw)
    }

    #[inline]
    fn get(&self, key: [u64; 4], make: impl FnOnce() -> Result<u64>) -> Result<u64> {
        self.known.get(key, make, |view| destroy(&self.logical, key, view))
    }

    fn make_image(&self, image: vk::Image, view: &ImageView) -> Result<u64> {
        let device = &*self.logical;
        let features = &device.caps.features;
        let swizzle = |at: usize| vk::ComponentSwizzle::from_raw(view.components[at].into());
        let (first_layer, layers) = if view.sliced { (0, 1) } else { (view.first_layer, view.layers) };
        let mut usage = vk::ImageViewUsageCreateInfo::default().usage(view.usage);
        let mut least = vk::ImageViewMinLodCreateInfoEXT::default().min_lod(f32::from_bits(view.least));
        let mut slices =
            vk::ImageViewSlicedCreateInfoEXT::default().slice_offset(view.first_layer).slice_count(view.layers);
        let mut info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(view.kind)
            .format(view.format)
            .components(vk::ComponentMapping { r: swizzle(0), g: swizzle(1), b: swizzle(2), a: swizzle(3) })
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: view.aspects,
                base_mip_level: view.first_level,
                level_count: view.levels,
                base_array_layer: first_layer,
                layer_count: layers,
            })
            .push_next(&mut usage);
        if view.least != 0 {
            if features.min_lod.min_lod == 0 {
                return Err(Error::Unsupported("ResourceMinLODClamp on this device"));
            }
            info = info.push_next(&mut least);
        }
        if view.sliced {
            if features.sliced.image_sliced_view_of3_d == 0 {
                return Err(Error::Unsupported("views of some slices of a volume on this device"));
            }
            info = info.push_next(&mut slices);
        }
        // SAFETY: the structures live until the call returns; the image lives as long as its views.
        device.check("vkCreateImageView", unsafe { device.vk.create_image_view(&info, None) }).map(Handle::as_raw)
    }

    fn make_texels(&self, buffer: vk::Buffer, view: &TexelView) -> Result<u64> {
        let device = &*self.logical;
        let has = caps::features(device, view.format).buffer_features;
        let (needs, usage) = if view.written {
            (vk::FormatFeatureFlags::STORAGE_TEXEL_BUFFER, vk::BufferUsageFlags2KHR::STORAGE_TEXEL_BUFFER)
        } else {
            (vk::FormatFeatureFlags::UNIFORM_TEXEL_BUFFER, vk::BufferUsageFlags2KHR::UNIFORM_TEXEL_BUFFER)
        };
        if !has.contains(needs) {
            return Err(Error::Unsupported("typed buffers of this format on this device"));
        }
        let mut usage = vk::BufferUsageFlags2CreateInfoKHR::default().usage(usage);
        let mut info =
            vk::BufferViewCreateInfo::default().buffer(buffer).format(view.format).offset(view.offset).range(view.size);
        if device.caps.features.maintenance5.maintenance5 != 0 {
            // Else the format would have to allow all that the buffer is for.
            info = info.push_next(&mut usage);
        }
        // SAFETY: the structures live until the call returns; the buffer lives as long as its views.
        device.check("vkCreateBufferView", unsafe { device.vk.create_buffer_view(&info, None) }).map(Handle::as_raw)
    }
}

/// Destroys a view that nothing uses any more.
fn destroy(device: &Logical, key: [u64; 4], view: u64) {
    if key[1] & NUMBER != 0 {
        if let Some(wide) = &device.wide {
            wide.hide(&device.vk, if key[1] & TEXELS != 0 { Array::Texels } else { Array::Images }, view as u32);
        }
        return;
    }
    // SAFETY: made by this device, and nothing uses it any more; the key tells what it is.
    unsafe {
        if key[1] & TEXELS != 0 {
            device.vk.destroy_buffer_view(vk::BufferView::from_raw(view), None);
        } else {
            device.vk.destroy_image_view(vk::ImageView::from_raw(view), None);
        }
    }
}

impl Drop for Views {
    fn drop(&mut self) {
        for (key, view) in self.known.take() {
            destroy(&self.logical, key, view);
        }
    }
}
