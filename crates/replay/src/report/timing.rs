//! How long the GPU worked, and what it counted: what is asked for, and what is told.

use std::collections::{BTreeMap, HashMap};

use reprise_d3d12::model::MethodId;
use reprise_timeline::state::lists::{Marker, Pipeline};
use reprise_times::{Counted, Cpu, Executable, Silence, Submission};

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeWish {
    /// Submissions of these frames, first and last; frames count from 1.
    pub frames: (u64, u64),
    /// What of their lists.
    pub what: TimeKind,
    /// Each operation begins once everything before it is done, so that none hides behind another.
    pub serial: bool,
}

/// What of a list is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeKind {
    /// How long each operation takes.
    Operations,
    /// How long each pass takes: operations of a list with the same targets, or of the same kind.
    Passes,
    /// How long each list takes as a whole.
    Lists,
    /// What the GPU counts at each operation; nothing is timed.
    Counts,
    /// What the driver made of the shaders of pipeline states; nothing is timed.
    Shaders,
    /// What counters of the driver count at each operation, on our runtime in a process that asked for some; nothing is timed.
    Driver,
}

impl TimeKind {
    /// Whether operations are counted, and not timed.
    pub(crate) fn counts(self) -> bool {
        matches!(self, TimeKind::Counts | TimeKind::Driver)
    }
}

/// A submission with what the driver counted.
#[derive(Clone, Debug, Default)]
pub struct DriverSubmission {
    /// Its number.
    pub call: u64,
    /// From 1.
    pub frame: u64,
    /// The queue, by its id in the trace.
    pub queue: u32,
    /// Its lists.
    pub lists: Vec<DriverList>,
}

/// A list by its id, with the calls of its operations, and a word of each counter.
pub type DriverList = (u32, Vec<(u64, Vec<u64>)>);

/// What was measured.
#[derive(Clone, Debug, Default)]
pub struct TimingReport {
    /// Submissions with their times, in the order in which they were submitted.
    pub submissions: Vec<Submission>,
    /// What was bound where operations were recorded, by the numbers of their calls.
    pub operations: HashMap<u64, TimedOperation>,
    /// Submissions that have no times, by reason.
    pub untimed: BTreeMap<String, Vec<u64>>,
    /// Counts, where these were wanted.
    pub counted: Counted,
    /// What the driver counted, where that was wanted; what it did not count is named in `counted`.
    pub driver: Vec<DriverSubmission>,
    /// What the driver made of shaders, by the ids of pipeline states and state objects, where that was wanted.
    pub executables: BTreeMap<u32, Vec<Executable>>,
    /// Why nothing is told of them.
    pub silence: Option<Silence>,
    /// How long the CPU was in the runtime's calls, without those that measure.
    pub cpu: Cpu,
    /// Where the frames were repeated within the replay, each round by itself: then there are no submissions beside these.
    pub rounds: Vec<TimedRound>,
}

/// What was measured of one round of frames that are repeated.
#[derive(Clone, Debug, Default)]
pub struct TimedRound {
    /// Submissions with their times, in the order in which they were submitted.
    pub submissions: Vec<Submission>,
    /// Submissions that have no times, by reason.
    pub untimed: BTreeMap<String, Vec<u64>>,
    /// How long the CPU was in the runtime's calls, without those that measure.
    pub cpu: Cpu,
}

/// An operation of a list, as it was recorded.
#[derive(Clone, Debug)]
pub struct TimedOperation {
    /// What was called.
    pub method: MethodId,
    /// What draws and dispatches ran.
    pub pipeline: Option<Pipeline>,
    /// The events of the program's that were open, outermost first.
    pub markers: Vec<Marker>,
    /// The call that set the targets, or began the render pass; 0 where none had.
    pub targets: u64,
    /// Targets of colour and depth, by their ids in the trace.
    pub resources: Vec<u32>,
    /// Bytes that the call says to copy: of what is written.
    pub copied: Option<u64>,
    /// Bytes that the call says to clear.
    pub cleared: Option<u64>,
}
