//! Render targets of graphics pipelines: formats, samples, and how what is written is blended.

use ash::vk;
use reprise_shader::Stage;

use super::{Description, input, state};
use crate::device::Device;
use crate::{Error, Result};
use reprise_gpu::format::{Format, caps};

/// Render targets.
pub(super) const TARGETS: usize = 8;

/// What is rendered to.
pub(super) struct Targets {
    /// One per render target.
    pub(super) rows: Vec<Option<&'static Format>>,
    /// Those that the pixel shader writes, one bit each; the others keep what they have.
    pub(super) written: u32,
    /// Vulkan's formats; `UNDEFINED` where nothing can be bound.
    pub(super) formats: Vec<vk::Format>,
    /// Of depth; `UNDEFINED` without.
    pub(super) depth: vk::Format,
    /// Of stencil; `UNDEFINED` without.
    pub(super) stencil: vk::Format,
    /// Samples of all targets.
    pub(super) samples: vk::SampleCountFlags,
}

/// Reads and checks them.
///
/// # Errors
/// When a format or a number of samples is none that the device has, or blending is refused.
pub(super) fn targets(device: &Device, description: &Description<'_>) -> Result<Targets> {
    let count = description.targets.NumRenderTargets as usize;
    let (mut rows, mut formats) = (Vec::new(), Vec::new());
    for dxgi in description.targets.RTFormats.iter().take(count) {
        let row = match dxgi.0 {
            0 => None,
            _ => Some(Format::get(*dxgi).ok_or(Error::Invalid("a render target's format is none of the API's"))?),
        };
        let vk = match row {
            Some(row) => caps::vulkan(device, row).ok_or(Error::Unsupported("the format of a render target"))?,
            None => vk::Format::UNDEFINED,
        };
        rows.push(row);
        formats.push(vk);
    }
    if description.targets.RTFormats.iter().skip(count).any(|format| format.0 != 0) {
        return Err(Error::Invalid("a format for a render target beyond their number"));
    }
    let written = description.shader(Stage::Pixel).map_or(Ok(0), input::written_targets)?;
    check_blending(description, &rows, written)?;
    let (mut depth, mut stencil) = (vk::Format::UNDEFINED, vk::Format::UNDEFINED);
    // A format without depth and stencil is the same as none.
    let row = Format::get(description.depth_format).filter(|row| row.has_depth() || row.has_stencil());
    if let Some(row) = row {
        let vk = caps::vulkan(device, row).ok_or(Error::Unsupported("the format of depth and stencil"))?;
        depth = if row.has_depth() { vk } else { depth };
        stencil = if row.has_stencil() { vk } else { stencil };
    }
    let forced = description.rasterizer.ForcedSampleCount;
    let has_target = formats.iter().any(|format| *format != vk::Format::UNDEFINED) || row.is_some();
    let samples = match (description.samples.Count, forced) {
        (_, forced) if forced > 1 && !has_target => forced,
        (count, forced) if forced > 1 && forced != count => {
            return Err(Error::Unsupported("a forced sample count other than the targets'"));
        }
        (0, _) if has_target => return Err(Error::Invalid("a pipeline state for targets of no samples")),
        (count, _) => count.max(1),
    };
    let limits = &device.caps.limits;
    let possible = limits.framebuffer_color_sample_counts & limits.framebuffer_depth_sample_counts;
    let samples = vk::SampleCountFlags::from_raw(samples);
    if samples.as_raw().count_ones() != 1 || !possible.contains(samples) {
        return Err(Error::Invalid("the device has no targets of so many samples"));
    }
    Ok(Targets { rows, written, formats, depth, stencil, samples })
}

/// Refuses blending of what the pixel shader writes where the API does: of integers, and of a second target beside two
/// sources for the first.
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
