//! A device, and what can be asked of it without a GPU's work.

use crate::kernel;
use reprise_d3d12::model::{Guid, MethodId};
use reprise_d3d12::{interface, method};
use std::ffi::c_void;

/// `D3D12CreateDevice`.
pub type Create = unsafe extern "system" fn(*mut c_void, i32, *const c_void, *mut *mut c_void) -> i32;

const FEATURE_LEVEL_11_0: i32 = 0xb000;
const DEVICE: Guid = interface("ID3D12Device").get().iid;
const FENCE: Guid = interface("ID3D12Fence").get().iid;

/// The function of the library that the loader finds.
pub(crate) fn late() -> Option<Create> {
    let function = kernel::function(c"d3d12.dll", c"D3D12CreateDevice")?;
    // SAFETY: the exported function of that name has this type.
    Some(unsafe { std::mem::transmute::<*const c_void, Create>(function) })
}

/// A device of the default adapter.
pub(crate) struct Device(*mut c_void);

impl Device {
    pub(crate) fn new(create: Create) -> Option<Device> {
        let mut device = std::ptr::null_mut();
        // SAFETY: the adapter may be null; the id and the place outlive the call.
        let made = unsafe {
            create(std::ptr::null_mut(), FEATURE_LEVEL_11_0, std::ptr::from_ref(&DEVICE).cast(), &raw mut device)
        };
        (made == 0 && !device.is_null()).then_some(Device(device))
    }

    /// Makes a fence that begins at `value`, asks for its value, and releases it. Gives the answer.
    pub(crate) fn fence(&self, value: u64) -> Option<u64> {
        let mut fence = std::ptr::null_mut();
        // SAFETY: the slots hold the methods whose types are stated; the fence is released once.
        unsafe {
            let create = slot(self.0, method("ID3D12Device", "CreateFence"));
            let create: unsafe extern "system" fn(*mut c_void, u64, i32, *const c_void, *mut *mut c_void) -> i32 =
                std::mem::transmute(create);
            if create(self.0, value, 0, std::ptr::from_ref(&FENCE).cast(), &raw mut fence) != 0 {
                return None;
            }
            let completed = slot(fence, method("ID3D12Fence", "GetCompletedValue"));
            let completed: unsafe extern "system" fn(*mut c_void) -> u64 = std::mem::transmute(completed);
            let answer = completed(fence);
            release(fence);
            Some(answer)
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: the device is ours and not used again.
        unsafe { release(self.0) };
    }
}

/// # Safety
/// The caller's reference to the object is given up.
unsafe fn release(object: *mut c_void) {
    // SAFETY: every COM object has this method in its third slot, and the caller has a reference.
    unsafe {
        let release = *(*object.cast::<*const *const c_void>()).add(2);
        let release: unsafe extern "system" fn(*mut c_void) -> u32 = std::mem::transmute(release);
        release(object);
    }
}

/// The function in the slot of `method` of a COM object.
///
/// # Safety
/// `object` is a COM object that has the method.
unsafe fn slot(object: *mut c_void, method: MethodId) -> *const c_void {
    // SAFETY: a COM object begins with the address of its table, which has the method's slot.
    unsafe { *(*object.cast::<*const *const c_void>()).add(usize::from(method.get().slot)) }
}
