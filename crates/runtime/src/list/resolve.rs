//! Resolves: the samples of each texel become one texel.
//!
//! Vulkan's own resolve averages colours of one format. Where the program names another format than the textures have, their bytes
//! go through textures of that format. A kernel does every other resolve: it writes a temporary texture, which is then copied.

use core::ffi::c_void;

use ash::vk;
use reprise_com::{Object, Slots};
use reprise_d3d12::types::{
    D3D12_RECT, D3D12_RESOLVE_MODE as Mode, D3D12_RESOURCE_FLAGS as Flags, D3D12_RESOURCE_STATES as States, DXGI_FORMAT,
};

use crate::list::barrier::scope;
use crate::list::copy::texture;
use crate::list::feedback;
use crate::list::layouts::range;
use crate::list::predicated::Written;
use crate::list::recording::Recording;
use crate::list::region::texture_region;
use crate::list::side::Side;
use crate::resource::object::Resource;
use crate::{Error, Result};
use reprise_gpu::descriptor::view::ImageView;
use reprise_gpu::encoder::{Images, push};
use reprise_gpu::format::{Encoding, Format, caps};
use reprise_gpu::image::Use;
use reprise_gpu::kernel::Kernel;
use reprise_gpu::scope::Gathered;

/// Methods that resolve.
pub(super) const LIST_METHODS: &Slots = &[
    ("ResolveSubresource", resolve_subresource as *const c_void),
    ("ResolveSubresourceRegion", resolve_subresource_region as *const c_void),
];

/// How a resolve is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Samples stay samples.
    Copy,
    /// Vulkan's own.
    Plain,
    /// Vulkan's own, by way of textures of the named format: at the source, at the target.
    Cast(bool, bool),
    /// By a kernel, into a texture of a format.
    Kernel(Kernel, DXGI_FORMAT),
}

/// The way for a mode, a format, and the images' own formats. Pure.
fn way(mode: Mode, format: &Format, aspect: vk::ImageAspectFlags, from: vk::Format, to: vk::Format) -> Result<Way> {
    if mode == Mode::DECOMPRESS {
        return Ok(Way::Copy);
    }
    if !matches!(mode, Mode::MIN | Mode::MAX | Mode::AVERAGE) {
        return Err(Error::Call("a resolve: a mode that the API does not have"));
    }
    match aspect {
        vk::ImageAspectFlags::STENCIL if mode == Mode::AVERAGE => Err(Error::Call("a resolve: no average of stencil")),
        vk::ImageAspectFlags::STENCIL => Ok(Way::Kernel(Kernel::ResolveUint, DXGI_FORMAT::FORMAT_R8_UINT)),
        vk::ImageAspectFlags::DEPTH => Ok(match from {
            vk::Format::D16_UNORM => Way::Kernel(Kernel::ResolveFloat, DXGI_FORMAT::FORMAT_R16_UNORM),
            vk::Format::D24_UNORM_S8_UINT => Way::Kernel(Kernel::ResolveUnorm24, DXGI_FORMAT::FORMAT_R32_UINT),
            _ => Way::Kernel(Kernel::ResolveFloat, DXGI_FORMAT::FORMAT_R32_FLOAT),
        }),
        // Of integers Vulkan takes one sample.
        _ if mode == Mode::AVERAGE => Ok(match (from == format.vk, to == format.vk) {
            (true, true) => Way::Plain,
            (from, to) => Way::Cast(!from, !to),
        }),
        _ => {
            // The order of colours is that of the stored numbers.
            let linear = |other: &&Format| other.kind == Encoding::Unorm;
            let stored =
                if format.kind == Encoding::Srgb { format.relatives().find(linear).unwrap_or(format) } else { format };
            let kernel = match format.kind {
                Encoding::Uint => Kernel::ResolveUint,
                Encoding::Sint => Kernel::ResolveInt,
                _ => Kernel::ResolveFloat,
            };
            Ok(Way::Kernel(kernel, stored.dxgi))
        }
    }
}

impl Recording {
    /// Resolves a rectangle, or all, of a subresource to a place in another.
    pub(super) fn resolve_region(
        &mut self,
        (to, to_index, [x, y]): (&Object<Resource>, u32, [u32; 2]),
        (from, from_index, rect): (&Object<Resource>, u32, Option<&D3D12_RECT>),
        format: DXGI_FORMAT,
        mode: Mode,
    ) -> Result<()> {
        self.draws()?;
        let to = Side::new(to, to_index, [x, y, 0])?;
        let mut from = Side::new(from, from_index, [0; 3])?;
        let extent = from.subresource.extent;
        let mut size = [extent.width, extent.height, 1];
        if let Some(rect) = rect {
            let part = [rect.left, rect.top, rect.right, rect.bottom].map(u32::try_from);
            let [Ok(left), Ok(top), Ok(right), Ok(bottom)] = part else {
                return Err(Error::Call("ResolveSubresourceRegion: the rectangle leaves the texture"));
            };
            if right <= left || bottom <= top {
                return Ok(());
            }
            from.at = [left, top, 0];
            size = [right - left, bottom - top, 1];
        }
        let index = to_index..to_index.saturating_add(1);
        let written = Written::Texels(to.resource, to.image, index);
        self.transfer_to(&written, |list| list.resolve(to, from, size, format, mode))
    }

    fn resolve(&mut self, to: Side<'_>, from: Side<'_>, size: [u32; 3], format: DXGI_FORMAT, mode: Mode) -> Result<()> {
        let format = Format::get(format).filter(|format| !format.is_typeless());
        let format = format.ok_or(Error::Invalid("a resolve: not a format that has values"))?;
        let family = |side: &Side<'_>| side.resource.format.is_some_and(|own| own.family == format.family);
        if !family(&to) || !family(&from) {
            return Err(Error::Invalid("a resolve: the format is not of the textures' family"));
        }
        self.uses(to.resource);
        self.uses(from.resource);
        let way = way(mode, format, from.subresource.aspect, from.image.format, to.image.format)?;
        if way == Way::Copy {
            let same = core::ptr::eq(to.resource, from.resource) && to.subresource == from.subresource;
            if same && to.at == from.at {
                return Ok(());
            }
            return self.copy_subresource(to.place(), from.place(), size);
        }
        if !to.single() || from.single() {
            return Err(Error::Call("a resolve: from several samples to one"));
        }
        match way {
            Way::Kernel(kernel, stored) => self.resolve_by_kernel(to, from, size, (kernel, stored), mode),
            Way::Cast(cast_from, cast_to) => {
                let samples = from.image.samples.as_raw();
                let [source, target] = [(cast_from, samples), (cast_to, 1)].map(|(cast, samples)| {
                    cast.then(|| self.temporary(format.dxgi, size, samples, Flags::ALLOW_RENDER_TARGET)).transpose()
                });
                let (source, target) = (source?, target?);
                let mut middle = (to, from);
                if let Some(source) = &source {
                    middle.1 = Side::whole(source)?;
                    self.copy_subresource(middle.1.place(), from.place(), size)?;
                }
                if let Some(target) = &target {
                    middle.0 = Side::whole(target)?;
                }
                self.resolve_plainly(middle.0, middle.1, size)?;
                if target.is_some() {
                    self.copy_subresource(to.place(), middle.0.place(), size)?;
                }
                Ok(())
            }
            _ => self.resolve_plainly(to, from, size),
        }
    }

    fn resolve_plainly(&mut self, to: Side<'_>, from: Side<'_>, size: [u32; 3]) -> Result<()> {
        let region = texture_region(&from.subresource, from.at, size, &to.subresource, to.at)?;
        let region = vk::ImageResolve2::default()
            .src_subresource(region.src_subresource)
            .src_offset(region.src_offset)
            .dst_subresource(region.dst_subresource)
            .dst_offset(region.dst_offset)
            .extent(region.extent);
        let source = self.ready_copy(from.image, &from.subresource, Use::Source);
        let destination = self.ready_copy(to.image, &to.subresource, Use::Destination);
        let info = vk::ResolveImageInfo2::default()
            .src_image(from.image.image)
            .src_image_layout(source)
            .dst_image(to.image.image)
            .dst_image_layout(destination)
            .regions(core::slice::from_ref(&region));
        self.encoder.transfer();
        // SAFETY: images of living resources; the region lies inside of them.
        unsafe { self.encoder.logical.vk.cmd_resolve_image2(self.encoder.buffer, &info) };
        Ok(())
    }

    fn resolve_by_kernel(
        &mut self,
        to: Side<'_>,
        from: Side<'_>,
        size: [u32; 3],
        (kernel, stored): (Kernel, DXGI_FORMAT),
        mode: Mode,
    ) -> Result<()> {
        let extent = texture_region(&from.subresource, from.at, size, &to.subresource, to.at)?.extent;
        let vulkan = Format::get(stored).and_then(|format| caps::vulkan(&self.encoder.device, format));
        let format = vulkan.ok_or(Error::Unsupported("resolves of this format in this mode"))?;
        let features = caps::features(&self.encoder.device, format).optimal_tiling_features;
        if !features.contains(vk::FormatFeatureFlags::STORAGE_IMAGE) {
            return Err(Error::Unsupported("resolves of this format in this mode"));
        }
        let result = self.temporary(stored, [extent.width, extent.height, 1], 1, Flags::ALLOW_UNORDERED_ACCESS)?;
        let result = Side::whole(&result)?;
        let depth = vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL;
        let view = |aspects: vk::ImageAspectFlags, usage: vk::ImageUsageFlags, kind: vk::ImageViewType, layer: u32| {
            ImageView {
                // The image decides the format of depth and stencil.
                format: if aspects.intersects(depth) { from.image.format } else { format },
                kind,
                aspects,
                usage,
                first_level: 0,
                levels: 1,
                first_layer: layer,
                layers: 1,
                components: [0; 4],
                least: 0,
                sliced: false,
            }
        };
        type Kinds = vk::ImageViewType;
        let layer = from.subresource.layer;
        let read = view(from.subresource.aspect, vk::ImageUsageFlags::SAMPLED, Kinds::TYPE_2D_ARRAY, layer);
        let written = view(vk::ImageAspectFlags::COLOR, vk::ImageUsageFlags::STORAGE, Kinds::TYPE_2D, 0);
        let images = Images {
            read: from.image.view(&read)?,
            written: result.image.view(&written)?,
            layout: from.image.discipline.layout(Use::Rest),
        };
        let [x, y, _] = from.at;
        let [width, height] = [extent.width, extent.height];
        let samples = from.image.samples.as_raw();
        let block = push([x, y, 0, samples, width, height, mode.0 as u32, 0]);
        let (copies, shaders) = (scope(States::COPY_SOURCE), scope(States::UNORDERED_ACCESS));
        // The source is ready for resolves of any way: the program's barrier says so.
        self.encoder.ready(from.image, range(&from.subresource), Use::Rest);
        self.encoder.barriers(&Gathered { before: scope(States::RESOLVE_SOURCE), after: shaders });
        self.run(kernel, images, &block, [width.div_ceil(8), height.div_ceil(8), 1])?;
        self.encoder.barriers(&Gathered { before: shaders, after: copies });
        self.copy_subresource(to.place(), result.place(), size)
    }
}

unsafe extern "C" fn resolve_subresource(
    this: *mut c_void,
    to: *mut c_void,
    to_index: u32,
    from: *mut c_void,
    from_index: u32,
    format: DXGI_FORMAT,
) {
    // SAFETY: the same arguments; no rectangle.
    unsafe {
        resolve_subresource_region(
            this,
            to,
            to_index,
            0,
            0,
            from,
            from_index,
            core::ptr::null(),
            format,
            Mode::AVERAGE,
        );
    }
}

unsafe extern "C" fn resolve_subresource_region(
    this: *mut c_void,
    to: *mut c_void,
    to_index: u32,
    x: u32,
    y: u32,
    from: *mut c_void,
    from_index: u32,
    rect: *const D3D12_RECT,
    format: DXGI_FORMAT,
    mode: Mode,
) {
    // SAFETY: a list of ours, the program's resources and rectangle.
    unsafe {
        Recording::outside_pass(this, |list| {
            if feedback::is_of_feedback(mode) {
                return feedback::resolve(
                    list,
                    (to, to_index, [x, y]),
                    (from, from_index, rect.as_ref()),
                    format,
                    mode,
                );
            }
            let ((to, _), (from, _)) = (texture(to)?, texture(from)?);
            list.resolve_region((to, to_index, [x, y]), (from, from_index, rect.as_ref()), format, mode)
        });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn of(mode: Mode, format: DXGI_FORMAT, from: vk::Format, to: vk::Format) -> Result<Way> {
        let format = Format::get(format).unwrap();
        way(mode, format, format.aspects, from, to)
    }

    #[test]
    fn vulkan_averages_colours_of_one_format() {
        let (unorm, srgb) = (vk::Format::R8G8B8A8_UNORM, vk::Format::R8G8B8A8_SRGB);
        let average = |from, to| of(Mode::AVERAGE, DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM_SRGB, from, to);
        assert_eq!(average(srgb, srgb), Ok(Way::Plain));
        assert_eq!(average(unorm, srgb), Ok(Way::Cast(true, false)));
        assert_eq!(average(srgb, unorm), Ok(Way::Cast(false, true)));
        assert_eq!(average(unorm, unorm), Ok(Way::Cast(true, true)));
    }

    #[test]
    fn kernels_do_what_vulkan_does_not() {
        let same = |mode, format, vulkan| of(mode, format, vulkan, vulkan).unwrap();
        let (srgb, stored) = (DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM_SRGB, DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM);
        let least = same(Mode::MIN, srgb, vk::Format::R8G8B8A8_SRGB);
        assert_eq!(least, Way::Kernel(Kernel::ResolveFloat, stored), "sRGB is not stored by shaders");
        let (sint, uint) = (DXGI_FORMAT::FORMAT_R32_SINT, DXGI_FORMAT::FORMAT_R32_UINT);
        assert_eq!(same(Mode::MAX, sint, vk::Format::R32_UINT), Way::Kernel(Kernel::ResolveInt, sint));
        assert_eq!(same(Mode::MAX, uint, vk::Format::R32_UINT), Way::Kernel(Kernel::ResolveUint, uint));
        let depth = same(Mode::AVERAGE, DXGI_FORMAT::FORMAT_D32_FLOAT, vk::Format::D32_SFLOAT);
        assert_eq!(depth, Way::Kernel(Kernel::ResolveFloat, DXGI_FORMAT::FORMAT_R32_FLOAT));
        let stencil = DXGI_FORMAT::FORMAT_X32_TYPELESS_G8X24_UINT;
        let both = vk::Format::D32_SFLOAT_S8_UINT;
        let bytes = Way::Kernel(Kernel::ResolveUint, DXGI_FORMAT::FORMAT_R8_UINT);
        assert_eq!(same(Mode::MIN, stencil, both), bytes);
        assert!(of(Mode::AVERAGE, stencil, both, both).is_err());
        assert!(of(Mode::ENCODE_SAMPLER_FEEDBACK, uint, vk::Format::R32_UINT, vk::Format::R32_UINT).is_err());
    }
}
