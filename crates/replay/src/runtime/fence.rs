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

/// Asks the runtime to signal an event when the fence `pointer` reaches `value`.
pub(crate) fn signal(runtime: &Runtime, fence: u64, value: u64, event: u64) -> bool {
    const SET: MethodId = method("ID3D12Fence", "SetEventOnCompletion");
    // SAFETY: the caller took the pointer from the table, for the interface of fences; the event lives as long as the replay.
    unsafe { runtime.call(fence, SET, &[value, event]) as i32 >= 0 }
}

/// Waits until the fence `pointer` has reached `value`.
pub(crate) fn wait(runtime: &Runtime, pointer: u64, value: u64, timeout: Duration) -> Waited {
    const PAUSES: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(2));
    // Software devices need the processor: sleep instead of spinning, longer as the wait grows, and never an eighth too long.
    wait_with(runtime, pointer, value, timeout, |elapsed| {
        std::thread::sleep((elapsed / 8).clamp(PAUSES.0, PAUSES.1));
    })
}

/// The same, with a pause of the caller's between looks at the fence, who is told how long the wait is.
pub(crate) fn wait_with(
    runtime: &Runtime,
    pointer: u64,
    value: u64,
    timeout: Duration,
    pause: impl Fn(Duration),
) -> Waited {
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
        pause(elapsed);
    }
}
