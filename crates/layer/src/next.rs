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
pub type Instance = (vk::Instance, vk::PFN_vkGetInstanceProcAddr);
/// A device, and how its functions below are found.
pub type Device = (vk::Device, vk::PFN_vkGetDeviceProcAddr);

/// Functions of physical devices, by the address of the loader's table and their names.
static FUNCTIONS: Mutex<Vec<(usize, &'static CStr, unsafe extern "system" fn())>> = Mutex::new(Vec::new());
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

/// Keeps how an instance's functions are found.
///
/// # Safety
/// The instance was made.
pub unsafe fn set_instance(instance: vk::Instance, find: vk::PFN_vkGetInstanceProcAddr) {
    // SAFETY: as the caller says.
    INSTANCES.set(unsafe { key(instance) }, (instance, find));
}

/// The instance of a handle.
///
/// # Safety
/// The handle is an instance's or one of its physical devices'.
pub unsafe fn instance(handle: impl vk::Handle) -> Option<Instance> {
    // SAFETY: as the caller says.
    INSTANCES.get(unsafe { key(handle) })
}

/// Keeps how a device's functions are found.
///
/// # Safety
/// The device was made.
pub unsafe fn set_device(device: vk::Device, find: vk::PFN_vkGetDeviceProcAddr) {
    // SAFETY: as the caller says.
    DEVICES.set(unsafe { key(device) }, (device, find));
}

/// The device of a handle.
///
/// # Safety
/// The handle is a device's, one of its queues' or one of its command buffers'.
pub unsafe fn device(handle: impl vk::Handle) -> Option<Device> {
    // SAFETY: as the caller says.
    DEVICES.get(unsafe { key(handle) })
}

/// A function below: the first that the device has of these names. A device lacks none that its program calls.
///
/// # Safety
/// `F` is the type of a pointer to the function of all these names; the handle is a device's, one of its queues' or command buffers'.
pub unsafe fn command<F: Copy>(of: impl vk::Handle, names: &[&CStr]) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<vk::PFN_vkVoidFunction>()) };
    // SAFETY: as the caller says.
    let (device, find) = unsafe { device(of) }?;
    // SAFETY: a device and a name.
    let found = names.iter().find_map(|name| unsafe { find(device, name.as_ptr()) })?;
    // SAFETY: as the caller says.
    Some(unsafe { std::mem::transmute_copy::<unsafe extern "system" fn(), F>(&found) })
}

/// A function of physical devices below, of the names that the layer gave ([`Layer::adapters`](crate::Layer)).
///
/// # Safety
/// `F` is the type of a pointer to the function; the handle is an instance's or one of its physical devices'.
pub unsafe fn of_adapter<F: Copy>(of: impl vk::Handle, name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<vk::PFN_vkVoidFunction>()) };
    // SAFETY: as the caller says.
    let key = unsafe { key(of) };
    let all = FUNCTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let found =
        all.iter().find(|(own, function, _)| *own == key && *function == name).map(|(_, _, function)| *function)?;
    // SAFETY: as the caller says.
    Some(unsafe { std::mem::transmute_copy::<unsafe extern "system" fn(), F>(&found) })
}

/// Finds the functions of physical devices below. It has to be called while the instance is made: afterwards the loader gives out the
/// layers' functions in their place.
///
/// # Safety
/// The instance is made by the layers and the driver below, and not yet by those above.
pub unsafe fn keep(instance: vk::Instance, find: vk::PFN_vkGetInstanceProcAddr, names: &[&'static CStr]) {
    // SAFETY: as the caller says; the names are texts.
    let (key, found) = unsafe {
        (
            key(instance),
            names.iter().filter_map(|name| Some((*name, find(instance, name.as_ptr())?))).collect::<Vec<_>>(),
        )
    };
    let mut all = FUNCTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    // An instance that is gone may have had the same table.
    all.retain(|(own, _, _)| *own != key);
    all.extend(found.into_iter().map(|(name, function)| (key, name, function)));
}
