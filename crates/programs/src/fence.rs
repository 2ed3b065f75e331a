//! Fences, and waiting for them in each library's own way.

use crate::com::{Com, Null, Word, attempt, call, create};
use crate::device::Device;
use crate::failure::Failure;
use crate::runtime::Runtime;
use core::ffi::c_void;
use reprise_d3d12::function;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::D3D12_FENCE_FLAGS;

/// A fence that begins at a given value.
pub(crate) struct Fence {
    pub(crate) com: Com,
}

impl Fence {
    /// Makes a fence that stands at `value`.
    pub(crate) fn new(device: &Device, value: u64) -> Result<Self, Failure> {
        Self::of(device, value, D3D12_FENCE_FLAGS::NONE)
    }

    /// The same with flags.
    pub(crate) fn of(device: &Device, value: u64, flags: D3D12_FENCE_FLAGS) -> Result<Self, Failure> {
        let com = create!(device.com, "ID3D12Device", "CreateFence", value, flags.0; "ID3D12Fence")?;
        Ok(Self { com })
    }

    /// The value that it has reached.
    pub(crate) fn completed(&self) -> u64 {
        call!(self.com, "ID3D12Fence", "GetCompletedValue")
    }

    /// Sets the value from the processor.
    pub(crate) fn signal(&self, value: u64) -> Result<(), Failure> {
        attempt!(self.com, "ID3D12Fence", "Signal", value)
    }

    /// Returns once the fence has reached `value`.
    pub(crate) fn wait(&self, value: u64) -> Result<(), Failure> {
        if self.completed() < value {
            match Event::new(self.com.runtime())? {
                Some(event) => {
                    attempt!(self.com, "ID3D12Fence", "SetEventOnCompletion", value, event.handle)?;
                    event.wait()?;
                }
                // Without an event the call itself waits.
                None => attempt!(self.com, "ID3D12Fence", "SetEventOnCompletion", value, Null)?,
            }
        }
        let reached = self.completed();
        Failure::unless((value..u64::MAX).contains(&reached), || {
            format!("a fence stands at {reached} after a wait for {value} (all bits set: the device was removed)")
        })
    }
}

/// What libvkd3d calls an event; other libraries need none, because they wait without.
struct Event {
    handle: *mut c_void,
    runtime: &'static Runtime,
}

impl Event {
    fn new(runtime: &'static Runtime) -> Result<Option<Self>, Failure> {
        const CREATE: MethodId = function("vkd3d_create_event");
        if !runtime.has(CREATE) {
            return Ok(None);
        }
        // SAFETY: it has no parameters.
        let handle = unsafe { runtime.call(CREATE, &[]) }?;
        Ok(Some(Self { handle: handle as *mut c_void, runtime }))
    }

    fn wait(&self) -> Result<(), Failure> {
        const WAIT: MethodId = function("vkd3d_wait_event");
        const FOREVER: u32 = u32::MAX;
        let words: [Word; 2] = [self.handle.into(), FOREVER.into()];
        // SAFETY: an event that lives.
        let result = unsafe { self.runtime.call(WAIT, &words) }?;
        Failure::unless(result == 0, || format!("vkd3d_wait_event answers {result}"))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        const DESTROY: MethodId = function("vkd3d_destroy_event");
        // SAFETY: the event lives until now, and nobody waits for it. A library that makes events ends them, too.
        let _ = unsafe { self.runtime.call(DESTROY, &[self.handle.into()]) };
    }
}
