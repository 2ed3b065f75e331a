//! How far each queue of a device came that stopped or was lost, in calls of the trace.

use crate::error::Place;

/// Where the GPU was when the replay ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnosis {
    /// The call or record of the trace at which the replay ended.
    pub place: Place,
    /// Why it ended, in words.
    pub reason: String,
    /// Why the device was removed, where it was: the name of its `HRESULT`.
    pub removed: Option<String>,
    /// Where it faulted, if the runtime tells.
    pub fault: Option<Fault>,
    /// By id.
    pub queues: Vec<QueueProgress>,
    /// Why some recordings have no markers, where they have none.
    pub unmarked: Option<String>,
    /// Operations of these calls began once everything before them was done.
    pub serial: Option<(u64, u64)>,
}

/// One queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueueProgress {
    /// Its id in the trace.
    pub queue: u32,
    /// Submissions that it was given.
    pub submissions: u64,
    /// Those that are done.
    pub completed: u64,
    /// What it is at.
    pub at: Standing,
}

/// What a queue is at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Standing {
    /// Everything that it was given is done.
    Idle,
    /// A wait that is not over.
    Wait {
        /// The call of `ID3D12CommandQueue::Wait`.
        call: u64,
        /// The fence, by its id in the trace.
        fence: u32,
        /// The value that it waits for.
        value: u64,
        /// The value that the fence has.
        reached: u64,
        /// What is to signal it; `None` where nothing up to the end of the replay is.
        signaller: Option<Signaller>,
    },
    /// A submission that is not done.
    Submission {
        /// The call of `ExecuteCommandLists`.
        call: u64,
        /// Its lists, in their order.
        lists: Vec<Recorded>,
    },
}

/// The call that is to signal a fence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signaller {
    /// The queue that it was given to.
    pub queue: u32,
    /// The call.
    pub call: u64,
}

/// A list of a submission that is not done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// Its id in the trace.
    pub list: u32,
    /// Operations in it.
    pub operations: u32,
    /// The calls of the first and the last of them.
    pub calls: Option<(u64, u64)>,
    /// `None` where it has no operation, or no markers.
    pub progress: Option<Progress>,
    /// The operations at which it is, in their order, and a few beside them.
    pub around: Vec<Operation>,
}

/// How far the GPU is in a list. Operations count from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The last one that it came to.
    pub reached: u32,
    /// The last one that is done, as are all before it.
    pub completed: u32,
}

/// What became of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It is done.
    Completed,
    /// The GPU came to it, and it is not done.
    Begun,
    /// The GPU did not come to it.
    NotBegun,
}

impl Progress {
    /// What became of an operation, by its number.
    #[must_use]
    pub fn of(&self, number: u32) -> State {
        if number <= self.completed {
            State::Completed
        } else if number <= self.reached {
            State::Begun
        } else {
            State::NotBegun
        }
    }
}

/// One operation of a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operation {
    /// Among the operations of its list, from 1.
    pub number: u32,
    /// The call that recorded it.
    pub call: u64,
    /// Its method in the model.
    pub method: u16,
    /// What became of it.
    pub progress: State,
}

/// A fault of the GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The GPU virtual address, of this replay.
    pub address: u64,
    /// The buffer that lies there, or lay there last.
    pub owner: Option<Owner>,
}

/// A buffer that an address belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Owner {
    /// The buffer.
    pub range: Range,
    /// The address's place in it, in bytes.
    pub offset: u64,
}

/// Where a buffer lies, or lay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// Its id in the trace.
    pub resource: u32,
    /// Its first GPU virtual address in this replay.
    pub address: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// The call that released it; `None` while it lives.
    pub released: Option<u64>,
}

impl Range {
    /// The owner of an address, where it lies in this range.
    pub(crate) fn owner(self, address: u64) -> Option<Owner> {
        let offset = address.checked_sub(self.address)?;
        (offset < self.bytes).then_some(Owner { range: self, offset })
    }
}

impl Diagnosis {
    /// Calls of operations that the GPU came to and has not done: first and last of each list that has any.
    #[must_use]
    pub fn suspects(&self) -> Vec<u64> {
        let lists = self.queues.iter().flat_map(|queue| match &queue.at {
            Standing::Submission { lists, .. } => lists.as_slice(),
            _ => &[],
        });
        let begun = lists.flat_map(|list| list.around.iter().filter(|operation| operation.progress == State::Begun));
        begun.map(|operation| operation.call).collect()
    }
}
