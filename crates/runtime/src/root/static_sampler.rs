//! Static samplers: immutable samplers in a descriptor set of their root signature.

use ash::vk;
use reprise_dxbc::root_signature::StaticSampler;

use crate::device::Device;
use crate::{Error, Result};

/// The samplers of a root signature, and the set that holds them: binding `n` is the n-th.
#[derive(Debug, Default)]
pub struct StaticSamplers {
    samplers: Vec<vk::Sampler>,
    /// The set's layout.
    pub layout: vk::DescriptorSetLayout,
    pool: vk::DescriptorPool,
    /// The set; bind it whenever a pipeline with this root signature is used.
    pub set: vk::DescriptorSet,
}

impl StaticSamplers {
    /// Makes samplers, layout and set.
    ///
    /// # Errors
    /// When a description is none of the API's, or Vulkan fails.
    pub fn new(device: &Device, descriptions: &[StaticSampler]) -> Result<StaticSamplers> {
        let mut made = StaticSamplers::default();
        match made.make(device, descriptions) {
            Ok(()) => Ok(made),
            Err(error) => {
                made.destroy(&device.vk);
                Err(error)
            }
        }
    }

    fn make(&mut self, device: &Device, descriptions: &[StaticSampler]) -> Result<()> {
        for description in descriptions {
            let info = sampler_info(device, description)?;
            // SAFETY: the structure holds no pointers but those that live until the call returns.
            let sampler = device.check("vkCreateSampler", unsafe { create(device, &info, description) })?;
            self.samplers.push(sampler);
        }
        let bindings: Vec<_> = self
            .samplers
            .chunks(1)
            .zip(0..)
            .map(|(sampler, at)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(at)
                    .descriptor_type(vk::DescriptorType::SAMPLER)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::ALL)
                    .immutable_samplers(sampler)
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let sizes =
            [vk::DescriptorPoolSize { ty: vk::DescriptorType::SAMPLER, descriptor_count: self.samplers.len() as u32 }];
        let pool = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        // SAFETY: the structures live until the calls return; immutable samplers need no writes.
        unsafe {
            self.layout =
                device.check("vkCreateDescriptorSetLayout", device.vk.create_descriptor_set_layout(&info, None))?;
            self.pool = device.check("vkCreateDescriptorPool", device.vk.create_descriptor_pool(&pool, None))?;
            let layouts = [self.layout];
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.pool).set_layouts(&layouts);
            let sets = device.check("vkAllocateDescriptorSets", device.vk.allocate_descriptor_sets(&info))?;
            self.set = sets.first().copied().unwrap_or_default();
        }
        Ok(())
    }

    /// Destroys everything; no pipeline or list uses it any more.
    pub fn destroy(&mut self, vk: &ash::Device) {
        // SAFETY: by contract; null handles are allowed.
        unsafe {
            vk.destroy_descriptor_pool(self.pool, None);
            vk.destroy_descriptor_set_layout(self.layout, None);
            self.samplers.drain(..).for_each(|sampler| vk.destroy_sampler(sampler, None));
        }
    }
}

/// Fields of `D3D12_FILTER`: linear filters for levels, magnification and minification, anisotropy, reduction.
const MIP_LINEAR: u32 = 1;
const MAG_LINEAR: u32 = 1 << 2;
const MIN_LINEAR: u32 = 1 << 4;
const ANISOTROPIC: u32 = 1 << 6;
/// Two bits: standard, comparison, minimum, maximum.
const REDUCTION_SHIFT: u32 = 7;

fn sampler_info(device: &Device, description: &StaticSampler) -> Result<vk::SamplerCreateInfo<'static>> {
    let filter = |bit: u32| match description.filter & bit {
        0 => vk::Filter::NEAREST,
        _ => vk::Filter::LINEAR,
    };
    let mipmap = match description.filter & MIP_LINEAR {
        0 => vk::SamplerMipmapMode::NEAREST,
        _ => vk::SamplerMipmapMode::LINEAR,
    };
    let compares = description.filter >> REDUCTION_SHIFT & 3 == 1;
    let limits = &device.caps.limits;
    let bias = f32::from_bits(description.mip_lod_bias);
    let anisotropic = description.filter & ANISOTROPIC != 0 && description.max_anisotropy > 1;
    Ok(vk::SamplerCreateInfo::default()
        .mag_filter(filter(MAG_LINEAR))
        .min_filter(filter(MIN_LINEAR))
        .mipmap_mode(mipmap)
        .address_mode_u(address_mode(description.address_u)?)
        .address_mode_v(address_mode(description.address_v)?)
        .address_mode_w(address_mode(description.address_w)?)
        .mip_lod_bias(bias.clamp(-limits.max_sampler_lod_bias, limits.max_sampler_lod_bias))
        .anisotropy_enable(anisotropic)
        .max_anisotropy((description.max_anisotropy as f32).clamp(1.0, limits.max_sampler_anisotropy))
        .compare_enable(compares)
        .compare_op(if compares { compare(description.comparison)? } else { vk::CompareOp::NEVER })
        .min_lod(f32::from_bits(description.min_lod))
        .max_lod(f32::from_bits(description.max_lod).max(f32::from_bits(description.min_lod)))
        .border_color(border(description.border_color)?))
}

/// # Safety
/// `info` is valid.
unsafe fn create(
    device: &Device,
    info: &vk::SamplerCreateInfo<'_>,
    description: &StaticSampler,
) -> core::result::Result<vk::Sampler, vk::Result> {
    let mode = match description.filter >> REDUCTION_SHIFT & 3 {
        2 => vk::SamplerReductionMode::MIN,
        3 => vk::SamplerReductionMode::MAX,
        _ => vk::SamplerReductionMode::WEIGHTED_AVERAGE,
    };
    let mut reduction = vk::SamplerReductionModeCreateInfo::default().reduction_mode(mode);
    let mut info = *info;
    if mode != vk::SamplerReductionMode::WEIGHTED_AVERAGE {
        if device.caps.features.v12.sampler_filter_minmax == 0 {
            return Err(vk::Result::ERROR_FEATURE_NOT_PRESENT);
        }
        info = info.push_next(&mut reduction);
    }
    // SAFETY: by contract.
    unsafe { device.vk.create_sampler(&info, None) }
}

fn address_mode(mode: u32) -> Result<vk::SamplerAddressMode> {
    Ok(match mode {
        1 => vk::SamplerAddressMode::REPEAT,
        2 => vk::SamplerAddressMode::MIRRORED_REPEAT,
        3 => vk::SamplerAddressMode::CLAMP_TO_EDGE,
        4 => vk::SamplerAddressMode::CLAMP_TO_BORDER,
        5 => vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE,
        _ => return Err(Error::Invalid("a static sampler's address mode is none of the API's")),
    })
}

/// Vulkan's comparison for `D3D12_COMPARISON_FUNC`.
fn compare(function: u32) -> Result<vk::CompareOp> {
    match function {
        1..=8 => Ok(vk::CompareOp::from_raw(function as i32 - 1)),
        _ => Err(Error::Invalid("a comparison function is none of the API's")),
    }
}

fn border(color: u32) -> Result<vk::BorderColor> {
    Ok(match color {
        0 => vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
        1 => vk::BorderColor::FLOAT_OPAQUE_BLACK,
        2 => vk::BorderColor::FLOAT_OPAQUE_WHITE,
        3 => vk::BorderColor::INT_OPAQUE_BLACK,
        4 => vk::BorderColor::INT_OPAQUE_WHITE,
        _ => return Err(Error::Invalid("a static sampler's border colour is none of the API's")),
    })
}
