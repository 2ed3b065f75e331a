//! Static samplers: immutable samplers in a descriptor set of their root signature.

use ash::vk;
use reprise_d3d12::types::{
    D3D12_COMPARISON_FUNC, D3D12_FILTER, D3D12_SAMPLER_DESC2, D3D12_SAMPLER_FLAGS, D3D12_TEXTURE_ADDRESS_MODE,
};
use reprise_dxbc::root_signature::StaticSampler;

use crate::descriptor::sampler::Description;
use crate::device::Device;
use crate::{Error, Result};

/// The samplers of a root signature, and the set that holds them: binding `n` is the n-th.
#[derive(Debug, Default)]
pub struct StaticSamplers {
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
        let mut samplers = Vec::with_capacity(descriptions.len());
        for description in descriptions {
            samplers.push(device.bindings.cache.get(device, &self::description(description)?)?);
        }
        let bindings: Vec<_> = samplers
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
            [vk::DescriptorPoolSize { ty: vk::DescriptorType::SAMPLER, descriptor_count: samplers.len() as u32 }];
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

    /// Destroys layout and set; no pipeline or list uses it any more.
    pub fn destroy(&mut self, vk: &ash::Device) {
        // SAFETY: by contract; null handles are allowed.
        unsafe {
            vk.destroy_descriptor_pool(self.pool, None);
            vk.destroy_descriptor_set_layout(self.layout, None);
        }
    }
}

/// What a static sampler is among samplers.
fn description(sampler: &StaticSampler) -> Result<Description> {
    const BORDER: u32 = D3D12_TEXTURE_ADDRESS_MODE::BORDER.0 as u32;
    let address = [sampler.address_u, sampler.address_v, sampler.address_w];
    if !address.iter().all(|mode| (1..=5).contains(mode)) {
        return Err(Error::Invalid("a static sampler's address mode is none of the API's"));
    }
    if !(0..=8).contains(&sampler.comparison) {
        return Err(Error::Invalid("a static sampler's comparison function is none of the API's"));
    }
    let one = 1.0f32.to_bits();
    // Black that lets through, black, white; then the latter two as integers.
    let (border, integer) = match sampler.border_color {
        0 => ([0; 4], false),
        1 => ([0, 0, 0, one], false),
        2 => ([one; 4], false),
        3 => ([0, 0, 0, 1], true),
        4 => ([1; 4], true),
        _ => return Err(Error::Invalid("a static sampler's border colour is none of the API's")),
    };
    let mut desc = D3D12_SAMPLER_DESC2 {
        Filter: D3D12_FILTER(sampler.filter as i32),
        AddressU: D3D12_TEXTURE_ADDRESS_MODE(address[0] as i32),
        AddressV: D3D12_TEXTURE_ADDRESS_MODE(address[1] as i32),
        AddressW: D3D12_TEXTURE_ADDRESS_MODE(address[2] as i32),
        MipLODBias: f32::from_bits(sampler.mip_lod_bias),
        MaxAnisotropy: sampler.max_anisotropy,
        ComparisonFunc: D3D12_COMPARISON_FUNC(sampler.comparison as i32),
        MinLOD: f32::from_bits(sampler.min_lod),
        MaxLOD: f32::from_bits(sampler.max_lod),
        Flags: D3D12_SAMPLER_FLAGS(sampler.flags),
        ..Default::default()
    };
    desc.Anonymous.UintBorderColor = border;
    Ok(Description { integer: integer && address.contains(&BORDER), ..Description::new(&desc) })
}
