//! Samplers: one Vulkan object per description and device.
//!
//! Invariant: a sampler lives as long as the device, so descriptors may hold it without counting. Vulkan devices allow a few
//! thousand; programs describe far fewer.

use ash::vk;
use ash::vk::Handle;
use reprise_d3d12::types::{
    D3D12_COMPARISON_FUNC, D3D12_FILTER, D3D12_SAMPLER_DESC, D3D12_SAMPLER_DESC2, D3D12_SAMPLER_FLAGS,
    D3D12_TEXTURE_ADDRESS_MODE,
};

use crate::descriptor::known::Known;
use crate::device::Device;
use crate::{Error, Result};

/// A description, ready to be compared: numbers as bits, and nothing in it that has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Description {
    /// Bits of `D3D12_FILTER`.
    pub filter: u32,
    /// Addressing in three directions.
    pub address: [D3D12_TEXTURE_ADDRESS_MODE; 3],
    /// Bits of the bias.
    pub bias: u32,
    /// Anisotropy, 0 when the filter has none.
    pub anisotropy: u32,
    /// Comparison, `NONE` when the filter has none.
    pub comparison: D3D12_COMPARISON_FUNC,
    /// Bits of the border colour, zero when no direction asks for one.
    pub border: [u32; 4],
    /// Whether the border's numbers are integers.
    pub integer: bool,
    /// Bits of the least level.
    pub least: u32,
    /// Bits of the greatest level.
    pub greatest: u32,
    /// Coordinates in texels.
    pub texels: bool,
}

const COMPARISON: u32 = 1;
const ANISOTROPIC: i32 = 0x40;
const SHADER_INTEGERS: u32 = 1;
const TEXELS: u32 = 2;

impl Description {
    /// From the newest structure.
    pub fn new(desc: &D3D12_SAMPLER_DESC2) -> Description {
        let address = [desc.AddressU, desc.AddressV, desc.AddressW];
        let filter = desc.Filter.0;
        let anisotropic = filter & ANISOTROPIC != 0;
        let compares = reduction(desc.Filter) == COMPARISON;
        // SAFETY: both members are four words.
        let border = unsafe { desc.Anonymous.UintBorderColor };
        Description {
            filter: filter as u32,
            address,
            bias: desc.MipLODBias.to_bits(),
            anisotropy: if anisotropic { desc.MaxAnisotropy } else { 0 },
            comparison: if compares { desc.ComparisonFunc } else { D3D12_COMPARISON_FUNC::NONE },
            border: if address.contains(&D3D12_TEXTURE_ADDRESS_MODE::BORDER) { border } else { [0; 4] },
            integer: desc.Flags.0 & SHADER_INTEGERS != 0,
            least: desc.MinLOD.to_bits(),
            greatest: desc.MaxLOD.to_bits(),
            texels: desc.Flags.0 & TEXELS != 0,
        }
    }

    /// From the older structure.
    pub fn from_older(desc: &D3D12_SAMPLER_DESC) -> Description {
        let mut newer = D3D12_SAMPLER_DESC2 {
            Filter: desc.Filter,
            AddressU: desc.AddressU,
            AddressV: desc.AddressV,
            AddressW: desc.AddressW,
            MipLODBias: desc.MipLODBias,
            MaxAnisotropy: desc.MaxAnisotropy,
            ComparisonFunc: desc.ComparisonFunc,
            MinLOD: desc.MinLOD,
            MaxLOD: desc.MaxLOD,
            Flags: D3D12_SAMPLER_FLAGS(0),
            ..Default::default()
        };
        newer.Anonymous.FloatBorderColor = desc.BorderColor;
        Description::new(&newer)
    }

    /// All of it as words.
    fn key(&self) -> [u64; 7] {
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let [u, v, w] = self.address.map(|mode| mode.0 as u32);
        let [red, green, blue, alpha] = self.border;
        let flags = u32::from(self.integer) | u32::from(self.texels) << 1;
        [
            pair(self.filter, u),
            pair(v, w),
            pair(self.bias, self.anisotropy),
            pair(self.comparison.0 as u32, flags),
            pair(red, green),
            pair(blue, alpha),
            pair(self.least, self.greatest),
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

fn reduction(filter: D3D12_FILTER) -> u32 {
    (filter.0 as u32 >> 7) & 3
}

fn address(mode: D3D12_TEXTURE_ADDRESS_MODE) -> vk::SamplerAddressMode {
    match mode {
        D3D12_TEXTURE_ADDRESS_MODE::MIRROR => vk::SamplerAddressMode::MIRRORED_REPEAT,
        D3D12_TEXTURE_ADDRESS_MODE::CLAMP => vk::SamplerAddressMode::CLAMP_TO_EDGE,
        D3D12_TEXTURE_ADDRESS_MODE::BORDER => vk::SamplerAddressMode::CLAMP_TO_BORDER,
        D3D12_TEXTURE_ADDRESS_MODE::MIRROR_ONCE => vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE,
        _ => vk::SamplerAddressMode::REPEAT,
    }
}

/// The Vulkan comparison of the API's.
pub fn compare(function: D3D12_COMPARISON_FUNC) -> vk::CompareOp {
    // Same order, the API's from 1 on.
    if (1..=8).contains(&function.0) { vk::CompareOp::from_raw(function.0 - 1) } else { vk::CompareOp::NEVER }
}

/// All samplers of a device.
#[derive(Debug, Default)]
pub struct Samplers {
    known: Known<7>,
}

impl Samplers {
    /// The sampler of a description.
    pub fn get(&self, device: &Device, description: &Description) -> Result<vk::Sampler> {
        let make = || make(device, description).map(Handle::as_raw);
        // SAFETY: nobody has seen it.
        let destroy = |sampler| unsafe { device.vk.destroy_sampler(vk::Sampler::from_raw(sampler), None) };
        self.known.get(description.key(), make, destroy).map(vk::Sampler::from_raw)
    }

    /// Destroys all; nothing uses them any more.
    pub fn destroy(&mut self, vk: &ash::Device) {
        for (_, sampler) in self.known.take() {
            // SAFETY: by contract; made by this device.
            unsafe { vk.destroy_sampler(vk::Sampler::from_raw(sampler), None) };
        }
    }
}

fn make(device: &Device, description: &Description) -> Result<vk::Sampler> {
    let caps = &device.caps;
    let filter = |bit: u32| if description.filter & bit != 0 { vk::Filter::LINEAR } else { vk::Filter::NEAREST };
    let anisotropic = description.anisotropy > 1;
    let mut info = vk::SamplerCreateInfo::default()
        .min_filter(filter(0x10))
        .mag_filter(filter(0x4))
        .mipmap_mode(if description.filter & 1 != 0 {
            vk::SamplerMipmapMode::LINEAR
        } else {
            vk::SamplerMipmapMode::NEAREST
        })
        .address_mode_u(address(description.address[0]))
        .address_mode_v(address(description.address[1]))
        .address_mode_w(address(description.address[2]))
        .mip_lod_bias(
            f32::from_bits(description.bias).clamp(-caps.limits.max_sampler_lod_bias, caps.limits.max_sampler_lod_bias),
        )
        .anisotropy_enable(anisotropic)
        .max_anisotropy(if anisotropic {
            (description.anisotropy as f32).clamp(1.0, caps.limits.max_sampler_anisotropy)
        } else {
            1.0
        })
        .compare_enable(description.comparison != D3D12_COMPARISON_FUNC::NONE)
        .compare_op(compare(description.comparison))
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
    let mode = reduction(D3D12_FILTER(description.filter as i32));
    if mode >= 2 {
        if caps.features.v12.sampler_filter_minmax == 0 {
            return Err(Error::Unsupported("samplers that give the least or greatest texel on this device"));
        }
        reduced = reduced.reduction_mode(if mode == 2 {
            vk::SamplerReductionMode::MIN
        } else {
            vk::SamplerReductionMode::MAX
        });
        info = info.push_next(&mut reduced);
    }
    // SAFETY: the structures live until the call returns.
    device.check("vkCreateSampler", unsafe { device.vk.create_sampler(&info, None) })
}
