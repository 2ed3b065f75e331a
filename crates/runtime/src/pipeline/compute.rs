//! Compute pipelines.

use std::ffi::CString;

use ash::vk;
use reprise_com::Object;
use reprise_shader::{Link, Stage};

use super::Description;
use super::shader::{Module, translate};
use crate::device::Device;
use crate::root::RootSignature;
use crate::{Error, Result};

/// Makes a compute pipeline; gives the descriptor sets that its shader names, one bit each, besides.
///
/// # Errors
/// When the shader cannot be translated, asks for a wave that the device does not have, or Vulkan fails.
pub(super) fn create(
    device: &Object<Device>,
    root: &RootSignature,
    description: &Description<'_>,
    cache: vk::PipelineCache,
) -> Result<(vk::Pipeline, u32)> {
    let blob = description.shader(Stage::Compute).ok_or(Error::Invalid("a compute pipeline state without a shader"))?;
    let spirv = translate(device, blob, Stage::Compute, &root.interface, &Link::default())?;
    let limits = &device.caps.limits;
    let fits = spirv.group.iter().zip(limits.max_compute_work_group_size).all(|(size, most)| *size <= most);
    let threads = spirv.group.iter().fold(1u32, |all, size| all.saturating_mul((*size).max(1)));
    if !fits || threads > limits.max_compute_work_group_invocations {
        return Err(Error::Invalid("a compute shader with larger groups than the device has"));
    }
    let module = Module::new(device, &spirv)?;
    let entry =
        CString::new(spirv.entry.as_str()).map_err(|_| Error::Invalid("an entry point with a zero in its name"))?;
    let mut stage = vk::PipelineShaderStageCreateInfo::default()
        .stage(vk::ShaderStageFlags::COMPUTE)
        .module(module.module)
        .name(&entry);
    let [least, most, preferred] = spirv.wave;
    let mut size = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default();
    if least != 0 {
        let v13 = &device.caps.v13;
        let possible = |size: u32| {
            let range = least..=most.max(least);
            range.contains(&size) && (v13.min_subgroup_size..=v13.max_subgroup_size).contains(&size)
        };
        let wanted =
            if possible(preferred) { Some(preferred) } else { (2..8).map(|log| 1 << log).find(|at| possible(*at)) };
        let stages = v13.required_subgroup_size_stages.contains(vk::ShaderStageFlags::COMPUTE);
        let wanted = wanted.filter(|_| stages).ok_or(Error::Invalid("the device has no waves of the shader's size"))?;
        size = size.required_subgroup_size(wanted);
        stage = stage.push_next(&mut size);
    } else if spirv.uses_wave_size {
        stage = stage.flags(vk::PipelineShaderStageCreateFlags::ALLOW_VARYING_SUBGROUP_SIZE);
    }
    let info = vk::ComputePipelineCreateInfo::default()
        .flags(device.bindings.descriptors().pipeline_flags())
        .stage(stage)
        .layout(root.compute_layout);
    // SAFETY: the structures live until the call returns.
    let made = unsafe { device.vk.create_compute_pipelines(cache, &[info], None) };
    let made = device.check("vkCreateComputePipelines", made.map_err(|(_, error)| error))?;
    let made = made.first().copied().ok_or(Error::Fail("Vulkan made no pipeline"))?;
    Ok((made, spirv.facts().sets))
}
