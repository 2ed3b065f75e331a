//! Which reserved resources a device can have.

use ash::vk;
use reprise_d3d12::types::D3D12_TILED_RESOURCES_TIER as Tier;
use reprise_gpu::Device;
use reprise_gpu::format::Format;

/// What the device can do: tier 1, where every queue can change mappings, or nothing.
///
/// Tier 2 promises what reads of unmapped tiles give and needs shaders that can ask; it waits for a device to test it on.
pub fn tier(device: &Device) -> Tier {
    let features = &device.caps.features.base;
    let there = [
        features.sparse_binding,
        features.sparse_residency_buffer,
        features.sparse_residency_image2_d,
        features.sparse_residency_aliased,
        device.caps.sparse.residency_standard2_d_block_shape,
        device.families.sparse.into(),
    ];
    if there.into_iter().all(|has| has != 0) { Tier::TIER_1 } else { Tier::TIER_NOT_SUPPORTED }
}

/// Texels of a tile of a texture of two dimensions, where the device cuts textures of the format as the API does.
pub fn shape(device: &Device, format: &Format, vulkan: vk::Format, usage: vk::ImageUsageFlags) -> Option<[u32; 3]> {
    if tier(device) == Tier::TIER_NOT_SUPPORTED || format.planes.len() > 1 {
        return None;
    }
    // SAFETY: plain arguments; the instance lives as long as the device.
    let found = unsafe {
        device.instance.instance.get_physical_device_sparse_image_format_properties(
            device.physical,
            vulkan,
            vk::ImageType::TYPE_2D,
            vk::SampleCountFlags::TYPE_1,
            usage,
            vk::ImageTiling::OPTIMAL,
        )
    };
    let (width, height) = standard(u32::from(format.block_bytes))?;
    let shape = [width * u32::from(format.block_width), height * u32::from(format.block_height), 1];
    let [only] = found.as_slice() else { return None };
    let granularity = only.image_granularity;
    let found = [granularity.width, granularity.height, granularity.depth];
    let in_blocks = device.caps.says_tiles_in_blocks() && found == [width, height, 1];
    (found == shape || in_blocks).then_some(shape)
}

/// Width and height in blocks of the API's tiles, by the bytes of a block.
fn standard(bytes: u32) -> Option<(u32, u32)> {
    Some(match bytes {
        1 => (256, 256),
        2 => (256, 128),
        4 => (128, 128),
        8 => (128, 64),
        16 => (64, 64),
        _ => return None,
    })
}
