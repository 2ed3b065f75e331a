//! A row of a table of durations: what it stands for, and what was measured of it on both sides.
//!
//! Invariant: only a row whose work both sides ran has a ratio, or takes longer on one side.

use super::left_out::{self, LeftOut};
use crate::terminal::output::plural;
use reprise_times::{DriverCounter, Pipeline, Samples, Sum, Tally};
use serde_json::{Value as Json, json};

/// What is the same in all replays.
#[derive(Clone, Debug)]
pub(super) struct About {
    pub(super) label: String,
    /// Calls, first and last.
    pub(super) calls: (u64, u64),
    pub(super) operations: u64,
    pub(super) frame: u64,
    /// What ran, where the row stands for that.
    #[cfg_attr(windows, expect(dead_code, reason = "bisects ask, which Windows has not"))]
    pub(super) pipeline: Option<Pipeline>,
}

/// One row.
#[derive(Debug)]
pub(crate) struct Row {
    pub(super) about: About,
    /// How deep it stands below other rows, which have its time, too.
    pub(crate) depth: usize,
    pub(crate) samples: Samples,
    /// Of the other runtime.
    pub(crate) others: Option<Samples>,
    /// What was counted, where that was asked for.
    pub(crate) tally: Option<Tally>,
    /// What counters of the driver counted, one after the other.
    pub(crate) driver: Vec<Sum>,
    /// How long the CPU of replays was in the runtime, where that was measured.
    pub(crate) cpu: Option<Samples>,
    /// How long the captured program took; nothing where the trace does not say it.
    pub(crate) program: Option<f64>,
    /// How many rows are compared with those of the other runtime.
    pub(super) compared: usize,
    /// What of it is left out, here and on the other runtime.
    pub(super) left_out: [LeftOut; 2],
}

/// For bisects, which Windows has not.
#[cfg(not(windows))]
impl Row {
    /// How much longer it takes here, in nanoseconds.
    pub(crate) fn added(&self) -> f64 {
        self.others.as_ref().map_or(f64::NAN, |others| self.samples.median() - others.median())
    }

    /// The frame of its first operation.
    pub(crate) fn frame(&self) -> u64 {
        self.about.frame
    }

    /// Calls, first and last.
    pub(crate) fn calls(&self) -> (u64, u64) {
        self.about.calls
    }

    /// What ran, where the row stands for that.
    pub(crate) fn pipeline(&self) -> Option<Pipeline> {
        self.about.pipeline
    }
}

impl Row {
    pub(crate) fn label(&self) -> String {
        let About { label, calls: (first, last), operations, .. } = &self.about;
        match (first == last, operations) {
            (false, 0) => format!("{first}-{last} {label}"),
            (true, _) => format!("{first} {label}"),
            (false, count) => format!("{first}-{last} {label}, {}", plural(*count, "operation")),
        }
    }

    /// Whether it stands for the same work on both runtimes: of what is left out no time says anything.
    fn is_comparable(&self) -> bool {
        self.left_out.iter().all(|side| side.only == 0)
    }

    /// Whether its samples say which side takes longer: of so few chance would.
    fn decides(&self, others: &Samples) -> bool {
        self.is_comparable() && self.samples.len().min(others.len()) >= Samples::FEWEST
    }

    /// Behind its label: how many of its operations are left out; empty where none is.
    pub(crate) fn left_out(&self) -> String {
        let [here, there] = self.left_out;
        left_out::words(here, self.others.is_some().then_some(there), self.about.operations)
    }

    /// Whether it surely takes so much longer here, as a share.
    pub(super) fn is_slower_by(&self, least: f64) -> bool {
        self.is_slower()
            && self.others.as_ref().is_some_and(|others| self.samples.are_longer_by(least, others, self.compared))
    }

    /// How many times as long it takes here as on the other runtime, where both run the same.
    pub(crate) fn ratio(&self) -> Option<f64> {
        self.others.as_ref().filter(|_| self.is_comparable()).map(|others| self.samples.median() / others.median())
    }

    /// Whether it takes longer here than on the other runtime, surely and by enough to speak of.
    pub(crate) fn is_slower(&self) -> bool {
        let others = self.others.as_ref().filter(|others| self.decides(others));
        others.is_some_and(|others| self.samples.are_told_longer_than(others, self.compared))
    }

    /// Whether it takes longer there, likewise.
    pub(crate) fn is_faster(&self) -> bool {
        let others = self.others.as_ref().filter(|others| self.decides(others));
        others.is_some_and(|others| others.are_told_longer_than(&self.samples, self.compared))
    }

    pub(crate) fn json(&self, total: f64, counters: &[(DriverCounter, Sum)]) -> Json {
        // Where lists were timed alone, nobody knows.
        let operations = self.about.operations;
        let mut json = json!({
            "calls": [self.about.calls.0, self.about.calls.1],
            "what": self.about.label,
            "frame": self.about.frame,
            "depth": self.depth,
            "operations": (operations > 0).then_some(operations),
        });
        if !self.samples.is_empty() {
            json["ms"] = self.samples.json();
            json["share"] = (self.samples.median() / total).into();
        }
        if let Some(tally) = &self.tally {
            json["counts"] = tally.json();
        }
        if !counters.is_empty() {
            json["driver_counts"] = driver_json(counters.iter().map(|(counter, _)| counter).zip(&self.driver));
        }
        if let Some(cpu) = &self.cpu {
            json["cpu_ms"] = if cpu.is_empty() { Json::Null } else { cpu.json() };
            json["program_ms"] = self.program.map(|program| program / 1e6).into();
        }
        for (name, count) in [("left_out", self.left_out[0].count), ("against_left_out", self.left_out[1].count)] {
            if count > 0 {
                // Lists and frames whose operations have no times of their own.
                json[name] = (operations > 0).then_some(count).into();
            }
        }
        if let Some(others) = &self.others {
            json["against_ms"] = others.json();
            json["ratio"] = self.ratio().into();
            json["slower"] = self.is_slower().into();
            json["faster"] = self.is_faster().into();
        }
        json
    }
}

/// What counters of the driver counted, by their names; null where several operations have no sum. What was not counted is absent.
pub(crate) fn driver_json<'a>(counted: impl Iterator<Item = (&'a DriverCounter, &'a Sum)>) -> Json {
    let told = counted.filter(|(_, sum)| **sum != Sum::None);
    let told = told.map(|(counter, sum)| (counter.full_name(), json!(sum.amount())));
    Json::Object(told.collect())
}
