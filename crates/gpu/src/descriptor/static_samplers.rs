//! Static samplers: immutable samplers in a descriptor set of their own.

use std::sync::Arc;

use ash::vk;

use crate::descriptor::bindings::Bindings;
use crate::descriptor::sampler::Description;
use crate::descriptor::static_memory::Part;
use crate::error::Result;
use crate::logical::Logical;

/// Static samplers, and the set that holds them: binding `n` is the n-th.
#[derive(Debug)]
pub struct StaticSamplers {
    logical: Arc<Logical>,
    shared: Arc<Bindings>,
    /// The set's layout.
    pub layout: vk::DescriptorSetLayout,
    pool: vk::DescriptorPool,
    /// The set; null where heaps are buffers.
    pub set: vk::DescriptorSet,
    /// The set's bytes where heaps are buffers.
    part: Option<Part>,
}

impl StaticSamplers {
    /// Makes samplers, layout and set.
    ///
    /// # Errors
    /// The device has no such samplers or no room for them, or Vulkan fails.
    pub fn new(logical: &Arc<Logical>, shared: &Arc<Bindings>, descriptions: &[Description]) -> Result<StaticSamplers> {
        let mut made = StaticSamplers {
            logical: logical.clone(),
            shared: shared.clone(),
            layout: vk::DescriptorSetLayout::null(),
            pool: vk::DescriptorPool::null(),
            set: vk::DescriptorSet::null(),
            part: None,
        };
        made.make(descriptions)?;
        Ok(made)
    }

    /// Bytes from the beginning of the static samplers' buffer to the set, where heaps are buffers.
    #[inline]
    pub fn offset(&self) -> u64 {
        self.part.map_or(0, |part| part.offset)
    }

    fn make(&mut self, descriptions: &[Description]) -> Result<()> {
        let (device, shared) = (&self.logical, &self.shared);
        let samplers = descriptions.iter().map(|it| shared.sampler(it)).collect::<Result<Vec<_>>>()?;
        let bindings: Vec<_> = samplers
            .chunks(1)
            .zip(0..)
            .map(|(sampler, at)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(at)
                    .descriptor_type(vk::DescriptorType::SAMPLER)
                    .descriptor_count(1)
                    .stage_flags(device.caps.stages())
                    .immutable_samplers(sampler)
            })
            .collect();
        let flags = shared.descriptors().layout_flags();
        let info = vk::DescriptorSetLayoutCreateInfo::default().flags(flags).bindings(&bindings);
        // SAFETY: the structures live until the call returns.
        let layout = unsafe { device.vk.create_descriptor_set_layout(&info, None) };
        self.layout = device.check("vkCreateDescriptorSetLayout", layout)?;
        if let Some(memory) = shared.static_memory() {
            self.part = Some(memory.put(shared.functions()?, self.layout, &samplers)?);
            return Ok(());
        }
        let sizes =
            [vk::DescriptorPoolSize { ty: vk::DescriptorType::SAMPLER, descriptor_count: samplers.len() as u32 }];
        let pool = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        // SAFETY: the structures live until the calls return; immutable samplers need no writes.
        unsafe {
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
        if let (Some(memory), Some(part)) = (self.shared.static_memory(), self.part) {
            memory.take_back(part);
        }
        // SAFETY: made by this device; no pipeline or list uses them any more. Null handles are passed over.
        unsafe {
            self.logical.vk.destroy_descriptor_pool(self.pool, None);
            self.logical.vk.destroy_descriptor_set_layout(self.layout, None);
        }
    }
}
