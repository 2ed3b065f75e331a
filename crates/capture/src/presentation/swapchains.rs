//! The Vulkan objects behind a presented image: devices, queues, swap chains, images.
//!
//! Hooks between the recorder and the real functions fill this table, so it has the runtime's own objects, once each.
//! Invariant: without frame hashes no call is changed. With them, swap chains are made with one more usage, `TRANSFER_SRC`,
//! which the trace names as a policy.

use core::ffi::{CStr, c_void};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use ash::vk;
use ash::vk::Handle;
use reprise_d3d12::types::vkd3d_image_resource_create_info;

use super::copier::Copier;
use crate::entry;
use crate::loader::{next, resolved};
use crate::panics::protected;
use crate::picture::{Shown, hashes};
use crate::session::surfaces::{self, Surface};

/// A swap chain of the program.
pub(super) struct Swapchain {
    pub(super) device: vk::Device,
    pub(super) extent: vk::Extent2D,
    pub(super) images: Vec<vk::Image>,
    /// Why its images cannot be read, if so.
    pub(super) refused: Option<&'static str>,
    /// Made at the first present.
    pub(super) copier: Option<Copier>,
}

/// Everything known, by raw handle.
#[derive(Default)]
pub(super) struct Known {
    physical: HashMap<u64, vk::PhysicalDevice>,
    families: HashMap<u64, u32>,
    shown: HashMap<u64, Shown>,
    pub(super) swapchains: HashMap<u64, Swapchain>,
}

impl Known {
    /// The physical device behind a device, once the program asked for either.
    pub(super) fn physical(&self, device: vk::Device) -> Option<vk::PhysicalDevice> {
        self.physical.get(&device.as_raw()).copied()
    }

    /// The family of a queue that the program acquired.
    pub(super) fn family(&self, queue: vk::Queue) -> Option<u32> {
        self.families.get(&queue.as_raw()).copied()
    }

    /// An image of a swap chain.
    pub(super) fn image(&self, swapchain: vk::SwapchainKHR, index: u32) -> Option<vk::Image> {
        self.swapchains.get(&swapchain.as_raw())?.images.get(index as usize).copied()
    }

    /// The resource that shows an image.
    pub(super) fn shown(&self, image: vk::Image) -> Option<Shown> {
        self.shown.get(&image.as_raw()).copied()
    }
}

/// What is known, locked.
pub(super) fn known() -> MutexGuard<'static, Known> {
    static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Casts the real function behind one of our exports.
///
/// # Safety
/// `F` is the type of the function of this name.
unsafe fn real<F: Copy>(name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
    // SAFETY: `F` is the type of this function, as the caller says, and has the size of a pointer.
    resolved::real(name).map(|address| unsafe { core::mem::transmute_copy::<*const c_void, F>(&address) })
}

/// `vkd3d_get_vk_device`: notes which physical device belongs to it.
///
/// # Safety
/// As the real function; `device` is the runtime's own.
pub(crate) unsafe extern "sysv64" fn get_vk_device(device: *mut c_void) -> vk::Device {
    type Get<T> = unsafe extern "sysv64" fn(*mut c_void) -> T;
    // SAFETY: both have this type in vkd3d's header.
    let functions = unsafe {
        (
            real::<Get<vk::Device>>(c"vkd3d_get_vk_device"),
            real::<Get<vk::PhysicalDevice>>(c"vkd3d_get_vk_physical_device"),
        )
    };
    let (Some(get), Some(physical)) = functions else { return vk::Device::null() };
    // SAFETY: the caller's own argument.
    let (vk, physical) = unsafe { (get(device), physical(device)) };
    known().physical.insert(vk.as_raw(), physical);
    vk
}

/// `vkd3d_acquire_vk_queue`: notes the queue's family.
///
/// # Safety
/// As the real function; `queue` is the runtime's own.
pub(crate) unsafe extern "sysv64" fn acquire_vk_queue(queue: *mut c_void) -> vk::Queue {
    // SAFETY: the types of vkd3d's header.
    let functions = unsafe {
        (
            real::<unsafe extern "sysv64" fn(*mut c_void) -> vk::Queue>(c"vkd3d_acquire_vk_queue"),
            real::<unsafe extern "sysv64" fn(*mut c_void) -> u32>(c"vkd3d_get_vk_queue_family_index"),
        )
    };
    let (Some(acquire), Some(family)) = functions else { return vk::Queue::null() };
    // SAFETY: the caller's own argument. The family first: it is a constant of the queue, the acquisition takes a lock.
    let (family, vk) = unsafe { (family(queue), acquire(queue)) };
    known().families.insert(vk.as_raw(), family);
    vk
}

/// The program made a resource of an image.
///
/// # Safety
/// The arguments of a call of `vkd3d_create_image_resource` that succeeded, as the program sees them.
pub(crate) unsafe fn image_resource_made(info: *const vkd3d_image_resource_create_info, out: *const *mut c_void) {
    // SAFETY: the call succeeded, so its structure is valid and the output holds a resource of ours.
    let (info, object) = unsafe { (&*info, entry::object_id(*out)) };
    let (width, height) = (u32::try_from(info.desc.Width).unwrap_or(0), info.desc.Height);
    let shown = Shown { object, width, height, format: info.desc.Format.0 as u32 };
    known().shown.insert(info.vk_image as u64, shown);
}

/// `vkCreateSwapchainKHR`: when frames are hashed, with images that can be copied from.
///
/// # Safety
/// As the real function.
pub(crate) unsafe extern "sysv64" fn create_swapchain(
    device: vk::Device,
    info: *const vk::SwapchainCreateInfoKHR<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::SwapchainKHR,
) -> vk::Result {
    // SAFETY: the type of Vulkan's header.
    let Some(create) = (unsafe { real::<vk::PFN_vkCreateSwapchainKHR>(c"vkCreateSwapchainKHR") }) else {
        return vk::Result::ERROR_EXTENSION_NOT_PRESENT;
    };
    // SAFETY: the caller passed a valid structure; its chain of extensions stays the caller's.
    let mut info = unsafe { *info };
    let refused = if hashes::wanted() {
        let physical = known().physical(device);
        // SAFETY: a surface the program is about to use with this device.
        unsafe { refused(physical, info.surface) }
    } else {
        Some("no hashes were asked for")
    };
    if refused.is_none() {
        info.image_usage |= vk::ImageUsageFlags::TRANSFER_SRC;
    }
    // SAFETY: the program's arguments, but for one usage flag.
    let result = unsafe { create(device, &raw const info, allocator, out) };
    if result == vk::Result::SUCCESS {
        // SAFETY: the call succeeded, so there is a handle.
        let swapchain = unsafe { *out };
        let replaced = (!info.old_swapchain.is_null()).then(|| Surface::Vulkan(info.old_swapchain.as_raw()));
        protected((), || surfaces::made(Surface::Vulkan(swapchain.as_raw()), replaced));
        // SAFETY: the swap chain was just made on this device.
        let images = unsafe { images_of(device, swapchain) };
        let entry = Swapchain { device, extent: info.image_extent, images, refused, copier: None };
        known().swapchains.insert(swapchain.as_raw(), entry);
        if refused.is_none() {
            hashes::note_policy(hashes::OWN_SWAP_CHAINS);
        }
    }
    result
}

/// Why a surface's images cannot be copied from.
///
/// # Safety
/// The surface belongs to the device's instance.
unsafe fn refused(physical: Option<vk::PhysicalDevice>, surface: vk::SurfaceKHR) -> Option<&'static str> {
    let Some(physical) = physical else { return Some("the device did not come from vkd3d_get_vk_device") };
    // SAFETY: the type of Vulkan's header.
    let query = unsafe {
        next::function::<vk::PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR>(
            c"vkGetPhysicalDeviceSurfaceCapabilitiesKHR",
        )
    };
    let Some(query) = query else { return Some("the Vulkan loader does not know surfaces") };
    let mut capabilities = vk::SurfaceCapabilitiesKHR::default();
    // SAFETY: handles of one instance; the structure is ours.
    if unsafe { query(physical, surface, &raw mut capabilities) } != vk::Result::SUCCESS {
        return Some("the surface's capabilities cannot be asked");
    }
    let can = capabilities.supported_usage_flags.contains(vk::ImageUsageFlags::TRANSFER_SRC);
    if can { None } else { Some("the surface's images cannot be copied from") }
}

/// # Safety
/// The swap chain is one of this device.
unsafe fn images_of(device: vk::Device, swapchain: vk::SwapchainKHR) -> Vec<vk::Image> {
    // SAFETY: the type of Vulkan's header.
    let Some(get) = (unsafe { real::<vk::PFN_vkGetSwapchainImagesKHR>(c"vkGetSwapchainImagesKHR") }) else {
        return Vec::new();
    };
    let mut count = 0;
    // SAFETY: with no array the call only counts.
    unsafe { _ = get(device, swapchain, &raw mut count, core::ptr::null_mut()) };
    let mut images = vec![vk::Image::null(); count as usize];
    // SAFETY: the array has the length stated.
    unsafe { _ = get(device, swapchain, &raw mut count, images.as_mut_ptr()) };
    images.truncate(count as usize);
    images
}

/// `vkDestroySwapchainKHR`: what was made to read it goes first.
///
/// # Safety
/// As the real function.
pub(crate) unsafe extern "sysv64" fn destroy_swapchain(
    device: vk::Device,
    swapchain: vk::SwapchainKHR,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    protected((), || surfaces::gone(Surface::Vulkan(swapchain.as_raw())));
    let gone = known().swapchains.remove(&swapchain.as_raw());
    if let Some(Swapchain { images, copier, .. }) = gone {
        let mut known = known();
        for image in images {
            known.shown.remove(&image.as_raw());
        }
        drop(known);
        drop(copier);
    }
    // SAFETY: the type of Vulkan's header.
    if let Some(destroy) = unsafe { real::<vk::PFN_vkDestroySwapchainKHR>(c"vkDestroySwapchainKHR") } {
        // SAFETY: the caller's own arguments.
        unsafe { destroy(device, swapchain, allocator) };
    }
}
