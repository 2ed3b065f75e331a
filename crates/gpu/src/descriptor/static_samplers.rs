//! Static samplers: immutable samplers in a descriptor set of their own.

use std::sync::Arc;

use ash::vk;

use crate::descriptor::bindings::Bindings;
use crate::descriptor::layout::STAGES;
use crate::descriptor::sampler::Description;
use crate::error::{Error, Result};
use crate::logical::Logical;
use crate::settings::Descriptors;

/// Static samplers, and the set that holds them: binding `n` is the n-th. Where heaps are buffers, the layout itself holds the
/// samplers, and there is no set.
#[derive(Debug)]
pub struct StaticSamplers {
    logical: Arc<Logical>,
    /// The set's layout.
    pub layout: vk::DescriptorSetLayout,
    pool: vk::DescriptorPool,
    /// The set; null where the layout holds the samplers.
    pub set: vk::DescriptorSet,
}

impl StaticSamplers {
    /// Makes samplers, layout and set.
    ///
    /// # Errors
    /// The device has no such samplers, or Vulkan fails.
    pub fn new(logical: &Arc<Logical>, shared: &Bindings, descriptions: &[Description]) -> Result<StaticSamplers> {
        let mut made = StaticSamplers {
            logical: logical.clone(),
            layout: vk::DescriptorSetLayout::null(),
            pool: vk::DescriptorPool::null(),
            set: vk::DescriptorSet::null(),
        };
        made.make(shared, descriptions)?;
        Ok(made)
    }

    fn make(&mut self, shared: &Bindings, descriptions: &[Description]) -> Result<()> {
        let device = &self.logical;
        let samplers = descriptions.iter().map(|it| shared.sampler(it)).collect::<Result<Vec<_>>>()?;
        let bindings: Vec<_> = samplers
            .chunks(1)
            .zip(0..)
            .map(|(sampler, at)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(at)
                    .descriptor_type(vk::DescriptorType::SAMPLER)
                    .descriptor_count(1)
                    .stage_flags(STAGES)
                    .immutable_samplers(sampler)
            })
            .collect();
        let embedded = shared.descriptors() == Descriptors::Buffers;
        let mut flags = shared.descriptors().layout_flags();
        if embedded {
            flags |= vk::DescriptorSetLayoutCreateFlags::EMBEDDED_IMMUTABLE_SAMPLERS_EXT;
            if samplers.len() as u64 > device.caps.descriptor_buffer.max_embedded_immutable_samplers.into() {
                return Err(Error::Unsupported("so many static samplers on this device"));
            }
        }
        let info = vk::DescriptorSetLayoutCreateInfo::default().flags(flags).bindings(&bindings);
        let sizes =
            [vk::DescriptorPoolSize { ty: vk::DescriptorType::SAMPLER, descriptor_count: samplers.len() as u32 }];
        let pool = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        // SAFETY: the structures live until the calls return; immutable samplers need no writes.
        unsafe {
            self.layout =
                device.check("vkCreateDescriptorSetLayout", device.vk.create_descriptor_set_layout(&info, None))?;
            if embedded {
                return Ok(());
            }
            self.pool = device.check("vkCreateDescriptorPool", device.vk.create_descriptor_pool(&pool, None))?;
            let layouts = [self.layout];
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.pool).set_layouts(&layouts);
            let sets = device.check("vkAllocateDescriptorSets", device.vk.allocate_descriptor_sets(&info))?;
            self.set = sets.first().copied().unwrap_or_default();
        }
        Ok(())
    }
}

impl Drop for StaticSamplers {
    fn drop(&mut self) {
        // SAFETY: made by this device; no pipeline or list uses them any more. Null handles are passed over.
        unsafe {
            self.logical.vk.destroy_descriptor_pool(self.pool, None);
            self.logical.vk.destroy_descriptor_set_layout(self.layout, None);
        }
    }
}
