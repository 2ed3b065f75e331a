//! What a Vulkan device says of itself and of its memory, for those who list adapters.

use ash::vk;

use crate::adapter::identity;
use crate::error::Result;
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
    /// Whether the driver says how much of them this process can use, and does.
    has_budgets: bool,
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
            has_budgets: has_budgets(instance, physical),
        })
    };
    Ok(instance.devices()?.into_iter().filter_map(card).collect())
}

fn is_of(heap: &vk::MemoryHeap, is_local: bool) -> bool {
    heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL) == is_local
}

/// A driver that cannot list its extensions has none.
fn has_budgets(instance: &Instance, physical: vk::PhysicalDevice) -> bool {
    // SAFETY: the instance lives.
    let extensions = unsafe { instance.instance.enumerate_device_extension_properties(physical) };
    let is_it = |row: &vk::ExtensionProperties| row.extension_name_as_c_str() == Ok(ash::ext::memory_budget::NAME);
    extensions.is_ok_and(|extensions| extensions.iter().any(is_it))
}

impl Card {
    /// The memory of the device that is its own, or that is not. A driver without budgets says the size of its heaps, and no usage.
    ///
    /// Mesa asks several times a frame. So the extensions are not listed here: Vulkan's loader compares the names of all pairs of them,
    /// which took a quarter of the processor time of `glxgears`.
    pub fn budget(&self, instance: &Instance, is_local: bool) -> Budget {
        let mut budgets = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
        let mut all = vk::PhysicalDeviceMemoryProperties2::default();
        if self.has_budgets {
            all = all.push_next(&mut budgets);
        }
        // SAFETY: the instance lives; the chain holds a structure of an extension that the device has.
        unsafe { instance.instance.get_physical_device_memory_properties2(self.physical, &mut all) };
        let memory = all.memory_properties;
        let heaps = memory.memory_heaps_as_slice().iter().enumerate().filter(|(_, heap)| is_of(heap, is_local));
        heaps.fold(Budget::default(), |sum, (at, heap)| Budget {
            budget: sum.budget + if self.has_budgets { budgets.heap_budget[at] } else { heap.size },
            usage: sum.usage + budgets.heap_usage[at],
        })
    }
}
