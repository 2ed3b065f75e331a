//! Pipelines for other targets than the description names, and for other views than the first.
//!
//! Vulkan wants to know formats and samples of targets when it makes a pipeline, and forbids draws to others. The API leaves such
//! draws open, and drivers take the bound target for what it is: a program may leave the depth target's format unknown although it
//! tests, or draw to targets of other samples or formats than the description's. So a pipeline state keeps its plan, and makes
//! one more pipeline for each kind of targets that a list draws to with it. Most pipeline states never do. View instances have pipelines
//! of their own as well.

use std::sync::{Mutex, PoisonError};

use ash::vk;
use reprise_gpu::cache::Cache;

use super::formats::Formats;
use super::plan::Plan;
use super::pulled::Reads;
use crate::Result;
use crate::device::Device;
use crate::root::RootSignature;

/// A pipeline state's other pipelines.
pub(super) struct Variants {
    plan: Plan,
    made: Mutex<Vec<(Formats, usize, vk::Pipeline)>>,
}

impl Variants {
    pub(super) fn new(plan: Plan) -> Variants {
        Variants { plan, made: Mutex::default() }
    }

    /// Those whose shaders read in memory, with another root signature of the same arguments; none is made yet.
    ///
    /// # Errors
    /// When a shader cannot be translated again, or cannot read so.
    pub(super) fn again(&self, device: &Device, root: &RootSignature, reads: Reads) -> Result<Variants> {
        Ok(Variants::new(self.plan.again(device, root, reads)?))
    }

    /// The pipeline for targets and a view.
    ///
    /// # Errors
    /// When Vulkan fails.
    pub(super) fn get(
        &self,
        device: &Device,
        layout: vk::PipelineLayout,
        formats: &Formats,
        view: usize,
    ) -> Result<vk::Pipeline> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., pipeline)) = made.iter().find(|(other, of, _)| (other, *of) == (formats, view)) {
            return Ok(*pipeline);
        }
        let cache = Cache::new(&device.pipelines, &[]);
        let pipeline = self.plan.build(device, layout, cache.handle(), formats, view)?;
        made.push((*formats, view, pipeline));
        Ok(pipeline)
    }

    /// One more of a pipeline, with a cache.
    ///
    /// # Errors
    /// When Vulkan fails.
    pub(super) fn build(
        &self,
        device: &Device,
        layout: vk::PipelineLayout,
        cache: vk::PipelineCache,
        formats: &Formats,
    ) -> Result<vk::Pipeline> {
        self.plan.build(device, layout, cache, formats, 0)
    }

    /// All that were made so far.
    pub(super) fn made(&self) -> Vec<vk::Pipeline> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.iter().map(|(.., pipeline)| *pipeline).collect()
    }

    /// All that were made.
    pub(super) fn take(&mut self) -> Vec<vk::Pipeline> {
        let made = self.made.get_mut().unwrap_or_else(PoisonError::into_inner);
        made.drain(..).map(|(.., pipeline)| pipeline).collect()
    }
}

impl core::fmt::Debug for Variants {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Variants").finish_non_exhaustive()
    }
}
