//! What a Vulkan device says of itself and of its memory, for those who list adapters.

use ash::vk;

use crate::adapter::identity;
use crate::error::{Context, Result};
use crate::identity::Identity;
use crate::instance::Instance;

/// A Vulkan device that the runtime could be used on.
#[derive(Clone, Debug)]
pub struct Card {
    /// As which Vulkan has it.
    pub physical: vk::PhysicalDevice,
    /// Its names and numbers.
    pub identity: Identity,
    /// The driver's version, as the driver numbers it.
    pub driver: u32,
    /// Whether it is a GPU, and not a program on the CPU.
    pub is_hardware: bool,
    /// Whether it shares memory with the CPU.
    pub is_integrated: bool,
    /// Bytes of its own memory.
    pub local: u64,
    /// Bytes of the machine's memory that it can use.
    pub shared: u64,
}

/// Memory of one kind, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// What this process can use.
    pub budget: u64,
    /// What it does use.
    pub usage: u64,
}

/// All devices of Vulkan 1.3, in Vulkan's order.
///
/// # Errors
/// Vulkan cannot list its devices.
pub fn cards(instance: &Instance) -> Result<Vec<Card>> {
    let card = |physical| {
        // SAFETY: the instance lives.
        let (properties, memory) = unsafe {
            let vulkan = &instance.instance;
            (vulkan.get_physical_device_properties(physical), vulkan.get_physical_device_memory_properties(physical))
        };
        let bytes = |is_local| {
            let heaps = memory.memory_heaps_as_slice().iter();
            heaps.filter(|heap| is_of(heap, is_local)).map(|heap| heap.size).sum()
        };
        (properties.api_version >= vk::API_VERSION_1_3).then(|| Card {
            physical,
            identity: identity(instance, physical),
            driver: properties.driver_version,
            is_hardware: properties.device_type != vk::PhysicalDeviceType::CPU,
            is_integrated: matches!(
                properties.device_type,
                vk::PhysicalDeviceType::INTEGRATED_GPU | vk::PhysicalDeviceType::CPU
            ),
            local: bytes(true),
            shared: bytes(false),
        })
    };
    Ok(instance.devices()?.into_iter().filter_map(card).collect())
}

fn is_of(heap: &vk::MemoryHeap, is_local: bool) -> bool {
    heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL) == is_local
}

/// The memory of a device that is its own, or that is not. A driver without budgets says the size of its heaps, and no usage.
///
/// # Errors
/// Vulkan cannot list the device's extensions.
pub fn budget(instance: &Instance, physical: vk::PhysicalDevice, is_local: bool) -> Result<Budget> {
    // SAFETY: the instance lives.
    let extensions = unsafe { instance.instance.enumerate_device_extension_properties(physical) };
    let extensions = extensions.call("vkEnumerateDeviceExtensionProperties")?;
    let has = extensions.iter().any(|row| row.extension_name_as_c_str() == Ok(ash::ext::memory_budget::NAME));
    let mut budgets = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
    let mut all = vk::PhysicalDeviceMemoryProperties2::default();
    if has {
        all = all.push_next(&mut budgets);
    }
    // SAFETY: the instance lives; the chain holds a structure of an extension that the device has.
    unsafe { instance.instance.get_physical_device_memory_properties2(physical, &mut all) };
    let memory = all.memory_properties;
    let heaps = memory.memory_heaps_as_slice().iter().enumerate().filter(|(_, heap)| is_of(heap, is_local));
    Ok(heaps.fold(Budget::default(), |sum, (at, heap)| Budget {
        budget: sum.budget + if has { budgets.heap_budget[at] } else { heap.size },
        usage: sum.usage + budgets.heap_usage[at],
    }))
}
