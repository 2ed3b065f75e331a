//! Which reserved resources a device can have.

use ash::vk;
use reprise_d3d12::types::D3D12_TILED_RESOURCES_TIER as Tier;
use reprise_gpu::Device;
use reprise_gpu::caps::Caps;
use reprise_gpu::format::Format;

/// What tiers ask of a device.
#[derive(Clone, Copy, Debug)]
struct Abilities {
    /// Every queue maps parts of buffers and of textures of two dimensions, which are cut as the API cuts them.
    maps: bool,
    /// Reads of unmapped tiles give zero, and writes are lost.
    is_strict: bool,
    /// Shaders ask whether what they read was mapped, and clamp levels.
    shaders: bool,
    /// Samplers give the least or greatest of their texels.
    reduces: bool,
    /// Volumes are mapped and cut, too.
    volumes: bool,
}

impl Abilities {
    fn of(caps: &Caps, every_queue: bool) -> Abilities {
        let (features, sparse) = (&caps.features.base, &caps.sparse);
        let all = |flags: &[u32]| flags.iter().all(|flag| *flag != 0);
        Abilities {
            maps: every_queue
                && all(&[
                    features.sparse_binding,
                    features.sparse_residency_buffer,
                    features.sparse_residency_image2_d,
                    features.sparse_residency_aliased,
                    sparse.residency_standard2_d_block_shape,
                ]),
            is_strict: sparse.residency_non_resident_strict != 0,
            shaders: all(&[features.shader_resource_residency, features.shader_resource_min_lod]),
            reduces: caps.features.v12.sampler_filter_minmax != 0,
            volumes: all(&[features.sparse_residency_image3_d, sparse.residency_standard3_d_block_shape]),
        }
    }

    /// The highest tier whose needs, and those of all before it, are met.
    fn tier(self) -> Tier {
        match self {
            Abilities { maps: false, .. } => Tier::TIER_NOT_SUPPORTED,
            Abilities { is_strict: true, shaders: true, reduces: true, volumes, .. } => {
                // Tier 4 adds arrays with packed levels, which Vulkan's images have anyway.
                if volumes { Tier::TIER_4 } else { Tier::TIER_2 }
            }
            _ => Tier::TIER_1,
        }
    }
}

/// What the device can do.
pub fn tier(device: &Device) -> Tier {
    Abilities::of(&device.caps, device.families.sparse).tier()
}

/// Texels of a tile of a texture of two or three dimensions, where the device cuts textures of the format as the API does.
pub fn shape(
    device: &Device,
    format: &Format,
    vulkan: vk::Format,
    kind: vk::ImageType,
    usage: vk::ImageUsageFlags,
) -> Option<[u32; 3]> {
    let volume = kind == vk::ImageType::TYPE_3D;
    let least = if volume { Tier::TIER_3 } else { Tier::TIER_1 };
    if tier(device) < least || format.planes.len() > 1 {
        return None;
    }
    // SAFETY: plain arguments; the instance lives as long as the device.
    let found = unsafe {
        device.instance.instance.get_physical_device_sparse_image_format_properties(
            device.physical,
            vulkan,
            kind,
            vk::SampleCountFlags::TYPE_1,
            usage,
            vk::ImageTiling::OPTIMAL,
        )
    };
    let blocks = standard(u32::from(format.block_bytes), volume)?;
    let [width, height, depth] = blocks;
    let shape = [width * u32::from(format.block_width), height * u32::from(format.block_height), depth];
    let [only] = found.as_slice() else { return None };
    let granularity = only.image_granularity;
    let found = [granularity.width, granularity.height, granularity.depth];
    let in_blocks = device.caps.says_tiles_in_blocks() && found == blocks;
    (found == shape || in_blocks).then_some(shape)
}

/// The API's tiles in blocks, by the bytes of a block: 64 KiB each.
fn standard(bytes: u32, volume: bool) -> Option<[u32; 3]> {
    Some(match (bytes, volume) {
        (1, false) => [256, 256, 1],
        (2, false) => [256, 128, 1],
        (4, false) => [128, 128, 1],
        (8, false) => [128, 64, 1],
        (16, false) => [64, 64, 1],
        (1, true) => [64, 32, 32],
        (2, true) => [32, 32, 32],
        (4, true) => [32, 32, 16],
        (8, true) => [32, 16, 16],
        (16, true) => [16, 16, 16],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The specification's tables: each tier adds to the one before it, and no tier leaves one out.
    #[test]
    fn each_tier_adds_to_the_one_before() {
        let all = Abilities { maps: true, is_strict: true, shaders: true, reduces: true, volumes: true };
        assert_eq!(all.tier(), Tier::TIER_4);
        assert_eq!(Abilities { volumes: false, ..all }.tier(), Tier::TIER_2);
        assert_eq!(Abilities { is_strict: false, ..all }.tier(), Tier::TIER_1);
        assert_eq!(Abilities { shaders: false, ..all }.tier(), Tier::TIER_1);
        assert_eq!(Abilities { reduces: false, ..all }.tier(), Tier::TIER_1);
        assert_eq!(Abilities { maps: false, ..all }.tier(), Tier::TIER_NOT_SUPPORTED);
    }

    #[test]
    fn tiles_have_the_same_bytes() {
        for (bytes, volume) in [1, 2, 4, 8, 16].into_iter().flat_map(|bytes| [(bytes, false), (bytes, true)]) {
            let texels = standard(bytes, volume).map(|shape| shape.iter().product::<u32>());
            assert_eq!(texels, Some((64 << 10) / bytes), "{bytes} bytes, volume: {volume}");
        }
        assert_eq!(standard(12, false), None, "formats of three components");
    }
}
