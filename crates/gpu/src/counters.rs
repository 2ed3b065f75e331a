//! Counters of the driver (`VK_KHR_performance_query`): which there are, and how many passes some of them need. Queries of them are
//! [`counter_pool`](crate::counter_pool)'s.
//!
//! A process that asks for counters ([`Settings::counters`](crate::settings::Settings::counters)) has them for all of its devices, and for nothing
//! else: drivers may work otherwise while they count. Invariants: the profiling lock is held from before the first command buffer of the device
//! to the end of the device; a pool has counters of one pass, so a submission needs no word on passes; queries are reset by the CPU, never in a command
//! buffer that has them.

use core::ffi::{CStr, c_char};

use ash::vk;
use reprise_d3d12::counters::{Counter, Scope, Storage, Unit};

use crate::error::{Context, Error, Result};
use crate::families::Families;
use crate::instance::Instance;

/// The extension.
pub const EXTENSION: &CStr = ash::khr::performance_query::NAME;
/// How long another process may hold the lock, in nanoseconds.
const PATIENCE: u64 = 10_000_000_000;

/// The counters of an adapter's queues for graphics, in the driver's order; `None` where the device lacks the extension, or the feature.
///
/// # Errors
/// Vulkan fails.
pub fn offered(instance: &Instance, physical: vk::PhysicalDevice) -> Result<Option<Vec<Counter>>> {
    if !is_there(instance, physical)? {
        return Ok(None);
    }
    let functions = ash::khr::performance_query::Instance::new(&instance.entry, &instance.instance);
    let family = Families::pick(instance, physical)?.graphics.index;
    // SAFETY: the device has the extension, and a family of this index.
    let count =
        unsafe { functions.enumerate_physical_device_queue_family_performance_query_counters_len(physical, family) };
    let count = count.call("vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR")?;
    let mut counters = vec![vk::PerformanceCounterKHR::default(); count];
    let mut words = vec![vk::PerformanceCounterDescriptionKHR::default(); count];
    // SAFETY: the device has the extension, and a family of this index; both arrays have as many elements.
    let read = unsafe {
        functions.enumerate_physical_device_queue_family_performance_query_counters(
            physical,
            family,
            &mut counters,
            &mut words,
        )
    };
    read.call("vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR")?;
    Ok(Some(counters.iter().zip(&words).map(|(counter, words)| of(counter, words)).collect()))
}

/// How often work would have to be submitted for these counters at once, by their places among [`offered`].
///
/// # Errors
/// The device has no such counters.
pub fn passes(instance: &Instance, physical: vk::PhysicalDevice, counters: &[u32]) -> Result<u32> {
    let there = offered(instance, physical)?.unwrap_or_default().len();
    if counters.iter().any(|counter| *counter as usize >= there) {
        return Err(Error::Device(format!("the Vulkan device has {there} counters, and others were asked for")));
    }
    let functions = ash::khr::performance_query::Instance::new(&instance.entry, &instance.instance);
    let family = Families::pick(instance, physical)?.graphics.index;
    let info = vk::QueryPoolPerformanceCreateInfoKHR::default().queue_family_index(family).counter_indices(counters);
    // SAFETY: the device has the extension, the family, and the counters.
    Ok(unsafe { functions.get_physical_device_queue_family_performance_query_passes(physical, &info) })
}

fn is_there(instance: &Instance, physical: vk::PhysicalDevice) -> Result<bool> {
    // SAFETY: the instance lives, and the device is one of its.
    let all = unsafe { instance.instance.enumerate_device_extension_properties(physical) };
    let all = all.call("vkEnumerateDeviceExtensionProperties")?;
    if !all.iter().any(|row| row.extension_name_as_c_str() == Ok(EXTENSION)) {
        return Ok(false);
    }
    let mut features = vk::PhysicalDevicePerformanceQueryFeaturesKHR::default();
    let mut head = vk::PhysicalDeviceFeatures2::default().push_next(&mut features);
    // SAFETY: the chain holds a structure of an extension that the device has.
    unsafe { instance.instance.get_physical_device_features2(physical, &mut head) };
    Ok(features.performance_counter_query_pools != 0)
}

fn of(counter: &vk::PerformanceCounterKHR<'_>, words: &vk::PerformanceCounterDescriptionKHR<'_>) -> Counter {
    Counter {
        name: text(&words.name),
        category: text(&words.category),
        about: text(&words.description),
        unit: Unit::of(counter.unit.as_raw()),
        scope: Scope::of(counter.scope.as_raw()),
        storage: Storage::of(counter.storage.as_raw()),
    }
}

/// Text of Vulkan's: to its end, or as long as its room is.
fn text(room: &[c_char]) -> String {
    let bytes: Vec<u8> = room.iter().map(|letter| letter.cast_unsigned()).collect();
    let text = CStr::from_bytes_until_nul(&bytes).map_or(&bytes[..], CStr::to_bytes);
    String::from_utf8_lossy(text).into_owned()
}

/// The profiling lock of a device, held as long as this lives.
pub(crate) struct Lock(ash::khr::performance_query::Device);

impl Lock {
    /// Takes it.
    ///
    /// # Errors
    /// Another process has it.
    pub(crate) fn acquire(instance: &Instance, device: &ash::Device) -> Result<Lock> {
        let functions = ash::khr::performance_query::Device::new(&instance.instance, device);
        let info = vk::AcquireProfilingLockInfoKHR::default().timeout(PATIENCE);
        // SAFETY: the device has the extension switched on.
        let taken = unsafe { functions.acquire_profiling_lock(&info) };
        match taken {
            Err(vk::Result::TIMEOUT) => Err(Error::Device(
                "another process counts on this device (vkAcquireProfilingLockKHR: it had the lock for ten seconds)"
                    .into(),
            )),
            taken => taken.call("vkAcquireProfilingLockKHR").map(|()| Lock(functions)),
        }
    }

    /// Gives it back.
    ///
    /// # Safety
    /// The device is alive, and no work of it is recorded or submitted any more.
    pub(crate) unsafe fn release(self) {
        // SAFETY: as the caller says.
        unsafe { self.0.release_profiling_lock() };
    }
}
