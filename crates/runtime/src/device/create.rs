//! Making the device, and finding it again.

use std::sync::atomic::AtomicI32;
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk;
use reprise_com::result::S_OK;
use reprise_com::{Object, Public};
use reprise_d3d12::types::LUID;

use crate::config::{config, debug};
use crate::device::caps::{Caps, Extensions};
use crate::device::{Device, Families, Family, Parts, adapter, interop, requirements};
use crate::error::Context;
use crate::{Error, Instance, Result, address, configuration, descriptor, kernel, memory, pipeline, queue};

/// A device that the program still holds.
struct Known(core::ptr::NonNull<Object<Device>>);

// SAFETY: an address; `Device` is `Send` and `Sync`.
unsafe impl Send for Known {}

/// Devices that the program holds. [`forget`] takes the lock before a device's memory can go.
static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// The process's device for an adapter, or an `independent` one that nobody finds again; `None` takes the best adapter.
///
/// # Errors
/// When there is no such adapter, or it lacks what the runtime needs; also when the process's device is removed and still
/// held.
pub fn create(adapter: Option<LUID>, independent: bool) -> Result<Public<Device>> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let instance = Instance::shared()?;
    let physical = pick(&instance, adapter)?;
    let luid = luid(&instance, physical);
    if !independent {
        for Known(device) in known.iter() {
            // SAFETY: `forget` removes a device, under this lock, before its memory goes.
            let device = unsafe { device.as_ref() };
            if same(device.luid, luid)
                && let Some(device) = device.again_if_held()
            {
                // Given back outside the lock if it is of no use: the last release takes the lock.
                drop(known);
                return if device.removed_reason() == S_OK { Ok(device) } else { Err(Error::Removed) };
            }
        }
    }
    let device = Object::make(make(instance, physical, luid)?);
    if !independent {
        known.push(Known(core::ptr::NonNull::from(&*device)));
    }
    Ok(device)
}

/// The program has released the device.
pub(super) fn forget(device: &Object<Device>) {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|entry| !core::ptr::eq(entry.0.as_ptr(), device));
}

fn same(a: LUID, b: LUID) -> bool {
    (a.LowPart, a.HighPart) == (b.LowPart, b.HighPart)
}

/// An adapter's name: Vulkan's, where it has one, else made from its UUID.
fn luid(instance: &Instance, physical: vk::PhysicalDevice) -> LUID {
    let mut ids = vk::PhysicalDeviceIDProperties::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut ids);
    // SAFETY: the chain holds a core structure.
    unsafe { instance.instance.get_physical_device_properties2(physical, &mut all) };
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    if ids.device_luid_valid != 0 {
        return LUID { LowPart: word(&ids.device_luid), HighPart: word(&ids.device_luid[4..]) as i32 };
    }
    let id = &ids.device_uuid;
    LUID { LowPart: word(id) ^ word(&id[4..]), HighPart: ((word(&id[8..]) ^ word(&id[12..])) & 0x7fff_ffff) as i32 }
}

/// The adapter of that name, or the first of the best kind that has what is needed; `REPRISE_ADAPTER` narrows the choice.
fn pick(instance: &Instance, luid_wanted: Option<LUID>) -> Result<vk::PhysicalDevice> {
    let mut candidates: Vec<(u32, vk::PhysicalDevice)> = Vec::new();
    let devices = instance.devices()?;
    let (mut names, mut old) = (Vec::new(), Vec::new());
    for (index, &physical) in devices.iter().enumerate() {
        // SAFETY: the instance lives.
        let properties = unsafe { instance.instance.get_physical_device_properties(physical) };
        let name = adapter::name(&properties);
        let matches = match (luid_wanted, &config().adapter) {
            (Some(wanted), _) => same(luid(instance, physical), wanted),
            (None, Some(part)) => adapter::is_meant(part, (index, devices.len()), &name),
            (None, None) => true,
        };
        names.push(name);
        if !matches {
            continue;
        }
        if properties.api_version < vk::API_VERSION_1_3 {
            let name = adapter::name(&properties);
            old.push(format!("{name} lacks {}", adapter::too_old(properties.api_version)));
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
    // Stable: among equals the order is Vulkan's.
    candidates.sort_by_key(|(rank, _)| *rank);
    let able = |physical: &vk::PhysicalDevice| requirements::choose(instance, *physical, false).is_ok();
    // When none is able, the best one is taken, so that making it says what is missing.
    let found = candidates.iter().map(|(_, physical)| *physical).find(able);
    match found.or_else(|| candidates.first().map(|(_, physical)| *physical)) {
        Some(physical) => Ok(physical),
        None if !old.is_empty() => Err(Error::Device(old.join(", "))),
        None => Err(Error::Device(match (luid_wanted, &config().adapter) {
            (Some(wanted), _) => {
                format!("no Vulkan 1.3 device has the LUID {:08x}:{:08x}", wanted.HighPart, wanted.LowPart)
            }
            (None, Some(part)) => {
                format!("no Vulkan 1.3 device is meant by REPRISE_ADAPTER={part}: there are {}", names.join(", "))
            }
            (None, None) => "there is no Vulkan device; install a driver".into(),
        })),
    }
}

/// Queues that are made in a family at most; more would only share the hardware.
const QUEUES: u32 = 4;

fn families(instance: &Instance, physical: vk::PhysicalDevice) -> Result<Families> {
    // SAFETY: the instance lives.
    let all = unsafe { instance.instance.get_physical_device_queue_family_properties(physical) };
    let find = |wanted: vk::QueueFlags, unwanted: vk::QueueFlags| {
        let position = all.iter().position(|family| {
            family.queue_flags.contains(wanted) && !family.queue_flags.intersects(unwanted) && family.queue_count > 0
        })?;
        let family = &all[position];
        Some(Family {
            index: position as u32,
            count: family.queue_count.min(QUEUES),
            timestamp_bits: family.timestamp_valid_bits,
        })
    };
    let (graphics, compute) = (vk::QueueFlags::GRAPHICS, vk::QueueFlags::COMPUTE);
    let Some(direct) = find(graphics | compute, vk::QueueFlags::empty()) else {
        return Err(Error::Device("the Vulkan device has no queue for graphics and compute".into()));
    };
    let special = find(compute, graphics).unwrap_or(direct);
    let copy = find(vk::QueueFlags::TRANSFER, graphics | compute).unwrap_or(special);
    let binds = |family: Family| all[family.index as usize].queue_flags.contains(vk::QueueFlags::SPARSE_BINDING);
    let sparse = [direct, special, copy].into_iter().all(binds);
    Ok(Families { graphics: direct, compute: special, copy, sparse })
}

fn make(instance: Arc<Instance>, physical: vk::PhysicalDevice, luid: LUID) -> Result<Device> {
    let (enabled, names, mut features) = requirements::choose(&instance, physical, config().replay_addresses)?;
    let families = families(&instance, physical)?;
    let priorities = [1.0; QUEUES as usize];
    let mut queues: Vec<vk::DeviceQueueCreateInfo<'_>> = Vec::new();
    for family in [families.graphics, families.compute, families.copy] {
        if queues.iter().all(|queue| queue.queue_family_index != family.index) {
            queues.push(
                vk::DeviceQueueCreateInfo::default()
                    .queue_family_index(family.index)
                    .queue_priorities(&priorities[..family.count as usize]),
            );
        }
    }
    let names: Vec<*const i8> = names.iter().map(|name| name.as_ptr()).collect();
    let vk = features.chained(&enabled, |head| {
        let mut info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&names);
        info.p_next = core::ptr::from_mut(head).cast();
        // SAFETY: the chain and the arrays live until the call returns.
        unsafe { instance.instance.create_device(physical, &info, None) }
    });
    let vk = vk.call("vkCreateDevice")?;
    let caps = Caps::read(&instance.instance, physical, &vk, enabled, features);
    let ext = Extensions::load(&instance, &vk, &enabled);
    debug(|| format!("device {} ({families:?})", caps.name));
    let parts = Parts { instance: &instance, physical, vk: &vk, ext: &ext, caps: &caps, families: &families };
    // What is made before a failure is destroyed by hand: there is no `Device` yet that would.
    let made = (|| {
        let mut memory = memory::Allocator::new(&parts)?;
        let mut bindings = descriptor::Layouts::new(&parts).inspect_err(|_| memory.destroy(&vk))?;
        let mut kernels = kernel::Kernels::new(&parts).inspect_err(|_| {
            bindings.destroy(&vk);
            memory.destroy(&vk);
        })?;
        match queue::Queues::new(&parts) {
            Ok(queues) => Ok((memory, bindings, kernels, queues)),
            Err(error) => {
                kernels.destroy(&vk);
                bindings.destroy(&vk);
                memory.destroy(&vk);
                Err(error)
            }
        }
    })();
    let (memory, bindings, kernels, queues) = match made {
        Ok(made) => made,
        Err(error) => {
            // SAFETY: nothing of the device is left.
            unsafe { vk.destroy_device(None) };
            return Err(error);
        }
    };
    let pipelines = pipeline::cache::DiskCache::open(&vk, &caps);
    Ok(Device {
        pipelines,
        instance,
        physical,
        luid,
        vk,
        ext,
        caps,
        families,
        queues,
        fresh: queue::Fresh::default(),
        memory,
        addresses: address::Map::default(),
        bindings,
        kernels,
        removed: AtomicI32::new(0),
        interop: interop::FACET,
        configuration: configuration::facet::<Device>(),
    })
}
