//! One counted reference to an object of the runtime.

use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_d3d12::{interface, method};

use super::Runtime;
use super::com::Com;

/// A pointer with a reference of its own, released when dropped.
pub(crate) struct Reference<'w> {
    runtime: &'w Runtime,
    pointer: u64,
}

impl<'w> Reference<'w> {
    /// Takes over one reference; `None` for null.
    pub(crate) fn new(runtime: &'w Runtime, pointer: u64) -> Option<Self> {
        (pointer != 0).then(|| Self { runtime, pointer })
    }

    /// Valid as long as this value.
    pub(crate) fn pointer(&self) -> u64 {
        self.pointer
    }

    /// The runtime that it belongs to.
    pub(crate) fn runtime(&self) -> &'w Runtime {
        self.runtime
    }

    /// Hands the reference to the caller.
    pub(crate) fn into_pointer(self) -> u64 {
        let pointer = self.pointer;
        core::mem::forget(self);
        pointer
    }
}

impl Drop for Reference<'_> {
    fn drop(&mut self) {
        self.runtime.release(self.pointer);
    }
}

/// The device that made an object; `child` is a pointer to `ID3D12DeviceChild` or to an interface that derives from it.
pub(crate) fn device_of(runtime: &Runtime, child: u64) -> Result<Reference<'_>, String> {
    const GET: MethodId = method("ID3D12DeviceChild", "GetDevice");
    const DEVICE: InterfaceId = interface("ID3D12Device");
    let mut device = 0u64;
    let words = [core::ptr::from_ref(&DEVICE.get().iid) as u64, core::ptr::from_mut(&mut device) as u64];
    // SAFETY: the pointer is alive and has this interface; the arguments are static and ours.
    let result = unsafe { runtime.call(child, GET, &words) } as u32;
    Reference::new(runtime, device)
        .ok_or_else(|| format!("an object does not tell its device: {}", crate::hresult::HresultName(result)))
}
