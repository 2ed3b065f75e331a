//! The Vulkan devices that there are, as a person chooses among them.
//!
//! Invariant: a list that is shown and a choice that is made count alike, in the order of Vulkan.

use ash::vk;

use crate::device::requirements;
use crate::{Instance, Result};

/// A Vulkan device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Adapter {
    /// As Vulkan names it.
    pub name: String,
    /// What sort of device it is, in a word.
    pub kind: &'static str,
    /// What it lacks to be used, in words; `None` where it can be used.
    pub lacks: Option<String>,
}

/// All Vulkan devices, in the order that Vulkan lists them in.
///
/// # Errors
/// There is no Vulkan, or a validation layer is asked for that is not installed.
pub fn adapters() -> Result<Vec<Adapter>> {
    let instance = Instance::shared()?;
    let describe = |physical| {
        // SAFETY: the instance lives.
        let properties = unsafe { instance.instance.get_physical_device_properties(physical) };
        let lacks = if properties.api_version < vk::API_VERSION_1_3 {
            Some(too_old(properties.api_version))
        } else {
            requirements::choose(&instance, physical, false).err().map(|error| error.to_string())
        };
        let kind = match properties.device_type {
            vk::PhysicalDeviceType::DISCRETE_GPU => "discrete",
            vk::PhysicalDeviceType::INTEGRATED_GPU => "integrated",
            vk::PhysicalDeviceType::VIRTUAL_GPU => "virtual",
            vk::PhysicalDeviceType::CPU => "software",
            _ => "other",
        };
        Adapter { name: name(&properties), kind, lacks }
    };
    Ok(instance.devices()?.into_iter().map(describe).collect())
}

/// What a device lacks that has this version of Vulkan, which is older than 1.3. RenderDoc's layer, which its variable switches
/// on, takes buffer addresses away, and with them the versions that have them always, where they cannot be repeated.
pub(super) fn too_old(version: u32) -> String {
    let (major, minor) = (vk::api_version_major(version), vk::api_version_minor(version));
    let renderdoc = match crate::instance::is_renderdoc_wanted() {
        true => {
            "; RenderDoc hides 1.3 where a driver cannot give buffers the same addresses again \
             (bufferDeviceAddressCaptureReplay): replay on --runtime vkd3d, or another device"
        }
        false => "",
    };
    format!("Vulkan 1.3 (it has {major}.{minor}{renderdoc})")
}

/// A device's name.
pub(super) fn name(properties: &vk::PhysicalDeviceProperties) -> String {
    properties.device_name_as_c_str().unwrap_or_default().to_string_lossy().into_owned()
}

/// Whether device `index` of `count`, with this name, is one that `wanted` means: a number below `count` is an index, all
/// else a part of names.
pub fn is_meant(wanted: &str, (index, count): (usize, usize), name: &str) -> bool {
    match wanted.parse::<usize>() {
        Ok(number) if number < count => number == index,
        _ => name.contains(wanted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_an_index_where_there_is_one() {
        let names = ["RTX 4090", "Arc 1", "llvmpipe"];
        let meant = |wanted: &str| -> Vec<usize> {
            (0..3).filter(|&index| is_meant(wanted, (index, 3), names[index])).collect()
        };
        assert_eq!(meant("0"), [0]);
        assert_eq!(meant("1"), [1]);
        assert_eq!(meant("4090"), [0]);
        assert_eq!(meant("Arc"), [1]);
        assert_eq!(meant("3"), Vec::<usize>::new());
    }
}
