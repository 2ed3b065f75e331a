//! How the loader calls a layer, and what it chains for one (`vk_layer.h`).

use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

use ash::vk;

use crate::next;

/// Versions of the interface below this one make layers known in another way.
const VERSION: u32 = 2;

/// What the loader and a layer tell each other.
#[repr(C)]
#[derive(Debug)]
pub struct Negotiation {
    kind: i32,
    next: *mut c_void,
    version: u32,
    find_of_instance: Option<vk::PFN_vkGetInstanceProcAddr>,
    find_of_device: Option<vk::PFN_vkGetDeviceProcAddr>,
    find_of_adapter: Option<vk::PFN_vkGetInstanceProcAddr>,
}

/// The next layer, chained to the structure that makes an instance or a device.
#[repr(C)]
struct Chained {
    kind: vk::StructureType,
    next: *const Chained,
    function: i32,
    link: *const Link,
}

/// [`Chained::function`]: there is a link.
const LINK: i32 = 0;

#[repr(C)]
struct Link {
    next: *const Link,
    find_of_instance: vk::PFN_vkGetInstanceProcAddr,
    /// For devices: how their functions are found.
    find_of_device: Option<vk::PFN_vkGetDeviceProcAddr>,
}

/// The link in a chain; the next layer finds its own there afterwards.
///
/// # Safety
/// The chain is the loader's.
unsafe fn link(chain: *const c_void, kind: vk::StructureType) -> Option<&'static Link> {
    let mut at = chain.cast::<Chained>().cast_mut();
    // SAFETY: structures of a chain begin with their kind and the next one.
    while let Some(chained) = unsafe { at.as_mut() } {
        if chained.kind == kind && chained.function == LINK {
            // SAFETY: the loader's link, which lives until the call returns.
            let link = unsafe { chained.link.as_ref() }?;
            chained.link = link.next;
            return Some(link);
        }
        at = chained.next.cast_mut();
    }
    None
}

/// A function of any type.
pub type Function = unsafe extern "system" fn();

/// The functions of a layer, by their names.
#[derive(Clone, Copy, Debug)]
pub struct Layer {
    /// Functions that stand before those below, where there are such.
    pub before: fn(&CStr) -> Option<Function>,
    /// Functions that are the layer's own, whatever there is below.
    pub own: fn(&CStr) -> Option<Function>,
    /// Functions of physical devices that the layer calls below.
    pub adapters: &'static [&'static CStr],
}

static LAYER: OnceLock<Layer> = OnceLock::new();

fn before(name: &CStr) -> Option<Function> {
    LAYER.get().and_then(|layer| (layer.before)(name))
}

fn own(name: &CStr) -> Option<Function> {
    LAYER.get().and_then(|layer| (layer.own)(name))
}

/// The loader asks how to call the layer.
///
/// # Safety
/// The pointer is the loader's.
pub unsafe fn negotiate(with: *mut Negotiation, layer: Layer) -> vk::Result {
    // SAFETY: as the caller says.
    let Some(with) = (unsafe { with.as_mut() }) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    if with.version < VERSION {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    }
    LAYER.get_or_init(|| layer);
    with.version = VERSION;
    with.find_of_instance = Some(find_of_instance);
    with.find_of_device = Some(find_of_device);
    with.find_of_adapter = None;
    vk::Result::SUCCESS
}

/// `vkCreateInstance`.
unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    made: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the program's structure, and the loader's chain.
    let Some(link) = (unsafe { link((*info).p_next, vk::StructureType::LOADER_INSTANCE_CREATE_INFO) }) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let find = link.find_of_instance;
    // SAFETY: a function that needs no instance, with the arguments of this call.
    let result = unsafe {
        let Some(create) = find(vk::Instance::null(), c"vkCreateInstance".as_ptr()) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkCreateInstance>(create)(info, allocator, made)
    };
    if result == vk::Result::SUCCESS {
        // SAFETY: the instance was made.
        unsafe {
            next::set_instance(*made, find);
            next::keep(*made, find, LAYER.get().map_or(&[], |layer| layer.adapters));
        }
    }
    result
}

/// `vkCreateDevice`: calls the next layer's, and keeps what it gives.
///
/// # Safety
/// The arguments are the loader's and the program's.
pub unsafe extern "system" fn create_device(
    adapter: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    made: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the program's structure, the loader's chain, and a physical device.
    let (link, instance) =
        unsafe { (link((*info).p_next, vk::StructureType::LOADER_DEVICE_CREATE_INFO), next::instance(adapter)) };
    let (Some(link), Some((instance, _))) = (link, instance) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    let Some(find) = link.find_of_device else { return vk::Result::ERROR_INITIALIZATION_FAILED };
    // SAFETY: the function of the physical device's instance, with the arguments of this call.
    let result = unsafe {
        let Some(create) = (link.find_of_instance)(instance, c"vkCreateDevice".as_ptr()) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkCreateDevice>(create)(
            adapter, info, allocator, made,
        )
    };
    if result == vk::Result::SUCCESS {
        // SAFETY: the device was made.
        unsafe { next::set_device(*made, find) };
    }
    result
}

/// `vkGetInstanceProcAddr`.
unsafe extern "system" fn find_of_instance(instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller's text.
    if let Some(own) = own(unsafe { CStr::from_ptr(name) }) {
        return Some(own);
    }
    // SAFETY: the caller's text. The pointers have the types of the functions that the names say.
    let own = unsafe {
        match CStr::from_ptr(name).to_bytes() {
            b"vkGetInstanceProcAddr" => Some(std::mem::transmute::<
                vk::PFN_vkGetInstanceProcAddr,
                unsafe extern "system" fn(),
            >(find_of_instance)),
            b"vkCreateInstance" => {
                Some(std::mem::transmute::<vk::PFN_vkCreateInstance, unsafe extern "system" fn()>(create_instance))
            }
            b"vkCreateDevice" => {
                Some(std::mem::transmute::<vk::PFN_vkCreateDevice, unsafe extern "system" fn()>(create_device))
            }
            b"vkGetDeviceProcAddr" => {
                Some(std::mem::transmute::<vk::PFN_vkGetDeviceProcAddr, unsafe extern "system" fn()>(find_of_device))
            }
            _ => None,
        }
    };
    if own.is_some() || instance == vk::Instance::null() {
        return own;
    }
    // SAFETY: an instance and the caller's text.
    let below = unsafe { next::instance(instance).and_then(|(_, find)| find(instance, name)) };
    // SAFETY: the caller's text.
    below.and_then(|below| unsafe { before(CStr::from_ptr(name)) }.or(Some(below)))
}

/// `vkGetDeviceProcAddr`.
unsafe extern "system" fn find_of_device(device: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller's text.
    if unsafe { CStr::from_ptr(name) } == c"vkGetDeviceProcAddr" {
        // SAFETY: a pointer to a function as any other.
        return Some(unsafe {
            std::mem::transmute::<vk::PFN_vkGetDeviceProcAddr, unsafe extern "system" fn()>(find_of_device)
        });
    }
    // SAFETY: the caller's text.
    if let Some(own) = own(unsafe { CStr::from_ptr(name) }) {
        return Some(own);
    }
    // SAFETY: a device and the caller's text.
    let below = unsafe { next::device(device).and_then(|(_, find)| find(device, name)) };
    // SAFETY: the caller's text.
    below.and_then(|below| unsafe { before(CStr::from_ptr(name)) }.or(Some(below)))
}
