//! What other tools are told of resources and queues, as of the calls so far.

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

/// A queue that waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The queue.
    pub queue: u32,
    /// The fence.
    pub fence: u32,
    /// The value that the fence has not reached.
    pub value: u64,
    /// The call of the wait.
    pub call: u64,
    /// How much the queue was given behind the wait: submissions, signals and further waits.
    pub behind: usize,
}
