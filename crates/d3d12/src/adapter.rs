//! What a Direct3D 12 device runs on: the name, ids and driver of the Vulkan device below it, on Linux.
//!
//! Runtimes on Vulkan tell their device by a function (libvkd3d) or an interface (vkd3d-proton and ours); the loader's library
//! that they have in the process tells the rest. Invariant: only getters are called; what nobody answers is `None`.

use core::ffi::{CStr, c_void};

use libloading::os::unix::Library;

use crate::abi::{self, Convention};
use crate::model::{Guid, MethodId};
use crate::{interface, method};

/// What a device says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Adapter {
    /// As Vulkan calls it.
    pub name: String,
    /// Vendor and device, in hexadecimal: `10de:2335`.
    pub ids: String,
    /// The driver's name and version.
    pub driver: String,
    /// A processor plays the GPU.
    pub is_processor: bool,
}

/// `VkPhysicalDeviceDriverProperties`.
#[repr(C)]
struct DriverProperties {
    kind: u32,
    next: *mut c_void,
    id: u32,
    name: [u8; 256],
    info: [u8; 256],
    conformance: [u8; 4],
}

/// `VkPhysicalDeviceProperties2`; what is not read is room.
#[repr(C)]
struct Properties {
    kind: u32,
    next: *mut c_void,
    api: u32,
    driver: u32,
    vendor: u32,
    device: u32,
    class: u32,
    name: [u8; 256],
    rest: [u64; 128],
}

const DRIVER_PROPERTIES: u32 = 1_000_196_000;
const PROPERTIES: u32 = 1_000_059_001;
/// `VK_PHYSICAL_DEVICE_TYPE_CPU`.
const PROCESSOR: u32 = 4;

/// Asks a device of a runtime in this convention. `physical`: the address of libvkd3d's `vkd3d_get_vk_physical_device`, where
/// the runtime has it.
///
/// # Safety
/// The device is a live `ID3D12Device` of the runtime itself, and the address is that function's.
pub unsafe fn of_device(
    convention: Convention,
    device: *mut c_void,
    physical: Option<*const c_void>,
) -> Option<Adapter> {
    let physical = match physical {
        // SAFETY: the caller passes the address of vkd3d's function, which has this type, and a live device of vkd3d's.
        Some(function) => unsafe {
            let get =
                core::mem::transmute::<*const c_void, unsafe extern "sysv64" fn(*mut c_void) -> *mut c_void>(function);
            get(device)
        },
        // SAFETY: the caller passes a live device in this convention.
        None => unsafe { physical_by_interface(convention, device) }?,
    };
    let get = vulkan(c"vkGetPhysicalDeviceProperties2")?;
    let mut driver = DriverProperties {
        kind: DRIVER_PROPERTIES,
        next: core::ptr::null_mut(),
        id: 0,
        name: [0; 256],
        info: [0; 256],
        conformance: [0; 4],
    };
    let mut all = Properties {
        kind: PROPERTIES,
        next: (&raw mut driver).cast(),
        api: 0,
        driver: 0,
        vendor: 0,
        device: 0,
        class: 0,
        name: [0; 256],
        rest: [0; 128],
    };
    if physical.is_null() {
        return None;
    }
    // SAFETY: the type of Vulkan's header; a device of the loader, and structures of ours, chained and large enough.
    unsafe {
        let get = core::mem::transmute::<*const c_void, unsafe extern "C" fn(*mut c_void, *mut Properties)>(get);
        get(physical, &raw mut all);
    }
    let version = format!("{} {}", text(&driver.name), text(&driver.info));
    Some(Adapter {
        name: text(&all.name),
        ids: format!("{:04x}:{:04x}", all.vendor, all.device),
        driver: version.trim().to_owned(),
        is_processor: all.class == PROCESSOR,
    })
}

/// # Safety
/// As [`of_device`].
unsafe fn physical_by_interface(convention: Convention, device: *mut c_void) -> Option<*mut c_void> {
    const QUERY: MethodId = method("IUnknown", "QueryInterface");
    const RELEASE: MethodId = method("IUnknown", "Release");
    const HANDLES: MethodId = method("ID3D12DeviceExt", "GetVulkanHandles");
    const IID: &Guid = &interface("ID3D12DeviceExt").get().iid;
    let call = |this: *mut c_void, method: MethodId, words: &[u64]| {
        let slot = usize::from(method.get().slot);
        // SAFETY: a live COM object, whose table has the method in its slot; words and places are right at each use below.
        unsafe {
            let function = *(*this.cast::<*const *const c_void>()).add(slot);
            abi::call(convention, function, Some(this), words, method.get())
        }
    };
    let mut found: *mut c_void = core::ptr::null_mut();
    call(device, QUERY, &[core::ptr::from_ref(IID) as u64, &raw mut found as u64]);
    if found.is_null() {
        return None;
    }
    let (mut instance, mut physical, mut own) = (0u64, 0u64, 0u64);
    let places = [&raw mut instance as u64, &raw mut physical as u64, &raw mut own as u64];
    let result = call(found, HANDLES, &places) as i32;
    call(found, RELEASE, &[]);
    (result >= 0 && physical != 0).then_some(physical as *mut c_void)
}

/// A function of the Vulkan loader that the process has already.
fn vulkan(name: &CStr) -> Option<*const c_void> {
    // SAFETY: nothing new is loaded, so no initialiser runs; the address is only taken.
    unsafe {
        let library = Library::open(Some("libvulkan.so.1"), libc::RTLD_LAZY | libc::RTLD_NOLOAD).ok()?;
        let found = library.get::<*const c_void>(name.to_bytes_with_nul()).ok().map(|symbol| *symbol);
        // The process has the library for its own reasons; it stays open.
        core::mem::forget(library);
        found.filter(|address| !address.is_null())
    }
}

/// A driver's text, which need not end.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use core::mem::offset_of;

    use super::*;

    /// Places and sizes of Vulkan's header.
    #[test]
    fn structures_are_laid_out_as_vulkans() {
        assert_eq!(
            (offset_of!(Properties, api), offset_of!(Properties, vendor), offset_of!(Properties, name)),
            (16, 24, 36)
        );
        assert!(size_of::<Properties>() >= 840);
        let driver =
            (offset_of!(DriverProperties, id), offset_of!(DriverProperties, name), offset_of!(DriverProperties, info));
        assert_eq!((driver, size_of::<DriverProperties>()), ((16, 20, 276), 536));
    }

    #[test]
    fn what_a_driver_says_ends_where_it_ends() {
        assert_eq!(text(b"llvm\0pipe"), "llvm");
        assert_eq!(text(&[b'x'; 256]).len(), 256);
    }
}
