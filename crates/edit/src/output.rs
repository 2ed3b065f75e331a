//! The new trace: every record of the old one, but for what a plan changes.
//!
//! Invariant: a record that the plan does not name has the payload that it had, and a leave follows the enter of its call.

use crate::error::Error;
use crate::plan::{Changed, Content, New, Plan};
use reprise_codec::schema;
use reprise_d3d12::MODEL;
use reprise_d3d12::model::Order;
use reprise_trace::fact;
use reprise_trace::layout::FileHeader;
use reprise_trace::read::{Event, Trace};
use reprise_trace::record::{Header, Kind, LEAVES, ORDERED, Record, SEQUENCE, TICKS, head_size, padded};
use reprise_trace::trace_writer::{FileOutput, Progress, TraceWriter};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::io;

/// Keys of the meta that the writer makes itself.
const MADE: [&str; 3] = ["threads", "wanted_frames", "stopped"];

/// What was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// Bytes of the file.
    pub bytes: u64,
    /// Calls.
    pub calls: u64,
    /// Frames.
    pub frames: u32,
}

/// Writes the edited trace.
///
/// # Errors
/// The trace cannot be read, or the new one cannot be written.
pub fn write(trace: &Trace, plan: &Plan, file: FileOutput) -> Result<Written, Error> {
    let mut meta: Map<String, Value> = trace.meta().as_object().cloned().unwrap_or_default();
    MADE.iter().for_each(|key| _ = meta.shift_remove(*key));
    meta.insert("edited".into(), about(trace, plan));
    let (start, end) = trace.instants();
    let (api_version, _) = trace.api();
    let header = FileHeader { api_version, api_hash: reprise_d3d12::FINGERPRINT, start };
    let mut writer = TraceWriter::create(file, &header, meta)?;
    writer.set_end(end);
    let mut output =
        Output { trace, plan, writer, threads: HashMap::new(), open: Vec::new(), calls: 0, sequence: 0, stores: 0 };
    for said in trace.meta()["threads"].as_array().into_iter().flatten() {
        let number = |key: &str| said[key].as_u64();
        if let Some(thread) = number("thread").and_then(|thread| u32::try_from(thread).ok()) {
            let name = said["name"].as_str().unwrap_or("");
            output.thread(thread, number("os_id").or(number("id")).unwrap_or(0), name);
        }
    }
    let mut events = trace.events_as_recorded();
    while let Some(event) = events.next().map_err(|error| Error::Trace(error.to_string()))? {
        output.event(&event)?;
    }
    output.finish()
}

/// The key `edited` of the new trace: the identity of the old trace, the edits, and the old trace's own key if it was edited before.
fn about(trace: &Trace, plan: &Plan) -> Value {
    let mut about = json!({ "of": format!("{:032x}", trace.identity()), "edits": plan.edits });
    if let Some(before) = trace.meta().get("edited") {
        about["before"] = before.clone();
    }
    about
}

/// Whether the call has a leave, too.
fn returns(event: &Event<'_>) -> bool {
    MODEL.methods.get(usize::from(event.method)).is_some_and(|row| row.order == Order::EnterLeave)
}

struct Output<'t> {
    trace: &'t Trace,
    plan: &'t Plan,
    writer: TraceWriter<FileOutput>,
    /// By the thread's number in the trace, its place in the writer, and the ticks of its last record that has some.
    threads: HashMap<u32, (usize, u64)>,
    /// By place in the writer: calls that have not returned, outermost first; the old number and the new one.
    open: Vec<Vec<(u64, u64)>>,
    calls: u64,
    sequence: u64,
    /// Records of memory so far.
    stores: u64,
}

impl Output<'_> {
    fn thread(&mut self, thread: u32, os_id: u64, name: &str) -> usize {
        if let Some((place, _)) = self.threads.get(&thread) {
            return *place;
        }
        let place = self.writer.add_thread(thread, os_id, name);
        self.threads.insert(thread, (place, 0));
        self.open.resize(self.open.len().max(place + 1), Vec::new());
        place
    }

    fn event(&mut self, event: &Event<'_>) -> Result<(), Error> {
        let plan = self.plan;
        let is_dropped = plan.dropped.contains(&event.number);
        match event.kind {
            Kind::Enter => {
                // What stands beside a call that is left out takes its place.
                self.all(event, plan.before.get(&event.number))?;
                match plan.changed.get(&event.number) {
                    _ if is_dropped => {}
                    Some(Changed { enter, blobs, .. }) => {
                        self.contents(event.thread, blobs)?;
                        self.put(event, enter)?;
                    }
                    None => self.copy(event)?,
                }
                // Until it returns, whatever comes is within it.
                if returns(event) { Ok(()) } else { self.all(event, plan.after.get(&event.number)) }
            }
            Kind::Leave => {
                if !is_dropped {
                    self.copy(event)?;
                }
                self.all(event, plan.after.get(&event.number))
            }
            Kind::Fact if plan.gone.contains(&event.object) => Ok(()),
            Kind::Fact => match fact::left_out(event.payload) {
                Some((calls, frames)) => self.left_out(event.thread, calls, frames),
                None => self.copy(event),
            },
            Kind::Memory | Kind::Pages => {
                let number = self.stores;
                self.stores += 1;
                match plan.stores.get(&number) {
                    Some(payload) => self.put(event, payload),
                    None => self.copy(event),
                }
            }
            _ => self.copy(event),
        }
    }

    /// Calls that the program did not make here.
    fn left_out(&mut self, thread: u32, calls: u64, frames: u32) -> Result<(), Error> {
        let place = self.thread(thread, 0, "");
        let (mut left, mut frames) = (calls, frames);
        loop {
            left = self.writer.leave_out(place, left, std::mem::take(&mut frames));
            if left == 0 {
                break;
            }
            self.flush()?;
        }
        self.calls += calls;
        Ok(())
    }

    fn copy(&mut self, event: &Event<'_>) -> Result<(), Error> {
        let place = self.thread(event.thread, 0, "");
        for (number, id) in event.blobs {
            let bytes = self.trace.blob_by_id(*id).map_err(|error| Error::Trace(error.to_string()))?;
            self.writer.blob(place, *number, &bytes);
        }
        self.put(event, event.payload)
    }

    fn contents(&mut self, thread: u32, blobs: &[(u32, Content)]) -> Result<(), Error> {
        let place = self.thread(thread, 0, "");
        for (number, content) in blobs {
            match content {
                Content::New(bytes) => self.writer.blob(place, *number, bytes),
                Content::Recorded(id) => {
                    let bytes = self.trace.blob_by_id(*id).map_err(|error| Error::Trace(error.to_string()))?;
                    self.writer.blob(place, *number, &bytes);
                }
            }
        }
        Ok(())
    }

    /// Calls that are new, on the thread of an event and at its time.
    fn all(&mut self, beside: &Event<'_>, calls: Option<&Vec<New>>) -> Result<(), Error> {
        for new in calls.into_iter().flatten() {
            self.contents(beside.thread, &new.blobs)?;
            let ordered = new.method.get().order == Order::Object;
            let flags = if ordered { ORDERED } else { SEQUENCE };
            let (method, object) = (new.method.0, new.object);
            let call = Event { kind: Kind::Enter, method, object, ordinal: 0, flags, blobs: &[], number: 0, ..*beside };
            self.put(&call, &new.enter)?;
        }
        Ok(())
    }

    /// A record as it was, with this payload.
    fn put(&mut self, event: &Event<'_>, payload: &[u8]) -> Result<(), Error> {
        let place = self.thread(event.thread, 0, "");
        let mut flags = event.flags & (SEQUENCE | TICKS | ORDERED);
        match event.kind {
            Kind::Enter => {
                self.calls += 1;
                if returns(event) {
                    flags |= LEAVES;
                    self.open[place].push((event.number, self.calls));
                }
            }
            Kind::Leave => {
                let open = &mut self.open[place];
                match open.last() {
                    Some((number, _)) if *number == event.number => _ = open.pop(),
                    _ => {
                        let what =
                            format!("call {} returned, and a call within it has no end in the trace", event.number);
                        return Err(Error::Trace(what));
                    }
                }
            }
            _ => {}
        }
        if flags & SEQUENCE != 0 {
            self.sequence += 1;
        }
        // The record before, which had the time, may be gone.
        if let Some((_, ticks)) = self.threads.get_mut(&event.thread).filter(|(_, ticks)| *ticks != event.ticks)
            && event.ticks != 0
        {
            flags |= TICKS;
            *ticks = event.ticks;
        }
        let header = Header {
            size: (head_size(flags) + padded(payload.len())) as u32,
            method: event.method,
            kind: event.kind as u8,
            flags,
            object: event.object,
            ordinal: event.ordinal,
        };
        let record = Record {
            header,
            kind: event.kind,
            sequence: if flags & SEQUENCE != 0 { self.sequence } else { 0 },
            ticks: if flags & TICKS != 0 { event.ticks } else { 0 },
            after: 0,
            payload,
        };
        self.writer.record(place, &record, false);
        if self.writer.is_full(event.kind == Kind::Frame) { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Error> {
        let open = &self.open;
        let flushed = self.writer.flush(false, |place| Progress {
            stored_to: 0,
            open: open.get(place).into_iter().flatten().map(|(_, new)| *new).collect(),
        });
        flushed?;
        match self.writer.cut() {
            Some(reason) => Err(Error::Output(io::Error::other(reason.to_owned()))),
            None => Ok(()),
        }
    }

    fn finish(mut self) -> Result<Written, Error> {
        self.flush()?;
        let mut open: Vec<u64> = self.open.iter().flatten().map(|(_, new)| *new).collect();
        open.sort_unstable();
        let (file, totals) =
            self.writer.finish(open, |_| Progress::default(), &|methods| schema::of(&MODEL, methods))?;
        Ok(Written { bytes: file.finish()?, calls: totals.calls, frames: totals.frames })
    }
}
