//! What image a texture's description becomes.

use ash::vk;
use reprise_d3d12::types::{
    D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION as Dimension, D3D12_RESOURCE_FLAGS as Flags, DXGI_FORMAT,
};

use crate::error::Context;
use crate::format::{Format, caps};
use crate::resource::{desc, image, reserved};
use crate::{Device, Error, Result};

/// An image to be.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Vulkan's format.
    pub format: vk::Format,
    /// All aspects.
    pub aspects: vk::ImageAspectFlags,
    /// Uses.
    pub usage: vk::ImageUsageFlags,
    /// Creation flags.
    pub flags: vk::ImageCreateFlags,
    /// Linear for textures that the CPU touches, where the device can.
    pub tiling: vk::ImageTiling,
    /// Dimensions.
    pub kind: vk::ImageType,
    /// Size of mip 0.
    pub extent: vk::Extent3D,
    /// Mip levels; the description may say more than there are.
    pub levels: u32,
    /// Array layers.
    pub layers: u32,
    /// Samples of a texel.
    pub samples: vk::SampleCountFlags,
    families: Vec<u32>,
}

/// Where an image lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Bytes.
    pub size: u64,
    /// Alignment of the place in the memory.
    pub alignment: u64,
    /// Memory types, one bit each.
    pub types: u32,
    /// Whether Vulkan insists that the image is alone in its memory.
    pub alone: bool,
}

impl Plan {
    /// For a complete description, and formats of views beyond its family. `placed`: others may lie at the same bytes.
    /// `touched`: the CPU reads or writes texels.
    pub fn new(
        device: &Device,
        desc: &D3D12_RESOURCE_DESC1,
        casts: &[DXGI_FORMAT],
        placed: bool,
        touched: bool,
    ) -> Result<Plan> {
        let own = Format::get(desc.Format).ok_or(Error::Invalid("a texture has a format"))?;
        let depth = if desc::has(desc, Flags::ALLOW_DEPTH_STENCIL) { desc::depth_variant(own) } else { None };
        let format = depth.unwrap_or(own);
        let vulkan = caps::vulkan(device, format).ok_or(Error::Invalid("textures of this format are not supported"))?;
        let aspects = match vulkan {
            vk::Format::D32_SFLOAT_S8_UINT | vk::Format::D24_UNORM_S8_UINT => {
                vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL
            }
            _ => format.aspects,
        };
        let colour = aspects == vk::ImageAspectFlags::COLOR;
        let kind = match desc.Dimension {
            Dimension::TEXTURE1D => vk::ImageType::TYPE_1D,
            Dimension::TEXTURE2D => vk::ImageType::TYPE_2D,
            _ => vk::ImageType::TYPE_3D,
        };
        let (width, layers) = (desc.Width as u32, desc::layers(desc));
        let mut plan = Plan {
            format: vulkan,
            aspects,
            usage: usage(desc),
            flags: vk::ImageCreateFlags::empty(),
            tiling: vk::ImageTiling::OPTIMAL,
            kind,
            extent: vk::Extent3D { width, height: desc.Height, depth: desc::depth(desc) },
            levels: desc.MipLevels.min(desc::full_chain(desc)).into(),
            layers,
            samples: vk::SampleCountFlags::from_raw(desc.SampleDesc.Count),
            families: device.families.distinct(),
        };
        if colour {
            // Views of the family, and of what the program says it casts to; a view's uses are its format's.
            plan.flags |= vk::ImageCreateFlags::MUTABLE_FORMAT | vk::ImageCreateFlags::EXTENDED_USAGE;
        }
        if desc::is_seen_as_texels(own, casts) {
            plan.flags |= vk::ImageCreateFlags::BLOCK_TEXEL_VIEW_COMPATIBLE;
        }
        let one_sample = plan.samples == vk::SampleCountFlags::TYPE_1;
        if kind == vk::ImageType::TYPE_2D && layers >= 6 && width == desc.Height && one_sample {
            plan.flags |= vk::ImageCreateFlags::CUBE_COMPATIBLE;
        }
        if kind == vk::ImageType::TYPE_3D && desc::has(desc, Flags::ALLOW_RENDER_TARGET) {
            plan.flags |= vk::ImageCreateFlags::TYPE_2D_ARRAY_COMPATIBLE;
        }
        if placed {
            plan.flags |= vk::ImageCreateFlags::ALIAS;
        }
        if touched && one_sample {
            plan.tiling = vk::ImageTiling::LINEAR;
            if plan.check(device).is_ok() {
                return Ok(plan);
            }
            plan.tiling = vk::ImageTiling::OPTIMAL;
        }
        plan.check(device)?;
        Ok(plan)
    }

    /// For a reserved texture of a complete description, and formats of views beyond its family.
    pub fn reserved(device: &Device, desc: &D3D12_RESOURCE_DESC1, casts: &[DXGI_FORMAT]) -> Result<Plan> {
        let mut plan = Plan::new(device, desc, casts, false, false)?;
        plan.flags |= reserved::IMAGE_FLAGS;
        plan.check(device)?;
        Ok(plan)
    }

    /// Whether the device has such images.
    fn check(&self, device: &Device) -> Result<()> {
        let features = caps::features(device, self.format);
        let features = match self.tiling {
            vk::ImageTiling::LINEAR => features.linear_tiling_features,
            _ => features.optimal_tiling_features,
        };
        if features.is_empty() {
            return Err(Error::Invalid("the device has no textures of this format"));
        }
        // SAFETY: plain arguments; the instance lives as long as the device.
        let limits = unsafe {
            device.instance.instance.get_physical_device_image_format_properties(
                device.physical,
                self.format,
                self.kind,
                self.tiling,
                self.usage,
                self.flags,
            )
        };
        let limits = match limits {
            Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED) => {
                return Err(Error::Invalid("the device has no such textures of this format"));
            }
            other => other.call("vkGetPhysicalDeviceImageFormatProperties")?,
        };
        let most = limits.max_extent;
        let fits = self.extent.width <= most.width
            && self.extent.height <= most.height
            && self.extent.depth <= most.depth
            && self.levels <= limits.max_mip_levels
            && self.layers <= limits.max_array_layers
            && limits.sample_counts.contains(self.samples);
        if fits { Ok(()) } else { Err(Error::Invalid("the device has no textures of this size or sample count")) }
    }

    fn info(&self) -> vk::ImageCreateInfo<'_> {
        let info = vk::ImageCreateInfo::default()
            .flags(self.flags)
            .image_type(self.kind)
            .format(self.format)
            .extent(self.extent)
            .mip_levels(self.levels)
            .array_layers(self.layers)
            .samples(self.samples)
            .tiling(self.tiling)
            .usage(self.usage)
            .initial_layout(image::initial_layout(self.tiling));
        if self.families.len() > 1 {
            info.sharing_mode(vk::SharingMode::CONCURRENT).queue_family_indices(&self.families)
        } else {
            info
        }
    }

    /// What memory the image needs; makes no image.
    pub fn needs(&self, device: &Device) -> Needs {
        let info = self.info();
        let ask = vk::DeviceImageMemoryRequirements::default().create_info(&info);
        let mut alone = vk::MemoryDedicatedRequirements::default();
        let mut answer = vk::MemoryRequirements2::default().push_next(&mut alone);
        // SAFETY: plain structures.
        unsafe { device.vk.get_device_image_memory_requirements(&ask, &mut answer) };
        let needs = answer.memory_requirements;
        Needs {
            size: needs.size,
            alignment: needs.alignment,
            types: needs.memory_type_bits,
            alone: alone.requires_dedicated_allocation != 0,
        }
    }

    /// Makes the image, without memory.
    pub fn create(&self, device: &Device) -> Result<vk::Image> {
        // SAFETY: plain structures; the description was checked.
        unsafe { device.vk.create_image(&self.info(), None) }.call("vkCreateImage")
    }
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
