//! `frames`: what each frame has, counted.

use super::{Column, Kind, Table};
use crate::bounds::Bounds;
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use reprise_trace::read::Event;
use reprise_trace::record::Kind as Record;
use reprise_view::api;

/// See the module.
#[derive(Debug)]
pub(super) struct Frames;

/// Kinds of calls that are counted.
const COUNTED: [&[&str]; 5] = [
    &["DrawInstanced", "DrawIndexedInstanced", "ExecuteIndirect", "DispatchMesh"],
    &["Dispatch", "DispatchRays"],
    &["CopyBufferRegion", "CopyTextureRegion", "CopyResource", "CopyTiles"],
    &["ResourceBarrier", "Barrier"],
    &["ExecuteCommandLists"],
];

#[derive(Default)]
struct Frame {
    number: u32,
    /// The first and the last.
    calls: (u64, u64),
    count: u64,
    time_ns: (u64, u64),
    counts: [u64; COUNTED.len()],
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
            Column::new("draws", Kind::Number, "draws recorded in it"),
            Column::new("dispatches", Kind::Number, "dispatches recorded in it"),
            Column::new("copies", Kind::Number, "copies recorded in it"),
            Column::new("barrier_calls", Kind::Number, "calls with barriers"),
            Column::new("submissions", Kind::Number, "calls of ExecuteCommandLists"),
            Column::new("written", Kind::Number, "bytes that the program stored to mapped memory"),
        ]
    }

    fn read(&self, source: &Source, bounds: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let kinds: Vec<Option<usize>> = api::model()
            .methods
            .iter()
            .map(|method| COUNTED.iter().position(|names| names.contains(&method.name)))
            .collect();
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
                    if let Some(Some(kind)) = kinds.get(usize::from(event.method)) {
                        frame.counts[*kind] += 1;
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
