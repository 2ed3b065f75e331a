//! Fences of the runtime: their completed values, and bounded waits for them.

use std::time::{Duration, Instant};

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;

use super::Runtime;

/// How a wait ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Waited {
    Reached,
    /// With the value that it stands at.
    Expired(u64),
    /// The fence has the value of a removed device; see [`REMOVED`].
    Removed,
}

/// The value of every fence once its device is removed.
pub(crate) const REMOVED: u64 = u64::MAX;

/// The completed value of a fence of this runtime.
pub(crate) fn completed(runtime: &Runtime, fence: u64) -> u64 {
    const GET: MethodId = method("ID3D12Fence", "GetCompletedValue");
    // SAFETY: the caller took the pointer from the table, for the interface of fences; there are no arguments.
    unsafe { runtime.call(fence, GET, &[]) }
}

/// Waits until the fence `pointer` has reached `value`.
pub(crate) fn wait(runtime: &Runtime, pointer: u64, value: u64, timeout: Duration) -> Waited {
    const PAUSES: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(2));
    let start = Instant::now();
    loop {
        let reached = completed(runtime, pointer);
        if reached == REMOVED && value != REMOVED {
            return Waited::Removed;
        }
        if reached >= value {
            return Waited::Reached;
        }
        let elapsed = start.elapsed();
        if elapsed >= timeout {
            return Waited::Expired(reached);
        }
        // Software devices need the processor: sleep instead of spinning, longer as the wait grows, and never an eighth too long.
        std::thread::sleep((elapsed / 8).clamp(PAUSES.0, PAUSES.1));
    }
}
