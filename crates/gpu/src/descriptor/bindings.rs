//! What all descriptor sets of a device share: the layouts, the samplers, and sets that are used again.

use core::ops::Deref;
use std::sync::Arc;

use ash::vk;

use crate::descriptor::layout::Layouts;
use crate::descriptor::sampler::{Description, Samplers};
use crate::descriptor::spare::Spare;
use crate::error::Result;
use crate::logical::Logical;

/// The shared part of all descriptor sets of a device.
#[derive(Debug)]
pub struct Bindings {
    pub(super) spare: Spare,
    layouts: Layouts,
    samplers: Samplers,
}

impl Bindings {
    /// Makes the layouts; there are no samplers yet.
    ///
    /// # Errors
    /// Vulkan cannot make the layouts.
    pub(crate) fn new(logical: &Arc<Logical>) -> Result<Bindings> {
        let (spare, samplers) = (Spare::new(logical), Samplers::new(logical));
        Ok(Bindings { spare, layouts: Layouts::new(logical)?, samplers })
    }

    /// The sampler of a description; equal descriptions have one.
    ///
    /// # Errors
    /// The device has no such samplers, or no more of them.
    #[inline]
    pub fn sampler(&self, description: &Description) -> Result<vk::Sampler> {
        self.samplers.get(description)
    }
}

impl Deref for Bindings {
    type Target = Layouts;

    #[inline]
    fn deref(&self) -> &Layouts {
        &self.layouts
    }
}
