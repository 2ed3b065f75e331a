//! The survey: what the server learns from reading a trace once. Frames, threads, times, objects, and where each block of calls begins.
//!
//! Invariant: its memory grows with frames, objects, submissions and blocks of calls, not with calls. Lists that a damaged trace could make long are
//! bounded.

use super::grid::Grid;
use super::history::History;
use super::kind::{self, Kind, Kinds};
use super::making::{Made, Making};
use super::queues::{Operation, Seen, Submissions};
use reprise_timeline::Walk;
use reprise_timeline::operations::Signatures;
use reprise_trace::fact;
use reprise_trace::read::{Event, ReadError, Trace};
use reprise_trace::record::Kind as Record;
use reprise_view::api;
use reprise_view::dump::event;
use reprise_view::summary::lives::Lives;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, HashMap};

/// Rows of a block.
pub(crate) const BLOCK: u64 = 1024;
/// Gaps that are told one by one.
const GAPS: usize = 1000;
/// Calls whose time is kept because they were long.
const LONG: usize = 100_000;
/// How long a call must be for that, in nanoseconds.
const LONG_NS: u64 = 100_000;
/// Calls from one report of progress to the next.
const STEP: u64 = 1 << 16;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// Calls that are in the trace.
    pub(crate) rows: u64,
    /// Runs of rows whose calls are numbered one by one: the first row, and its call.
    runs: Vec<(u64, u64)>,
    pub(crate) blocks: Vec<Block>,
    /// Calls by method.
    pub(crate) methods: Vec<u64>,
    pub(crate) threads: BTreeMap<u32, Thread>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) gaps: Vec<Json>,
    pub(crate) grid: Grid,
    /// Calls that took long: thread, call, begin, end, method.
    pub(crate) long: Vec<(u32, u64, u64, u64, u16)>,
    pub(crate) history: History,
    pub(crate) objects: BTreeMap<u32, Object>,
    /// Objects that calls were made on: the interface of the first of these calls, and its number. Some of them no call returned.
    used: HashMap<u32, (&'static str, u64)>,
    /// The object of the last call.
    last_used: u32,
    pub(crate) made: HashMap<u32, Made>,
    /// What queues were told to do, in the order of calls.
    pub(crate) operations: Vec<Operation>,
    /// What the program did with fences, and saw of them.
    pub(crate) seen: Vec<Seen>,
    /// `DIRECT` and so on, by queue.
    pub(crate) queue_types: HashMap<u32, String>,
    /// The last time of any event, in nanoseconds.
    pub(crate) end_ns: u64,
}

/// A block of consecutive calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// When the first of its calls began, and the last.
    pub(crate) begin_ns: u64,
    pub(crate) end_ns: u64,
    pub(crate) kinds: Kinds,
}

/// A thread of the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Thread {
    pub(crate) name: Option<String>,
    pub(crate) calls: u64,
    /// Calls that have not returned: number, begin, method.
    open: Vec<(u64, u64, u16)>,
}

/// A frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// First and last call; none where it has no calls.
    pub(crate) calls: Option<(u64, u64)>,
    pub(crate) first_row: u64,
    pub(crate) count: u64,
    pub(crate) draws: u64,
    pub(crate) dispatches: u64,
    pub(crate) submissions: u64,
    pub(crate) begin_ns: u64,
    pub(crate) end_ns: u64,
    /// What ended it; none behind the last boundary.
    pub(crate) source: Option<&'static str>,
    /// Hash, width, height, format of the picture.
    pub(crate) image: Option<(String, u32, u32, u32)>,
}

/// An object that a call returned.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) class: &'static str,
    pub(crate) name: Option<String>,
    /// The call that gave it out first, and its method.
    pub(crate) call: u64,
    pub(crate) method: u16,
}

impl Survey {
    /// Reads all of a trace. `progress` is told the last call from time to time, and says whether to go on.
    ///
    /// # Errors
    /// When the trace cannot be read at all; what is damaged is left out.
    pub(crate) fn of(trace: &Trace, progress: &dyn Fn(u64) -> bool) -> Result<Survey, ReadError> {
        let mut survey = Survey { methods: vec![0; api::model().methods.len()], ..Survey::default() };
        let (mut lives, mut making, mut submissions) = (Lives::new(trace), Making::default(), Submissions::default());
        let mut signatures = Signatures::default();
        let mut walk = Walk::new_as(api::model(), &[&mut lives, &mut making, &mut submissions, &mut signatures]);
        trace.events_ahead(|events| -> Result<(), ReadError> {
            let mut events = events.without_pages();
            let mut report = STEP;
            while let Some(event) = events.next()? {
                survey.event(&event, &signatures);
                let is_call = matches!(event.kind, Record::Enter | Record::Leave);
                if !is_call || walk.wants(event.method) {
                    walk.event(&event, &mut [&mut lives, &mut making, &mut submissions, &mut signatures]);
                }
                if event.number >= report {
                    report = event.number + STEP;
                    if !progress(event.number) {
                        break;
                    }
                }
            }
            walk.finish(&mut [&mut lives, &mut making, &mut submissions, &mut signatures]);
            Ok(())
        })?;
        survey.close();
        survey.objects = lives
            .all()
            .map(|(id, class, life)| {
                let name = life.name.clone().filter(|name| !name.is_empty());
                (id, Object { class, name, call: life.call, method: life.method })
            })
            .collect();
        for (id, class) in
            lives.named().chain(making.names.classes()).filter(|(id, _)| !survey.objects.contains_key(id))
        {
            survey.used.insert(id, (class, 0));
        }
        (survey.made, survey.queue_types) = (making.made, making.queues);
        (survey.operations, survey.seen) = (submissions.operations, submissions.seen);
        Ok(survey)
    }

    fn frame(&mut self, number: u32) -> &mut Frame {
        let place = number as usize;
        // A damaged trace may name any number.
        let most = self.frames.len() + 1;
        if place >= self.frames.len() && place < most + (1 << 20) {
            let begin = self.frames.last().map_or(0, |frame| frame.end_ns);
            let new = Frame { first_row: self.rows, begin_ns: begin, end_ns: begin, ..Frame::default() };
            self.frames.resize(place + 1, new);
        }
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[place.min(last)]
    }

    fn event(&mut self, event: &Event<'_>, signatures: &Signatures) {
        self.end_ns = self.end_ns.max(event.time_ns);
        let frame = self.frame(event.frame);
        frame.end_ns = frame.end_ns.max(event.time_ns);
        match event.kind {
            Record::Enter => self.enter(event, signatures),
            Record::Leave => self.leave(event),
            Record::Frame => {
                let word = event.payload.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
                self.frame(event.frame).source = Some(event::source(word));
            }
            Record::Fact => self.fact(event),
            Record::Gap if self.gaps.len() < GAPS => {
                let (reason, _) = event.fact().unwrap_or((0, &[]));
                self.gaps.push(json!({
                    "after_call": event.number, "thread": event.thread, "frame": event::frame(event),
                    "reason": event::gap_reason(reason), "text": event.gap_text(),
                }));
            }
            _ => {}
        }
    }

    fn enter(&mut self, event: &Event<'_>, signatures: &Signatures) {
        let row = self.rows;
        self.rows += 1;
        if self.runs.last().is_none_or(|(first, call)| call + (row - first) != event.number) {
            self.runs.push((row, event.number));
        }
        if event.object != self.last_used {
            self.last_used = event.object;
            let interface = api::method(event.method).and_then(|method| method.interface);
            if let Some(interface) = interface.filter(|_| event.object != 0) {
                self.used.entry(event.object).or_insert_with(|| (api::class(interface), event.number));
            }
        }
        let kind = kind::of(event.method);
        if row.is_multiple_of(BLOCK) {
            let time = event.time_ns;
            self.blocks.push(Block { begin_ns: time, end_ns: time, kinds: Kinds::default() });
        }
        if let Some(block) = self.blocks.last_mut() {
            block.begin_ns = block.begin_ns.min(event.time_ns);
            block.end_ns = block.end_ns.max(event.time_ns);
            block.kinds = block.kinds.with(kind);
        }
        if let Some(calls) = self.methods.get_mut(usize::from(event.method)) {
            *calls += 1;
        }
        let frame = self.frame(event.frame);
        if frame.calls.is_none() {
            frame.first_row = row;
        }
        frame.calls = Some((frame.calls.map_or(event.number, |(first, _)| first), event.number));
        frame.count += 1;
        let operation = signatures.operation_of(event);
        frame.draws += u64::from(operation.is_some_and(|operation| operation.draws()));
        frame.dispatches += u64::from(operation.is_some_and(|operation| operation.dispatches()));
        frame.submissions += u64::from(kind == Kind::Submit);
        self.grid.call(event.thread, event.time_ns, kind);
        let thread = self.threads.entry(event.thread).or_default();
        thread.calls += 1;
        let leaves = event.flags & reprise_trace::record::LEAVES != 0;
        if leaves && thread.open.len() < 256 {
            thread.open.push((event.number, event.time_ns, event.method));
        }
    }

    fn leave(&mut self, event: &Event<'_>) {
        let Some(thread) = self.threads.get_mut(&event.thread) else { return };
        let Some(place) = thread.open.iter().rposition(|(call, ..)| *call == event.number) else { return };
        let (call, begin, method) = thread.open[place];
        // Calls that began within it and have not returned never will.
        thread.open.truncate(place);
        if place == 0 {
            self.grid.busy(event.thread, begin, event.time_ns);
        }
        if event.time_ns.saturating_sub(begin) >= LONG_NS && self.long.len() < LONG {
            self.long.push((event.thread, call, begin, event.time_ns, method));
        }
    }

    fn fact(&mut self, event: &Event<'_>) {
        let Some((kind, bytes)) = event.fact() else { return };
        self.history.learn(event.object, kind, bytes, event.number);
        let half = |at: usize| bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes);
        match kind {
            fact::FRAME_HASH => {
                let hash = event::hash(bytes).map(|hash| hash.to_string());
                self.frame(event.frame).image = hash.map(|hash| (hash, half(0), half(4), half(8)));
            }
            fact::THREAD_NAME => {
                let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
                let name = String::from_utf8_lossy(&bytes[..end]).into_owned();
                self.threads.entry(event.thread).or_default().name = Some(name);
            }
            _ => {}
        }
    }

    fn close(&mut self) {
        self.grid.flush();
        // What follows the last boundary is a frame for people only if something happened there.
        if self.frames.last().is_some_and(|last| last.source.is_none() && last.calls.is_none()) {
            self.frames.pop();
        }
        let mut before = 0;
        for frame in &mut self.frames {
            frame.begin_ns = before;
            frame.end_ns = frame.end_ns.max(before);
            before = frame.end_ns;
        }
        self.long.sort_unstable_by_key(|(thread, _, begin, ..)| (*thread, *begin));
    }

    /// The call in a row; `None` behind the end.
    pub(crate) fn call_of(&self, row: u64) -> Option<u64> {
        if row >= self.rows {
            return None;
        }
        let place = self.runs.partition_point(|(first, _)| *first <= row).checked_sub(1)?;
        let (first, call) = self.runs[place];
        Some(call + (row - first))
    }

    /// The row of a call; `None` where the trace does not have it.
    pub(crate) fn row_of(&self, call: u64) -> Option<u64> {
        let row = self.row_from(call);
        (self.call_of(row) == Some(call)).then_some(row)
    }

    /// The first row from a call on.
    pub(crate) fn row_from(&self, call: u64) -> u64 {
        let place = self.runs.partition_point(|(_, first)| *first <= call);
        let Some((row, first)) = place.checked_sub(1).and_then(|place| self.runs.get(place)) else { return 0 };
        let end = self.runs.get(place).map_or(self.rows, |(row, _)| *row);
        (row + (call - first)).min(end)
    }

    /// The class of an object as a call finds it: the interface that it was returned as, or else the interface of a call on it.
    pub(crate) fn class(&self, id: u32, at: u64) -> &'static str {
        let used = || self.used.get(&id).filter(|(_, call)| *call <= at).map(|(class, _)| *class);
        self.objects.get(&id).map(|object| object.class).or_else(used).unwrap_or("IUnknown")
    }

    /// A reference to an object: id, class, and its name where it has one.
    pub(crate) fn object_json(&self, id: u32) -> Json {
        if id == 0 {
            return Json::Null;
        }
        let mut json = json!({ "id": id, "class": self.class(id, u64::MAX) });
        if let Some(name) = self.objects.get(&id).and_then(|object| object.name.as_ref()) {
            json["name"] = name.as_str().into();
        }
        json
    }
}
