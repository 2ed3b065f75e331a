//! The Vulkan devices of this machine, and the choice of one.
//!
//! Invariant: the list that people see and the choice by index count alike, in Vulkan's order.

use std::sync::{Mutex, PoisonError};

use ash::vk;
use reprise_environment::runtime::ADAPTER;

use crate::error::{Error, Result};
use crate::identity::{self, Described, Identity, Luid, Reason};
use crate::instance::{Instance, is_renderdoc_wanted};
use crate::requirements;
use crate::rules::{self, Rule};
use crate::settings::Preferred;

/// A Vulkan device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Adapter {
    /// As Vulkan names it.
    pub name: String,
    /// What sort of device it is, in a word.
    pub kind: &'static str,
    /// What it lacks to be used, in words; `None` where it can be used.
    pub lacks: Option<String>,
    /// The driver's words about its version.
    pub driver: String,
    /// What is known of the driver's release beside what it says.
    pub rules: Vec<&'static Rule>,
}

/// All Vulkan devices, in the order that Vulkan lists them in.
///
/// # Errors
/// Vulkan cannot list its devices.
pub fn adapters(instance: &Instance) -> Result<Vec<Adapter>> {
    let describe = |physical| {
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
        // SAFETY: the instance lives; the chain holds structures of Vulkan 1.2, which older devices pass over.
        unsafe { instance.instance.get_physical_device_properties2(physical, &mut all) };
        let properties = all.properties;
        let info = driver.driver_info_as_c_str().unwrap_or_default().to_string_lossy().into_owned();
        let lacks = if properties.api_version < vk::API_VERSION_1_3 {
            Some(too_old(properties.api_version))
        } else {
            requirements::choose(instance, physical).err().map(|error| error.to_string())
        };
        let kind = match properties.device_type {
            vk::PhysicalDeviceType::DISCRETE_GPU => "discrete",
            vk::PhysicalDeviceType::INTEGRATED_GPU => "integrated",
            vk::PhysicalDeviceType::VIRTUAL_GPU => "virtual",
            vk::PhysicalDeviceType::CPU => "software",
            _ => "other",
        };
        let rules = rules::acting(driver.driver_id, &info, &instance.settings);
        Adapter { name: name_of(&properties), kind, lacks, driver: info, rules }
    };
    Ok(instance.devices()?.into_iter().map(describe).collect())
}

/// What a device lacks that has this version of Vulkan, which is older than 1.3. RenderDoc's layer, which its variable switches
/// on, takes buffer addresses away, and with them the versions that have them always, where they cannot be repeated.
fn too_old(version: u32) -> String {
    let (major, minor) = (vk::api_version_major(version), vk::api_version_minor(version));
    let renderdoc = match is_renderdoc_wanted() {
        true => {
            "; RenderDoc hides 1.3 where a driver cannot give buffers the same addresses again \
             (bufferDeviceAddressCaptureReplay): replay on --runtime vkd3d, or another device"
        }
        false => "",
    };
    format!("Vulkan 1.3 (it has {major}.{minor}{renderdoc})")
}

/// A device's name.
fn name_of(properties: &vk::PhysicalDeviceProperties) -> String {
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

/// What Vulkan says about a device. Where Vulkan has no LUID for it, one is made from its UUID.
pub fn identity(instance: &Instance, physical: vk::PhysicalDevice) -> Identity {
    let mut ids = vk::PhysicalDeviceIDProperties::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut ids);
    // SAFETY: the chain holds a core structure.
    unsafe { instance.instance.get_physical_device_properties2(physical, &mut all) };
    let (name, vendor, device) = (name_of(&all.properties), all.properties.vendor_id, all.properties.device_id);
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let uuid = ids.device_uuid;
    let luid = if ids.device_luid_valid != 0 {
        Luid { low: word(&ids.device_luid), high: word(&ids.device_luid[4..]) as i32 }
    } else {
        let high = (word(&uuid[8..]) ^ word(&uuid[12..])) & 0x7fff_ffff;
        Luid { low: word(&uuid) ^ word(&uuid[4..]), high: high as i32 }
    };
    Identity { luid, uuid, vendor, device, name }
}

fn identities(instance: &Instance) -> Result<(Vec<vk::PhysicalDevice>, Vec<Identity>)> {
    let devices = instance.devices()?;
    let identities = devices.iter().map(|&physical| identity(instance, physical)).collect();
    Ok((devices, identities))
}

/// Why an adapter of DXGI is this device and no other; `None` where it is another one, or none.
///
/// # Errors
/// Vulkan cannot list its devices.
pub fn reason(instance: &Instance, physical: vk::PhysicalDevice, adapter: &Described) -> Result<Option<Reason>> {
    let (devices, identities) = identities(instance)?;
    let found = identity::find(adapter, &identities).filter(|(at, _)| devices[*at] == physical);
    Ok(found.map(|(_, reason)| reason))
}

/// The Vulkan device that an adapter of DXGI is, by [`identity::find`]. Says which one it takes, where others could be meant.
///
/// # Errors
/// No device matches the adapter, or the device that matches is older than Vulkan 1.3.
pub fn of_dxgi(instance: &Instance, adapter: &Described) -> Result<vk::PhysicalDevice> {
    let (devices, identities) = identities(instance)?;
    let Luid { low, high } = adapter.luid;
    let Some((at, reason)) = identity::find(adapter, &identities) else {
        let names: Vec<&str> = identities.iter().map(|device| device.name.as_str()).collect();
        return Err(Error::Device(format!(
            "no Vulkan device is the adapter {} (LUID {high:08x}:{low:08x}): there are {}",
            adapter.name,
            names.join(", ")
        )));
    };
    let name = &identities[at].name;
    // SAFETY: the instance lives.
    let version = unsafe { instance.instance.get_physical_device_properties(devices[at]) }.api_version;
    if version < vk::API_VERSION_1_3 {
        return Err(Error::Device(format!("{name} lacks {}", too_old(version))));
    }
    if let Some(guess) = reason.guess() {
        let told = format!("the adapter {} (LUID {high:08x}:{low:08x}) is {name}, {guess}", adapter.name);
        tell_once(told);
    }
    Ok(devices[at])
}

/// Says which device was taken, once a process: programs make devices only to ask what there is.
fn tell_once(told: String) {
    static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if !said.contains(&told) {
        reprise_log::info(&told);
        said.push(told);
    }
}

/// The best device that meets all requirements, of those that the instance's settings allow; the first of the best sort.
///
/// # Errors
/// There is none, or it is older than Vulkan 1.3. A device that lacks something else is returned all the same, so that the error of
/// making it names what it lacks.
pub fn pick(instance: &Instance) -> Result<vk::PhysicalDevice> {
    let mut candidates: Vec<(u32, vk::PhysicalDevice)> = Vec::new();
    let devices = instance.devices()?;
    let (mut names, mut old) = (Vec::new(), Vec::new());
    for (index, &physical) in devices.iter().enumerate() {
        // SAFETY: the instance lives.
        let properties = unsafe { instance.instance.get_physical_device_properties(physical) };
        let name = name_of(&properties);
        let wanted = instance.settings.adapter.as_ref();
        names.push(name.clone());
        if !wanted.is_none_or(|wanted| is_meant(wanted, (index, devices.len()), &name)) {
            continue;
        }
        if properties.api_version < vk::API_VERSION_1_3 {
            old.push(format!("{name} lacks {}", too_old(properties.api_version)));
            continue;
        }
        let rank = match properties.device_type {
            vk::PhysicalDeviceType::DISCRETE_GPU => 0,
            vk::PhysicalDeviceType::INTEGRATED_GPU => 1,
            vk::PhysicalDeviceType::VIRTUAL_GPU => 2,
            _ => 3,
        };
        candidates.push((rank, physical));
    }
    if let (None, Some(preferred)) = (&instance.settings.adapter, &instance.settings.preferred) {
        prefer(preferred, &devices, &names, &mut candidates);
    }
    // Stable: among equals the order is Vulkan's.
    candidates.sort_by_key(|(rank, _)| *rank);
    let able = |physical: &vk::PhysicalDevice| requirements::choose(instance, *physical).is_ok();
    // When none is able, the best one is taken, so that making it says what is missing.
    let found = candidates.iter().map(|(_, physical)| *physical).find(able);
    match found.or_else(|| candidates.first().map(|(_, physical)| *physical)) {
        Some(physical) => Ok(physical),
        None if !old.is_empty() => Err(Error::Device(old.join(", "))),
        None => Err(Error::Device(match &instance.settings.adapter {
            Some(part) => {
                format!("no Vulkan 1.3 device is meant by {ADAPTER}={part}: there are {}", names.join(", "))
            }
            None => "there is no Vulkan device; install a driver".into(),
        })),
    }
}

/// Leaves the candidates that are preferred, where there are any.
fn prefer(
    preferred: &Preferred,
    devices: &[vk::PhysicalDevice],
    names: &[String],
    candidates: &mut Vec<(u32, vk::PhysicalDevice)>,
) {
    let is_one = |candidate: &(u32, vk::PhysicalDevice)| {
        let at = devices.iter().position(|device| *device == candidate.1);
        at.is_some_and(|at| match preferred {
            Preferred::Index(index) => at == *index,
            Preferred::Name(part) => names[at].contains(part.as_str()),
        })
    };
    if candidates.iter().any(is_one) {
        candidates.retain(is_one);
    } else {
        reprise_log::warning(format_args!("no Vulkan 1.3 device is {preferred:?}: there are {}", names.join(", ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preference_is_no_condition() {
        use ash::vk::Handle;
        let devices = [1, 2].map(vk::PhysicalDevice::from_raw);
        let names = ["RTX 4090", "Arc 1"].map(str::to_owned);
        let left = |preferred: Preferred| {
            let mut candidates = vec![(0, devices[0]), (1, devices[1])];
            prefer(&preferred, &devices, &names, &mut candidates);
            candidates.iter().map(|(rank, _)| *rank).collect::<Vec<_>>()
        };
        assert_eq!(left(Preferred::Index(1)), [1]);
        assert_eq!(left(Preferred::Name("RTX".into())), [0]);
        assert_eq!(left(Preferred::Index(7)), [0, 1]);
        assert_eq!(left(Preferred::Name("Radeon".into())), [0, 1]);
    }

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
