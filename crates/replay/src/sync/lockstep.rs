//! `--sync`: CPU and GPU in turn, for finding out which submission goes wrong.
//!
//! After each submission and signal all queues finish their work, except those that wait for a signal that the trace makes later.
//! Invariant: nothing waits for work that only a later call can bring about.

use std::collections::HashMap;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::{interface, method};

use crate::call::open_call::Enter;
use crate::context::Context;
use crate::error::{Error, Place};
use crate::runtime::{fence, replay_objects};
use crate::world::World;

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
    /// Whether a queue may still wait; forgets waits that are over.
    fn is_held_up(&mut self, world: &mut World, queue: u32) -> bool {
        let Some(waits) = self.held_up.get_mut(&queue) else { return false };
        waits.retain(|&(fence, value)| !reached(world, fence, value));
        !waits.is_empty()
    }
}

/// Whether a fence has a value. A fence that is gone cannot be asked: a queue that waits for it counts as held up.
fn reached(world: &mut World, fence: u32, value: u64) -> bool {
    let pointer = world.pointer(fence, interface("ID3D12Fence"));
    pointer.is_ok_and(|pointer| fence::completed(&world.runtime, pointer) >= value)
}

impl Lockstep {
    /// A call was made: lets the queues finish, if it gave them something to do.
    ///
    /// # Errors
    /// A queue does not finish in time.
    pub(crate) fn keep(&mut self, context: &mut Context<'_, '_>, enter: Enter<'_, '_>) -> Result<(), Error> {
        match enter.id() {
            WAIT => {
                let (Some(fence), Some(value)) = (enter.number("pFence"), enter.number("Value")) else {
                    return Ok(());
                };
                let fence = fence as u32;
                if !reached(&mut context.world, fence, value) {
                    self.held_up.entry(enter.event.object).or_default().push((fence, value));
                }
                Ok(())
            }
            EXECUTE | SIGNAL | TILES | COPY_TILES | FENCE_SIGNAL => self.finish_queues(context, enter.place),
            _ => Ok(()),
        }
    }

    fn finish_queues(&mut self, context: &mut Context<'_, '_>, place: &Place) -> Result<(), Error> {
        let mut left: Vec<u32> = context.world.queues().collect();
        // A queue may wait for a value that another one signals: again, until nothing moves.
        loop {
            let before = left.len();
            let mut held_up = Vec::new();
            for queue in left {
                if self.is_held_up(&mut context.world, queue) {
                    held_up.push(queue);
                    continue;
                }
                let Ok(pointer) = context.world.pointer(queue, interface("ID3D12CommandQueue")) else { continue };
                let drained =
                    replay_objects::drain(&context.world.runtime, pointer, context.options.fence_wait_timeout);
                drained.map_err(|what| place.fail(format!("--sync: {what}")))?;
            }
            if held_up.is_empty() || held_up.len() == before {
                return Ok(());
            }
            left = held_up;
        }
    }
}
