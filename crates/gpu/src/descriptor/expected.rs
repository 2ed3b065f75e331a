//! What a process knows of its heaps before it makes a device.
//!
//! Set layouts are made with the device and have room for the largest heap. Lavapipe takes and fills that room for each heap, whatever the
//! heap's size; other drivers take what the heap needs.

use ash::vk;
use core::sync::atomic::{AtomicU32, Ordering};

use crate::adapter;
use crate::caps::takes_room_of_layouts;
use crate::error::Result;
use crate::instance::Instance;

/// Heaps that nobody speaks of, such as those of a replay's own work, have fewer views.
const LEAST: u32 = 4096;

/// 0: nobody knows.
static MOST: AtomicU32 = AtomicU32::new(0);

/// Shader-visible heaps of this process will have this many views at most, or as many as an earlier call said. Devices that are made later
/// have room for no more where room costs, and larger heaps cannot be made there.
pub fn expect(most: u32) {
    MOST.fetch_max(most.max(LEAST), Ordering::Relaxed);
}

/// Whether [`expect`] has an effect on the device that is chosen where no adapter is named.
///
/// # Errors
/// There is no device.
pub fn matters(instance: &Instance) -> Result<bool> {
    let physical = adapter::pick(instance)?;
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
    // SAFETY: the instance lives, and the chain is of structures of Vulkan 1.2, which all devices have that are picked.
    unsafe { instance.instance.get_physical_device_properties2(physical, &mut all) };
    Ok(takes_room_of_layouts(driver.driver_id))
}

/// Views of the largest heap, where that is known and has an effect.
pub(super) fn most(driver: vk::DriverId) -> Option<u32> {
    Some(MOST.load(Ordering::Relaxed)).filter(|&most| most > 0 && takes_room_of_layouts(driver))
}
