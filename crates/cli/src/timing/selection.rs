//! What an experiment is limited to.

use crate::options::range::{self, Range};
use reprise_d3d12::operation::of_name;
use reprise_times::{Operation, Passes, Pipeline, Times};
use std::collections::BTreeSet;

/// Operations of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    /// What runs a pipeline state or state object.
    Pipeline(u32),
    /// What stands in a marker of this text.
    Marker(String),
    /// The pass that has the operation of this call.
    Pass(u64),
    /// Operations by the numbers of their calls.
    Calls(Range),
}

/// As the command line has it.
///
/// # Errors
/// What is wrong, as a sentence.
pub(crate) fn parse(text: &str) -> Result<Selection, String> {
    let told = || "must be pipeline:ID, marker:TEXT, pass:CALL or calls:A-B".to_owned();
    let (kind, value) = text.split_once(':').ok_or_else(told)?;
    match kind {
        "pipeline" => value
            .trim()
            .parse()
            .map(Selection::Pipeline)
            .map_err(|_| format!("{value} is no pipeline's id: {}", told())),
        "marker" if !value.is_empty() => Ok(Selection::Marker(value.to_owned())),
        "pass" => value.trim().parse().map(Selection::Pass).map_err(|_| format!("{value} is no call: {}", told())),
        "calls" => range::calls(value).map(Selection::Calls),
        _ => Err(told()),
    }
}

impl Selection {
    /// The calls of what is selected, as ranges of numbers that follow each other among those of operations. The times have each operation.
    pub(crate) fn calls(&self, times: &Times) -> Vec<(u64, u64)> {
        let lists = times.runs.iter().flat_map(|run| &run.submissions).flat_map(|submission| &submission.lists);
        let mut calls = BTreeSet::new();
        for list in lists {
            let mut passes = Passes::default();
            let mut pass: Vec<u64> = Vec::new();
            for (call, _) in &list.operations {
                let Some(operation) = times.operations.get(call) else { continue };
                if passes.begins(of_name(&operation.method), operation.targets).is_some() {
                    self.take_pass(&mut pass, &mut calls);
                }
                pass.push(*call);
                if self.has(*call, operation) {
                    calls.insert(*call);
                }
            }
            self.take_pass(&mut pass, &mut calls);
        }
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for call in calls {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == call => *last = call,
                _ => ranges.push((call, call)),
            }
        }
        ranges
    }

    fn take_pass(&self, pass: &mut Vec<u64>, calls: &mut BTreeSet<u64>) {
        let taken = std::mem::take(pass);
        if matches!(self, Self::Pass(call) if taken.contains(call)) {
            calls.extend(taken);
        }
    }

    fn has(&self, call: u64, operation: &Operation) -> bool {
        match self {
            Self::Pipeline(id) => match operation.ran() {
                Some(Pipeline::State(own) | Pipeline::StateObject(own)) => own == *id,
                _ => false,
            },
            Self::Marker(text) => operation.markers.contains(text),
            Self::Pass(_) => false,
            Self::Calls((first, last)) => (*first..=*last).contains(&call),
        }
    }

    /// In words.
    pub(crate) fn in_words(&self) -> String {
        match self {
            Self::Pipeline(id) => format!("pipeline {id}"),
            Self::Marker(text) => format!("marker {text}"),
            Self::Pass(call) => format!("the pass of call {call}"),
            Self::Calls((first, last)) if first == last => format!("call {first}"),
            Self::Calls((first, u64::MAX)) => format!("calls from {first} on"),
            Self::Calls((first, last)) => format!("calls {first} to {last}"),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use reprise_times::{List, Run, Submission};

    fn times() -> Times {
        let operation = |method: &str, pipeline, targets, markers: &[&str]| Operation {
            method: method.into(),
            pipeline: Some(Pipeline::State(pipeline)),
            markers: markers.iter().map(|&text| text.to_owned()).collect(),
            targets,
            ..Operation::default()
        };
        let operations = [
            (10, operation("DrawInstanced", 7, 9, &["frame", "sky"])),
            (12, operation("DrawInstanced", 8, 9, &["frame"])),
            (13, operation("ResourceBarrier", 8, 9, &[])),
            (14, operation("Dispatch", 7, 9, &["frame", "sky"])),
        ];
        let list = List { operations: operations.iter().map(|(call, _)| (*call, 1.0)).collect(), ..List::default() };
        let submissions = vec![Submission { lists: vec![list], ..Submission::default() }];
        Times { operations: operations.into(), runs: vec![Run { submissions, ..Run::default() }], ..Times::default() }
    }

    #[test]
    fn operations_are_selected_by_what_they_are() {
        let of = |text: &str| parse(text).unwrap().calls(&times());
        assert_eq!(of("pipeline:7"), [(10, 10), (14, 14)]);
        assert_eq!(of("pipeline:8"), [(12, 12)]);
        assert_eq!(of("marker:sky"), [(10, 10), (14, 14)]);
        assert_eq!(of("pass:12"), [(10, 10), (12, 13)]);
        assert_eq!(of("calls:12-"), [(12, 14)]);
        assert_eq!(of("calls:1-9"), []);
        assert!(parse("sky").is_err() && parse("pipeline:sky").is_err() && parse("marker:").is_err());
    }
}
