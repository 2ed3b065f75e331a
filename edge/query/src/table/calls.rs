//! `calls`: every call, read in several parts at a time.
//!
//! What a call gave back is in its leave, which may come long after its enter. Rows wait for their leaves in a window of bounded size. When the
//! window is full, a second reader looks for the leave of the oldest call. Leaves are not read unless a column needs them.

use super::{Column, Kind, Table};
use crate::bounds::{Bounds, Objects};
use crate::names;
use crate::sink::{self, Sink, Stop};
use crate::source::{self, Source};
use datafusion::arrow::array::{ArrayRef, BooleanArray, Int64Array, StringArray};
use datafusion::common::DataFusionError;
use reprise_d3d12::model::{Order, Type};
use reprise_trace::read::{Event, Events, Trace};
use reprise_trace::record::Kind as Record;
use reprise_view::api;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

/// Most rows in the window.
const WINDOW: usize = 1 << 16;
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
    Column::new("bytes", Kind::Number, "bytes of its arguments in the trace, without what it gave back"),
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

/// What the model says of a method, as rows need it.
#[derive(Clone, Copy)]
struct Facts {
    /// Leaves are recorded.
    leaves: bool,
    /// It is a method of command lists.
    of_list: bool,
    result: Type,
}

/// The facts of each method, by its number. The model does not change once the traces are open.
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
    /// Its leave was not read yet.
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

    fn objects(&self) -> Objects {
        Objects { of_call: &["object", "list"], named: &[] }
    }

    fn parts(&self, source: &Source, bounds: &Bounds, _: &[usize]) -> Vec<Bounds> {
        bounds.split(source.trace.statistics().calls)
    }

    fn read(&self, source: &Source, bounds: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let events = source.events(bounds);
        let methods = bounds.methods.as_ref().map(|names| source::methods(|name| names.contains(name)));
        if !sink.wants_any() && methods.is_none() {
            return count(events, bounds.calls, sink);
        }
        let mut reader = Reader {
            trace: &source.trace,
            leaves: [DURATION, RESULT, RETURNED, FAILED].iter().any(|column| sink.wants(*column)),
            methods,
            window: VecDeque::new(),
            ready: Vec::with_capacity(sink::ROWS),
            sink,
        };
        reader.read(events, bounds.calls)
    }
}

/// Gives rows without columns: only their number is asked for.
fn count(mut events: Events<'_>, calls: (u64, u64), sink: &mut Sink<'_>) -> Result<(), Stop> {
    let none = |_: usize| Err(DataFusionError::Internal("no column was asked for".into()));
    let mut rows = 0;
    loop {
        let number = match events.call() {
            Some(call) => Some(call.number),
            None => match events.next().map_err(|error| Stop::Trace(error.to_string()))? {
                Some(event) => (event.kind == Record::Enter).then_some(event.number),
                None => break,
            },
        };
        match number {
            Some(number) if number > calls.1 => break,
            Some(number) => rows += usize::from(number >= calls.0),
            None => {}
        }
        if rows == sink::ROWS {
            sink.batch(std::mem::take(&mut rows), none)?;
        }
    }
    sink.batch(rows, none)
}

struct Reader<'r, 's> {
    trace: &'r Trace,
    /// A column needs leaves.
    leaves: bool,
    methods: Option<Vec<bool>>,
    /// Calls in the order of their numbers, the first of which awaits its leave.
    window: VecDeque<Row>,
    /// Calls that are known whole, for the next batch.
    ready: Vec<Row>,
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
        self.flush()
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
            return self.give(row);
        }
        self.window.push_back(row);
        if self.window.len() >= WINDOW {
            self.look_ahead()?;
            self.pass()?;
        }
        Ok(())
    }

    /// A call returned: completes its row, if it has one in the window. Says whether it has.
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

    /// Takes rows out of the window, up to the first one that awaits its leave.
    fn pass(&mut self) -> Result<(), Stop> {
        while let Some(row) = self.window.pop_front_if(|row| row.outcome != Outcome::Awaited) {
            self.give(row)?;
        }
        Ok(())
    }

    fn give(&mut self, row: Row) -> Result<(), Stop> {
        self.ready.push(row);
        if self.ready.len() >= sink::ROWS { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Stop> {
        self.sink.batch(self.ready.len(), |index| column(&self.ready, index))?;
        self.ready.clear();
        Ok(())
    }
}

fn numbers(rows: &[Row], number: impl Fn(&Row) -> u64) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| number(row) as i64)))
}

fn some(rows: &[Row], number: impl Fn(&Row) -> Option<i64>) -> ArrayRef {
    Arc::new(rows.iter().map(number).collect::<Int64Array>())
}

fn flags(rows: &[Row], flag: impl Fn(&Row) -> Option<bool>) -> ArrayRef {
    Arc::new(rows.iter().map(flag).collect::<BooleanArray>())
}

/// A column of some calls, by its place in [`COLUMNS`].
fn column(rows: &[Row], index: usize) -> Result<ArrayRef, DataFusionError> {
    let methods = rows.iter().map(|row| row.method);
    Ok(match index {
        0 => numbers(rows, |row| row.call),
        1 => numbers(rows, |row| u64::from(row.frame) + 1),
        2 => numbers(rows, |row| row.thread.into()),
        3 => numbers(rows, |row| row.time_ns),
        DURATION => some(rows, |row| match row.outcome {
            Outcome::Left(nanoseconds, _) => Some(nanoseconds as i64),
            _ => None,
        }),
        5 => some(rows, |row| (row.sequence != 0).then_some(row.sequence as i64)),
        6 => names::interfaces(methods)?,
        7 => names::methods(methods)?,
        8 => some(rows, |row| (row.object != 0).then_some(row.object.into())),
        9 => some(rows, |row| {
            let is_list = row.object != 0 && row.facts().is_some_and(|facts| facts.of_list);
            is_list.then_some(row.object.into())
        }),
        RESULT => some(rows, Row::result),
        RETURNED => flags(rows, |row| Some(row.outcome != Outcome::Open)),
        FAILED => flags(rows, |row| {
            let is_hresult = row.facts().is_some_and(|facts| matches!(facts.result, Type::Hresult));
            row.result().filter(|_| is_hresult).map(|result| result < 0)
        }),
        13 => numbers(rows, |row| row.bytes as u64),
        14 => numbers(rows, |row| row.blobs as u64),
        15 => numbers(rows, |row| row.method.into()),
        _ => {
            let unknown = |row: &Row| row.facts().is_none().then_some("a method that this program's model has not");
            Arc::new(rows.iter().map(unknown).collect::<StringArray>())
        }
    })
}

impl Row {
    /// What the model says of its method.
    fn facts(&self) -> Option<&'static Facts> {
        facts().get(usize::from(self.method))
    }

    fn result(&self) -> Option<i64> {
        match self.outcome {
            Outcome::Left(_, word) => result(self.facts()?.result, word?),
            _ => None,
        }
    }
}

/// The result of a call, from the first word of its leave.
fn result(kind: Type, word: u64) -> Option<i64> {
    match kind {
        Type::Void => None,
        Type::Hresult | Type::I32 | Type::Enum(_) | Type::Bool => Some((word as u32 as i32).into()),
        _ => Some(word as i64),
    }
}
