//! What a device can do with a format.

use ash::vk;

use crate::format::row::Format;
use crate::logical::Logical;

/// The Vulkan format that stands for a format on this device: the table's, or 32-bit depth for devices without 24-bit
/// depth; `None` when there is none, and where the device has no images of several planes.
pub fn vulkan(device: &Logical, format: &Format) -> Option<vk::Format> {
    match format.vk {
        vk::Format::UNDEFINED => None,
        vk::Format::D24_UNORM_S8_UINT => {
            let wanted = vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT;
            let has = features(device, format.vk).optimal_tiling_features.contains(wanted);
            Some(if has { format.vk } else { vk::Format::D32_SFLOAT_S8_UINT })
        }
        other if format.is_video() => (!features(device, other).optimal_tiling_features.is_empty()).then_some(other),
        other => Some(other),
    }
}

/// Whether views of single planes of such an image can be drawn to. By Vulkan's rules the format of the *view* decides. But drivers that list
/// no attachments of the *image's* format lose what is drawn: lavapipe (25.0) draws to the first plane in place of the second
/// (`findings/lavapipe-second-planes.sh`), and NVIDIA's driver (580.159) changes neither.
pub fn draws_to_planes(device: &Logical, image: vk::Format) -> bool {
    features(device, image).optimal_tiling_features.contains(vk::FormatFeatureFlags::COLOR_ATTACHMENT)
}

/// What Vulkan says about one of its formats.
pub fn features(device: &Logical, format: vk::Format) -> vk::FormatProperties {
    // SAFETY: the instance and the adapter live as long as the device.
    unsafe { device.instance.instance.get_physical_device_format_properties(device.physical, format) }
}
