//! The set of a block of root arguments in memory: a uniform buffer that lists push.

use std::sync::Arc;

use ash::vk;

use crate::descriptor::bindings::Bindings;
use crate::error::{Context, Error, Result};
use crate::logical::Logical;

/// A set with one uniform buffer, at binding 0, whose descriptor lists push.
#[derive(Debug)]
pub struct BlockLayout {
    logical: Arc<Logical>,
    /// The set's layout.
    pub layout: vk::DescriptorSetLayout,
    /// The set's number in the pipeline layout.
    pub set: u32,
}

impl BlockLayout {
    /// Makes the layout.
    ///
    /// # Errors
    /// The device has no push descriptors, or Vulkan fails.
    pub fn new(logical: &Arc<Logical>, shared: &Bindings, set: u32) -> Result<BlockLayout> {
        if logical.ext.push_descriptor.is_none() {
            let missing = "root arguments beyond the device's push constants, without VK_KHR_push_descriptor";
            return Err(Error::Unsupported(missing));
        }
        let binding = [vk::DescriptorSetLayoutBinding::default()
            .binding(0)
            .descriptor_type(vk::DescriptorType::UNIFORM_BUFFER)
            .descriptor_count(1)
            .stage_flags(logical.caps.stages())];
        let info = vk::DescriptorSetLayoutCreateInfo::default()
            .flags(vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR | shared.descriptors().layout_flags())
            .bindings(&binding);
        // SAFETY: the structures live until the call returns.
        let layout = unsafe { logical.vk.create_descriptor_set_layout(&info, None) };
        Ok(BlockLayout { logical: logical.clone(), layout: layout.call("vkCreateDescriptorSetLayout")?, set })
    }
}

impl Drop for BlockLayout {
    fn drop(&mut self) {
        // SAFETY: made by this device; pipeline layouts do not need it any more once they are made.
        unsafe { self.logical.vk.destroy_descriptor_set_layout(self.layout, None) };
    }
}
