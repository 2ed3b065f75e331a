//! A device, and what can be asked of it without a GPU's work.

use crate::{com, kernel};
use reprise_d3d12::model::Guid;
use reprise_d3d12::{interface, method};
use std::ffi::c_void;

/// `D3D12CreateDevice`.
pub type Create = unsafe extern "system" fn(*mut c_void, i32, *const c_void, *mut *mut c_void) -> i32;

const FEATURE_LEVEL_11_0: i32 = 0xb000;
const DEVICE: Guid = interface("ID3D12Device").get().iid;

/// The function of the library that the loader finds.
pub(crate) fn late() -> Option<Create> {
    let function = kernel::function(c"d3d12.dll", c"D3D12CreateDevice")?;
    // SAFETY: the exported function of that name has this type.
    Some(unsafe { std::mem::transmute::<*const c_void, Create>(function) })
}

/// A device of the default adapter.
pub(crate) struct Device(pub(crate) *mut c_void);

impl Device {
    pub(crate) fn new(create: Create) -> Option<Device> {
        let mut device = std::ptr::null_mut();
        // SAFETY: the adapter may be null; the id and the place outlive the call.
        let made = unsafe {
            create(std::ptr::null_mut(), FEATURE_LEVEL_11_0, std::ptr::from_ref(&DEVICE).cast(), &raw mut device)
        };
        (made == 0 && !device.is_null()).then(|| Device(device))
    }

    /// Makes a fence that begins at `value`, asks for its value, and releases it. Gives the answer.
    pub(crate) fn fence(&self, value: u64) -> Option<u64> {
        let fence = self.make("CreateFence", &[value, 0], "ID3D12Fence")?;
        // SAFETY: the method takes nothing; the fence is released once, here.
        unsafe {
            let answer = com::call(fence, method("ID3D12Fence", "GetCompletedValue"), &[]);
            com::release(fence);
            Some(answer)
        }
    }

    /// Makes an object by a method of the device: its words but for the last two, the id of the object's interface and a place.
    pub(crate) fn make(&self, name: &str, words: &[u64], class: &str) -> Option<*mut c_void> {
        // SAFETY: the device is alive; callers pass the words of the method that they name.
        unsafe { com::make(self.0, method("ID3D12Device", name), words, class) }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: the device is ours and not used again.
        unsafe { com::release(self.0) };
    }
}
