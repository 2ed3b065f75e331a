//! Pipeline layouts of ray tracing: those of global root signatures, with the static samplers of local ones in a set behind them.
//!
//! Shaders of different global root signatures are one pipeline wherever Vulkan allows it, because a program may name all of them in one table:
//! the API leaves open what such a shader reads, and drivers go on. Vulkan leaves open what becomes of a shader that is no part of the pipeline, up to
//! a GPU that stops.

use std::sync::Arc;

use ash::vk;
use reprise_com::{Object, Ref};
use reprise_dxbc::root_signature::StaticSampler;
use reprise_gpu::descriptor::layout::RAYS;
use reprise_gpu::descriptor::static_samplers::StaticSamplers;
use reprise_gpu::encoder::WORDS;
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
    /// The global root signatures of its shaders, whose arguments lie in the same sets; none for shaders that have none.
    roots: Vec<Ref<RootSignature>>,
    /// Static samplers of local root signatures.
    pub samplers: Option<StaticSamplers>,
    /// The number of their set.
    pub set: u32,
    /// Which they are: those of each local root signature that has some, one after the other.
    locals: Vec<Vec<StaticSampler>>,
}

impl Layout {
    /// Makes a layout for shaders of global root signatures that are [`alike`], with these local ones.
    ///
    /// # Errors
    /// The device binds too few sets, or Vulkan fails.
    pub fn new(
        device: &Object<Device>,
        roots: Vec<Ref<RootSignature>>,
        locals: &[Vec<StaticSampler>],
    ) -> Result<Layout> {
        let root = roots.first();
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
        // As many as any root signature has: Vulkan links parts whose ranges are the same.
        let room = device.caps.push_room().min((WORDS * 4) as u32);
        let push = [vk::PushConstantRange::default().stage_flags(RAYS).size(room)];
        let ranges = if room == 0 { &push[..0] } else { &push[..] };
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(ranges);
        // SAFETY: the structures live until the call returns.
        let made = unsafe { device.vk.create_pipeline_layout(&info, None) };
        let vk = device.check("vkCreatePipelineLayout", made)?;
        let logical = device.logical.clone();
        Ok(Layout { logical, vk, roots, samplers, set, locals: locals.to_vec() })
    }

    /// Whether pipelines of this layout can be parts of one for a global root signature.
    pub fn is_like(&self, root: Option<&RootSignature>) -> bool {
        alike(self.root(), root)
    }

    /// Whether it takes the arguments of a global root signature, or none.
    pub fn takes(&self, root: Option<&RootSignature>) -> bool {
        match root {
            Some(root) => self.roots.iter().any(|known| same(known, root)),
            None => self.roots.is_empty(),
        }
    }

    /// The first of its global root signatures.
    pub fn root(&self) -> Option<&RootSignature> {
        self.roots.first().map(|root| &***root)
    }

    /// Whether the samplers of local root signatures are among this layout's.
    pub fn has(&self, locals: &[Vec<StaticSampler>]) -> bool {
        locals.iter().all(|samplers| self.locals.contains(samplers))
    }

    /// The samplers of local root signatures.
    pub fn locals(&self) -> &[Vec<StaticSampler>] {
        &self.locals
    }

    /// What registers mean to shaders of a global root signature; to those of none, what they mean to its first.
    pub fn interface(&self, device: &Device, root: Option<&RootSignature>) -> Interface {
        match root.or(self.root()) {
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
pub fn same(one: &RootSignature, other: &RootSignature) -> bool {
    core::ptr::eq(one, other) || one.signature == other.signature
}

/// Whether arguments of global root signatures lie in the same sets, so that shaders of both can be one pipeline: the same static samplers, and the
/// others in push constants or in a block.
pub fn alike(one: Option<&RootSignature>, other: Option<&RootSignature>) -> bool {
    let sets = |root: Option<&RootSignature>| {
        root.map_or((Vec::new(), false), |root| (root.signature.samplers.clone(), root.block.is_some()))
    };
    sets(one) == sets(other)
}

impl Drop for Layout {
    fn drop(&mut self) {
        // SAFETY: pipelines and lists hold their layout.
        unsafe { self.logical.vk.destroy_pipeline_layout(self.vk, None) };
    }
}
