//! What was given to a queue, and how far it is with it.
//!
//! Invariant: what is done is forgotten, so that a long replay needs no more memory than what is under way.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::{interface, method};

use super::{Recording, Submitted};
use crate::report::diagnosis::{QueueProgress, Recorded, Signaller, Standing};
use crate::runtime::fence::{self, REMOVED};
use crate::runtime::{reference, replay_objects};
use crate::world::World;

/// One thing that a queue has to do.
enum Item {
    /// A submission, the call that made it, and the value of the queue's own fence behind it.
    Lists {
        call: u64,
        lists: Vec<Submitted>,
        value: u64,
    },
    Signal {
        call: u64,
        fence: u32,
        value: u64,
    },
    Wait {
        call: u64,
        fence: u32,
        value: u64,
    },
}

/// What a queue was given.
#[derive(Default)]
pub(super) struct Queue {
    /// Replay's own; 0 where there is none. It lives until the process ends, because the queue may signal it until then.
    fence: u64,
    submissions: u64,
    items: VecDeque<Item>,
}

impl Queue {
    /// Lists were executed by this call.
    pub(super) fn submit(&mut self, world: &mut World, id: u32, call: u64, lists: Vec<Submitted>) {
        const SIGNAL: MethodId = method("ID3D12CommandQueue", "Signal");
        self.submissions += 1;
        self.items.push_back(Item::Lists { call, lists, value: self.submissions });
        let Ok(queue) = world.pointer(id, interface("ID3D12CommandQueue")) else { return };
        let runtime = &world.runtime;
        if self.fence == 0 {
            let made = reference::device_of(runtime, queue).and_then(|device| {
                replay_objects::fence(runtime, device.pointer()).map(reference::Reference::into_pointer)
            });
            self.fence = made.unwrap_or(0);
        }
        if self.fence != 0 {
            // SAFETY: queue and fence are alive.
            unsafe { runtime.call(queue, SIGNAL, &[self.fence, self.submissions]) };
        }
    }

    /// A signal was given to it.
    pub(super) fn signal(&mut self, call: u64, signal: Option<(u32, u64)>) {
        self.items.extend(signal.map(|(fence, value)| Item::Signal { call, fence, value }));
    }

    /// A wait was given to it.
    pub(super) fn wait(&mut self, call: u64, wait: Option<(u32, u64)>) {
        self.items.extend(wait.map(|(fence, value)| Item::Wait { call, fence, value }));
    }

    /// Submissions that its own fence says are done.
    fn reached(&self, world: &World) -> u64 {
        match self.fence {
            0 => 0,
            fence => Some(fence::completed(&world.runtime, fence)).filter(|value| *value != REMOVED).unwrap_or(0),
        }
    }

    /// Forgets what is done; gives the recordings back that were in it.
    pub(super) fn prune(&mut self, world: &World) -> Vec<Submitted> {
        let reached = self.reached(world);
        let done = self.items.iter().rposition(|item| matches!(item, Item::Lists { value, .. } if *value <= reached));
        let gone = self.items.drain(..done.map_or(0, |last| last + 1));
        let lists = gone.filter_map(|item| match item {
            Item::Lists { lists, .. } => Some(lists),
            _ => None,
        });
        lists.flatten().collect()
    }

    /// How far it is. A removed device's fences tell nothing, so that only markers do.
    pub(super) fn tell(
        &self,
        world: &mut World,
        id: u32,
        removed: bool,
        queues: &BTreeMap<u32, Queue>,
    ) -> QueueProgress {
        let reached = if removed { 0 } else { self.reached(world) };
        let mut at = Standing::Idle;
        let mut done = self.items.iter().filter(|item| matches!(item, Item::Lists { .. })).count() as u64;
        done = self.submissions - done;
        for item in &self.items {
            match item {
                Item::Signal { .. } => {}
                &Item::Wait { call, fence, value } => {
                    // The program has let go of it: what stands behind the wait tells.
                    let Some(now) = standing(world, fence) else { continue };
                    if now < value {
                        let signaller = signaller(queues, fence, value);
                        at = Standing::Wait { call, fence, value, reached: now, signaller };
                        break;
                    }
                }
                Item::Lists { lists, value, .. } if is_done(lists, *value <= reached, removed) => done += 1,
                Item::Lists { call, lists, .. } => {
                    at = Standing::Submission { call: *call, lists: lists.iter().map(Recorded::of).collect() };
                    break;
                }
            }
        }
        QueueProgress { queue: id, submissions: self.submissions, completed: done, at }
    }

    /// The call by which it is to signal a value, or a later one.
    fn signals(&self, wanted: u32, least: u64) -> Option<u64> {
        self.items.iter().find_map(|item| match *item {
            Item::Signal { call, fence, value } if fence == wanted && value >= least => Some(call),
            _ => None,
        })
    }
}

/// Whether a submission is done: its fence says so, or, where the device is gone, all markers do. Where a list without an operation stands
/// in it, or one without markers, only the others are asked.
fn is_done(lists: &[Submitted], signalled: bool, removed: bool) -> bool {
    let mut told =
        lists.iter().filter_map(|(_, recording): &(u32, Rc<RefCell<Recording>>)| recording.borrow().is_done());
    signalled || (removed && told.all(|done| done))
}

/// The value of a fence of the program's; `None` where it is gone.
fn standing(world: &mut World, fence: u32) -> Option<u64> {
    let pointer = world.pointer(fence, interface("ID3D12Fence")).ok()?;
    Some(fence::completed(&world.runtime, pointer))
}

/// What is to signal a fence: the call, and the queue that it was given to.
fn signaller(queues: &BTreeMap<u32, Queue>, fence: u32, value: u64) -> Option<Signaller> {
    queues.iter().find_map(|(&queue, given)| Some(Signaller { queue, call: given.signals(fence, value)? }))
}
