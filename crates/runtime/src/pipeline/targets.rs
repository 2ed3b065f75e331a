//! Render targets of graphics pipelines: formats, samples and blending.

use ash::vk;
use reprise_shader::Stage;

use super::formats::{Formats, TARGETS};
use super::{Description, input, state};
use crate::device::Device;
use crate::{Error, Result};
use reprise_gpu::format::{Format, caps};

/// What is rendered to.
pub(super) struct Targets {
    /// One per render target.
    pub(super) rows: Vec<Option<&'static Format>>,
    /// Those that the pixel shader writes, one bit each; the others keep what they have.
    pub(super) written: u32,
    /// Vulkan's formats, and samples.
    pub(super) formats: Formats,
}

/// Reads and checks them.
///
/// # Errors
/// When a format or a number of samples is none that the device has, or blending is refused.
pub(super) fn targets(device: &Device, description: &Description<'_>) -> Result<Targets> {
    let count = description.targets.NumRenderTargets as usize;
    let (mut rows, mut formats) = (Vec::new(), Formats { count: count.min(TARGETS), ..Formats::default() });
    for (dxgi, place) in description.targets.RTFormats.iter().take(count).zip(&mut formats.colours) {
        let row = match dxgi.0 {
            0 => None,
            _ => Some(Format::get(*dxgi).ok_or(Error::Invalid("a render target's format is none of the API's"))?),
        };
        if let Some(row) = row {
            let vk = caps::vulkan(device, row).ok_or(Error::Unsupported("the format of a render target"))?;
            if !serves(device, vk, vk::FormatFeatureFlags::COLOR_ATTACHMENT) {
                return Err(Error::Invalid("the device cannot render to a target of this format"));
            }
            *place = vk;
        }
        rows.push(row);
    }
    if description.targets.RTFormats.iter().skip(count).any(|format| format.0 != 0) {
        return Err(Error::Invalid("a format for a render target beyond their number"));
    }
    let written = description.shader(Stage::Pixel).map_or(Ok(0), input::written_targets)?;
    check_blending(device, description, &rows, written)?;
    // A format without depth and stencil is the same as none.
    let row = Format::get(description.depth_format).filter(|row| row.has_depth() || row.has_stencil());
    if let Some(row) = row {
        let vk = caps::vulkan(device, row).ok_or(Error::Unsupported("the format of depth and stencil"))?;
        if !serves(device, vk, vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT) {
            return Err(Error::Invalid("the device has no depth-stencil targets of this format"));
        }
        formats.depth = if row.has_depth() { vk } else { formats.depth };
        formats.stencil = if row.has_stencil() { vk } else { formats.stencil };
    }
    let forced = description.rasterizer.ForcedSampleCount;
    let has_target = formats.any();
    let samples = match (description.samples.Count, forced) {
        (_, forced) if forced != 0 && !has_target => forced,
        (count, forced) if forced > 1 && forced != count => {
            return Err(Error::Unsupported("a forced sample count other than the targets'"));
        }
        (0, _) if has_target => return Err(Error::Invalid("a pipeline state for targets of no samples")),
        (count, _) => count.max(1),
    };
    let limits = &device.caps.limits;
    let possible = match has_target {
        true => limits.framebuffer_color_sample_counts & limits.framebuffer_depth_sample_counts,
        false => limits.framebuffer_no_attachments_sample_counts,
    };
    let samples = vk::SampleCountFlags::from_raw(samples);
    if samples.as_raw().count_ones() != 1 || !possible.contains(samples) {
        return Err(Error::Invalid("the device has no targets of so many samples"));
    }
    formats.samples = samples;
    Ok(Targets { rows, written, formats })
}

/// Whether textures of a format can be used so on the device.
pub(super) fn serves(device: &Device, format: vk::Format, wanted: vk::FormatFeatureFlags) -> bool {
    caps::features(device, format).optimal_tiling_features.contains(wanted)
}

/// Refuses blending of what the pixel shader writes where the API does: of integers, of formats that the device does not blend,
/// and of a second target beside two sources for the first.
fn check_blending(
    device: &Device,
    description: &Description<'_>,
    rows: &[Option<&'static Format>],
    written: u32,
) -> Result<()> {
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
        let vulkan = caps::vulkan(device, row).filter(|_| own.BlendEnable != 0);
        if vulkan.is_some_and(|vulkan| !serves(device, vulkan, vk::FormatFeatureFlags::COLOR_ATTACHMENT_BLEND)) {
            return Err(Error::Invalid("blending of a target whose format the device does not blend"));
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
