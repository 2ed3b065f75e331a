//! What the layer says of a physical device: the extension, its features and counters.

use std::ffi::{CStr, c_char, c_void};

use ash::vk;
use reprise_layer::next;

use crate::find;
use crate::offered::{self, ALL};

/// Functions of this module that call those below.
pub(crate) const BELOW: [&CStr; 2] = [EXTENSIONS, FEATURES];
const EXTENSIONS: &CStr = c"vkEnumerateDeviceExtensionProperties";
const FEATURES: &CStr = c"vkGetPhysicalDeviceFeatures2";
const NAME: &CStr = ash::khr::performance_query::NAME;

find! {
    c"vkEnumerateDeviceExtensionProperties" => extensions: vk::PFN_vkEnumerateDeviceExtensionProperties,
    c"vkGetPhysicalDeviceFeatures2" => features: vk::PFN_vkGetPhysicalDeviceFeatures2,
    c"vkGetPhysicalDeviceFeatures2KHR" => features: vk::PFN_vkGetPhysicalDeviceFeatures2,
    c"vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR" => counters: vk::PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR,
    c"vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR" => passes: vk::PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR,
}

/// Writes as many as there is room for.
///
/// # Safety
/// `count` and, where it is not null, `to` are the program's, of so many elements.
unsafe fn fill<T: Copy>(all: &[T], count: *mut u32, to: *mut T) -> vk::Result {
    if to.is_null() {
        // SAFETY: as the caller says.
        unsafe { count.write(all.len() as u32) };
        return vk::Result::SUCCESS;
    }
    // SAFETY: as the caller says.
    let room = unsafe { count.read() } as usize;
    let written = room.min(all.len());
    // SAFETY: as the caller says.
    unsafe {
        to.copy_from_nonoverlapping(all.as_ptr(), written);
        count.write(written as u32);
    }
    if written < all.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
}

unsafe extern "system" fn extensions(
    adapter: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    to: *mut vk::ExtensionProperties,
) -> vk::Result {
    // SAFETY: the type of the function.
    let below = unsafe { next::of_adapter::<vk::PFN_vkEnumerateDeviceExtensionProperties>(adapter, EXTENSIONS) };
    let Some(below) = below else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    let mut there = 0;
    // SAFETY: the arguments of this call, and a place of ours.
    let result = unsafe { below(adapter, layer, &raw mut there, std::ptr::null_mut()) };
    if result != vk::Result::SUCCESS {
        return result;
    }
    let mut all = vec![vk::ExtensionProperties::default(); there as usize];
    // SAFETY: as many as there are.
    let result = unsafe { below(adapter, layer, &raw mut there, all.as_mut_ptr()) };
    if result != vk::Result::SUCCESS {
        return result;
    }
    all.truncate(there as usize);
    let own =
        vk::ExtensionProperties { extension_name: offered::text(NAME.to_str().unwrap_or_default()), spec_version: 1 };
    all.push(own);
    // SAFETY: the program's places.
    unsafe { fill(&all, count, to) }
}

unsafe extern "system" fn features(adapter: vk::PhysicalDevice, to: *mut vk::PhysicalDeviceFeatures2<'_>) {
    // SAFETY: the type of the function.
    let below = unsafe { next::of_adapter::<vk::PFN_vkGetPhysicalDeviceFeatures2>(adapter, FEATURES) };
    let Some(below) = below else { return };
    // SAFETY: the arguments of this call; structures of a chain begin with their kind and the next one.
    unsafe {
        below(adapter, to);
        let mut at: *mut c_void = (*to).p_next;
        while let Some(structure) = at.cast::<vk::BaseOutStructure<'_>>().as_mut() {
            if structure.s_type == vk::StructureType::PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR {
                let own = &mut *at.cast::<vk::PhysicalDevicePerformanceQueryFeaturesKHR<'_>>();
                own.performance_counter_query_pools = vk::TRUE;
                own.performance_counter_multiple_query_pools = vk::TRUE;
            }
            at = structure.p_next.cast();
        }
    }
}

unsafe extern "system" fn counters(
    _adapter: vk::PhysicalDevice,
    _family: u32,
    count: *mut u32,
    counters: *mut vk::PerformanceCounterKHR<'_>,
    words: *mut vk::PerformanceCounterDescriptionKHR<'_>,
) -> vk::Result {
    let values: Vec<vk::PerformanceCounterKHR<'_>> = ALL
        .iter()
        .map(|one| vk::PerformanceCounterKHR::default().unit(one.unit).scope(one.scope).storage(one.storage))
        .collect();
    let texts: Vec<vk::PerformanceCounterDescriptionKHR<'_>> = ALL
        .iter()
        .map(|one| vk::PerformanceCounterDescriptionKHR {
            name: offered::text(one.name),
            category: offered::text(one.category),
            description: offered::text(one.about),
            ..Default::default()
        })
        .collect();
    // SAFETY: the program's places; both arrays have as many elements.
    unsafe {
        if !words.is_null() {
            let mut same = count.read();
            // How much there is room for is said once, below.
            let _ = fill(&texts, &raw mut same, words);
        }
        fill(&values, count, counters)
    }
}

unsafe extern "system" fn passes(
    _adapter: vk::PhysicalDevice,
    info: *const vk::QueryPoolPerformanceCreateInfoKHR<'_>,
    to: *mut u32,
) {
    // SAFETY: the program's structure, which has so many indices, and its place.
    unsafe {
        let info = &*info;
        let counters = std::slice::from_raw_parts(info.p_counter_indices, info.counter_index_count as usize);
        to.write(offered::passes(counters));
    }
}
