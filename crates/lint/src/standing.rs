//! What other tools are told of resources and queues, as of the calls so far.

use crate::subresource::Part;

/// How a subresource stands, as barriers name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// Video lists or stores of the processor moved it, which are not followed.
    Unknown,
    /// `D3D12_RESOURCE_STATES`.
    State(u32),
    /// `D3D12_BARRIER_LAYOUT`.
    Layout(u32),
    /// A split barrier between these states has begun.
    Split {
        /// `D3D12_RESOURCE_STATES`.
        before: u32,
        /// `D3D12_RESOURCE_STATES`.
        after: u32,
    },
}

/// How some subresources stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stand {
    /// These subresources.
    pub part: Part,
    /// How they stand.
    pub standing: Standing,
    /// The call that brought them there: a barrier, a use that promoted them, or their creation.
    pub call: u64,
}

/// Something that a queue was given, and that it has not done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// The queue.
    pub queue: u32,
    /// The call that gave it.
    pub call: u64,
    /// What it is.
    pub what: HeldWhat,
}

/// What a queue has not done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeldWhat {
    /// A submission.
    Submission,
    /// A wait until a fence reaches a value.
    Wait(u32, u64),
    /// A signal of a fence to a value.
    Signal(u32, u64),
}
