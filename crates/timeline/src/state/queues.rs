//! Queues, and fences with their values.
//!
//! A queue signals a fence when it reaches the signal; the CPU signals at once. The trace also has the completed values that
//! the program saw. So a fence has reached at least the seen value, and at most the signalled one. Invariant: only the last of
//! each kind is kept, and waits that may still hold; the histories are in the [`Chronicle`](crate::index::Chronicle).

use super::lists::{MOST_DEPTH, Marker, queue_event, queue_marker};
use crate::argument;
use crate::argument::{Argument, Damaged, Many, ObjectId, One, Out};
use crate::call::{Call, Outcome};
use crate::walk::{At, Interests};
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_COMMAND_QUEUE_DESC, D3D12_FENCE_FLAGS};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Waits that are kept of one queue or fence; more at a time only a damaged trace has.
const MOST_WAITS: usize = 4096;

/// Queues and fences.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Queues {
    queues: BTreeMap<u32, Queue>,
    fences: BTreeMap<u32, Fence>,
    /// Submissions so far, of all queues.
    submissions: u64,
}

/// A command queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Queue {
    /// `D3D12_COMMAND_LIST_TYPE`.
    pub kind: u32,
    /// `D3D12_COMMAND_QUEUE_PRIORITY`, or a value between them.
    pub priority: i32,
    /// Submissions so far.
    pub submissions: u64,
    /// The last one.
    pub last: Option<Submission>,
    /// The last signal that was put into it.
    pub signal: Option<Signal>,
    /// Waits that were put into it, for values that the fence is not known to have reached.
    pub waits: Vec<Wait>,
    /// Events that are open, outermost first.
    pub markers: Vec<Marker>,
    /// The last `SetMarker`.
    pub last_marker: Option<Marker>,
}

/// A call of `ExecuteCommandLists`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    /// Its number among all submissions, from 1.
    pub number: u64,
    /// The call.
    pub call: u64,
    /// The queue.
    pub queue: u32,
    /// Number of the frame, from 0.
    pub frame: u32,
    /// What it runs, in order.
    pub lists: Vec<Ran>,
}

/// A list as a submission runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// The list.
    pub list: u32,
    /// The call with which its recording began.
    pub begun: u64,
    /// Calls of the recording.
    pub calls: u64,
}

/// A signal that a queue does when it gets there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signal {
    /// The fence.
    pub fence: u32,
    /// The value.
    pub value: u64,
    /// The call.
    pub call: u64,
}

/// A wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// The fence.
    pub fence: u32,
    /// The value that is waited for.
    pub value: u64,
    /// The call.
    pub call: u64,
    /// The queue that waits; 0: the program, by an event or in the call.
    pub queue: u32,
}

/// A fence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fence {
    /// The value that it was made with.
    pub initial: u64,
    /// `D3D12_FENCE_FLAGS`.
    pub flags: u32,
    /// The last signal of a queue: the queue, the value, the call.
    pub signalled: Option<(u32, u64, u64)>,
    /// The last signal of the processor: the value, the call.
    pub set: Option<(u64, u64)>,
    /// The last value that the program saw, and the call that it saw it in or after.
    pub seen: Option<(u64, u64)>,
    /// It has reached this value at least.
    pub reached: u64,
    /// It reaches this value at most, when all queues are done.
    pub promised: u64,
    /// Waits for values that it is not known to have reached.
    pub waits: Vec<Wait>,
}

const CREATE: MethodId = method("ID3D12Device", "CreateCommandQueue");
const CREATE1: MethodId = method("ID3D12Device9", "CreateCommandQueue1");
const FENCE: MethodId = method("ID3D12Device", "CreateFence");
const EXECUTE: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
const SIGNAL: MethodId = method("ID3D12CommandQueue", "Signal");
const WAIT: MethodId = method("ID3D12CommandQueue", "Wait");
const SET: MethodId = method("ID3D12Fence", "Signal");
const ASK: MethodId = method("ID3D12Fence", "GetCompletedValue");
const EVENT: MethodId = method("ID3D12Fence", "SetEventOnCompletion");
const EVENTS: MethodId = method("ID3D12Device1", "SetEventOnMultipleFenceCompletion");
const BEGIN_EVENT: MethodId = method("ID3D12CommandQueue", "BeginEvent");
const END_EVENT: MethodId = method("ID3D12CommandQueue", "EndEvent");
const SET_MARKER: MethodId = method("ID3D12CommandQueue", "SetMarker");

/// The methods of queues and fences.
pub const METHODS: &[MethodId] =
    &[CREATE, CREATE1, FENCE, EXECUTE, SIGNAL, WAIT, SET, ASK, EVENT, EVENTS, BEGIN_EVENT, END_EVENT, SET_MARKER];

/// Something that happens to a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Happening {
    /// The fence was made.
    Made,
    /// A queue is to signal it when it gets there.
    Signalled {
        /// The queue.
        queue: u32,
    },
    /// The processor signalled it.
    Set,
    /// A queue is to wait for it.
    QueueWaits {
        /// The queue.
        queue: u32,
    },
    /// The program waits for it: by an event, or in the call.
    ProgramWaits,
    /// The program saw the value.
    Seen,
}

/// What a call does to fences: each fence with its value. For [`Queues`] and for the history of fences.
///
/// # Errors
/// When an argument cannot be read.
pub fn happenings(call: &Call<'_>) -> Result<Vec<(u32, u64, Happening)>, Damaged> {
    let happened = call.succeeded() || matches!(call.outcome, Outcome::Lost);
    Ok(match call.method {
        FENCE => {
            const INITIAL: Argument<u64> = argument!("ID3D12Device", "CreateFence", "InitialValue");
            const MADE: Argument<Out<ObjectId>> = argument!("ID3D12Device", "CreateFence", "ppFence");
            let initial = INITIAL.of(call)?;
            made(MADE.of(call)?).map(|fence| (fence, initial, Happening::Made)).into_iter().collect()
        }
        SIGNAL if happened => {
            const OF: Argument<ObjectId> = argument!("ID3D12CommandQueue", "Signal", "pFence");
            const VALUE: Argument<u64> = argument!("ID3D12CommandQueue", "Signal", "Value");
            vec![(OF.of(call)?.0, VALUE.of(call)?, Happening::Signalled { queue: call.object })]
        }
        WAIT if happened => {
            const FOR: Argument<ObjectId> = argument!("ID3D12CommandQueue", "Wait", "pFence");
            const VALUE: Argument<u64> = argument!("ID3D12CommandQueue", "Wait", "Value");
            vec![(FOR.of(call)?.0, VALUE.of(call)?, Happening::QueueWaits { queue: call.object })]
        }
        SET if happened => {
            const VALUE: Argument<u64> = argument!("ID3D12Fence", "Signal", "Value");
            vec![(call.object, VALUE.of(call)?, Happening::Set)]
        }
        ASK => call.result().map(|value| (call.object, value, Happening::Seen)).into_iter().collect(),
        EVENT if happened => {
            const VALUE: Argument<u64> = argument!("ID3D12Fence", "SetEventOnCompletion", "Value");
            const HANDLE: Argument<u64> = argument!("ID3D12Fence", "SetEventOnCompletion", "hEvent");
            let (value, handle) = (VALUE.of(call)?, HANDLE.of(call)?);
            // Without an event the call returns when the value is reached.
            let happening = if handle == 0 { Happening::Seen } else { Happening::ProgramWaits };
            vec![(call.object, value, happening)]
        }
        EVENTS if happened => {
            const FENCES: Argument<Many<ObjectId>> =
                argument!("ID3D12Device1", "SetEventOnMultipleFenceCompletion", "ppFences");
            const VALUES: Argument<Many<u64>> =
                argument!("ID3D12Device1", "SetEventOnMultipleFenceCompletion", "pFenceValues");
            let (fences, values) = (FENCES.of(call)?, VALUES.of(call)?);
            fences.iter().zip(values.iter()).map(|(fence, value)| (fence.0, value, Happening::ProgramWaits)).collect()
        }
        _ => Vec::new(),
    })
}

/// The ids of the lists that a call of `ExecuteCommandLists` runs; none for other calls.
///
/// # Errors
/// When they cannot be read.
pub fn executed(call: &Call<'_>) -> Result<Vec<u32>, Damaged> {
    const LISTS: Argument<Many<ObjectId>> = argument!("ID3D12CommandQueue", "ExecuteCommandLists", "ppCommandLists");
    if call.method != EXECUTE {
        return Ok(Vec::new());
    }
    Ok(LISTS.of(call)?.iter().map(|list| list.0).filter(|list| *list != 0).collect())
}

impl Fence {
    /// A value that the fence has, as the processor knows for sure.
    fn reach(&mut self, value: u64) {
        self.reached = value;
        self.promised = self.promised.max(value);
        self.waits.retain(|wait| wait.value > value);
    }
}

impl Queues {
    /// A queue, if it exists.
    pub fn queue(&self, id: u32) -> Option<&Queue> {
        self.queues.get(&id)
    }

    /// All queues, by id.
    pub fn queues(&self) -> impl Iterator<Item = (u32, &Queue)> {
        self.queues.iter().map(|(id, queue)| (*id, queue))
    }

    /// A fence, if it exists.
    pub fn fence(&self, id: u32) -> Option<&Fence> {
        self.fences.get(&id)
    }

    /// All fences, by id.
    pub fn fences(&self) -> impl Iterator<Item = (u32, &Fence)> {
        self.fences.iter().map(|(id, fence)| (*id, fence))
    }

    /// Submissions so far, of all queues.
    pub fn submissions(&self) -> u64 {
        self.submissions
    }

    /// The calls that change it.
    pub(crate) fn interests() -> Interests {
        Interests::new().calls(METHODS).observed()
    }

    /// A call is complete; `lists` says how a list stands: the call with which its recording began, and its calls.
    ///
    /// # Errors
    /// When an argument cannot be read; what was read before it is kept.
    pub(crate) fn call(
        &mut self,
        call: &Call<'_>,
        _at: &At,
        lists: impl Fn(u32) -> Option<(u64, u64)>,
    ) -> Result<(), Damaged> {
        match call.method {
            CREATE | CREATE1 => self.create(call),
            EXECUTE => self.execute(call, lists),
            BEGIN_EVENT => {
                let marker = queue_event(call)?;
                let markers = &mut self.queues.entry(call.object).or_default().markers;
                if markers.len() < MOST_DEPTH {
                    markers.push(marker);
                }
                Ok(())
            }
            END_EVENT => {
                self.queues.entry(call.object).or_default().markers.pop();
                Ok(())
            }
            SET_MARKER => {
                self.queues.entry(call.object).or_default().last_marker = Some(queue_marker(call)?);
                Ok(())
            }
            _ => {
                for (fence, value, happening) in happenings(call)? {
                    self.happened(fence, value, happening, call);
                }
                Ok(())
            }
        }
    }

    /// The program saw a fence at this completed value.
    pub(crate) fn observe(&mut self, fence: u32, value: u64, at: &At) {
        self.saw(fence, value, at.call);
    }

    /// An object is gone.
    pub(crate) fn gone(&mut self, object: u32) {
        self.queues.remove(&object);
        if self.fences.remove(&object).is_some() {
            for queue in self.queues.values_mut() {
                queue.waits.retain(|wait| wait.fence != object);
            }
        }
    }

    fn create(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        const DESCRIPTION: Argument<One<D3D12_COMMAND_QUEUE_DESC>> =
            argument!("ID3D12Device", "CreateCommandQueue", "pDesc");
        const MADE: Argument<Out<ObjectId>> = argument!("ID3D12Device", "CreateCommandQueue", "ppCommandQueue");
        const DESCRIPTION1: Argument<One<D3D12_COMMAND_QUEUE_DESC>> =
            argument!("ID3D12Device9", "CreateCommandQueue1", "pDesc");
        const MADE1: Argument<Out<ObjectId>> = argument!("ID3D12Device9", "CreateCommandQueue1", "ppCommandQueue");
        let (description, id) = match call.method {
            CREATE => (DESCRIPTION.of(call)?, MADE.of(call)?),
            _ => (DESCRIPTION1.of(call)?, MADE1.of(call)?),
        };
        if let Some(id) = made(id) {
            let description = description.unwrap_or_default();
            let queue = Queue { kind: description.Type.0 as u32, priority: description.Priority, ..Queue::default() };
            self.queues.insert(id, queue);
        }
        Ok(())
    }

    fn execute(&mut self, call: &Call<'_>, lists: impl Fn(u32) -> Option<(u64, u64)>) -> Result<(), Damaged> {
        let ran = |list| {
            let (begun, calls) = lists(list).unwrap_or_default();
            Ran { list, begun, calls }
        };
        let lists = executed(call)?.into_iter().map(ran).collect();
        self.submissions += 1;
        let queue = self.queues.entry(call.object).or_default();
        queue.submissions += 1;
        let (number, frame) = (self.submissions, call.frame);
        queue.last = Some(Submission { number, call: call.number, queue: call.object, frame, lists });
        Ok(())
    }

    fn happened(&mut self, id: u32, value: u64, happening: Happening, call: &Call<'_>) {
        let call_number = call.number;
        let fence = self.fences.entry(id).or_default();
        match happening {
            Happening::Made => {
                const FLAGS: Argument<D3D12_FENCE_FLAGS> = argument!("ID3D12Device", "CreateFence", "Flags");
                let flags = FLAGS.of(call).map_or(0, |flags| flags.0);
                *fence = Fence { initial: value, flags, reached: value, promised: value, ..Fence::default() };
            }
            Happening::Signalled { queue } => {
                fence.signalled = Some((queue, value, call_number));
                fence.promised = fence.promised.max(value);
                let signal = Some(Signal { fence: id, value, call: call_number });
                self.queues.entry(queue).or_default().signal = signal;
            }
            Happening::Set => {
                fence.set = Some((value, call_number));
                fence.reach(value);
                self.reached(id, value);
            }
            Happening::Seen => self.saw(id, value, call_number),
            Happening::QueueWaits { queue } => {
                let wait = Wait { fence: id, value, call: call_number, queue };
                if fence.reached < value && fence.waits.len() < MOST_WAITS {
                    fence.waits.push(wait);
                    self.queues.entry(queue).or_default().waits.push(wait);
                }
            }
            Happening::ProgramWaits => {
                if fence.reached < value && fence.waits.len() < MOST_WAITS {
                    fence.waits.push(Wait { fence: id, value, call: call_number, queue: 0 });
                }
            }
        }
    }

    fn saw(&mut self, id: u32, value: u64, call: u64) {
        let fence = self.fences.entry(id).or_default();
        fence.seen = Some((value, call));
        fence.reach(value);
        self.reached(id, value);
    }

    /// Waits for what a fence has reached are over.
    fn reached(&mut self, fence: u32, value: u64) {
        for queue in self.queues.values_mut() {
            queue.waits.retain(|wait| wait.fence != fence || wait.value > value);
        }
    }
}

/// The object that was given out.
fn made(object: Option<ObjectId>) -> Option<u32> {
    object.map(|object| object.0).filter(|object| *object != 0)
}
