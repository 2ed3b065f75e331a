//! Render targets of graphics pipelines: formats, samples and blending.

use ash::vk;
use reprise_shader::Stage;

use super::formats::{Formats, TARGETS};
use super::{Description, input, state};
use crate::device::Device;
use crate::{Error, Result};
use reprise_d3d12::types::DXGI_FORMAT;
use reprise_gpu::format::{Format, caps};
use reprise_log::warning_once;

/// The API's unit of constant depth bias, which is one step of the depth format, in Vulkan's on a device.
#[derive(Clone, Copy, Debug, Default)]
pub struct BiasUnit {
    /// So many of Vulkan's units.
    pub factor: f32,
    /// So many of Vulkan's units are added to each bias, away from zero, without being asked for.
    pub added: f32,
    /// What Vulkan is told of its units, and whether they are exact: `None` where it takes no such words.
    pub told: Option<(vk::DepthBiasRepresentationEXT, bool)>,
}

impl BiasUnit {
    /// A bias of the API's units in Vulkan's.
    pub fn constant(&self, bias: f32) -> f32 {
        let asked = bias * self.factor;
        if asked.abs() > self.added { asked - self.added.copysign(asked) } else { 0.0 }
    }

    /// For Vulkan; without a meaning where nothing is told.
    pub fn info(&self) -> vk::DepthBiasRepresentationInfoEXT<'static> {
        let (representation, exact) = self.told.unwrap_or_default();
        vk::DepthBiasRepresentationInfoEXT::default().depth_bias_representation(representation).depth_bias_exact(exact)
    }
}

/// What is rendered to.
pub(super) struct Targets {
    /// One per render target.
    pub(super) rows: Vec<Option<&'static Format>>,
    /// Those that the pixel shader writes, one bit each; the others keep what they have.
    pub(super) written: u32,
    /// Vulkan's formats, and samples.
    pub(super) formats: Formats,
    /// The depth format has 24 bits in the API.
    has_24_bits: bool,
}

/// Reads and checks them. A target of a format that the device cannot render to is none: drivers of the API make such pipelines,
/// and what the shaders write elsewhere counts.
///
/// # Errors
/// When a number of a format is none of the API's, a number of samples is none, or blending is refused.
pub(super) fn targets(device: &Device, description: &Description<'_>) -> Result<Targets> {
    let count = description.targets.NumRenderTargets as usize;
    let (mut rows, mut formats) = (Vec::new(), Formats { count: count.min(TARGETS), ..Formats::default() });
    for (dxgi, place) in description.targets.RTFormats.iter().take(count).zip(&mut formats.colours) {
        let found = match dxgi.0 {
            0 => None,
            _ => rendered(device, *dxgi, vk::FormatFeatureFlags::COLOR_ATTACHMENT)?,
        };
        *place = found.map_or(vk::Format::UNDEFINED, |(_, vk)| vk);
        rows.push(found.map(|(row, _)| row));
    }
    if description.targets.RTFormats.iter().skip(count).any(|format| format.0 != 0) {
        return Err(Error::Invalid("a format for a render target beyond their number"));
    }
    let written = description.shader(Stage::Pixel).map_or(Ok(0), input::written_targets)?;
    check_blending(description, &rows, written)?;
    // A format without depth and stencil is the same as none.
    let row = Format::get(description.depth_format).filter(|row| row.has_depth() || row.has_stencil());
    let tested = vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT;
    if let Some((row, vk)) = row.map_or(Ok(None), |row| rendered(device, row.dxgi, tested))? {
        formats.depth = if row.has_depth() { vk } else { formats.depth };
        formats.stencil = if row.has_stencil() { vk } else { formats.stencil };
    }
    formats.samples = samples(device, description, formats.any())?;
    let forces_one = description.rasterizer.ForcedSampleCount == 1 && formats.samples != vk::SampleCountFlags::TYPE_1;
    let positions = &device.caps.positions;
    formats.middle = forces_one && (device.caps.covers_by_pipelines() || positions.has(formats.samples.as_raw(), 1));
    if forces_one && !formats.middle {
        warning_once(
            "a pipeline state covers samples one by one:",
            "it forces one sample, at the middle of a pixel, on targets of several",
        );
    }
    // R24G8_TYPELESS, D24_UNORM_S8_UINT, R24_UNORM_X8_TYPELESS, X24_TYPELESS_G8_UINT.
    let has_24_bits = (44..=47).contains(&description.depth_format.0);
    Ok(Targets { rows, written, formats, has_24_bits })
}

impl Targets {
    /// See [`BiasUnit`].
    pub(super) fn bias_unit(&self, device: &Device) -> BiasUnit {
        let control = &device.caps.features.bias_control;
        let is_unorm = matches!(self.formats.depth, vk::Format::D16_UNORM | vk::Format::D24_UNORM_S8_UINT);
        let told = (control.depth_bias_control != 0).then(|| {
            // Where floats stand in for 24 bits, a step is one of 24 bits still.
            let forced = self.has_24_bits && !is_unorm;
            let representation = match forced && control.least_representable_value_force_unorm_representation != 0 {
                true => vk::DepthBiasRepresentationEXT::LEAST_REPRESENTABLE_VALUE_FORCE_UNORM,
                false => vk::DepthBiasRepresentationEXT::LEAST_REPRESENTABLE_VALUE_FORMAT,
            };
            (representation, control.depth_bias_exact != 0)
        });
        let is_exact = told.is_some_and(|(_, exact)| exact);
        BiasUnit {
            factor: if is_unorm && !is_exact { 1.0 / device.caps.steps_of_bias() } else { 1.0 },
            added: if is_unorm { device.caps.added_bias() } else { 0.0 },
            told,
        }
    }
}

/// The row of a target's format, and Vulkan's; `None` where the device has no such targets.
///
/// # Errors
/// The number is none of the API's.
fn rendered(
    device: &Device,
    format: DXGI_FORMAT,
    wanted: vk::FormatFeatureFlags,
) -> Result<Option<(&'static Format, vk::Format)>> {
    let row = Format::get(format).ok_or(Error::Invalid("a target's format is none of the API's"))?;
    let found = caps::vulkan(device, row).filter(|vk| serves(device, *vk, wanted)).map(|vk| (row, vk));
    if found.is_none() {
        warning_once("a pipeline state renders nowhere", "for a target of a format that the device cannot render to");
    }
    Ok(found)
}

/// The samples of targets. Nothing can be bound that has more than the device's targets can have, so fewer serve.
///
/// # Errors
/// The number is no power of two, or 0 although there are targets.
fn samples(device: &Device, description: &Description<'_>, has_target: bool) -> Result<vk::SampleCountFlags> {
    let forced = description.rasterizer.ForcedSampleCount;
    let samples = match (description.samples.Count, forced) {
        (_, forced) if forced != 0 && !has_target => forced,
        (count, forced) if forced > 1 && forced != count => {
            return Err(Error::Unsupported("a forced sample count other than the targets'"));
        }
        (0, _) if has_target => return Err(Error::Invalid("a pipeline state for targets of no samples")),
        (count, _) => count.max(1),
    };
    if !samples.is_power_of_two() {
        return Err(Error::Invalid("a number of samples that is no power of two"));
    }
    let limits = &device.caps.limits;
    let possible = match has_target {
        true => limits.framebuffer_color_sample_counts & limits.framebuffer_depth_sample_counts,
        false => limits.framebuffer_no_attachments_sample_counts,
    };
    if possible.contains(vk::SampleCountFlags::from_raw(samples)) {
        return Ok(vk::SampleCountFlags::from_raw(samples));
    }
    warning_once("a pipeline state has fewer samples than it asks for:", "the device has no targets of so many");
    let fewer = possible.as_raw() & (samples - 1);
    Ok(vk::SampleCountFlags::from_raw(1 << fewer.max(1).ilog2()))
}

/// Whether textures of a format can be used so on the device.
pub(super) fn serves(device: &Device, format: vk::Format, wanted: vk::FormatFeatureFlags) -> bool {
    caps::features(device, format).optimal_tiling_features.contains(wanted)
}

/// Refuses blending of what the pixel shader writes where the API does: of integers, and of a second target beside two sources for
/// the first. A format that the device does not blend is written without blending ([`super::plan`]).
fn check_blending(description: &Description<'_>, rows: &[Option<&'static Format>], written: u32) -> Result<()> {
    let all = &description.blend.RenderTarget;
    let independent = description.blend.IndependentBlendEnable != 0;
    if independent && state::is_dual_source(&all[0]) && all[1..].iter().any(|other| other.BlendEnable != 0) {
        return Err(Error::Invalid("blending of another target beside blending of two sources"));
    }
    for (at, (row, own)) in rows.iter().zip(all).enumerate() {
        let Some(row) = row.filter(|_| written & 1 << at != 0) else { continue };
        let own = if independent { own } else { &all[0] };
        if own.BlendEnable != 0 && row.is_integer() {
            return Err(Error::Invalid("blending of a target of integers"));
        }
        if at > 0 && state::is_dual_source(&all[0]) {
            return Err(Error::Invalid("a second target beside blending of two sources"));
        }
    }
    Ok(())
}

/// How each target is blended.
///
/// # Errors
/// When a factor or an operation is none of the API's.
pub(super) fn blend_targets(
    description: &Description<'_>,
    targets: &Targets,
) -> Result<Vec<vk::PipelineColorBlendAttachmentState>> {
    let all = &description.blend.RenderTarget;
    let independent = description.blend.IndependentBlendEnable != 0;
    targets
        .rows
        .iter()
        .zip(all)
        .enumerate()
        .map(|(at, (row, own))| {
            // What the shader does not write is undefined in Vulkan, and untouched in the API.
            let row = row.filter(|_| targets.written & 1 << at != 0);
            state::blend_target(if independent { own } else { &all[0] }, row)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_driver_adds_to_a_bias_is_not_asked_for() {
        let unit = BiasUnit { factor: 1.0, added: 0.5, told: None };
        for (bias, asked) in [(0.0, 0.0), (1.0, 0.5), (-1.0, -0.5), (0.25, 0.0), (-3000.0, -2999.5)] {
            assert_eq!(unit.constant(bias), asked, "{bias}");
        }
        let plain = BiasUnit { factor: 0.5, added: 0.0, told: None };
        assert_eq!([3.0, -1.0, 0.0].map(|bias| plain.constant(bias)), [1.5, -0.5, 0.0]);
    }
}
