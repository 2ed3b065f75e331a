//! Queues that wait for a value of a fence, and the end of all others.
//!
//! Invariant: nothing waits for work that only a later call can bring about.

use std::collections::HashMap;
use std::time::Duration;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::{interface, method};

use crate::call::open_call::Enter;
use crate::runtime::{fence, replay_objects};
use crate::world::World;

const WAIT: MethodId = method("ID3D12CommandQueue", "Wait");

/// Waits that were given to queues before the value was there: by queue, fences and values.
#[derive(Default)]
pub(crate) struct HeldUp {
    waits: HashMap<u32, Vec<(u32, u64)>>,
}

/// A queue that does not end.
#[derive(Debug)]
pub(crate) struct Unended {
    pub(crate) queue: u32,
    pub(crate) what: String,
}

/// Whether a fence has a value. A fence that is gone cannot be asked: a queue that waits for it counts as held up.
fn reached(world: &mut World, fence: u32, value: u64) -> bool {
    let pointer = world.pointer(fence, interface("ID3D12Fence"));
    pointer.is_ok_and(|pointer| fence::completed(&world.runtime, pointer) >= value)
}

impl HeldUp {
    /// A call was made: remembers a wait for a value that is not there yet.
    pub(crate) fn note(&mut self, world: &mut World, enter: Enter<'_, '_>) {
        if enter.id() != WAIT {
            return;
        }
        let (Some(fence), Some(value)) = (enter.number("pFence"), enter.number("Value")) else { return };
        let queue = enter.event.object;
        // Of a program that runs for hours no more is kept than what is open.
        if !self.is(world, queue) {
            self.waits.remove(&queue);
        }
        if !reached(world, fence as u32, value) {
            self.waits.entry(queue).or_default().push((fence as u32, value));
        }
    }

    /// A fence goes: whoever waited for a value that it has waits no more.
    pub(crate) fn forget(&mut self, world: &mut World, fence: u32) {
        for waits in self.waits.values_mut() {
            waits.retain(|&(of, value)| of != fence || !reached(world, of, value));
        }
    }

    /// Whether a queue may still wait; forgets waits that are over.
    fn is(&mut self, world: &mut World, queue: u32) -> bool {
        let Some(waits) = self.waits.get_mut(&queue) else { return false };
        waits.retain(|&(fence, value)| !reached(world, fence, value));
        !waits.is_empty()
    }

    /// Waits for all queues that nothing holds up; whether these are all.
    ///
    /// # Errors
    /// One does not end in this time.
    pub(crate) fn finish_others(&mut self, world: &mut World, timeout: Duration) -> Result<bool, Unended> {
        let mut left: Vec<u32> = world.queues().collect();
        // A queue may wait for a value that another one signals: again, until nothing moves.
        loop {
            let before = left.len();
            let mut held_up = Vec::new();
            for queue in left {
                if self.is(world, queue) {
                    held_up.push(queue);
                    continue;
                }
                let Ok(pointer) = world.pointer(queue, interface("ID3D12CommandQueue")) else { continue };
                replay_objects::drain(&world.runtime, pointer, timeout).map_err(|what| Unended { queue, what })?;
            }
            if held_up.is_empty() || held_up.len() == before {
                return Ok(held_up.is_empty());
            }
            left = held_up;
        }
    }
}
