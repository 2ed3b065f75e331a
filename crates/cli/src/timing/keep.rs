//! What one replay measured, as a file of times has it: methods and markers by their names.

use reprise_d3d12::MODEL;
use reprise_replay::{ExperimentReport, TimeKind, TimedOperation, TimedRound, TimingReport};
use reprise_timeline::state::lists;
use reprise_times::{About, Changed, Operation, Pipeline, Run, Times};
use reprise_trace::read::Trace;

/// What one replay of this kind measured: durations, or counts, or what the driver made of shaders.
pub(crate) fn times(report: TimingReport, about: About, what: TimeKind, trace: &Trace) -> Times {
    let operations = report.operations.iter().map(|(call, one)| (*call, operation(one, trace))).collect();
    let runs = match report.rounds.is_empty() {
        true => vec![Run { submissions: report.submissions, untimed: report.untimed, cpu: Some(report.cpu) }],
        false => {
            let run = |TimedRound { submissions, untimed, cpu }| Run { submissions, untimed, cpu: Some(cpu) };
            report.rounds.into_iter().map(run).collect()
        }
    };
    let (runs, counted) = match what {
        TimeKind::Operations | TimeKind::Passes | TimeKind::Lists => (runs, None),
        TimeKind::Counts => (vec![], Some(report.counted)),
        TimeKind::Shaders | TimeKind::Driver => (vec![], None),
    };
    Times {
        about,
        operations,
        runs,
        counted,
        executables: report.executables,
        silence: report.silence,
        ..Times::default()
    }
}

/// What an experiment changed.
pub(crate) fn changed(report: ExperimentReport) -> Changed {
    Changed { changed: report.changed, unchanged: report.unchanged }
}

fn operation(operation: &TimedOperation, trace: &Trace) -> Operation {
    let method = MODEL.methods.get(usize::from(operation.method.0));
    Operation {
        method: method.map_or("an unknown method", |row| row.name).to_owned(),
        pipeline: operation.pipeline.map(|pipeline| match pipeline {
            lists::Pipeline::State(id) => Pipeline::State(id),
            lists::Pipeline::StateObject(id) => Pipeline::StateObject(id),
            lists::Pipeline::Program { kind, .. } => Pipeline::Program(kind),
        }),
        markers: operation.markers.iter().map(|marker| marker.resolved(trace).text).collect(),
        targets: operation.targets,
        resources: operation.resources.clone(),
        copied: operation.copied,
        cleared: operation.cleared,
    }
}

/// Adds what other replays measured. Of those with runs it takes what they are of, and how they were made.
pub(crate) fn merge(times: &mut Times, other: Times) {
    if !other.runs.is_empty() {
        times.about = other.about;
    }
    times.operations.extend(other.operations);
    times.runs.extend(other.runs);
    times.counted = other.counted.or(times.counted.take());
    times.driver.extend(other.driver);
    times.executables.extend(other.executables);
    times.silence = other.silence.or(times.silence);
}
