//! Shared handles within a program: they are the system's, so it duplicates and closes them as any other.

use crate::com;
use crate::device::Device;
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use std::ffi::c_void;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};

/// `D3D12_FENCE_FLAG_SHARED`.
const SHARED: u64 = 1;
/// `GENERIC_ALL`.
const ALL: u64 = 0x1000_0000;

/// Opens a fence by the duplicate of its handle, once the fence is released and the first handle closed, and by its name. `None` where
/// one of that fails, or the name outlives the handles.
pub(crate) fn reopened(device: &Device) -> Option<()> {
    let fence = device.make("CreateFence", &[5, SHARED], "ID3D12Fence")?;
    let name: Vec<u16> = "reprise".encode_utf16().chain([0]).collect();
    let first =
        handle(device, method("ID3D12Device", "CreateSharedHandle"), &[fence as u64, 0, ALL, name.as_ptr() as u64])?;
    // SAFETY: the fence is released once.
    unsafe { com::release(fence) };
    let second = first.try_clone().ok()?;
    drop(first);
    let by_name = || handle(device, method("ID3D12Device", "OpenSharedHandleByName"), &[name.as_ptr() as u64, ALL]);
    for opened in [second, by_name()?] {
        let fence = device.make("OpenSharedHandle", &[opened.as_raw_handle() as u64], "ID3D12Fence")?;
        // SAFETY: the method takes nothing; the fence is released once.
        let value = unsafe {
            let value = com::call(fence, method("ID3D12Fence", "GetCompletedValue"), &[]);
            com::release(fence);
            value
        };
        if value != 5 {
            return None;
        }
    }
    by_name().is_none().then_some(())
}

/// A handle that a method of the device makes; its place is the last argument.
fn handle(device: &Device, method: MethodId, words: &[u64]) -> Option<OwnedHandle> {
    let mut handle: *mut c_void = std::ptr::null_mut();
    let mut all = words.to_vec();
    all.push((&raw mut handle) as u64);
    // SAFETY: the device is alive; callers pass the words of the method that they name; the place outlives the call.
    let result = unsafe { com::call(device.0, method, &all) } as i32;
    // SAFETY: the call succeeded, so the handle is open and ours.
    (result >= 0 && !handle.is_null()).then(|| unsafe { OwnedHandle::from_raw_handle(handle) })
}
