//! Waiting for fences, always bounded.
//!
//! The values that the program saw are in the trace: replay may not run ahead of them, because the program re-used memory
//! and allocators on their strength. Invariant: nothing is assumed of how the program waited.

use std::time::{Duration, Instant};

use reprise_d3d12::model::MethodId;
use reprise_d3d12::{interface, method};

use crate::report::HresultName;
use crate::runtime::Runtime;
use crate::world::World;

/// How a wait ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Waited {
    Reached,
    /// With the value that it stands at.
    Expired(u64),
    /// The fence has the value of a removed device; see [`removal`].
    Removed,
}

/// What every fence holds once its device is removed.
pub(crate) const REMOVED: u64 = u64::MAX;

/// The completed value of a fence of this runtime.
pub(crate) fn completed(runtime: &Runtime, fence: u64) -> u64 {
    const GET: MethodId = method("ID3D12Fence", "GetCompletedValue");
    // SAFETY: the caller took the pointer from the table, for the interface of fences; there are no arguments.
    unsafe { runtime.call(fence, GET, &[]) }
}

/// Waits until the fence `pointer` has reached `value`.
pub(crate) fn wait(runtime: &Runtime, pointer: u64, value: u64, timeout: Duration) -> Waited {
    let start = Instant::now();
    let mut pause = Duration::from_micros(20);
    loop {
        let reached = completed(runtime, pointer);
        if reached == REMOVED && value != REMOVED {
            return Waited::Removed;
        }
        if reached >= value {
            return Waited::Reached;
        }
        if start.elapsed() >= timeout {
            return Waited::Expired(reached);
        }
        // Software devices need the processor: sleep instead of spinning, longer as the wait grows.
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(2));
    }
}

/// Why the device that made a fence was removed, in words; `None` where it is there: a program may signal [`REMOVED`] itself.
pub(crate) fn removal(world: &mut World, fence: u32) -> Option<String> {
    const REASON: MethodId = method("ID3D12Device", "GetDeviceRemovedReason");
    match crate::device::of_child(world, fence) {
        Ok(device) => {
            // SAFETY: the device is alive; there are no arguments.
            let reason = unsafe { device.runtime().call(device.pointer(), REASON, &[]) } as u32;
            (reason != 0).then(|| HresultName(reason).to_string())
        }
        Err(reason) => Some(reason),
    }
}

/// The pointer to a fence.
pub(crate) fn fence(world: &mut World, id: u32) -> Result<u64, String> {
    world.pointer(id, interface("ID3D12Fence"))
}
