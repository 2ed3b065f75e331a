//! Samplers: one Vulkan object per description and device.
//!
//! Invariant: a sampler lives as long as the device, so descriptors hold it without counting. Vulkan devices allow a few
//! thousand; programs describe far fewer.

use std::sync::Arc;

use ash::vk;
use ash::vk::Handle;

use crate::descriptor::known::Known;
use crate::error::{Error, Result};
use crate::logical::Logical;

/// A description of a sampler. Floating-point numbers are kept as bits, so that descriptions compare; what has no effect is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Description {
    /// The filter where texels cover more than a pixel.
    pub magnified: vk::Filter,
    /// The filter where texels cover less than a pixel.
    pub minified: vk::Filter,
    /// The filter between mip levels.
    pub levels: vk::SamplerMipmapMode,
    /// How filtered texels are combined.
    pub reduction: vk::SamplerReductionMode,
    /// Addressing in three directions.
    pub address: [vk::SamplerAddressMode; 3],
    /// Bits of the bias of levels.
    pub bias: u32,
    /// Anisotropy; 0 when the filter has none.
    pub anisotropy: u32,
    /// The comparison; `None` when the filter has none.
    pub comparison: Option<vk::CompareOp>,
    /// Bits of the border colour; zero when no direction asks for one.
    pub border: [u32; 4],
    /// Whether the border's numbers are integers.
    pub integer: bool,
    /// Bits of the least level.
    pub least: u32,
    /// Bits of the greatest level.
    pub greatest: u32,
    /// Whether coordinates count texels.
    pub texels: bool,
}

impl Description {
    /// Takes the nearest texel of the largest level.
    pub(super) const PLAIN: Description = Description {
        magnified: vk::Filter::NEAREST,
        minified: vk::Filter::NEAREST,
        levels: vk::SamplerMipmapMode::NEAREST,
        reduction: vk::SamplerReductionMode::WEIGHTED_AVERAGE,
        address: [vk::SamplerAddressMode::CLAMP_TO_EDGE; 3],
        bias: 0,
        anisotropy: 0,
        comparison: None,
        border: [0; 4],
        integer: false,
        least: 0,
        greatest: 0,
        texels: false,
    };

    /// All of it as words.
    fn key(&self) -> [u64; 6] {
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let [u, v, w] = self.address.map(|mode| mode.as_raw() as u32);
        let [red, green, blue, alpha] = self.border;
        // Each of these numbers has at most three bits; 8 is no comparison.
        let comparison = self.comparison.map_or(8, |comparison| comparison.as_raw() as u32);
        let small = [
            self.magnified.as_raw() as u32,
            self.minified.as_raw() as u32,
            self.levels.as_raw() as u32,
            self.reduction.as_raw() as u32,
            self.integer.into(),
            self.texels.into(),
            comparison,
        ];
        let small = small.iter().fold(0, |word, number| word << 4 | number);
        [
            pair(u, v),
            pair(w, small),
            pair(self.bias, self.anisotropy),
            pair(self.least, self.greatest),
            pair(red, green),
            pair(blue, alpha),
        ]
    }

    fn border_color(&self) -> Option<vk::BorderColor> {
        let (one, zero) = (if self.integer { 1 } else { 1.0f32.to_bits() }, 0u32);
        let black = [zero, zero, zero, one];
        Some(match (self.border, self.integer) {
            ([0, 0, 0, 0], false) => vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
            ([0, 0, 0, 0], true) => vk::BorderColor::INT_TRANSPARENT_BLACK,
            (border, false) if border == black => vk::BorderColor::FLOAT_OPAQUE_BLACK,
            (border, true) if border == black => vk::BorderColor::INT_OPAQUE_BLACK,
            (border, false) if border == [one; 4] => vk::BorderColor::FLOAT_OPAQUE_WHITE,
            (border, true) if border == [one; 4] => vk::BorderColor::INT_OPAQUE_WHITE,
            _ => return None,
        })
    }
}

/// All samplers of a device.
#[derive(Debug)]
pub(crate) struct Samplers {
    logical: Arc<Logical>,
    known: Known<6>,
}

impl Samplers {
    /// No samplers yet.
    pub(crate) fn new(logical: &Arc<Logical>) -> Samplers {
        Samplers { logical: logical.clone(), known: Known::default() }
    }

    /// The sampler of a description.
    pub(crate) fn get(&self, description: &Description) -> Result<vk::Sampler> {
        let make = || make(&self.logical, description).map(Handle::as_raw);
        // SAFETY: made by this device, and nobody has seen it.
        let destroy = |sampler| unsafe { self.logical.vk.destroy_sampler(vk::Sampler::from_raw(sampler), None) };
        self.known.get(description.key(), make, destroy).map(vk::Sampler::from_raw)
    }
}

impl Drop for Samplers {
    fn drop(&mut self) {
        for (_, sampler) in self.known.take() {
            // SAFETY: made by this device; the sets that hold it are gone, or nobody uses them any more.
            unsafe { self.logical.vk.destroy_sampler(vk::Sampler::from_raw(sampler), None) };
        }
    }
}

fn make(device: &Logical, description: &Description) -> Result<vk::Sampler> {
    let caps = &device.caps;
    let anisotropic = description.anisotropy > 1;
    let mut info = vk::SamplerCreateInfo::default()
        .min_filter(description.minified)
        .mag_filter(description.magnified)
        .mipmap_mode(description.levels)
        .address_mode_u(description.address[0])
        .address_mode_v(description.address[1])
        .address_mode_w(description.address[2])
        .mip_lod_bias(
            f32::from_bits(description.bias).clamp(-caps.limits.max_sampler_lod_bias, caps.limits.max_sampler_lod_bias),
        )
        .anisotropy_enable(anisotropic)
        .max_anisotropy(if anisotropic {
            (description.anisotropy as f32).clamp(1.0, caps.limits.max_sampler_anisotropy)
        } else {
            1.0
        })
        .compare_enable(description.comparison.is_some())
        .compare_op(description.comparison.unwrap_or(vk::CompareOp::NEVER))
        .min_lod(f32::from_bits(description.least))
        .max_lod(f32::from_bits(description.greatest).max(f32::from_bits(description.least)));
    if description.texels {
        // Both APIs allow it only without mip levels and comparison, with one filter and with addressing that needs no size.
        let clamped = [vk::SamplerAddressMode::CLAMP_TO_EDGE, vk::SamplerAddressMode::CLAMP_TO_BORDER];
        let addressed = [info.address_mode_u, info.address_mode_v].iter().all(|mode| clamped.contains(mode));
        let plain = info.min_filter == info.mag_filter && !anisotropic && info.compare_enable == vk::FALSE;
        if !plain || !addressed {
            return Err(Error::Invalid("a sampler for coordinates in texels that filters, compares or repeats"));
        }
        info =
            info.unnormalized_coordinates(true).min_lod(0.0).max_lod(0.0).mipmap_mode(vk::SamplerMipmapMode::NEAREST);
    }
    let mut custom = vk::SamplerCustomBorderColorCreateInfoEXT::default();
    match description.border_color() {
        Some(color) => info = info.border_color(color),
        None if caps.features.border_color.custom_border_colors != 0
            && caps.features.border_color.custom_border_color_without_format != 0 =>
        {
            info = info.border_color(if description.integer {
                vk::BorderColor::INT_CUSTOM_EXT
            } else {
                vk::BorderColor::FLOAT_CUSTOM_EXT
            });
            custom.custom_border_color = vk::ClearColorValue { uint32: description.border };
            info = info.push_next(&mut custom);
        }
        None => return Err(Error::Unsupported("border colours other than black and white on this device")),
    }
    let mut reduced = vk::SamplerReductionModeCreateInfo::default();
    if description.reduction != vk::SamplerReductionMode::WEIGHTED_AVERAGE {
        if caps.features.v12.sampler_filter_minmax == 0 {
            return Err(Error::Unsupported("samplers that give the least or greatest texel on this device"));
        }
        reduced = reduced.reduction_mode(description.reduction);
        info = info.push_next(&mut reduced);
    }
    // SAFETY: the structures live until the call returns.
    device.check("vkCreateSampler", unsafe { device.vk.create_sampler(&info, None) })
}
