//! What `CheckFeatureSupport` says about formats: Vulkan's answers in the API's words.

use ash::vk;
use reprise_com::result::{E_FAIL, E_INVALIDARG};
use reprise_d3d12::types::{
    D3D12_FEATURE_DATA_FORMAT_INFO, D3D12_FEATURE_DATA_FORMAT_SUPPORT, D3D12_FEATURE_DATA_MULTISAMPLE_QUALITY_LEVELS,
    D3D12_FORMAT_SUPPORT1 as One, D3D12_FORMAT_SUPPORT2 as Two, D3D12_MULTISAMPLE_QUALITY_LEVEL_FLAGS, DXGI_FORMAT,
};

use crate::device::{Device, tiles};
use reprise_gpu::format::{Encoding, Format, caps, is_map};

type Has = vk::FormatFeatureFlags;

/// Formats of two planes that every device of the API has.
const VIDEO: [DXGI_FORMAT; 2] = [DXGI_FORMAT::FORMAT_NV12, DXGI_FORMAT::FORMAT_P010];

/// `D3D12_FEATURE_FORMAT_SUPPORT`.
pub(super) fn support(device: &Device, out: &mut D3D12_FEATURE_DATA_FORMAT_SUPPORT) -> Result<(), i32> {
    (out.Support1, out.Support2) = (One::NONE, Two::NONE);
    if out.Format == DXGI_FORMAT::FORMAT_UNKNOWN {
        out.Support1 = One::BUFFER;
        return Ok(());
    }
    let format = Format::get(out.Format).ok_or(E_FAIL)?;
    if is_map(out.Format) {
        if !device.caps.has_sampler_feedback() {
            return Err(E_FAIL);
        }
        (out.Support1, out.Support2) = (One(One::TEXTURE2D.0 | One::MIP.0), Two::SAMPLER_FEEDBACK);
        return Ok(());
    }
    let vulkan = match caps::vulkan(device, format) {
        Some(vulkan) => vulkan,
        // Where Vulkan lacks them they have footprints and nothing else.
        None if VIDEO.contains(&out.Format) => return Ok(()),
        None => return Err(E_FAIL),
    };
    if format.is_video() {
        (out.Support1, out.Support2) = video(device, format);
        return Ok(());
    }
    let has = caps::features(device, vulkan);
    let (images, buffers) = (has.optimal_tiling_features, has.buffer_features);
    let (mut one, mut two) = (0, 0);
    let mut when = |condition: bool, bits: &[One]| {
        if condition {
            bits.iter().for_each(|bit| one |= bit.0);
        }
    };
    let typed = format.kind != Encoding::Typeless;
    let integer = format.is_integer();
    let depth = format.has_depth();
    let sampled = images.contains(Has::SAMPLED_IMAGE);
    let drawn = images.contains(Has::COLOR_ATTACHMENT);
    when(typed && buffers.contains(Has::UNIFORM_TEXEL_BUFFER), &[One::BUFFER]);
    when(typed && buffers.contains(Has::VERTEX_BUFFER), &[One::IA_VERTEX_BUFFER]);
    when([DXGI_FORMAT::FORMAT_R16_UINT, DXGI_FORMAT::FORMAT_R32_UINT].contains(&out.Format), &[One::IA_INDEX_BUFFER]);
    when(sampled, &[One::TEXTURE2D, One::TEXTURECUBE, One::MIP, One::CAST_WITHIN_BIT_LAYOUT]);
    when(sampled && !format.is_block_compressed(), &[One::TEXTURE1D]);
    when(sampled && !depth, &[One::TEXTURE3D]);
    let read = sampled && typed && format.kind != Encoding::Depth;
    when(read, &[One::SHADER_LOAD]);
    when(read && images.contains(Has::SAMPLED_IMAGE_FILTER_LINEAR), &[One::SHADER_SAMPLE]);
    when(read && !format.has_stencil(), &[One::SHADER_GATHER]);
    let compared = [DXGI_FORMAT::FORMAT_R16_UNORM, DXGI_FORMAT::FORMAT_R32_FLOAT].contains(&out.Format);
    when(read && compared, &[One::SHADER_SAMPLE_COMPARISON, One::SHADER_GATHER_COMPARISON]);
    when(typed && drawn, &[One::RENDER_TARGET]);
    when(typed && drawn && !integer && images.contains(Has::COLOR_ATTACHMENT_BLEND), &[One::BLENDABLE]);
    let tested = depth && typed && images.contains(Has::DEPTH_STENCIL_ATTACHMENT);
    when(tested, &[One::DEPTH_STENCIL]);
    let many = samples(device, format, vulkan).intersects(!vk::SampleCountFlags::TYPE_1);
    when(many && typed && (drawn || tested), &[One::MULTISAMPLE_RENDERTARGET, One::MULTISAMPLE_LOAD]);
    // A view of stencil has the samples of its resource, although nothing is drawn through it.
    when(many && read && format.has_stencil(), &[One::MULTISAMPLE_LOAD]);
    when(many && typed && drawn && !integer, &[One::MULTISAMPLE_RESOLVE]);
    let displayed = [
        DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
        DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM_SRGB,
        DXGI_FORMAT::FORMAT_B8G8R8A8_UNORM,
        DXGI_FORMAT::FORMAT_B8G8R8A8_UNORM_SRGB,
        DXGI_FORMAT::FORMAT_R10G10B10A2_UNORM,
        DXGI_FORMAT::FORMAT_R16G16B16A16_FLOAT,
    ];
    when(drawn && displayed.contains(&out.Format), &[One::DISPLAY]);
    let stored = typed && images.contains(Has::STORAGE_IMAGE) && buffers.contains(Has::STORAGE_TEXEL_BUFFER);
    when(stored, &[One::TYPED_UNORDERED_ACCESS_VIEW]);
    if stored {
        two |= Two::UAV_TYPED_STORE.0;
        // 32-bit formats of one component load on every device, others where the shader need not name them.
        let always = [DXGI_FORMAT::FORMAT_R32_UINT, DXGI_FORMAT::FORMAT_R32_SINT, DXGI_FORMAT::FORMAT_R32_FLOAT]
            .contains(&out.Format);
        if always || device.caps.features.base.shader_storage_image_read_without_format != 0 {
            two |= Two::UAV_TYPED_LOAD.0;
        }
    }
    if stored && images.contains(Has::STORAGE_IMAGE_ATOMIC) && buffers.contains(Has::STORAGE_TEXEL_BUFFER_ATOMIC) {
        let always = [
            Two::UAV_ATOMIC_ADD,
            Two::UAV_ATOMIC_BITWISE_OPS,
            Two::UAV_ATOMIC_COMPARE_STORE_OR_COMPARE_EXCHANGE,
            Two::UAV_ATOMIC_EXCHANGE,
        ];
        two |= match format.kind {
            Encoding::Uint => always.iter().fold(Two::UAV_ATOMIC_UNSIGNED_MIN_OR_MAX.0, |bits, bit| bits | bit.0),
            Encoding::Sint => always.iter().fold(Two::UAV_ATOMIC_SIGNED_MIN_OR_MAX.0, |bits, bit| bits | bit.0),
            Encoding::Float => Two::UAV_ATOMIC_EXCHANGE.0,
            _ => 0,
        };
    }
    if drawn && integer && device.caps.features.base.logic_op != 0 {
        two |= Two::OUTPUT_MERGER_LOGIC_OP.0;
    }
    if sampled && tiles::shape(device, format, vulkan, vk::ImageType::TYPE_2D, vk::ImageUsageFlags::SAMPLED).is_some() {
        two |= Two::TILED.0;
    }
    (out.Support1, out.Support2) = (One(one), Two(two));
    Ok(())
}

/// What views of both planes of a format can do.
fn video(device: &Device, format: &Format) -> (One, Two) {
    let planes = format.planes.iter().filter_map(|plane| {
        // A plane's footprint is typeless; the views are what it may be cast to.
        let view = Format::get(plane.footprint)?.relatives().find(|other| other.kind == Encoding::Unorm)?;
        Some(caps::features(device, view.vk).optimal_tiling_features)
    });
    let mut images = planes.reduce(|a, b| a & b).unwrap_or_default();
    if !caps::draws_to_planes(device, format.vk) {
        images &= !(Has::COLOR_ATTACHMENT | Has::COLOR_ATTACHMENT_BLEND);
    }
    let rows: [(bool, &[One]); 5] = [
        (images.contains(Has::SAMPLED_IMAGE), &[One::TEXTURE2D, One::SHADER_LOAD, One::SHADER_GATHER]),
        (images.contains(Has::SAMPLED_IMAGE_FILTER_LINEAR), &[One::SHADER_SAMPLE]),
        (images.contains(Has::COLOR_ATTACHMENT), &[One::RENDER_TARGET]),
        (images.contains(Has::COLOR_ATTACHMENT_BLEND), &[One::BLENDABLE]),
        (images.contains(Has::STORAGE_IMAGE), &[One::TYPED_UNORDERED_ACCESS_VIEW]),
    ];
    let one = rows.iter().filter(|row| row.0).flat_map(|row| row.1).fold(0, |bits, bit| bits | bit.0);
    let mut two = 0;
    if images.contains(Has::STORAGE_IMAGE) {
        two |= Two::UAV_TYPED_STORE.0;
        if device.caps.features.base.shader_storage_image_read_without_format != 0 {
            two |= Two::UAV_TYPED_LOAD.0;
        }
    }
    (One(one), Two(two))
}

/// Sample counts of attachments of a format.
fn samples(device: &Device, format: &Format, vulkan: vk::Format) -> vk::SampleCountFlags {
    let usage = if format.has_depth() || format.has_stencil() {
        vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
    } else {
        vk::ImageUsageFlags::COLOR_ATTACHMENT
    };
    // SAFETY: the instance and the adapter live as long as the device.
    let found = unsafe {
        device.instance.instance.get_physical_device_image_format_properties(
            device.physical,
            vulkan,
            vk::ImageType::TYPE_2D,
            vk::ImageTiling::OPTIMAL,
            usage | vk::ImageUsageFlags::SAMPLED,
            vk::ImageCreateFlags::empty(),
        )
    };
    found.map_or(vk::SampleCountFlags::empty(), |properties| properties.sample_counts)
}

/// `D3D12_FEATURE_MULTISAMPLE_QUALITY_LEVELS`: one level where the count is possible.
pub(super) fn quality_levels(
    device: &Device,
    out: &mut D3D12_FEATURE_DATA_MULTISAMPLE_QUALITY_LEVELS,
) -> Result<(), i32> {
    out.NumQualityLevels = 0;
    if out.SampleCount == 0 {
        return Err(E_FAIL);
    }
    if out.SampleCount == 1 {
        out.NumQualityLevels = 1;
        return Ok(());
    }
    // What is no format has no levels; tiled multisampled textures there are none.
    let format = Format::get(out.Format);
    if out.SampleCount.is_power_of_two() && out.Flags == D3D12_MULTISAMPLE_QUALITY_LEVEL_FLAGS::NONE {
        let wanted = vk::SampleCountFlags::from_raw(out.SampleCount);
        let possible = format.is_some_and(|format| {
            caps::vulkan(device, format).is_some_and(|vk| samples(device, format, vk).contains(wanted))
        });
        out.NumQualityLevels = possible.into();
    }
    Ok(())
}

/// `D3D12_FEATURE_FORMAT_INFO`.
pub(super) fn info(out: &mut D3D12_FEATURE_DATA_FORMAT_INFO) -> Result<(), i32> {
    out.PlaneCount = match Format::get(out.Format) {
        // A number of the API that no device has had.
        _ if out.Format == DXGI_FORMAT::FORMAT_R1_UNORM => return Err(E_INVALIDARG),
        Some(format) => format.planes.len() as u8,
        // Buffers.
        None if out.Format == DXGI_FORMAT::FORMAT_UNKNOWN => 1,
        None => return Err(E_INVALIDARG),
    };
    Ok(())
}
