//! `calls`: every call, read in several parts at a time.
//!
//! What a call gave back stands in its leave, which may come long after its enter. Rows wait for it in a window, which is bounded: where it
//! is full, a second reader goes ahead to the leave of the oldest call. Leaves are not looked at unless a column needs them.

use super::{Column, Kind, Table};
use crate::bounds::Bounds;
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use reprise_d3d12::model::{Order, Type};
use reprise_trace::read::{Event, Events, Trace};
use reprise_trace::record::Kind as Record;
use reprise_view::api;
use std::collections::VecDeque;
use std::sync::OnceLock;

/// Rows that wait at most.
const WINDOW: usize = 1 << 16;
/// Calls of a part at least.
const PART: u64 = 1 << 17;
/// Parts of a trace at most: a few for each processor.
const PARTS: u64 = 16;

const WIDTH: usize = 17;

const COLUMNS: [Column; WIDTH] = [
    Column::new("call", Kind::Number, "its number in the trace, from 1"),
    Column::new("frame", Kind::Number, "number of the frame in which it began, from 1"),
    Column::new("thread", Kind::Number, "number of the thread that made it, from 0"),
    Column::new("time_ns", Kind::Number, "nanoseconds from the session's beginning to its last time stamp"),
    Column::new("duration_ns", Kind::Number, "nanoseconds from enter to leave; null where no leave was recorded"),
    Column::new("sequence", Kind::Number, "its place among the ordered events; null for calls that need no order"),
    Column::new("interface", Kind::Interface, "the interface it was made through; null for functions"),
    Column::new("method", Kind::Method, "the method or function"),
    Column::new("object", Kind::Number, "id of the object it was made on; null for functions"),
    Column::new("list", Kind::Number, "the object, where that is a command list"),
    Column::new("result", Kind::Number, "what it returned, as a number; HRESULTs are signed; null for nothing"),
    Column::new("returned", Kind::Flag, "it returned before the recording ended"),
    Column::new("failed", Kind::Flag, "it returned an HRESULT below 0"),
    Column::new("bytes", Kind::Number, "bytes of its arguments in the trace"),
    Column::new("blobs", Kind::Number, "contents that its arguments may name"),
    Column::new("number", Kind::Number, "number of the method in this program's model of the API"),
    Column::new("error", Kind::Text, "what is wrong with the record itself"),
];

const DURATION: usize = 4;
const RESULT: usize = 10;
const RETURNED: usize = 11;
const FAILED: usize = 12;

/// See the module.
#[derive(Debug)]
pub(super) struct Calls;

/// A call that is a row.
struct Row {
    call: u64,
    frame: u32,
    thread: u32,
    time_ns: u64,
    sequence: u64,
    method: u16,
    object: u32,
    bytes: usize,
    blobs: usize,
    outcome: Outcome,
}

/// What is asked of the model for every row.
#[derive(Clone, Copy)]
struct Facts {
    /// Leaves are recorded.
    leaves: bool,
    /// It is a method of command lists.
    of_list: bool,
    result: Type,
}

/// By method. The model does not change once traces are open.
fn facts() -> &'static [Facts] {
    static FACTS: OnceLock<Vec<Facts>> = OnceLock::new();
    FACTS.get_or_init(|| {
        let facts = |method: &reprise_d3d12::model::Method| Facts {
            leaves: method.order == Order::EnterLeave,
            of_list: method.interface.is_some_and(|id| api::class(id).starts_with("ID3D12GraphicsCommandList")),
            result: method.result,
        };
        api::model().methods.iter().map(facts).collect()
    })
}

/// What came of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Its leave was not met yet.
    Awaited,
    /// It gives nothing back.
    Nothing,
    /// The recording ends while it runs, or its leave is missing.
    Open,
    /// Nanoseconds, and the first word of what it gave back.
    Left(u64, Option<u64>),
}

impl Table for Calls {
    fn name(&self) -> &str {
        "calls"
    }

    fn about(&self) -> &str {
        "every call"
    }

    fn columns(&self) -> Vec<Column> {
        COLUMNS.to_vec()
    }

    fn parts(&self, source: &Source, bounds: &Bounds) -> Vec<Bounds> {
        let last = bounds.calls.1.min(source.trace.statistics().calls);
        let first = bounds.calls.0.max(1);
        if bounds.of_frames() || first > last {
            return vec![bounds.clone()];
        }
        let calls = last - first + 1;
        let step = calls.div_ceil(PARTS).max(PART);
        let part = |at: u64| {
            let begin = first + at * step;
            // The last part has no end of its own: damage may hide how many calls there are.
            let end = if begin + step > last { bounds.calls.1 } else { begin + step - 1 };
            Bounds { calls: (begin, end), ..bounds.clone() }
        };
        (0..calls.div_ceil(step)).map(part).collect()
    }

    fn read(&self, source: &Source, bounds: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let mut reader = Reader {
            trace: &source.trace,
            leaves: [DURATION, RESULT, RETURNED, FAILED].iter().any(|column| sink.wants(*column)),
            methods: wanted(bounds),
            window: VecDeque::new(),
            sink,
        };
        let events = match bounds.of_frames() {
            true => {
                let frame = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
                source.trace.frames(frame(bounds.frames.0.saturating_sub(1))..frame(bounds.frames.1))
            }
            false if bounds.calls.0 > 1 => source.trace.from_call(bounds.calls.0),
            false => source.trace.events(),
        };
        reader.read(events.without_pages(), bounds.calls)
    }
}

/// By number, whether a method is within the bounds; `None` where all are.
fn wanted(bounds: &Bounds) -> Option<Vec<bool>> {
    let names = bounds.methods.as_ref()?;
    Some(api::model().methods.iter().map(|method| names.contains(method.name)).collect())
}

struct Reader<'r, 's> {
    trace: &'r Trace,
    /// A column needs leaves.
    leaves: bool,
    methods: Option<Vec<bool>>,
    /// Calls in the order of their numbers, the first of which awaits its leave.
    window: VecDeque<Row>,
    sink: &'r mut Sink<'s>,
}

impl Reader<'_, '_> {
    fn read(&mut self, mut events: Events<'_>, calls: (u64, u64)) -> Result<(), Stop> {
        while let Some(event) = events.next().map_err(|error| Stop::Trace(error.to_string()))? {
            match event.kind {
                Record::Enter if event.number > calls.1 => break,
                Record::Enter if event.number >= calls.0 => self.enter(&event)?,
                Record::Leave if self.leaves => {
                    self.leave(&event);
                    self.pass()?;
                }
                _ => {}
            }
        }
        drop(events);
        while !self.window.is_empty() {
            self.look_ahead()?;
            self.pass()?;
        }
        Ok(())
    }

    fn enter(&mut self, event: &Event<'_>) -> Result<(), Stop> {
        let wanted = |methods: &Vec<bool>| methods.get(usize::from(event.method)).is_some_and(|wanted| *wanted);
        if !self.methods.as_ref().is_none_or(wanted) {
            return Ok(());
        }
        let leaves = self.leaves && facts().get(usize::from(event.method)).is_some_and(|facts| facts.leaves);
        let row = Row {
            call: event.number,
            frame: event.frame,
            thread: event.thread,
            time_ns: event.time_ns,
            sequence: event.sequence,
            method: event.method,
            object: event.object,
            bytes: event.payload.len(),
            blobs: event.blobs.len(),
            outcome: match (leaves, event.open) {
                (true, true) => Outcome::Open,
                (true, false) => Outcome::Awaited,
                (false, _) => Outcome::Nothing,
            },
        };
        if self.window.is_empty() && row.outcome != Outcome::Awaited {
            return self.sink.row(&cells(&row));
        }
        self.window.push_back(row);
        if self.window.len() >= WINDOW {
            self.look_ahead()?;
            self.pass()?;
        }
        Ok(())
    }

    /// A call returned. It may be one of which there is no row.
    fn leave(&mut self, event: &Event<'_>) -> bool {
        let Ok(at) = self.window.binary_search_by_key(&event.number, |row| row.call) else { return false };
        let Some(row) = self.window.get_mut(at).filter(|row| row.outcome == Outcome::Awaited) else { return false };
        let word = event.payload.first_chunk().map(|word| u64::from_le_bytes(*word));
        row.outcome = Outcome::Left(event.time_ns.saturating_sub(row.time_ns), word);
        true
    }

    /// Finds the leave of the oldest call, or that it has none, with a reader of its own.
    fn look_ahead(&mut self) -> Result<(), Stop> {
        let Some(oldest) = self.window.front().map(|row| row.call) else { return Ok(()) };
        let mut events = self.trace.from_call(oldest).without_pages();
        while let Some(event) = events.next().map_err(|error| Stop::Trace(error.to_string()))? {
            if event.kind == Record::Leave && self.leave(&event) && event.number == oldest {
                return Ok(());
            }
        }
        if let Some(row) = self.window.front_mut() {
            row.outcome = Outcome::Open;
        }
        Ok(())
    }

    /// Gives the rows on that wait for nothing.
    fn pass(&mut self) -> Result<(), Stop> {
        while let Some(row) = self.window.front().filter(|row| row.outcome != Outcome::Awaited) {
            self.sink.row(&cells(row))?;
            self.window.pop_front();
        }
        Ok(())
    }
}

fn cells(row: &Row) -> [Cell<'static>; WIDTH] {
    let method = facts().get(usize::from(row.method));
    let result = match row.outcome {
        Outcome::Left(_, word) => word.zip(method).and_then(|(word, method)| result(method.result, word)),
        _ => None,
    };
    let is_list = method.is_some_and(|method| method.of_list);
    let is_hresult = method.is_some_and(|method| matches!(method.result, Type::Hresult));
    [
        Cell::Number(row.call),
        Cell::Number(u64::from(row.frame) + 1),
        Cell::Number(row.thread.into()),
        Cell::Number(row.time_ns),
        match row.outcome {
            Outcome::Left(nanoseconds, _) => Cell::Number(nanoseconds),
            _ => Cell::None,
        },
        if row.sequence == 0 { Cell::None } else { Cell::Number(row.sequence) },
        Cell::Of(row.method),
        Cell::Of(row.method),
        Cell::object(row.object),
        if is_list { Cell::object(row.object) } else { Cell::None },
        result.map_or(Cell::None, Cell::Signed),
        Cell::Flag(row.outcome != Outcome::Open),
        match result {
            Some(result) if is_hresult => Cell::Flag(result < 0),
            _ => Cell::None,
        },
        Cell::Number(row.bytes as u64),
        Cell::Number(row.blobs as u64),
        Cell::Number(row.method.into()),
        if method.is_none() { Cell::Text("a method that this program's model has not") } else { Cell::None },
    ]
}

/// The first word of what a call gave back, as its type says.
fn result(kind: Type, word: u64) -> Option<i64> {
    match kind {
        Type::Void => None,
        Type::Hresult | Type::I32 | Type::Enum(_) | Type::Bool => Some((word as u32 as i32).into()),
        _ => Some(word as i64),
    }
}
