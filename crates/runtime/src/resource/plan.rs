//! What image a texture's description becomes.

use ash::vk;
use reprise_d3d12::types::{
    D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION as Dimension, D3D12_RESOURCE_FLAGS as Flags,
    D3D12_TEXTURE_LAYOUT as Layout, DXGI_FORMAT,
};
use reprise_gpu::Device;
use reprise_gpu::format::{Format, caps, is_map};
use reprise_gpu::image::{Plan, SPARSE, Shape};

use crate::resource::{desc, feedback};
use crate::{Error, Result};

/// The image of a complete description, with formats of views beyond its family. `placed`: others may lie at the same bytes.
/// `touched`: the CPU reads or writes texels.
///
/// # Errors
/// The device has no such images.
pub fn plan(
    device: &Device,
    desc: &D3D12_RESOURCE_DESC1,
    casts: &[DXGI_FORMAT],
    placed: bool,
    touched: bool,
) -> Result<Plan> {
    let own = Format::get(desc.Format).ok_or(Error::Invalid("a texture has a format"))?;
    if is_map(desc.Format) {
        return map(device, desc, placed);
    }
    let depth = if desc::has(desc, Flags::ALLOW_DEPTH_STENCIL) { desc::depth_variant(own) } else { None };
    let format = depth.unwrap_or(own);
    let vulkan = caps::vulkan(device, format).ok_or(Error::Invalid("textures of this format are not supported"))?;
    let vulkan = if is_alpha(device, desc, casts) { vk::Format::A8_UNORM_KHR } else { vulkan };
    let aspects = match vulkan {
        vk::Format::D32_SFLOAT_S8_UINT | vk::Format::D24_UNORM_S8_UINT => {
            vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL
        }
        _ => format.aspects,
    };
    let colour = !aspects.intersects(vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL);
    let kind = match desc.Dimension {
        Dimension::TEXTURE1D => vk::ImageType::TYPE_1D,
        Dimension::TEXTURE2D => vk::ImageType::TYPE_2D,
        _ => vk::ImageType::TYPE_3D,
    };
    let (width, layers) = (desc.Width as u32, desc::layers(desc));
    let shape = Shape {
        format: vulkan,
        aspects,
        usage: usage(desc),
        flags: vk::ImageCreateFlags::empty(),
        tiling: vk::ImageTiling::OPTIMAL,
        extent: vk::Extent3D { width, height: desc.Height, depth: desc::depth(desc) },
        levels: desc.MipLevels.min(desc::full_chain(desc)).into(),
        layers,
        samples: vk::SampleCountFlags::from_raw(desc.SampleDesc.Count),
        simultaneous: desc::has(desc, Flags::ALLOW_SIMULTANEOUS_ACCESS),
        outside: false,
    };
    let mut plan = Plan { shape, kind };
    if colour {
        // Views of the family, and of what the program says it casts to; a view's uses are its format's.
        plan.shape.flags |= vk::ImageCreateFlags::MUTABLE_FORMAT | vk::ImageCreateFlags::EXTENDED_USAGE;
    }
    if desc::is_seen_as_texels(own, casts) {
        plan.shape.flags |= vk::ImageCreateFlags::BLOCK_TEXEL_VIEW_COMPATIBLE;
    }
    let one_sample = plan.shape.samples == vk::SampleCountFlags::TYPE_1;
    let stored = plan.shape.usage.contains(vk::ImageUsageFlags::STORAGE);
    if stored && !one_sample && device.caps.features.base.shader_storage_image_multisample == 0 {
        return Err(Error::Unsupported("unordered access to textures of several samples: the device has none"));
    }
    if kind == vk::ImageType::TYPE_2D && layers >= 6 && width == desc.Height && one_sample {
        plan.shape.flags |= vk::ImageCreateFlags::CUBE_COMPATIBLE;
    }
    if kind == vk::ImageType::TYPE_3D && desc::has(desc, Flags::ALLOW_RENDER_TARGET) {
        plan.shape.flags |= vk::ImageCreateFlags::TYPE_2D_ARRAY_COMPATIBLE;
    }
    if placed {
        plan.shape.flags |= vk::ImageCreateFlags::ALIAS;
    }
    let rendered = plan
        .shape
        .usage
        .intersects(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT);
    let shown = device.caps.shows_rendered_rows() || !rendered;
    if touched && one_sample && shown && !device.instance.settings.hidden_texels {
        plan.shape.tiling = vk::ImageTiling::LINEAR;
        if plan.check(device).is_ok() {
            return Ok(plan);
        }
        plan.shape.tiling = vk::ImageTiling::OPTIMAL;
    }
    if desc::is_of_rates(desc) && !touched && device.caps.rates.tile != 0 {
        plan.shape.usage |= vk::ImageUsageFlags::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR;
        if plan.check(device).is_ok() {
            return Ok(plan);
        }
        plan.shape.usage &= !vk::ImageUsageFlags::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR;
    }
    if desc::has(desc, Flags::ALLOW_DEPTH_STENCIL) && device.caps.positions.has(desc.SampleDesc.Count, 1) {
        plan.shape.flags |= vk::ImageCreateFlags::SAMPLE_LOCATIONS_COMPATIBLE_DEPTH_EXT;
    }
    plan.check(device)?;
    Ok(plan)
}

/// Whether a texture of alpha alone is one to Vulkan, too: `R8_UNORM` with its red in the place of alpha shows the border's red there. Targets
/// and textures of tiles stay red, because their pipelines and formats are chosen without the texture.
fn is_alpha(device: &Device, desc: &D3D12_RESOURCE_DESC1, casts: &[DXGI_FORMAT]) -> bool {
    let uses = [Flags::ALLOW_RENDER_TARGET, Flags::ALLOW_UNORDERED_ACCESS];
    let has = || {
        use vk::FormatFeatureFlags as Has;
        let wanted = Has::SAMPLED_IMAGE_FILTER_LINEAR | Has::TRANSFER_SRC | Has::TRANSFER_DST;
        caps::features(device, vk::Format::A8_UNORM_KHR).optimal_tiling_features.contains(wanted)
    };
    desc.Format == DXGI_FORMAT::FORMAT_A8_UNORM
        && casts.is_empty()
        && desc.Layout != Layout::LAYOUT_64KB_UNDEFINED_SWIZZLE
        && !uses.iter().any(|flag| desc::has(desc, *flag))
        && device.caps.features.maintenance5.maintenance5 != 0
        && has()
}

/// The image of a map of sampler feedback. Shaders write it whatever its flags say, as the API's own runtime lets them.
fn map(device: &Device, desc: &D3D12_RESOURCE_DESC1, placed: bool) -> Result<Plan> {
    if !device.caps.has_sampler_feedback() {
        return Err(Error::Invalid("sampler feedback is not supported by this device"));
    }
    let [width, height] = feedback::extent(desc);
    let transfers = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
    let shape = Shape {
        format: vk::Format::R32_UINT,
        aspects: vk::ImageAspectFlags::COLOR,
        usage: transfers | vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::SAMPLED,
        flags: if placed { vk::ImageCreateFlags::ALIAS } else { vk::ImageCreateFlags::empty() },
        tiling: vk::ImageTiling::OPTIMAL,
        extent: vk::Extent3D { width, height, depth: 1 },
        levels: 1,
        layers: desc::layers(desc),
        samples: vk::SampleCountFlags::TYPE_1,
        simultaneous: desc::has(desc, Flags::ALLOW_SIMULTANEOUS_ACCESS),
        outside: false,
    };
    let plan = Plan { shape, kind: vk::ImageType::TYPE_2D };
    plan.check(device)?;
    Ok(plan)
}

/// The image of a reserved texture of a complete description, with formats of views beyond its family.
///
/// # Errors
/// The device has no such images.
pub fn reserved(device: &Device, desc: &D3D12_RESOURCE_DESC1, casts: &[DXGI_FORMAT]) -> Result<Plan> {
    let mut plan = plan(device, desc, casts, false, false)?;
    plan.shape.flags |= SPARSE;
    plan.shape.usage &= !vk::ImageUsageFlags::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR;
    plan.check(device)?;
    Ok(plan)
}

fn usage(desc: &D3D12_RESOURCE_DESC1) -> vk::ImageUsageFlags {
    let mut usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
    let rows = [
        (Flags::ALLOW_RENDER_TARGET, vk::ImageUsageFlags::COLOR_ATTACHMENT),
        (Flags::ALLOW_DEPTH_STENCIL, vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT),
        (Flags::ALLOW_UNORDERED_ACCESS, vk::ImageUsageFlags::STORAGE),
    ];
    for (flag, vulkan) in rows {
        if desc::has(desc, flag) {
            usage |= vulkan;
        }
    }
    // Samples are resolved by a shader where Vulkan cannot.
    if !desc::has(desc, Flags::DENY_SHADER_RESOURCE) || desc.SampleDesc.Count > 1 {
        usage |= vk::ImageUsageFlags::SAMPLED;
    }
    usage
}
