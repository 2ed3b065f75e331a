//! `ID3D12DeviceExt`: the private interface by which programs written for vkd3d-proton ask for the Vulkan handles.
//!
//! A facet of the device: an own vtable inside the body, with the device's counts. Extensions that need hardware of one
//! vendor are not there.

use core::ffi::c_void;
use core::mem::offset_of;

use ash::vk;
use reprise_com::result::{E_INVALIDARG, E_NOTIMPL, S_OK};
use reprise_com::{Facet, Faceted, Object, facet};
use reprise_d3d12::interface;
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::BOOL;

use crate::device::Device;

/// The interface's id.
const DEVICE_EXT: Guid = interface("ID3D12DeviceExt").get().iid;

struct Slots([*const c_void; 10]);

// SAFETY: constant addresses of functions.
unsafe impl Sync for Slots {}

static VTABLE: Slots = {
    let unknown = <Device as Faceted<INTEROP>>::UNKNOWN;
    Slots([
        unknown[0].1,
        unknown[1].1,
        unknown[2].1,
        get_vulkan_handles as *const c_void,
        get_extension_support as *const c_void,
        refuse as *const c_void,
        refuse as *const c_void,
        refuse as *const c_void,
        refuse as *const c_void,
        refuse as *const c_void,
    ])
};

/// The facet's number.
const INTEROP: usize = 0;

// SAFETY: the field of this offset is a facet with the vtable of this module.
unsafe impl Faceted<INTEROP> for Device {
    const PLACE: usize = offset_of!(Device, interop);
}

/// The facet of a new device.
pub(super) const FACET: Facet = Facet::new(&VTABLE.0);

/// The facet that answers an interface id.
pub(super) fn answer(object: &Object<Device>, iid: &Guid) -> Option<*mut c_void> {
    (*iid == DEVICE_EXT).then(|| facet::pointer::<Device, INTEROP>(object))
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
        let device = facet::object::<Device, INTEROP>(this);
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

#[cfg(test)]
mod tests {
    use reprise_com::Class;

    use super::*;

    #[test]
    fn gives_handles_and_is_the_device() {
        let made = crate::entry::device::independent().expect("is there a Vulkan 1.3 driver?");
        let mut ext = core::ptr::null_mut();
        let (mut instance, mut physical, mut vk) = Default::default();
        // SAFETY: calls as a program makes them; the object lives.
        unsafe {
            assert_eq!(made.query(&DEVICE_EXT, &mut ext), S_OK);
            assert_eq!(get_vulkan_handles(ext, &mut instance, &mut physical, &mut vk), S_OK);
            assert_eq!((physical, vk), (made.physical, made.vk.handle()));
            assert_ne!(instance, ash::vk::Instance::null());
            type Query = unsafe extern "C" fn(*mut c_void, *const Guid, *mut *mut c_void) -> i32;
            type Count = unsafe extern "C" fn(*mut c_void) -> u32;
            let function = |at: usize| *(*ext.cast::<*const *const c_void>()).add(at);
            let query: Query = core::mem::transmute(function(0));
            let (add, release): (Count, Count) = (
                core::mem::transmute::<*const c_void, Count>(function(1)),
                core::mem::transmute::<*const c_void, Count>(function(2)),
            );
            assert_eq!((add(ext), release(ext)), (3, 2));
            let mut back = core::ptr::null_mut();
            assert_eq!(query(ext, &Device::INTERFACE.get().iid, &mut back), S_OK);
            assert_eq!(back, made.pointer());
            assert_eq!((release(ext), release(ext)), (2, 1));
        }
    }
}
