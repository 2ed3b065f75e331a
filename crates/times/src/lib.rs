//! What was measured of a trace: how long the GPU worked at each operation, what it counted there, the file that has both, and whether one run took
//! longer than another ([`Samples`]).
//!
//! `reprise time -o FILE` writes such a file; `reprise` itself, the tables `timings` and `counters`, the page, and `convert` read it. The file
//! is lines of JSON, each with one key that says what it is ([`file`]). Invariant: a file that is read is what was written, or an error with
//! the number of the line; of lines with other keys, which later builds may write, the number is kept ([`Times::unknown`]).
//!
//! ```
//! use reprise_times::{About, Times};
//!
//! let times = Times { about: About { frames: (1, None), ..About::default() }, ..Times::default() };
//! let mut bytes = Vec::new();
//! times.write(&mut bytes)?;
//! assert_eq!(Times::read(&bytes[..])?, times);
//! assert!(Times::read(&b"no times"[..]).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod costs;
mod counts;
mod file;
mod sample;

pub use costs::{Cost, Costs, Placed};
pub use counts::{Counts, NAMES};
pub use file::{Error, beside};
pub use sample::Samples;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// All that was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// Of what, and how.
    pub about: About,
    /// Operations of lists, by the numbers of their calls.
    pub operations: BTreeMap<u64, Operation>,
    /// Replays with a time stamp at each operation, or at each list.
    pub runs: Vec<Run>,
    /// A replay that counted.
    pub counted: Option<Counted>,
    /// Lines of a file that say something which this build does not know.
    pub unknown: u64,
}

/// What was measured, and how.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// Bytes of the trace's file, so that times of another trace are noticed.
    pub trace_bytes: u64,
    /// First and last frame, from 1; without a last one to the end.
    pub frames: (u64, Option<u64>),
    /// Each operation began once everything before it was done.
    pub serial: bool,
    /// Each operation has its time; else each list.
    pub by_operation: bool,
    /// The Direct3D 12 library, as it was named; empty: our own.
    #[serde(default)]
    pub runtime: String,
}

/// An operation of a list, as it was recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// What was called, without its interface.
    pub method: String,
    /// What draws and dispatches ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<Pipeline>,
    /// The events of the program's that were open, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<String>,
    /// The call that set the targets, or began the render pass; 0 where none had.
    #[serde(default)]
    pub targets: u64,
    /// Targets of colour and depth, by their ids in the trace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<u32>,
    /// Bytes that the call says to copy: of what is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copied: Option<u64>,
    /// Bytes that the call says to clear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cleared: Option<u64>,
}

/// What ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pipeline {
    /// A pipeline state, by its id in the trace.
    State(u32),
    /// A state object of ray tracing.
    StateObject(u32),
    /// A program of a state object, of this `D3D12_PROGRAM_TYPE`.
    Program(u32),
}

/// One replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// In the order in which they were submitted.
    pub submissions: Vec<Submission>,
    /// Calls of submissions that have no times, by reason.
    pub untimed: BTreeMap<String, Vec<u64>>,
}

/// A call of `ExecuteCommandLists`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Submission {
    /// Its number.
    pub call: u64,
    /// From 1.
    pub frame: u64,
    /// The queue, by its id in the trace.
    pub queue: u32,
    /// Those of its lists that have operations.
    pub lists: Vec<List>,
}

/// A list of a submission.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct List {
    /// Its id in the trace.
    pub list: u32,
    /// When what the queue had before it was done, in nanoseconds of the queue's clock.
    pub begin: f64,
    /// From there to the end of its last operation, in nanoseconds.
    pub duration: f64,
    /// Calls and durations of its operations, in nanoseconds: from the end of the one before to the end of this one. Empty where each list was
    /// timed as one.
    pub operations: Vec<(u64, f64)>,
}

/// What was counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// In the order in which they were submitted.
    pub submissions: Vec<CountedSubmission>,
    /// Calls of operations and submissions that were not counted, by reason.
    pub uncounted: BTreeMap<String, Vec<u64>>,
}

/// A call of `ExecuteCommandLists`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CountedSubmission {
    /// Its number.
    pub call: u64,
    /// From 1.
    pub frame: u64,
    /// The queue, by its id in the trace.
    pub queue: u32,
    /// Its lists.
    pub lists: Vec<CountedList>,
}

/// A list by its id, with the calls of its operations and what was counted of each.
pub type CountedList = (u32, Vec<(u64, Counts)>);

impl Submission {
    /// How long the GPU worked at it, in nanoseconds.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.lists.iter().map(|list| list.duration).sum()
    }
}

impl Run {
    /// How long the GPU worked at all that was timed, in nanoseconds.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.submissions.iter().map(Submission::duration).sum()
    }
}
