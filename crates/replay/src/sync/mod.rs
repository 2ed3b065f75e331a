//! Waiting for fences, always bounded.
//!
//! The values that the program saw are in the trace: replay may not run ahead of them, because the program re-used memory
//! and allocators on their strength. Invariant: nothing is assumed of how the program waited.
//!
//! A library may lose a value. libvkd3d 1.2 asks in turn which of a fence's signals are done, and sets the fence to each:
//! where two get done between its questions it sets the older value last, and the fence stays there. So where a value does
//! not come, the queue that was told to signal it decides: when it has done everything that it was given, the wait is over.

pub(crate) mod lockstep;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use reprise_d3d12::model::MethodId;
use reprise_d3d12::{interface, method};
use reprise_trace::read::Event;

use crate::call::Called;
use crate::input::values::argument;
use crate::picture::readback;
use crate::report::HresultName;
use crate::runtime::Runtime;
use crate::walk::Engine;
use crate::world::World;
use crate::{Error, Place};

const QUEUE_SIGNAL: MethodId = method("ID3D12CommandQueue", "Signal");

/// How long a value may stay away before its queue is asked.
const DOUBT: Duration = Duration::from_secs(1);

/// What queues were last told to signal: by fence, the queue and the value.
pub(crate) type Signals = HashMap<u32, (u32, u64)>;

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
    match crate::runtime::owned::of_child(world, fence) {
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

impl Engine<'_, '_> {
    /// A call was made: remembers what a queue is to signal.
    pub(crate) fn note_signal(&mut self, event: &Event<'_>, called: &Called) {
        if event.method == QUEUE_SIGNAL.0 && called.result as i32 >= 0 {
            let number = |name| argument(QUEUE_SIGNAL.get(), event.payload, name);
            if let (Some(fence), Some(value)) = (number("pFence"), number("Value")) {
                self.signals.insert(fence as u32, (event.object, value));
            }
        }
    }

    /// Waits until a fence has a value that the program saw it at.
    pub(crate) fn wait_for_seen(&mut self, id: u32, value: u64, place: &Place) -> Result<(), Error> {
        if value == 0 {
            return Ok(());
        }
        let Ok(pointer) = fence(&mut self.world, id) else {
            self.differ(place, format!("fence {id} was seen at {value}, but is not alive here"));
            return Ok(());
        };
        if value == REMOVED {
            // Programs may signal this value, too: then it comes here as well.
            let same =
                self.world.drain(self.options.fence_wait_timeout) && completed(&self.world.runtime, pointer) == value;
            if !same {
                self.differ(place, "the program's device was removed here".into());
            }
            return Ok(());
        }
        let start = Instant::now();
        let timeout = self.options.fence_wait_timeout;
        let doubt = DOUBT.min(timeout / 2);
        let mut waited = wait(&self.world.runtime, pointer, value, doubt);
        let mut lost = false;
        if matches!(waited, Waited::Expired(_)) {
            lost = self.is_signalled(id, value, timeout - doubt);
            // What its queue has done by now the fence must show at once.
            let rest = if lost { doubt } else { timeout.saturating_sub(start.elapsed()) };
            waited = wait(&self.world.runtime, pointer, value, rest);
        }
        self.report.timings.fence_waits += start.elapsed();
        match waited {
            Waited::Reached => Ok(()),
            Waited::Expired(reached) if lost => {
                let what = format!(
                    "the library lost a fence's value: fence {id} stands at {reached}, and the queue that signals {value} \
                     is done"
                );
                self.differ(place, what);
                Ok(())
            }
            Waited::Expired(reached) => Err(Error::FenceWait {
                place: place.clone(),
                fence: id,
                value,
                reached,
                seconds: start.elapsed().max(Duration::from_millis(1)).as_secs_f64(),
            }),
            Waited::Removed => match removal(&mut self.world, id) {
                Some(reason) => Err(Error::DeviceRemoved { place: place.clone(), reason }),
                None => Ok(()),
            },
        }
    }

    /// Whether the queue that was told to signal such a value has done everything that it was given.
    fn is_signalled(&mut self, fence: u32, value: u64, timeout: Duration) -> bool {
        let Some(&(queue, signalled)) = self.signals.get(&fence) else { return false };
        let pointer = self.world.pointer(queue, interface("ID3D12CommandQueue"));
        signalled >= value && pointer.is_ok_and(|queue| readback::drain(&self.world, queue, timeout).is_ok())
    }
}
