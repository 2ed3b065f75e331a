//! Fences and queues: values that the program saw are waited for, always bounded.
//!
//! The trace has the values that the program saw. Replay may not run ahead of them, because the program re-used memory and
//! allocators on their strength. Invariant: nothing is assumed of how the program waited.
//!
//! A library may lose a value. libvkd3d 1.2 asks in turn which of a fence's signals are done, and sets the fence to each:
//! where two get done between its questions it sets the older value last, and the fence stays there. So where a value does
//! not come, the queue that was told to signal it decides: when it has done everything that it was given, the wait is over.

pub(crate) mod held_up;
pub(crate) mod lockstep;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use reprise_d3d12::model::MethodId;
use reprise_d3d12::{interface, method};

use crate::call::Called;
use crate::call::open_call::{Enter, OpenCall};
use crate::context::Context;
use crate::error::{Error, Place};
use crate::hresult::HresultName;
use crate::input::values::{at, ids, number_at, numbers};
use crate::resolve::objects::Virtual;
use crate::runtime::fence::{self, REMOVED, Waited};
use crate::runtime::replay_objects;
use crate::sync::held_up::{HeldUp, Unended};
use crate::world::World;

const QUEUE_SIGNAL: MethodId = method("ID3D12CommandQueue", "Signal");
const REMOVE: MethodId = method("ID3D12Device5", "RemoveDevice");

/// `D3D12_MULTIPLE_FENCE_WAIT_FLAG_ANY`.
const WAIT_ANY: u64 = 1;

/// How long a value may stay away before its queue is asked.
const DOUBT: Duration = Duration::from_secs(1);

/// How long a wait for an event goes on without a look at the fence: a library may lose the event, and a device be removed.
const LOOK: Duration = Duration::from_millis(5);

/// The last signal of each fence that a queue has to make.
#[derive(Default)]
pub(crate) struct Signals {
    /// By fence: the queue and the value.
    last: HashMap<u32, (u32, u64)>,
    /// The program's own device was removed.
    is_removed: bool,
}

/// Why the device that made a fence or queue was removed, in words; `None` where it is there: a program may signal [`REMOVED`] itself.
fn removal(world: &mut World, made: u32) -> Option<String> {
    const REASON: MethodId = method("ID3D12Device", "GetDeviceRemovedReason");
    match world.device_of(made) {
        Ok(device) => {
            // SAFETY: the device is alive; there are no arguments.
            let reason = unsafe { device.runtime().call(device.pointer(), REASON, &[]) } as u32;
            (reason != 0).then(|| HresultName(reason).to_string())
        }
        Err(reason) => Some(reason),
    }
}

/// The pointer to a fence.
fn pointer(world: &mut World, id: u32) -> Result<u64, String> {
    world.pointer(id, interface("ID3D12Fence"))
}

/// Waits until a fence has a value: for an event of the runtime where that can be, so that the wait ends when the value is there.
fn wait(world: &mut World, pointer: u64, value: u64, timeout: Duration) -> Waited {
    if fence::completed(&world.runtime, pointer) >= value {
        // It may be that of a removed device.
        return fence::wait(&world.runtime, pointer, value, timeout);
    }
    let alarm = world.events.alarm().filter(|alarm| fence::signal(&world.runtime, pointer, value, alarm.handle()));
    match alarm {
        Some(alarm) => fence::wait_with(&world.runtime, pointer, value, timeout, |_| alarm.wait(LOOK)),
        None => fence::wait(&world.runtime, pointer, value, timeout),
    }
}

impl Signals {
    /// A fence is gone.
    pub(crate) fn forget(&mut self, fence: u32) {
        self.last.remove(&fence);
    }

    /// A call was made: remembers the value that a queue is to signal.
    pub(crate) fn note(&mut self, enter: Enter<'_, '_>, called: &Called) {
        self.is_removed |= enter.id() == REMOVE;
        if enter.id() == QUEUE_SIGNAL && called.result as i32 >= 0 {
            let (fence, value) = (enter.number("pFence"), enter.number("Value"));
            if let (Some(fence), Some(value)) = (fence, value) {
                self.last.insert(fence as u32, (enter.event.object, value));
            }
        }
    }

    /// Waits until a fence has a value that the program saw it at.
    ///
    /// # Errors
    /// The value does not come in time, or the device is removed.
    pub(crate) fn wait_for_seen(
        &mut self,
        context: &mut Context<'_, '_>,
        id: u32,
        value: u64,
        place: &Place,
    ) -> Result<(), Error> {
        if value == 0 {
            return Ok(());
        }
        if context.world.objects.virtual_kind(id) == Some(Virtual::LeftOut) {
            return Ok(());
        }
        let Ok(pointer) = pointer(&mut context.world, id) else {
            context.differ(place, format!("fence {id} was seen at {value}, but is not alive here"));
            return Ok(());
        };
        if value == REMOVED {
            self.is_removed = true;
            // Programs may signal this value, too: then it comes here as well.
            let world = &mut context.world;
            let same =
                world.drain(context.options.fence_wait_timeout) && fence::completed(&world.runtime, pointer) == value;
            if !same {
                context.differ(place, "the program's device was removed here");
            }
            return Ok(());
        }
        self.signal_for_others(context, (id, pointer), value, place);
        let start = Instant::now();
        let timeout = context.options.fence_wait_timeout;
        let doubt = DOUBT.min(timeout / 2);
        let mut waited = wait(&mut context.world, pointer, value, doubt);
        let mut done = None;
        if matches!(waited, Waited::Expired(_)) {
            done = self.is_done(&mut context.world, id, value, timeout - doubt);
            // Where its queue is done, the fence must have the value at once.
            let rest = if done == Some(true) { doubt } else { timeout.saturating_sub(start.elapsed()) };
            waited = fence::wait(&context.world.runtime, pointer, value, rest);
        }
        context.report.timings.fence_waits += start.elapsed();
        match waited {
            Waited::Reached => Ok(()),
            Waited::Expired(reached) if done == Some(true) => {
                let what = format!(
                    "the library lost a fence's value: fence {id} stands at {reached}, and the queue that signals {value} \
                     is done"
                );
                context.differ(place, what);
                Ok(())
            }
            Waited::Expired(reached) => {
                if done == Some(false) {
                    // Nobody has to wait once more before the objects are let go of.
                    context.world.is_idle = Some(false);
                }
                Err(Error::FenceWait {
                    place: place.clone(),
                    fence: id,
                    value,
                    reached,
                    seconds: start.elapsed().max(Duration::from_millis(1)).as_secs_f64(),
                    shared: context.world.shared.has_any(),
                })
            }
            Waited::Removed => match removal(&mut context.world, id) {
                Some(reason) => Err(Error::DeviceRemoved { place: place.clone(), reason }),
                None => Ok(()),
            },
        }
    }

    /// Signals a value that nothing in the trace signals, of a fence that the program shared: another process or device did so.
    fn signal_for_others(&self, context: &mut Context<'_, '_>, (id, pointer): (u32, u64), value: u64, place: &Place) {
        const SIGNAL: MethodId = method("ID3D12Fence", "Signal");
        let told = self.last.get(&id).map_or(0, |(_, told)| *told);
        let world = &context.world;
        if told >= value || !world.shared.is(id) || fence::completed(&world.runtime, pointer) >= value {
            return;
        }
        // SAFETY: the fence is alive; the argument is a number.
        unsafe { world.runtime.call(pointer, SIGNAL, &[value]) };
        context.differ(
            place,
            format!("another process signalled fence {id}, which is in no trace: replay does so instead"),
        );
    }

    /// Waits for the values of several fences that the program waited for at once.
    ///
    /// # Errors
    /// As [`Signals::wait_for_seen`].
    pub(crate) fn wait_for_several(&mut self, context: &mut Context<'_, '_>, call: &OpenCall) -> Result<(), Error> {
        let arguments = call.arguments(&context.codec)?;
        let fences = at(&arguments.members, "ppFences").map(ids).unwrap_or_default();
        let values = at(&arguments.members, "pFenceValues").map(numbers).unwrap_or_default();
        // The trace does not say which of them woke the program; values that the program saw later have records of their own.
        if number_at(&arguments.members, "Flags").unwrap_or(0) & WAIT_ANY != 0 {
            return Ok(());
        }
        for (fence, value) in fences.into_iter().zip(values) {
            self.wait_for_seen(context, fence, value, &call.place)?;
        }
        Ok(())
    }

    /// Waits, after the last call, for all work that the queues were given. A queue is left alone if it waits for a fence value that no call
    /// of the trace signals: at capture it waited, too.
    ///
    /// # Errors
    /// A queue does not end in time, or its device is removed and the program's was not.
    pub(crate) fn finish_queues(
        &self,
        context: &mut Context<'_, '_>,
        held_up: &mut HeldUp,
        place: &Place,
    ) -> Result<(), Error> {
        let (world, timeout) = (&mut context.world, context.options.fence_wait_timeout);
        let start = Instant::now();
        let finished = held_up.finish_others(world, timeout);
        context.report.timings.fence_waits += start.elapsed();
        let Unended { queue, what } = match finished {
            Ok(all) => {
                world.is_idle = all.then_some(true);
                return Ok(());
            }
            Err(unended) => unended,
        };
        match removal(world, queue) {
            Some(_) if self.is_removed => Ok(()),
            Some(reason) => Err(Error::DeviceRemoved { place: place.clone(), reason }),
            None => {
                world.is_idle = Some(false);
                Err(Error::Unended { place: place.clone(), queue, what })
            }
        }
    }

    /// Whether the queue that was told to signal such a value has done everything that it was given; `None` where no queue was.
    fn is_done(&self, world: &mut World, fence: u32, value: u64, timeout: Duration) -> Option<bool> {
        let &(queue, _) = self.last.get(&fence).filter(|(_, signalled)| *signalled >= value)?;
        let pointer = world.pointer(queue, interface("ID3D12CommandQueue")).ok()?;
        Some(replay_objects::drain(&world.runtime, pointer, timeout).is_ok())
    }
}
