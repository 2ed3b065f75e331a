//! `frames`: what each frame has, counted.

use super::{Column, Kind, Table};
use crate::bounds::Bounds;
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::operation::Operation;
use reprise_timeline::Outcome;
use reprise_timeline::call::entered;
use reprise_trace::read::Event;
use reprise_trace::record::Kind as Record;

/// See the module.
#[derive(Debug)]
pub(super) struct Frames;

/// Kinds of calls that are counted: draws, dispatches, copies, calls with barriers, submissions.
const COUNTED: usize = 5;
const SUBMIT: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");

/// Which of them a call is.
fn counted(source: &Source, event: &Event<'_>) -> Result<Option<usize>, Stop> {
    if event.method == SUBMIT.0 {
        return Ok(Some(4));
    }
    Ok(match source.operation(&entered(event, Outcome::Nothing)).map_err(Stop::Trace)? {
        Some(operation) if operation.draws() => Some(0),
        Some(operation) if operation.dispatches() => Some(1),
        Some(Operation::Copy) => Some(2),
        Some(Operation::Barrier) => Some(3),
        _ => None,
    })
}

#[derive(Default)]
struct Frame {
    number: u32,
    /// The first and the last.
    calls: (u64, u64),
    count: u64,
    time_ns: (u64, u64),
    counts: [u64; COUNTED],
    written: u64,
}

impl Table for Frames {
    fn name(&self) -> &str {
        "frames"
    }

    fn about(&self) -> &str {
        "frames, with what is in each; the last one may have no end"
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("frame", Kind::Number, "its number, from 1"),
            Column::new("first_call", Kind::Number, "the first call that began in it"),
            Column::new("last_call", Kind::Number, "the last call that began in it"),
            Column::new("calls", Kind::Number, "calls that began in it and that the trace has"),
            Column::new(
                "begin_ns",
                Kind::Number,
                "time of its first call, in nanoseconds from the session's beginning",
            ),
            Column::new("end_ns", Kind::Number, "time at which the last call in it began or returned"),
            Column::new("draws", Kind::Number, "draws recorded in it: the rows of the table draws"),
            Column::new("dispatches", Kind::Number, "dispatches recorded in it: the rows of the table dispatches"),
            Column::new(
                "copies",
                Kind::Number,
                "copies of buffers, textures and tiles recorded in it, atomic ones, too",
            ),
            Column::new("barrier_calls", Kind::Number, "calls with barriers"),
            Column::new("submissions", Kind::Number, "calls of ExecuteCommandLists"),
            Column::new("written", Kind::Number, "bytes that the program stored to mapped memory"),
        ]
    }

    fn read(&self, source: &Source, bounds: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let mut frame = Frame::default();
        // A row counts all calls of its frame, also where the question bounds calls: the engine filters rows, and rows of this table have no call.
        let whole = Bounds { frames: bounds.frames, ..Bounds::default() };
        events(source, &whole, |event| {
            if event.frame != frame.number {
                give(&frame, sink)?;
                frame = Frame { number: event.frame, ..Frame::default() };
            }
            match event.kind {
                Record::Enter => {
                    if frame.count == 0 {
                        frame.calls.0 = event.number;
                        frame.time_ns.0 = event.time_ns;
                    }
                    frame.calls.1 = event.number;
                    frame.count += 1;
                    frame.time_ns.1 = frame.time_ns.1.max(event.time_ns);
                    if let Some(kind) = counted(source, event)? {
                        frame.counts[kind] += 1;
                    }
                }
                Record::Leave => frame.time_ns.1 = frame.time_ns.1.max(event.time_ns),
                Record::Memory | Record::Pages if event.method != reprise_trace::record::OBSERVED => {
                    frame.written = frame.written.saturating_add(event.memory_range().map_or(0, |(_, bytes)| bytes));
                }
                _ => {}
            }
            Ok(())
        })?;
        give(&frame, sink)
    }
}

fn give(frame: &Frame, sink: &mut Sink<'_>) -> Result<(), Stop> {
    if frame.count == 0 {
        return Ok(());
    }
    let mut cells = vec![
        Cell::Number(u64::from(frame.number) + 1),
        Cell::Number(frame.calls.0),
        Cell::Number(frame.calls.1),
        Cell::Number(frame.count),
        Cell::Number(frame.time_ns.0),
        Cell::Number(frame.time_ns.1),
    ];
    cells.extend(frame.counts.iter().map(|count| Cell::Number(*count)));
    cells.push(Cell::Number(frame.written));
    sink.row(&cells)
}

/// Gives the events within the bounds of calls and frames. The contents of memory pages are not read.
///
/// # Errors
/// See [`Stop`].
pub(super) fn events(
    source: &Source,
    bounds: &Bounds,
    mut give: impl FnMut(&Event<'_>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut events = source.events(bounds);
    while let Some(event) = events.next().map_err(|error| Stop::Trace(error.to_string()))? {
        if event.kind != Record::Leave && event.number > bounds.calls.1 {
            break;
        }
        give(&event)?;
    }
    Ok(())
}
