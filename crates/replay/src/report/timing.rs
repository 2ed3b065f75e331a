//! How long the GPU worked: what is asked for, and what is told.

use std::collections::{BTreeMap, HashMap};

use reprise_d3d12::model::MethodId;
use reprise_timeline::state::lists::{Marker, Pipeline};

/// What is timed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeWish {
    /// Submissions of these frames, first and last; frames count from 1.
    pub frames: (u64, u64),
    /// Each operation of a list; else each list as one.
    pub operations: bool,
    /// Each operation begins once everything before it is done, so that none hides behind another.
    pub serial: bool,
}

/// What was timed.
#[derive(Clone, Debug, Default)]
pub struct TimingReport {
    /// In the order in which they were submitted.
    pub submissions: Vec<TimedSubmission>,
    /// What was bound where operations were recorded, by the numbers of their calls.
    pub operations: HashMap<u64, TimedOperation>,
    /// Submissions that have no times, by reason.
    pub untimed: BTreeMap<String, Vec<u64>>,
}

/// A call of `ExecuteCommandLists`.
#[derive(Clone, Debug)]
pub struct TimedSubmission {
    /// Its number.
    pub call: u64,
    /// Frames count from 1.
    pub frame: u64,
    /// The queue, by its id in the trace.
    pub queue: u32,
    /// Those of its lists that have operations.
    pub lists: Vec<TimedList>,
}

/// A list of a submission.
#[derive(Clone, Debug)]
pub struct TimedList {
    /// Its id in the trace.
    pub list: u32,
    /// When what the queue had before it was done, in nanoseconds of the queue's clock.
    pub begin: f64,
    /// From there to the end of its last operation, in nanoseconds.
    pub duration: f64,
    /// Calls and durations of its operations, in nanoseconds: from the end of the one before to the end of this one. Where operations
    /// overlap, that is what this one adds. Empty where each list was timed as one.
    pub operations: Vec<(u64, f64)>,
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
}
