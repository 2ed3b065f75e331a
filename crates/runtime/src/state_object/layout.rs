//! Pipeline layouts of ray tracing: those of a global root signature, with the static samplers of local ones in a set behind them.

use std::sync::Arc;

use ash::vk;
use reprise_com::{Object, Ref};
use reprise_dxbc::root_signature::StaticSampler;
use reprise_gpu::descriptor::layout::RAYS;
use reprise_gpu::descriptor::static_samplers::StaticSamplers;
use reprise_gpu::logical::Logical;
use reprise_shader::{Interface, Local};

use super::record;
use crate::device::Device;
use crate::root::{RootSignature, sampler_descriptions, set_layouts};
use crate::{Error, Result};

/// A pipeline layout.
#[derive(Debug)]
pub struct Layout {
    logical: Arc<Logical>,
    /// Vulkan's.
    pub vk: vk::PipelineLayout,
    /// The global root signature; `None` for shaders that have none.
    pub root: Option<Ref<RootSignature>>,
    /// Static samplers of local root signatures.
    pub samplers: Option<StaticSamplers>,
    /// The number of their set.
    pub set: u32,
    /// Which they are: those of each local root signature that has some, one after the other.
    locals: Vec<Vec<StaticSampler>>,
}

impl Layout {
    /// Makes a layout for shaders with these local root signatures.
    ///
    /// # Errors
    /// The device binds too few sets, or Vulkan fails.
    pub fn new(
        device: &Object<Device>,
        root: Option<&Ref<RootSignature>>,
        locals: &[Vec<StaticSampler>],
    ) -> Result<Layout> {
        let mut sets = set_layouts(device, root.map(|root| &***root));
        let set = sets.len() as u32;
        let described = locals.iter().flatten().cloned().collect::<Vec<_>>();
        let samplers = match described.is_empty() {
            true => None,
            false => {
                let described = sampler_descriptions(&described)?;
                Some(StaticSamplers::new(&device.logical, &device.bindings, &described)?)
            }
        };
        sets.extend(samplers.as_ref().map(|samplers| samplers.layout));
        if sets.len() > device.caps.limits.max_bound_descriptor_sets as usize {
            let many = "static samplers of local root signatures: the device binds too few descriptor sets";
            return Err(Error::Unsupported(many));
        }
        let words = root.filter(|root| root.block.is_none()).map_or(0, |root| root.push.words);
        let push = [vk::PushConstantRange::default().stage_flags(RAYS).size(words * 4)];
        let ranges = if words == 0 { &push[..0] } else { &push[..] };
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(ranges);
        // SAFETY: the structures live until the call returns.
        let made = unsafe { device.vk.create_pipeline_layout(&info, None) };
        let vk = device.check("vkCreatePipelineLayout", made)?;
        let logical = device.logical.clone();
        Ok(Layout { logical, vk, root: root.cloned(), samplers, set, locals: locals.to_vec() })
    }

    /// Whether pipelines of this layout and of another can be one: the same root arguments and samplers lie in the same places.
    pub fn is_like(&self, root: Option<&RootSignature>, locals: &[Vec<StaticSampler>]) -> bool {
        same(self.root.as_deref().map(|root| &**root), root) && self.has(locals)
    }

    /// Whether the samplers of local root signatures are among this layout's.
    pub fn has(&self, locals: &[Vec<StaticSampler>]) -> bool {
        locals.iter().all(|samplers| self.locals.contains(samplers))
    }

    /// The samplers of local root signatures.
    pub fn locals(&self) -> &[Vec<StaticSampler>] {
        &self.locals
    }

    /// What registers mean to shaders.
    pub fn interface(&self, device: &Device) -> Interface {
        match &self.root {
            Some(root) => root.interface.clone(),
            None => Interface { heaps: crate::root::heaps(&device.bindings), ..Interface::default() },
        }
    }

    /// What the arguments in a record mean to shaders.
    pub fn local(&self, signature: &reprise_dxbc::RootSignature) -> Local {
        let before = self.locals.iter().take_while(|samplers| **samplers != signature.samplers);
        record::local(signature, self.set, before.map(Vec::len).sum::<usize>() as u32)
    }
}

/// Whether two root signatures are the same to shaders.
pub fn same(one: Option<&RootSignature>, other: Option<&RootSignature>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => core::ptr::eq(one, other) || one.signature == other.signature,
        (None, None) => true,
        _ => false,
    }
}

impl Drop for Layout {
    fn drop(&mut self) {
        // SAFETY: pipelines and lists hold their layout.
        unsafe { self.logical.vk.destroy_pipeline_layout(self.vk, None) };
    }
}
