//! `sync`: CPU and GPU in turn, for finding out which submission goes wrong.
//!
//! After each submission and signal all queues finish what they were given, but for those that wait for a signal that the
//! trace makes later. Invariant: nothing is waited for that only a later call can bring about.

use std::collections::HashMap;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::{interface, method};
use reprise_trace::read::Event;

use crate::input::values::argument;
use crate::picture::readback;
use crate::sync;
use crate::walk::Engine;
use crate::world::World;
use crate::{Error, Place};

const EXECUTE: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
const SIGNAL: MethodId = method("ID3D12CommandQueue", "Signal");
const WAIT: MethodId = method("ID3D12CommandQueue", "Wait");
const TILES: MethodId = method("ID3D12CommandQueue", "UpdateTileMappings");
const COPY_TILES: MethodId = method("ID3D12CommandQueue", "CopyTileMappings");
const FENCE_SIGNAL: MethodId = method("ID3D12Fence", "Signal");

/// Waits that were given to queues before the value was there: by queue, fences and values.
#[derive(Default)]
pub(crate) struct Lockstep {
    held_up: HashMap<u32, Vec<(u32, u64)>>,
}

impl Lockstep {
    /// Whether a queue may still wait; forgets what has come to pass.
    fn is_held_up(&mut self, world: &mut World, queue: u32) -> bool {
        let Some(waits) = self.held_up.get_mut(&queue) else { return false };
        waits.retain(|&(fence, value)| !reached(world, fence, value));
        !waits.is_empty()
    }
}

/// A fence that is gone cannot be asked: whoever waits for it is left alone.
fn reached(world: &mut World, fence: u32, value: u64) -> bool {
    let pointer = sync::fence(world, fence);
    pointer.is_ok_and(|pointer| sync::completed(&world.runtime, pointer) >= value)
}

impl Engine<'_, '_> {
    /// A call was made: lets the queues finish, if it gave them something to do.
    pub(crate) fn keep_step(&mut self, event: &Event<'_>, place: &Place) -> Result<(), Error> {
        match MethodId(event.method) {
            WAIT => {
                let number = |name| argument(WAIT.get(), event.payload, name);
                let (Some(fence), Some(value)) = (number("pFence"), number("Value")) else { return Ok(()) };
                let fence = fence as u32;
                if !reached(&mut self.world, fence, value) {
                    self.lockstep.held_up.entry(event.object).or_default().push((fence, value));
                }
                Ok(())
            }
            EXECUTE | SIGNAL | TILES | COPY_TILES | FENCE_SIGNAL => self.finish_queues(place),
            _ => Ok(()),
        }
    }

    fn finish_queues(&mut self, place: &Place) -> Result<(), Error> {
        let mut left: Vec<u32> = self.world.queues().collect();
        // What one queue signals may be what another one waits for: again, until nothing moves.
        loop {
            let before = left.len();
            let mut held_up = Vec::new();
            for queue in left {
                if self.lockstep.is_held_up(&mut self.world, queue) {
                    held_up.push(queue);
                    continue;
                }
                let Ok(pointer) = self.world.pointer(queue, interface("ID3D12CommandQueue")) else { continue };
                let drained = readback::drain(&self.world, pointer, self.options.fence_wait_timeout);
                drained.map_err(|what| Error::Call { place: place.clone(), what: format!("--sync: {what}") })?;
            }
            if held_up.is_empty() || held_up.len() == before {
                return Ok(());
            }
            left = held_up;
        }
    }
}
