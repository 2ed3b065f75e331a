//! Clears of render and depth targets.
//!
//! A clear of a whole view waits for rendering that begins with it (`reprise_gpu::encoder::Clear`); rectangles are cleared inside of one.

use core::ffi::c_void;

use ash::vk;
use reprise_com::{Object, Slots};
use reprise_d3d12::types::{D3D12_CLEAR_FLAGS, D3D12_CPU_DESCRIPTOR_HANDLE, D3D12_RECT};

use crate::Error;
use crate::list::array::array;
use crate::list::attachments::aspects;
use crate::list::fixed_state::{clipped, unit};
use crate::list::layouts::image_of;
use crate::list::recording::Recording;
use crate::resource::object::Resource;
use reprise_gpu::descriptor::record::{RecordKind, Target};
use reprise_gpu::encoder::Clear;
use reprise_gpu::format::{Encoding, Format, Swizzle, bits};
use reprise_gpu::scope::{Gathered, Scope};

/// Methods that clear.
pub(super) const LIST_METHODS: &Slots = &[
    ("ClearRenderTargetView", clear_render_target as *const c_void),
    ("ClearDepthStencilView", clear_depth_stencil as *const c_void),
];

/// How a format's colours are given to Vulkan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// As floating point.
    Float,
    /// As floating point, of a format that has no place for what is no number.
    Normal,
    /// As unsigned integers of this many bits.
    Unsigned(u32),
    /// As signed integers of this many bits.
    Signed(u32),
}

/// What a colour format's numbers are.
pub fn numbers(format: vk::Format) -> Numbers {
    let Some(row) = Format::of_vulkan(format) else { return Numbers::Float };
    match (row.kind, bits::lowest(format)) {
        (Encoding::Uint, Some(bits)) => Numbers::Unsigned(bits),
        (Encoding::Sint, Some(bits)) => Numbers::Signed(bits),
        (Encoding::Srgb, _) => Numbers::Normal,
        // Fewer bits are left to the driver.
        (Encoding::Unorm | Encoding::Snorm, Some(8..)) => Numbers::Normal,
        _ => Numbers::Float,
    }
}

/// Vulkan's clear value of a colour. Integer formats take the nearest number that they have towards zero.
pub fn colour(format: vk::Format, swizzle: Swizzle, mut given: [f32; 4]) -> vk::ClearColorValue {
    if swizzle == Swizzle::Alpha {
        given = [given[3], 0.0, 0.0, 0.0];
    }
    // `as` saturates and makes zero of what is no number.
    match numbers(format) {
        // So does the API, while drivers make anything of it.
        Numbers::Normal => {
            let number = |value: f32| if value.is_nan() { 0.0 } else { value };
            vk::ClearColorValue { float32: given.map(number) }
        }
        Numbers::Float => vk::ClearColorValue { float32: given },
        Numbers::Unsigned(bits) => {
            let most = |axis: usize| match bits {
                32 => u32::MAX,
                10 if axis == 3 => 3,
                _ => (1 << bits) - 1,
            };
            vk::ClearColorValue { uint32: core::array::from_fn(|axis| (given[axis] as u32).min(most(axis))) }
        }
        Numbers::Signed(bits) => {
            let half = 1i64 << (bits - 1);
            let cut = |value: f32| i64::from(value as i32).clamp(-half, half - 1) as i32;
            vk::ClearColorValue { int32: given.map(cut) }
        }
    }
}

/// Whether a rectangle has all texels of a target of this size.
fn covers(rect: &D3D12_RECT, [width, height]: [u32; 2]) -> bool {
    let ends = |at: i32, size: u32| u32::try_from(at).is_ok_and(|at| at >= size);
    rect.left <= 0 && rect.top <= 0 && ends(rect.right, width) && ends(rect.bottom, height)
}

impl Recording {
    /// Clears a render target; a null one has nothing to clear.
    pub(super) fn clear_colour(&mut self, target: &Target, given: [f32; 4], rects: &[D3D12_RECT]) {
        if target.view == vk::ImageView::null() {
            return;
        }
        // SAFETY: the recording keeps the resources of its targets.
        let resource = unsafe { Object::<Resource>::from_pointer(target.resource) };
        let swizzle = resource.and_then(|resource| resource.format).map_or(Swizzle::Identity, |format| format.swizzle);
        let value = vk::ClearValue { color: colour(target.format, swizzle, given) };
        self.clear(target, Some(value), None, None, rects);
    }

    /// Clears a depth target, as far as it has what is asked for.
    pub(super) fn clear_depth(
        &mut self,
        target: &Target,
        flags: D3D12_CLEAR_FLAGS,
        depth: f32,
        stencil: u8,
        rects: &[D3D12_RECT],
    ) {
        if target.view == vk::ImageView::null() {
            return;
        }
        let value = vk::ClearValue {
            depth_stencil: vk::ClearDepthStencilValue { depth: unit(depth), stencil: stencil.into() },
        };
        let (has_depth, has_stencil) = aspects(target.format);
        // Views that only read an aspect clear it all the same.
        let asked = |flag: D3D12_CLEAR_FLAGS, has: bool| (has && flags.0 & flag.0 != 0).then_some(value);
        let depth = asked(D3D12_CLEAR_FLAGS::DEPTH, has_depth);
        let stencil = asked(D3D12_CLEAR_FLAGS::STENCIL, has_stencil);
        if depth.is_some() || stencil.is_some() {
            self.clear(target, None, depth, stencil, rects);
        }
    }

    /// Clears attachments: whole views when there are no rectangles.
    fn clear(
        &mut self,
        target: &Target,
        colour: Option<vk::ClearValue>,
        depth: Option<vk::ClearValue>,
        stencil: Option<vk::ClearValue>,
        rects: &[D3D12_RECT],
    ) {
        self.uses_target(target);
        // Mesa's OpenGL driver clears a whole target by one rectangle.
        let rects = if rects.iter().any(|rect| covers(rect, [target.width, target.height])) { &[] } else { rects };
        // What begins a rendering is not skipped by a predicate; clears inside of one are.
        let whole = [D3D12_RECT { left: 0, top: 0, right: i32::MAX, bottom: i32::MAX }];
        let rects = if rects.is_empty() && self.encoder.is_predicated() { &whole } else { rects };
        let is_whole = rects.is_empty();
        // Breadcrumbs are left behind what the clear does.
        if is_whole && self.crumbs.is_none() {
            self.encoder.end();
        } else {
            self.encoder.outside();
        }
        if is_whole {
            self.overwrites_target(target, [colour.is_some(), depth.is_some(), stencil.is_some()]);
        }
        let rows = [
            (colour.is_some(), vk::ImageAspectFlags::COLOR),
            (depth.is_some(), vk::ImageAspectFlags::DEPTH),
            (stencil.is_some(), vk::ImageAspectFlags::STENCIL),
        ];
        let cleared = rows.into_iter().filter(|(cleared, _)| *cleared);
        let aspects = cleared.fold(vk::ImageAspectFlags::empty(), |all, (_, aspect)| all | aspect);
        let layout = self.ready_target(target, aspects);
        let extent = vk::Extent2D { width: target.width, height: target.height };
        let layers = target.layers.max(1);
        if is_whole {
            let image = image_of(target);
            let values = [colour, depth, stencil];
            self.encoder.clear_attachments(Clear { view: target.view, image, layout, extent, layers, values });
            if self.crumbs.is_some() {
                self.encoder.outside();
            }
            return;
        }
        // Targets need no barrier between a clear and what was drawn before.
        self.encoder.barriers(&Gathered { before: Scope::ATTACHMENTS, after: Scope::ATTACHMENTS });
        let attachment = |value: Option<vk::ClearValue>| {
            vk::RenderingAttachmentInfo::default()
                .image_view(target.view)
                .image_layout(layout)
                .load_op(vk::AttachmentLoadOp::LOAD)
                .store_op(vk::AttachmentStoreOp::STORE)
                .clear_value(value.unwrap_or_default())
        };
        let colours = [attachment(colour)];
        let (depths, stencils) = (attachment(depth), attachment(stencil));
        let area = vk::Rect2D { offset: vk::Offset2D::default(), extent };
        let mut info = vk::RenderingInfo::default().render_area(area).layer_count(layers);
        if colour.is_some() {
            info = info.color_attachments(&colours);
        }
        if depth.is_some() {
            info = info.depth_attachment(&depths);
        }
        if stencil.is_some() {
            info = info.stencil_attachment(&stencils);
        }
        let vk = &self.encoder.logical.vk;
        // SAFETY: the views are of living resources; the structures live until the calls return.
        unsafe {
            vk.cmd_begin_rendering(self.encoder.buffer, &info);
            let mut clears = Vec::with_capacity(2);
            if let Some(value) = colour {
                clears.push(vk::ClearAttachment {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    color_attachment: 0,
                    clear_value: value,
                });
            }
            for (aspect, value) in [(vk::ImageAspectFlags::DEPTH, depth), (vk::ImageAspectFlags::STENCIL, stencil)] {
                clears.extend(value.map(|clear_value| vk::ClearAttachment {
                    aspect_mask: aspect,
                    color_attachment: 0,
                    clear_value,
                }));
            }
            let rects: Vec<vk::ClearRect> = rects
                .iter()
                .filter_map(|rect| clipped(rect, target.width, target.height))
                .map(|rect| vk::ClearRect { rect, base_array_layer: 0, layer_count: layers })
                .collect();
            if !rects.is_empty() {
                vk.cmd_clear_attachments(self.encoder.buffer, &clears, &rects);
            }
            vk.cmd_end_rendering(self.encoder.buffer);
        }
    }
}

unsafe extern "C" fn clear_render_target(
    this: *mut c_void,
    view: D3D12_CPU_DESCRIPTOR_HANDLE,
    given: *const [f32; 4],
    count: u32,
    rects: *const D3D12_RECT,
) {
    // SAFETY: a list of ours, the program's arguments.
    unsafe {
        Recording::outside_pass(this, |list| {
            list.draws()?;
            let target = list
                .target(view.ptr, RecordKind::RenderTarget)
                .ok_or(Error::Call("ClearRenderTargetView: not a render target"))?;
            list.clear_colour(&target, *given, array(rects, count));
            Ok(())
        });
    }
}

unsafe extern "C" fn clear_depth_stencil(
    this: *mut c_void,
    view: D3D12_CPU_DESCRIPTOR_HANDLE,
    flags: D3D12_CLEAR_FLAGS,
    depth: f32,
    stencil: u8,
    count: u32,
    rects: *const D3D12_RECT,
) {
    // SAFETY: a list of ours, the program's arguments.
    unsafe {
        Recording::outside_pass(this, |list| {
            list.draws()?;
            let target = list
                .target(view.ptr, RecordKind::DepthStencil)
                .ok_or(Error::Call("ClearDepthStencilView: not a depth target"))?;
            list.clear_depth(&target, flags, depth, stencil, array(rects, count));
            Ok(())
        });
    }
}

#[cfg(test)]
#[allow(clippy::undocumented_unsafe_blocks, reason = "every arm of the union is four words")]
mod tests {
    use super::*;

    #[test]
    fn integer_targets_take_the_nearest_number() {
        let given = [300.7, -4.0, f32::NAN, 1.9];
        let unsigned = colour(vk::Format::R8G8B8A8_UINT, Swizzle::Identity, given);
        assert_eq!(unsafe { unsigned.uint32 }, [255, 0, 0, 1]);
        let signed = colour(vk::Format::R8G8B8A8_SINT, Swizzle::Identity, given);
        assert_eq!(unsafe { signed.int32 }, [127, -4, 0, 1]);
        let ten = colour(vk::Format::A2B10G10R10_UINT_PACK32, Swizzle::Identity, [2000.0, 1.0, 2.0, 9.0]);
        assert_eq!(unsafe { ten.uint32 }, [1023, 1, 2, 3]);
        let wide = colour(vk::Format::R32_SINT, Swizzle::Identity, [3e9, -3e9, 0.0, 0.0]);
        assert_eq!(unsafe { wide.int32 }[..2], [i32::MAX, i32::MIN]);
    }

    #[test]
    fn rectangles_of_a_whole_target_are_told() {
        let size = [8, 4];
        let rect = |left, top, right, bottom| D3D12_RECT { left, top, right, bottom };
        assert!(covers(&rect(0, 0, 8, 4), size) && covers(&rect(-1, i32::MIN, i32::MAX, 5), size));
        let parts = [(1, 0, 8, 4), (0, 1, 8, 4), (0, 0, 7, 4), (0, 0, 8, 3), (0, 0, -1, 4), (8, 4, 0, 0)];
        assert!(parts.into_iter().all(|(l, t, r, b)| !covers(&rect(l, t, r, b), size)));
    }

    #[test]
    fn formats_are_cleared_by_the_numbers_they_store() {
        use vk::Format as F;
        let rows = [
            (F::R8G8_UINT, Numbers::Unsigned(8)),
            (F::R16_SINT, Numbers::Signed(16)),
            (F::R32G32B32A32_UINT, Numbers::Unsigned(32)),
            (F::A2B10G10R10_UINT_PACK32, Numbers::Unsigned(10)),
            (F::R8G8B8A8_SRGB, Numbers::Normal),
            (F::B8G8R8A8_UNORM, Numbers::Normal),
            (F::R16G16_SNORM, Numbers::Normal),
            (F::A2B10G10R10_UNORM_PACK32, Numbers::Normal),
            (F::R5G6B5_UNORM_PACK16, Numbers::Float),
            (F::R32_SFLOAT, Numbers::Float),
            (F::B10G11R11_UFLOAT_PACK32, Numbers::Float),
            (F::D16_UNORM, Numbers::Float),
        ];
        for (format, expected) in rows {
            assert_eq!(numbers(format), expected, "{format:?}");
        }
    }

    #[test]
    fn alpha_is_stored_first_where_it_is_all_there_is() {
        let value = colour(vk::Format::R8_UNORM, Swizzle::Alpha, [0.1, 0.2, 0.3, 0.4]);
        assert_eq!(unsafe { value.float32 }, [0.4, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn what_is_no_number_is_zero_unless_the_format_has_such() {
        let given = [f32::NAN, -2.0, f32::INFINITY, 0.5];
        let value = colour(vk::Format::R8G8B8A8_SNORM, Swizzle::Identity, given);
        assert_eq!(unsafe { value.float32 }, [0.0, -2.0, f32::INFINITY, 0.5]);
        let value = colour(vk::Format::R16G16_SFLOAT, Swizzle::Identity, given);
        assert!(unsafe { value.float32 }[0].is_nan());
    }
}
