//! Pipelines for depth targets that the description does not name.
//!
//! A description may test depth or stencil and leave the target's format unknown. Drivers of the API then use the bound target.
//! Vulkan wants the format beforehand, so such a pipeline state keeps its plan, and makes one more pipeline for each format that a
//! list draws to. All other pipeline states have one pipeline.

use std::sync::{Mutex, PoisonError};

use ash::vk;

use super::plan::{Depth, Plan};
use crate::Result;
use crate::device::Device;

/// A pipeline state's pipelines for known depth targets.
pub(super) struct Late {
    plan: Plan,
    made: Mutex<Vec<(Depth, vk::Pipeline)>>,
}

impl Late {
    pub(super) fn new(plan: Plan) -> Late {
        Late { plan, made: Mutex::default() }
    }

    /// The pipeline for a depth target.
    ///
    /// # Errors
    /// When Vulkan fails.
    pub(super) fn get(&self, device: &Device, layout: vk::PipelineLayout, depth: Depth) -> Result<vk::Pipeline> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, pipeline)) = made.iter().find(|(other, _)| *other == depth) {
            return Ok(*pipeline);
        }
        let pipeline = self.plan.build(device, layout, vk::PipelineCache::null(), depth)?;
        made.push((depth, pipeline));
        Ok(pipeline)
    }

    /// All that were made.
    pub(super) fn take(&mut self) -> Vec<vk::Pipeline> {
        let made = self.made.get_mut().unwrap_or_else(PoisonError::into_inner);
        made.drain(..).map(|(_, pipeline)| pipeline).collect()
    }
}

impl core::fmt::Debug for Late {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Late").finish_non_exhaustive()
    }
}
