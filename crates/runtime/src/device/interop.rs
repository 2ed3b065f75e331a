//! `ID3D12DeviceExt`: the private interface by which programs written for vkd3d-proton ask for the Vulkan handles.
//!
//! A facet of the device: an own vtable inside the body, with the device's counts. Extensions that need hardware of one
//! vendor are not there.

use core::ffi::c_void;
use core::mem::offset_of;

use ash::vk;
use reprise_com::Object;
use reprise_com::guid::guid;
use reprise_com::result::{E_INVALIDARG, E_NOTIMPL, S_OK};
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::BOOL;

use crate::device::Device;

/// The interface's id.
const DEVICE_EXT: Guid = guid(0x11ea_7a1a, 0x0f6a, 0x49bf, [0xb6, 0x12, 0x3e, 0x30, 0xf8, 0xe2, 0x01, 0xdd]);

struct Slots([*const c_void; 10]);

// SAFETY: constant addresses of functions.
unsafe impl Sync for Slots {}

static VTABLE: Slots = Slots([
    query_interface as *const c_void,
    add_ref as *const c_void,
    release as *const c_void,
    get_vulkan_handles as *const c_void,
    get_extension_support as *const c_void,
    refuse as *const c_void,
    refuse as *const c_void,
    refuse as *const c_void,
    refuse as *const c_void,
    refuse as *const c_void,
]);

/// The facet; its address is the interface's COM pointer.
#[derive(Debug)]
#[repr(transparent)]
pub struct Interop(*const c_void);

// SAFETY: the address of a constant.
unsafe impl Send for Interop {}
// SAFETY: as above.
unsafe impl Sync for Interop {}

impl Default for Interop {
    fn default() -> Interop {
        Interop(VTABLE.0.as_ptr().cast())
    }
}

/// Where the facet is in the object.
const PLACE: usize = Object::<Device>::BODY + offset_of!(Device, interop);

/// The facet that answers an interface id.
pub(super) fn facet(object: &Object<Device>, iid: &Guid) -> Option<*mut c_void> {
    (*iid == DEVICE_EXT).then(|| object.pointer().wrapping_byte_add(PLACE))
}

/// # Safety
/// `this` is the facet of a living device.
unsafe fn device<'a>(this: *mut c_void) -> &'a Object<Device> {
    // SAFETY: by contract.
    unsafe { Object::this(this.byte_sub(PLACE)) }
}

unsafe extern "C" fn query_interface(this: *mut c_void, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    if iid.is_null() {
        return E_INVALIDARG;
    }
    // SAFETY: our facet; the program's arguments, as the API demands them.
    unsafe { device(this).query(&*iid, out) }
}

unsafe extern "C" fn add_ref(this: *mut c_void) -> u32 {
    // SAFETY: our facet.
    unsafe { device(this) }.add_ref()
}

unsafe extern "C" fn release(this: *mut c_void) -> u32 {
    // SAFETY: our facet; the program gives a reference back.
    unsafe { Object::release(core::ptr::NonNull::from(device(this))) }
}

unsafe extern "C" fn get_vulkan_handles(
    this: *mut c_void,
    instance: *mut vk::Instance,
    physical: *mut vk::PhysicalDevice,
    vk: *mut vk::Device,
) -> i32 {
    if instance.is_null() || physical.is_null() || vk.is_null() {
        return E_INVALIDARG;
    }
    // SAFETY: our facet; the places are the program's.
    unsafe {
        let device = device(this);
        instance.write(device.instance.instance.handle());
        physical.write(device.physical);
        vk.write(device.vk.handle());
    }
    S_OK
}

unsafe extern "C" fn get_extension_support(_this: *mut c_void, _extension: u32) -> BOOL {
    0
}

/// Any other method; its arguments are left alone.
unsafe extern "C" fn refuse(_this: *mut c_void) -> i32 {
    E_NOTIMPL
}

const _: () = assert!(size_of::<Interop>() == size_of::<*const c_void>());

#[cfg(test)]
mod tests {
    use reprise_com::Class;

    use super::*;

    #[test]
    fn gives_handles_and_is_the_device() {
        let made = crate::device::create(None, crate::device::Stored::Independent { existing: false });
        let made = made.expect("is there a Vulkan 1.3 driver?");
        let facet = facet(&made, &DEVICE_EXT).expect("the device's own interface");
        let (mut instance, mut physical, mut vk) = Default::default();
        // SAFETY: calls as a program makes them; the object lives.
        unsafe {
            assert_eq!(get_vulkan_handles(facet, &mut instance, &mut physical, &mut vk), S_OK);
            assert_eq!((physical, vk), (made.physical, made.vk.handle()));
            assert_ne!(instance, ash::vk::Instance::null());
            assert_eq!((add_ref(facet), release(facet)), (2, 1));
            let mut back = core::ptr::null_mut();
            assert_eq!(query_interface(facet, &Device::INTERFACE.get().iid, &mut back), S_OK);
            assert_eq!(back, made.pointer());
            assert_eq!(release(facet), 1);
        }
    }
}
