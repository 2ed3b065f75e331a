//! The functions below this layer, by what handles begin with: the loader's table, one for each instance and each device.

use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::{Mutex, PoisonError};

use ash::vk;

/// A table by the address of the loader's.
struct Table<T>(Mutex<Option<HashMap<usize, T>>>);

impl<T: Copy> Table<T> {
    fn set(&self, key: usize, below: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().insert(key, below);
    }

    fn get(&self, key: usize) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.get(&key).copied()
    }
}

/// An instance, and how its functions below are found.
type Instance = (vk::Instance, vk::PFN_vkGetInstanceProcAddr);
/// A device, and how its functions below are found.
type Device = (vk::Device, vk::PFN_vkGetDeviceProcAddr);

static INSTANCES: Table<Instance> = Table(Mutex::new(None));
static DEVICES: Table<Device> = Table(Mutex::new(None));

/// The loader's table of a handle.
///
/// # Safety
/// The handle is one of an instance, a physical device, a device, a queue or a command buffer.
unsafe fn key(handle: impl vk::Handle) -> usize {
    let place = std::ptr::with_exposed_provenance::<usize>(handle.as_raw() as usize);
    // SAFETY: such handles are addresses of structures that begin with the table's address.
    unsafe { place.read() }
}

/// # Safety
/// The instance was made.
pub(crate) unsafe fn set_instance(instance: vk::Instance, find: vk::PFN_vkGetInstanceProcAddr) {
    // SAFETY: as the caller says.
    INSTANCES.set(unsafe { key(instance) }, (instance, find));
}

/// # Safety
/// The handle is an instance's or one of its physical devices'.
pub(crate) unsafe fn instance(handle: impl vk::Handle) -> Option<Instance> {
    // SAFETY: as the caller says.
    INSTANCES.get(unsafe { key(handle) })
}

/// # Safety
/// The device was made.
pub(crate) unsafe fn set_device(device: vk::Device, find: vk::PFN_vkGetDeviceProcAddr) {
    // SAFETY: as the caller says.
    DEVICES.set(unsafe { key(device) }, (device, find));
}

/// # Safety
/// The handle is a device's or one of its command buffers'.
pub(crate) unsafe fn device(handle: impl vk::Handle) -> Option<Device> {
    // SAFETY: as the caller says.
    DEVICES.get(unsafe { key(handle) })
}

/// A command below: the first that the device has of these names. A device lacks none that its program calls.
///
/// # Safety
/// `F` is the type of a pointer to the function of all these names.
pub(crate) unsafe fn command<F: Copy>(buffer: vk::CommandBuffer, names: &[&CStr]) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<vk::PFN_vkVoidFunction>()) };
    // SAFETY: a command buffer.
    let (device, find) = unsafe { device(buffer) }?;
    // SAFETY: a device and a name.
    let found = names.iter().find_map(|name| unsafe { find(device, name.as_ptr()) })?;
    // SAFETY: as the caller says.
    Some(unsafe { std::mem::transmute_copy::<unsafe extern "system" fn(), F>(&found) })
}
