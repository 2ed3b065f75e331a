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
mod driver;
mod file;
mod occupancy;
mod pass;
mod samples;
mod tally;

pub use costs::{Cost, Costs, Place, Placed};
pub use counts::{Counts, NAMES};
pub use driver::{Amount, DriverCounted, DriverCounter, DriverCounts, DriverList, Sum};
pub use file::{Error, beside};
pub use occupancy::{Occupancies, Occupancy};
pub use pass::{PassKind, Passes};
pub use samples::Samples;
pub use tally::Tally;

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

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
    /// Replays in which the driver counted, each with counters of its own.
    pub driver: Vec<DriverCounted>,
    /// What the driver made of the shaders of pipeline states and state objects, by their ids in the trace.
    pub executables: BTreeMap<u32, Vec<Executable>>,
    /// Why there is nothing of that, where it was asked for.
    pub silence: Option<Silence>,
    /// What an experiment changed, where the replay was one: what was measured is not what the program did.
    pub experiment: Option<Changed>,
    /// What the program read back in a replay, where it was compared with the trace.
    pub read_back: Option<ReadBack>,
    /// Lines of a file that say something which this build does not know.
    pub unknown: u64,
}

/// Calls of operations and submissions of which something was not measured, by reason.
pub type Missing = BTreeMap<String, BTreeSet<u64>>;

/// Why nothing is told of what the driver made of shaders.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Silence {
    /// The runtime is ours, and the driver says nothing of pipelines.
    Driver,
    /// The runtime is another one, which does not know what it is asked.
    Library,
}

impl Times {
    /// Why nothing was timed, as a sentence; `None` where something was. A list without operations has no time.
    #[must_use]
    pub fn untimed(&self) -> Option<String> {
        if self.runs.iter().any(|run| run.duration() > 0.0) {
            return None;
        }
        let why = self.runs.iter().find_map(|run| run.untimed.keys().next());
        let why = why.map_or("no list with operations was submitted in these frames", |why| why);
        Some(format!("nothing was timed: {why}"))
    }
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
    /// Each operation has its time; else each list, or each pass.
    pub by_operation: bool,
    /// The Direct3D 12 library, as it was named; empty: our own.
    #[serde(default)]
    pub runtime: String,
    /// Draws and dispatches whose pipeline state the library refused, in words; empty: none. Nothing of them was timed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub left_out: String,
    /// Which operations of these frames those are, and which run bundles in which one of them was recorded, by their calls.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub left_out_calls: BTreeSet<u64>,
}

/// What an experiment changed in a replay.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Changed {
    /// How many operations, or views.
    pub changed: u64,
    /// Calls that could not be changed, by reason.
    pub unchanged: BTreeMap<String, Vec<u64>>,
}

/// Bytes that the program read back in the frames of a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadBack {
    /// How many the trace has, to compare with.
    pub compared: u64,
    /// How many of them differ.
    pub different: u64,
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

impl Operation {
    /// What it ran. Copies and clears are recorded with a pipeline, too, where one is set, and run none.
    #[must_use]
    pub fn ran(&self) -> Option<Pipeline> {
        use reprise_d3d12::operation::Operation::{Bundle, Dispatch, Draw, Graph, Indirect, Rays};
        let kind = reprise_d3d12::operation::of_name(&self.method)?;
        self.pipeline.filter(|_| matches!(kind, Draw | Dispatch | Rays | Graph | Indirect | Bundle))
    }

    /// Whether it runs a bundle.
    #[must_use]
    pub fn is_bundle(&self) -> bool {
        let kind = reprise_d3d12::operation::of_name(&self.method);
        kind == Some(reprise_d3d12::operation::Operation::Bundle)
    }
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

/// What the driver runs for one stage of a pipeline, or for several that it made one of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Executable {
    /// As the driver calls it.
    pub name: String,
    /// Names of the stages that it is of: `vertex`, `hull`, `domain`, `geometry`, `pixel`, `compute`, `amplification`, `mesh`, and those of ray
    /// tracing.
    pub stages: Vec<String>,
    /// Lanes of a wave; 0 where the driver does not say.
    #[serde(default)]
    pub lanes: u32,
    /// In the driver's order.
    pub statistics: Vec<Statistic>,
}

/// One number that the driver gives: registers, instructions, bytes of code.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistic {
    /// As the driver calls it.
    pub name: String,
    /// What it is, in the driver's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The number; 1 and 0 for yes and no.
    pub value: f64,
}

/// One replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// In the order in which they were submitted.
    pub submissions: Vec<Submission>,
    /// Calls of submissions that have no times, by reason.
    pub untimed: BTreeMap<String, Vec<u64>>,
    /// How long the CPU was in the runtime.
    pub cpu: Option<Cpu>,
}

/// How long the CPU of a replay was in the runtime's calls, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cpu {
    /// By call: operations of lists, and submissions.
    pub calls: BTreeMap<u64, f64>,
    /// All calls that recorded a list, by the first submission of what they recorded, and the list.
    pub lists: Vec<(u64, u32, f64)>,
    /// All calls of a frame.
    pub frames: BTreeMap<u64, f64>,
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
    /// When what the queue had before it was done, in nanoseconds since the replay began to time, by a clock that all queues share; `None` where
    /// the library cannot say how the queue's clock lies on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
    /// From there to the end of its last operation, in nanoseconds.
    pub duration: f64,
    /// Calls and durations of its operations, in nanoseconds: from the end of the one before to the end of this one. Empty where each list was
    /// timed as one, or each pass.
    pub operations: Vec<(u64, f64)>,
    /// Its passes, where each was timed as one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passes: Vec<TimedPass>,
}

/// A pass of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimedPass {
    /// The call of its first operation.
    pub first: u64,
    /// The call of its last operation.
    pub last: u64,
    /// How many it has.
    pub operations: u64,
    /// From the end of what stands before it to its own end, in nanoseconds.
    pub duration: f64,
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

impl Times {
    /// What was not timed. Each replay has the same lists, and so leaves out the same.
    #[must_use]
    pub fn missing_times(&self) -> Missing {
        together(self.runs.iter().map(|run| &run.untimed))
    }

    /// What was not counted, by the GPU's counters or the driver's.
    #[must_use]
    pub fn missing_counts(&self) -> Missing {
        let counted = self.counted.iter().map(|counted| &counted.uncounted);
        together(counted.chain(self.driver.iter().map(|replay| &replay.uncounted)))
    }
}

/// What several replays lack, each call once for a reason.
fn together<'r>(replays: impl Iterator<Item = &'r BTreeMap<String, Vec<u64>>>) -> Missing {
    let mut missing = Missing::new();
    for (reason, calls) in replays.flatten() {
        missing.entry(reason.clone()).or_default().extend(calls);
    }
    missing
}

impl Run {
    /// How long the GPU worked at all that was timed, in nanoseconds.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.submissions.iter().map(Submission::duration).sum()
    }
}
