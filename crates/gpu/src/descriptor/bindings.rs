//! What all descriptor sets of a device share: the layouts, the samplers, and sets that are used again.

use core::ops::Deref;
use std::sync::Arc;

use ash::vk;

use crate::descriptor::checks::Checks;
use crate::descriptor::layout::Layouts;
use crate::descriptor::nulls::Nulls;
use crate::descriptor::plan::Sizes;
use crate::descriptor::sampler::{Description, Samplers};
use crate::descriptor::spare::Spare;
use crate::descriptor::static_memory::StaticMemory;
use crate::descriptor::texels::Texels;
use crate::error::{Error, Result};
use crate::logical::Logical;
use crate::settings::Descriptors;

/// The shared part of all descriptor sets of a device.
#[derive(Debug)]
pub struct Bindings {
    pub(super) spare: Spare,
    layouts: Layouts,
    samplers: Samplers,
    nulls: Option<Nulls>,
    fixed: Option<StaticMemory>,
    texels: Texels,
    checks: Option<Arc<Checks>>,
}

impl Bindings {
    /// Makes the layouts; there are no samplers yet.
    ///
    /// # Errors
    /// Vulkan cannot make the layouts.
    pub(crate) fn new(logical: &Arc<Logical>) -> Result<Bindings> {
        let (spare, samplers) = (Spare::new(logical), Samplers::new(logical));
        let checks = match logical.instance.settings.descriptor_checks {
            Some(before) => Some(Arc::new(Checks::new(logical, before)?)),
            None => None,
        };
        let layouts = Layouts::new(logical, checks.as_ref().map(|checks| checks.layout()))?;
        let (mut nulls, mut fixed) = (None, None);
        if layouts.descriptors() == Descriptors::Buffers {
            nulls = Some(Nulls::new(layouts.functions()?, &Sizes::of(&logical.caps.descriptor_buffer)));
            fixed = Some(StaticMemory::new(&layouts)?);
        }
        Ok(Bindings { spare, layouts, samplers, nulls, fixed, texels: Texels::new(logical), checks })
    }

    /// The sampler of a description; equal descriptions have one.
    ///
    /// # Errors
    /// The device has no such samplers, or no more of them.
    #[inline]
    pub fn sampler(&self, description: &Description) -> Result<vk::Sampler> {
        self.samplers.get(description)
    }

    /// Whether the device has typed buffers of a format, to read or to be `written`. Only the first question about a format asks
    /// the driver.
    #[inline]
    pub fn has_texels(&self, format: vk::Format, written: bool) -> bool {
        self.texels.has(format, written)
    }

    /// What checks of descriptors share; `None` where shaders do not look at descriptors.
    #[inline]
    pub fn checks(&self) -> Option<&Arc<Checks>> {
        self.checks.as_ref()
    }

    /// Memory of static samplers, where heaps are buffers.
    pub(super) fn static_memory(&self) -> Option<&StaticMemory> {
        self.fixed.as_ref()
    }

    /// The buffer of static samplers, where heaps are buffers: its address and usage, as Vulkan binds it.
    #[inline]
    pub fn static_binding(&self) -> Option<(u64, vk::BufferUsageFlags)> {
        self.fixed.as_ref().map(StaticMemory::binding)
    }

    /// The bytes of null, where heaps are buffers.
    pub(super) fn nulls(&self) -> Result<&Nulls> {
        self.nulls.as_ref().ok_or(Error::Failed("descriptors in memory where heaps are sets"))
    }
}

impl Deref for Bindings {
    type Target = Layouts;

    #[inline]
    fn deref(&self) -> &Layouts {
        &self.layouts
    }
}
