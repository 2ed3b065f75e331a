//! `measurements`, `timings`, `counters`, `driver_counters` and `unmeasured`: what `reprise time --save` measured, from the file beside the trace.

use super::{Column, Kind, Table};
use crate::bounds::Bounds;
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use reprise_times::{Amount, Counts, Missing, NAMES, Operation, Pipeline, Times};
use std::borrow::Cow;

/// See the module.
#[derive(Debug)]
pub(super) struct Measurements;

/// See the module.
#[derive(Debug)]
pub(super) struct Timings;

/// See the module.
#[derive(Debug)]
pub(super) struct Counters;

/// See the module.
#[derive(Debug)]
pub(super) struct DriverCounters;

/// See the module.
#[derive(Debug)]
pub(super) struct Unmeasured;

/// What the columns of these tables say of the operation.
fn of_operations() -> Vec<Column> {
    vec![
        Column::new("call", Kind::Number, "the call that recorded the operation; null where a list was timed as one"),
        Column::new("method", Kind::Name, "what was called, without its interface"),
        Column::new("frame", Kind::Number, "the frame that it was submitted in, from 1"),
        Column::new("submission", Kind::Number, "the call that submitted the list"),
        Column::new("queue", Kind::Number, "the queue"),
        Column::new("list", Kind::Number, "the list"),
        Column::new("pipeline", Kind::Number, "the pipeline state that ran or was bound"),
        Column::new("state_object", Kind::Number, "the state object, likewise"),
        Column::new("markers", Kind::Text, "the program's events that were open, outermost first, with ' > ' between"),
    ]
}

/// What is the same for a list.
#[derive(Clone, Copy)]
struct Place {
    frame: u64,
    submission: u64,
    queue: u32,
    list: u32,
}

impl Place {
    /// Of a submission, by its call, in a frame to a queue, a list.
    fn of((submission, frame, queue): (u64, u64, u32), list: u32) -> Place {
        Place { frame, submission, queue, list }
    }
}

/// The cells of these columns, and the text of the markers.
fn cells<'c>(
    call: Option<u64>,
    operation: Option<&'c Operation>,
    place: Place,
    markers: &'c mut String,
) -> Vec<Cell<'c>> {
    *markers = operation.map(|operation| operation.markers.join(" > ")).unwrap_or_default();
    let (pipeline, state_object) = match operation.and_then(|operation| operation.pipeline) {
        Some(Pipeline::State(id)) => (Cell::object(id), Cell::None),
        Some(Pipeline::StateObject(id)) => (Cell::None, Cell::object(id)),
        Some(Pipeline::Program(_)) | None => (Cell::None, Cell::None),
    };
    vec![
        Cell::some(call),
        operation.map_or(Cell::None, |operation| Cell::Text(&operation.method)),
        Cell::Number(place.frame),
        Cell::Number(place.submission),
        Cell::object(place.queue),
        Cell::object(place.list),
        pipeline,
        state_object,
        if markers.is_empty() { Cell::None } else { Cell::Text(markers) },
    ]
}

/// A text, of which an empty one is none.
fn words(text: &str) -> Cell<'_> {
    if text.is_empty() { Cell::None } else { Cell::Text(text) }
}

fn times(source: &Source) -> Result<&Times, Stop> {
    source.times().map_err(Stop::Trace)
}

fn counts(source: &Source) -> Result<&Times, Stop> {
    source.counts().map_err(Stop::Trace)
}

/// How many calls there are, for any reason.
fn number(missing: &Missing) -> u64 {
    missing.values().map(|calls| calls.len() as u64).sum()
}

impl Table for Measurements {
    fn name(&self) -> &str {
        "measurements"
    }

    fn about(&self) -> &str {
        "of what the times of `reprise time --save` are, and how they were measured: a row for each trace"
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("runs", Kind::Number, "replays that were timed"),
            Column::new("first_frame", Kind::Number, "the first frame that was measured, from 1"),
            Column::new("last_frame", Kind::Number, "the last one; null: to the end"),
            Column::new("serial", Kind::Flag, "each operation began once everything before it was done"),
            Column::new("by_operation", Kind::Flag, "each operation has its time; else each list, or each pass"),
            Column::new("runtime", Kind::Text, "the Direct3D 12 library, as it was named; null: our own"),
            Column::new(
                "left_out",
                Kind::Text,
                "draws and dispatches that the library left out, in words: these are times of less work; null: none",
            ),
            Column::new("counted", Kind::Flag, "`counters` has rows"),
            Column::new("driver_counters", Kind::Number, "how many counters of the driver `driver_counters` has"),
            Column::new("untimed", Kind::Number, "submissions that were not timed: `unmeasured` names them"),
            Column::new(
                "uncounted",
                Kind::Number,
                "operations and submissions that were not counted, by the GPU's counters or the driver's: `unmeasured` names them",
            ),
        ]
    }

    fn read(&self, source: &Source, _: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let times = times(source)?;
        let about = &times.about;
        sink.row(&[
            Cell::Number(times.runs.len() as u64),
            Cell::Number(about.frames.0),
            Cell::some(about.frames.1),
            Cell::Flag(about.serial),
            Cell::Flag(about.by_operation),
            words(&about.runtime),
            words(&about.left_out),
            Cell::Flag(times.counted.is_some()),
            Cell::Number(times.driver.iter().map(|one| one.counters.len() as u64).sum()),
            Cell::Number(number(&times.missing_times())),
            Cell::Number(number(&times.missing_counts())),
        ])
    }
}

impl Table for Timings {
    fn name(&self) -> &str {
        "timings"
    }

    fn about(&self) -> &str {
        "how long the GPU worked at each operation, in each replay of `reprise time --save`"
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![Column::new("run", Kind::Number, "the replay, from 1")];
        columns.extend(of_operations());
        columns.push(Column::new(
            "begin_ns",
            Kind::Real,
            "when what was before it was done, in ns since the replay began, by a clock of all queues; null where the library has none",
        ));
        columns.push(Column::new("duration_ns", Kind::Real, "ns from there to its own end"));
        columns
    }

    fn read(&self, source: &Source, _: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let times = times(source)?;
        let mut markers = String::new();
        for (number, run) in (1..).zip(&times.runs) {
            for submission in &run.submissions {
                for list in &submission.lists {
                    let place = Place::of((submission.call, submission.frame, submission.queue), list.list);
                    let mut begin = list.at;
                    let mut row = |call: Option<u64>, duration: f64| {
                        let operation = call.and_then(|call| times.operations.get(&call));
                        let mut row = vec![Cell::Number(number)];
                        row.extend(cells(call, operation, place, &mut markers));
                        row.extend([begin.map_or(Cell::None, Cell::Real), Cell::Real(duration)]);
                        begin = begin.map(|begin| begin + duration);
                        sink.row(&row)
                    };
                    if list.operations.is_empty() {
                        row(None, list.duration)?;
                    }
                    for (call, duration) in &list.operations {
                        row(Some(*call), *duration)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Table for Counters {
    fn name(&self) -> &str {
        "counters"
    }

    fn about(&self) -> &str {
        "what the GPU counted at each operation, of `reprise time --counters --save`; null: not counted"
    }

    fn columns(&self) -> Vec<Column> {
        const ABOUT: [&str; Counts::LENGTH] = [
            "vertices that the input assembler read",
            "primitives that it read",
            "times that the vertex shader ran",
            "times that the geometry shader ran",
            "primitives that it made",
            "primitives that the rasteriser was given",
            "primitives that it drew",
            "times that the pixel shader ran",
            "times that the hull shader ran",
            "times that the domain shader ran",
            "threads of compute shaders",
            "samples that passed all tests",
        ];
        let mut columns = of_operations();
        let count = |(name, about): (&&'static str, &'static str)| Column {
            name: Cow::Borrowed(*name),
            kind: Kind::Number,
            about: Cow::Borrowed(about),
        };
        columns.extend(NAMES.iter().zip(ABOUT).map(count));
        columns.push(Column::new("bytes_copied", Kind::Number, "bytes that the call says to copy"));
        columns.push(Column::new("bytes_cleared", Kind::Number, "bytes that the call says to clear"));
        columns
    }

    fn read(&self, source: &Source, _: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let times = counts(source)?;
        let Some(counted) = &times.counted else {
            let what = format!("{}: its times have no counters: `reprise time --counters --save` counts", source.name);
            return Err(Stop::Trace(what));
        };
        let mut markers = String::new();
        for submission in &counted.submissions {
            for (list, operations) in &submission.lists {
                let place = Place::of((submission.call, submission.frame, submission.queue), *list);
                for (call, counts) in operations {
                    let operation = times.operations.get(call);
                    let mut row = cells(Some(*call), operation, place, &mut markers);
                    row.extend(counts.0.iter().map(|count| Cell::some(*count)));
                    row.push(Cell::some(operation.and_then(|operation| operation.copied)));
                    row.push(Cell::some(operation.and_then(|operation| operation.cleared)));
                    sink.row(&row)?;
                }
            }
        }
        Ok(())
    }
}

impl Table for DriverCounters {
    fn name(&self) -> &str {
        "driver_counters"
    }

    fn about(&self) -> &str {
        "what counters of the driver counted, of `reprise time --counters=NAME --save`: a row for each operation and counter"
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = of_operations();
        columns.extend([
            Column::new("counter", Kind::Name, "the counter, as the driver calls it"),
            Column::new("category", Kind::Name, "what it belongs to, in the driver's words"),
            Column::new("unit", Kind::Name, "of what, in a word"),
            Column::new("storage", Kind::Name, "what the value is: `whole`, a number that is exact, or `real`"),
            Column::new("value", Kind::Real, "the value; null: the driver gave no number"),
            Column::new("whole", Kind::Number, "the same of `whole` ones, exact; null of `real` ones"),
            Column::new(
                "adds",
                Kind::Flag,
                "sums of several operations mean something; those of shares and temperatures do not",
            ),
            Column::new("about", Kind::Text, "what it is, in the driver's words"),
        ]);
        columns
    }

    fn read(&self, source: &Source, _: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let times = counts(source)?;
        if times.driver.is_empty() {
            let what = format!(
                "{}: its times have no counters of the driver: `reprise time --counters=NAME --save` counts, on our runtime and a driver \
                 with VK_KHR_performance_query",
                source.name
            );
            return Err(Stop::Trace(what));
        }
        let mut markers = String::new();
        for replay in &times.driver {
            for submission in &replay.submissions {
                for (list, operations) in &submission.lists {
                    let place = Place::of((submission.call, submission.frame, submission.queue), *list);
                    for (call, amounts) in operations {
                        let operation = times.operations.get(call);
                        let of = cells(Some(*call), operation, place, &mut markers);
                        for (counter, amount) in replay.counters.iter().zip(amounts) {
                            let (storage, whole) = match *amount {
                                Amount::Whole(number) => ("whole", Cell::Number(number)),
                                Amount::Signed(number) => ("whole", Cell::Signed(number)),
                                Amount::Real(_) => ("real", Cell::None),
                            };
                            let value = amount.real();
                            let mut row = of.clone();
                            row.extend([
                                Cell::Text(&counter.name),
                                Cell::Text(&counter.category),
                                Cell::Text(&counter.unit),
                                Cell::Text(storage),
                                if value.is_finite() { Cell::Real(value) } else { Cell::None },
                                whole,
                                Cell::Flag(counter.adds),
                                words(&counter.about),
                            ]);
                            sink.row(&row)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl Table for Unmeasured {
    fn name(&self) -> &str {
        "unmeasured"
    }

    fn about(&self) -> &str {
        "what `reprise time --save` did not time or not count, and why: a row for each call and reason; sums of the other tables lack these"
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("lacks", Kind::Name, "what it lacks: `time` or `counts`"),
            Column::new("call", Kind::Number, "the operation, or the submission of which nothing was measured"),
            Column::new("method", Kind::Name, "what was called, without its interface; null of submissions"),
            Column::new("reason", Kind::Name, "why"),
        ]
    }

    fn read(&self, source: &Source, _: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let times = times(source)?;
        for (lacks, missing) in [("time", times.missing_times()), ("counts", times.missing_counts())] {
            for (reason, calls) in &missing {
                for call in calls {
                    let operation = times.operations.get(call);
                    let method = operation.map_or(Cell::None, |operation| Cell::Text(&operation.method));
                    sink.row(&[Cell::Text(lacks), Cell::Number(*call), method, Cell::Text(reason)])?;
                }
            }
        }
        Ok(())
    }
}
