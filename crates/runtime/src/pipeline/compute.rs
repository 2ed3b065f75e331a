//! Compute pipelines.

use std::ffi::CString;

use ash::vk;
use reprise_com::Object;
use reprise_shader::{Link, Spirv, Stage};

use super::Description;
use super::shader::{Module, NO_ORIGIN, Origin, translate};
use crate::device::Device;
use crate::root::RootSignature;
use crate::{Error, Result};

/// What Vulkan needs to make a compute pipeline.
pub(super) struct Plan {
    module: Module,
    entry: CString,
    /// Lanes of a wave that the shader asks for.
    wave: Option<u32>,
    flags: vk::PipelineShaderStageCreateFlags,
    /// The descriptor sets that the shader names, one bit each.
    pub(super) sets: u32,
    origin: Option<Origin>,
}

impl core::fmt::Debug for Plan {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Plan").field("wave", &self.wave).field("sets", &self.sets).finish_non_exhaustive()
    }
}

impl Plan {
    /// # Errors
    /// When the shader cannot be translated, or asks for groups or waves that the device does not have.
    pub(super) fn new(device: &Object<Device>, root: &RootSignature, description: &Description<'_>) -> Result<Plan> {
        let blob =
            description.shader(Stage::Compute).ok_or(Error::Invalid("a compute pipeline state without a shader"))?;
        let link = Link::default();
        let spirv = translate(device, blob, Stage::Compute, &root.interface, &link)?;
        Plan::of(device, spirv, Origin::kept(device, root, blob, &link))
    }

    /// The same for another root signature of the same arguments.
    ///
    /// # Errors
    /// When the shader cannot be translated again.
    pub(super) fn again(&self, device: &Device, root: &RootSignature) -> Result<Plan> {
        let origin = self.origin.as_ref().ok_or(NO_ORIGIN)?;
        Plan::of(device, origin.translate(device, Stage::Compute, &root.interface)?, None)
    }

    fn of(device: &Device, spirv: Spirv, origin: Option<Origin>) -> Result<Plan> {
        fits(device, &spirv)?;
        let (wave, flags) = waves(device, &spirv)?;
        let module = Module::new(device, &spirv)?;
        let sets = spirv.facts().sets;
        let entry = CString::new(spirv.entry).map_err(|_| Error::Invalid("an entry point with a zero in its name"))?;
        Ok(Plan { module, entry, wave, flags, sets, origin })
    }

    /// Whether the shader traces rays inline.
    pub(super) fn traces(&self) -> bool {
        self.module.traces
    }

    /// Makes the pipeline.
    ///
    /// # Errors
    /// When Vulkan fails.
    pub(super) fn build(
        &self,
        device: &Device,
        layout: vk::PipelineLayout,
        cache: vk::PipelineCache,
    ) -> Result<vk::Pipeline> {
        let mut stage = vk::PipelineShaderStageCreateInfo::default()
            .flags(self.flags)
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(self.module.module)
            .name(&self.entry);
        let mut size = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default();
        if let Some(wave) = self.wave {
            size = size.required_subgroup_size(wave);
            stage = stage.push_next(&mut size);
        }
        let info = vk::ComputePipelineCreateInfo::default().flags(device.pipeline_flags()).stage(stage).layout(layout);
        // SAFETY: the structures live until the call returns.
        let made = unsafe { device.vk.create_compute_pipelines(cache, &[info], None) };
        let made = device.check("vkCreateComputePipelines", made.map_err(|(_, error)| error))?;
        made.first().copied().ok_or(Error::Fail("Vulkan made no pipeline"))
    }
}

/// Refuses groups that the device does not have.
pub(crate) fn fits(device: &Device, spirv: &Spirv) -> Result<()> {
    let limits = &device.caps.limits;
    let fits = spirv.group.iter().zip(limits.max_compute_work_group_size).all(|(size, most)| *size <= most);
    let threads = spirv.group.iter().fold(1u32, |all, size| all.saturating_mul((*size).max(1)));
    if !fits || threads > limits.max_compute_work_group_invocations {
        return Err(Error::Invalid("a compute shader with larger groups than the device has"));
    }
    Ok(())
}

/// The lanes of a wave that a shader asks for, and how it is told to Vulkan.
pub(crate) fn waves(device: &Device, spirv: &Spirv) -> Result<(Option<u32>, vk::PipelineShaderStageCreateFlags)> {
    let mut flags = vk::PipelineShaderStageCreateFlags::empty();
    let [least, most, _] = spirv.wave;
    if least == 0 {
        if spirv.uses_wave_size {
            flags = vk::PipelineShaderStageCreateFlags::ALLOW_VARYING_SUBGROUP_SIZE;
        }
        return Ok((None, flags));
    }
    let v13 = &device.caps.v13;
    let sizes = [v13.min_subgroup_size, v13.max_subgroup_size];
    let settable = v13.required_subgroup_size_stages.contains(vk::ShaderStageFlags::COMPUTE);
    match lanes(spirv.wave, sizes, settable) {
        Some(wave) => Ok((wave, flags)),
        None => {
            let [smallest, largest] = sizes;
            reprise_log::warning(format_args!(
                "a compute shader is refused: it is for waves of {least} to {} lanes ([WaveSize]), and the device has {smallest} to {largest}",
                most.max(least)
            ));
            Err(Error::Invalid("the device has no waves of the shader's size"))
        }
    }
}

/// The lanes to ask Vulkan for, by a shader's least, greatest and preferred number; none where the device has one size, which fits. `None`
/// where no size fits.
fn lanes([least, most, preferred]: [u32; 3], sizes: [u32; 2], settable: bool) -> Option<Option<u32>> {
    let [smallest, largest] = sizes;
    let possible = |size: &u32| (least..=most.max(least)).contains(size) && (smallest..=largest).contains(size);
    if smallest == largest && possible(&smallest) {
        return Some(None);
    }
    let wanted = [preferred].into_iter().chain((2..8).map(|log| 1 << log)).find(possible);
    wanted.filter(|_| settable).map(Some)
}

#[cfg(test)]
mod tests {
    use super::lanes;

    #[test]
    fn waves_have_a_size_that_shader_and_device_know() {
        // One size: nothing is asked for.
        assert_eq!(lanes([8, 0, 0], [8, 8], false), Some(None));
        assert_eq!(lanes([4, 64, 32], [8, 8], true), Some(None));
        assert_eq!(lanes([32, 0, 0], [8, 8], true), None);
        // Several: the preferred one, or the smallest that fits.
        assert_eq!(lanes([32, 0, 0], [32, 64], true), Some(Some(32)));
        assert_eq!(lanes([16, 64, 64], [32, 64], true), Some(Some(64)));
        assert_eq!(lanes([16, 64, 16], [32, 64], true), Some(Some(32)));
        assert_eq!(lanes([16, 64, 0], [32, 64], false), None, "the size cannot be asked for");
        assert_eq!(lanes([128, 0, 0], [32, 64], true), None);
    }
}
