//! `lists`: the recordings of command lists, and how often each was run.

use super::{Column, Kind, Table};
use crate::bounds::Bounds;
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use reprise_d3d12::operation::{self, Operation};
use reprise_trace::record::Kind as Record;
use reprise_view::api;
use std::collections::{BTreeMap, HashMap};

/// See the module.
#[derive(Debug)]
pub(super) struct Lists;

/// A recording that is under way, or closed.
#[derive(Clone, Copy, Default)]
struct Recording {
    begun: u64,
    frame: u32,
    closed: Option<u64>,
    calls: u64,
    draws: u64,
    barriers: u64,
}

impl Table for Lists {
    fn name(&self) -> &str {
        "lists"
    }

    fn about(&self) -> &str {
        "recordings of command lists and bundles"
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("recording", Kind::Number, "the call with which it began: Reset, or the list's creation"),
            Column::new("frame", Kind::Number, "the frame of its first call after that, from 1"),
            Column::new("list", Kind::Number, "id of the list"),
            Column::new("close_call", Kind::Number, "the call of Close; null where it was not closed"),
            Column::new("calls", Kind::Number, "calls that record"),
            Column::new("draws", Kind::Number, "draws, dispatches and calls of ExecuteIndirect"),
            Column::new("barrier_calls", Kind::Number, "calls with barriers"),
            Column::new("submissions", Kind::Number, "how often queues were given it"),
            Column::new("first_submission", Kind::Number, "the call that gave it first"),
        ]
    }

    fn read(&self, source: &Source, _: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let chronicle = source.chronicle().map_err(Stop::Trace)?;
        let mut runs: HashMap<(u32, u64), (u64, u64)> = HashMap::new();
        for submission in &chronicle.submissions {
            for ran in &submission.lists {
                let run = runs.entry((ran.list, ran.begun)).or_insert((0, submission.call));
                run.0 += 1;
            }
        }
        let mut open: BTreeMap<u32, Recording> = BTreeMap::new();
        super::frames::events(source, &Bounds::default(), |event| {
            let method = match event.kind {
                Record::Enter => api::method(event.method),
                _ => None,
            };
            let Some(method) = method else { return Ok(()) };
            let interface = method.interface.map_or("", api::class);
            if !interface.starts_with("ID3D12GraphicsCommandList") {
                return Ok(());
            }
            let begin = |begun| Recording { begun, frame: event.frame, ..Recording::default() };
            if method.name == "Reset" {
                if let Some(old) = open.insert(event.object, begin(event.number)) {
                    give(event.object, &old, &runs, sink)?;
                }
                return Ok(());
            }
            let created = || begin(chronicle.life(event.object).map_or(0, |life| life.created));
            let recording = open.entry(event.object).or_insert_with(created);
            match method.name {
                "Close" => recording.closed = Some(event.number),
                name => {
                    recording.calls += 1;
                    let operation = operation::of_name(name);
                    recording.draws += u64::from(operation.is_some_and(Operation::uses_bound));
                    recording.barriers += u64::from(operation == Some(Operation::Barrier));
                }
            }
            Ok(())
        })?;
        for (list, recording) in &open {
            give(*list, recording, &runs, sink)?;
        }
        Ok(())
    }
}

fn give(
    list: u32,
    recording: &Recording,
    runs: &HashMap<(u32, u64), (u64, u64)>,
    sink: &mut Sink<'_>,
) -> Result<(), Stop> {
    let run = runs.get(&(list, recording.begun));
    sink.row(&[
        Cell::Number(recording.begun),
        Cell::Number(u64::from(recording.frame) + 1),
        Cell::object(list),
        Cell::some(recording.closed),
        Cell::Number(recording.calls),
        Cell::Number(recording.draws),
        Cell::Number(recording.barriers),
        Cell::Number(run.map_or(0, |run| run.0)),
        Cell::some(run.map(|run| run.1)),
    ])
}
