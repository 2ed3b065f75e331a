//! The new trace: every record of the old one, but for what a plan changes.
//!
//! Invariant: a record that the plan does not name has the payload that it had. What is replaced stands before it as a fact, so that the edit
//! can be undone.

use crate::error::Error;
use crate::kept::{Kept, Past, Tally, different, level, returns};
use crate::plan::{Changed, Content, New, Plan};
use reprise_codec::schema;
use reprise_d3d12::MODEL;
use reprise_d3d12::model::Order;
use reprise_trace::fact;
use reprise_trace::read::{Event, Trace};
use reprise_trace::record::{Kind, ORDERED, SEQUENCE};
use reprise_trace::rewriter::{NewRecord, Numbers, Rewriter};
use reprise_trace::trace_writer::FileOutput;
use serde_json::{Map, Value, json};

/// What was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// Bytes of the file.
    pub bytes: u64,
    /// Calls.
    pub calls: u64,
    /// Frames.
    pub frames: u32,
    /// What calls of the other trace became.
    pub numbers: Numbers,
}

/// Writes the edited trace.
///
/// # Errors
/// The trace cannot be read, or the new one cannot be written.
pub fn write(trace: &Trace, plan: &Plan, file: FileOutput) -> Result<Written, Error> {
    let mut meta: Map<String, Value> = trace.meta().as_object().cloned().unwrap_or_default();
    let mut about = about(trace, plan);
    meta.insert("edited".into(), about.clone());
    let writer = Rewriter::create(trace, file, reprise_d3d12::FINGERPRINT, meta)?;
    let level = level(trace.meta()) + 1;
    let mut output = Output { plan, writer, level, stores: 0, numbers: Numbers::default() };
    let mut before = Tally::default();
    let mut events = trace.events_as_recorded();
    while let Some(event) = events.next().map_err(|error| Error::Trace(error.to_string()))? {
        before.add(trace, event.thread, &Past::of(&event), event.blobs)?;
        output.event(&event)?;
    }
    about["records"] = before.json();
    output.writer.set_meta("edited", about);
    finish(output.writer, output.numbers)
}

/// Writes the rest of a trace.
pub(crate) fn finish(writer: Rewriter<'_>, numbers: Numbers) -> Result<Written, Error> {
    let (bytes, totals) = writer.finish(&|methods| schema::of(&MODEL, methods))?;
    Ok(Written { bytes, calls: totals.calls, frames: totals.frames, numbers })
}

/// The key `edited` of the new trace: the identity of the old trace, the edits, and the old trace's own key if it was edited before. What
/// undoing leads to is not known before the end.
fn about(trace: &Trace, plan: &Plan) -> Value {
    let mut about = json!({ "of": format!("{:032x}", trace.identity()), "edits": plan.edits, "records": "" });
    if let Some(before) = trace.meta().get("edited") {
        about["before"] = before.clone();
    }
    about
}

struct Output<'t> {
    plan: &'t Plan,
    writer: Rewriter<'t>,
    /// How often the new trace is edited.
    level: u32,
    /// Records of memory so far.
    stores: u64,
    /// What calls became.
    numbers: Numbers,
}

impl Output<'_> {
    fn event(&mut self, event: &Event<'_>) -> Result<(), Error> {
        let plan = self.plan;
        let is_dropped = plan.dropped.contains(&event.number);
        match event.kind {
            Kind::Enter => {
                // What stands beside a call that is left out takes its place.
                self.all(event, plan.before.get(&event.number))?;
                match plan.changed.get(&event.number) {
                    _ if is_dropped => self.leave_out(event)?,
                    Some(Changed { enter, blobs, by }) => {
                        self.keep(event, &Kept::Arguments(*by as u32, event.payload))?;
                        self.contents(event.thread, blobs)?;
                        self.put(event, enter)?;
                    }
                    None => self.copy(event)?,
                }
                // Until it returns, whatever comes is within it.
                if returns(event.method) { Ok(()) } else { self.all(event, plan.after.get(&event.number)) }
            }
            Kind::Leave => {
                if is_dropped { self.leave_out(event) } else { self.copy(event) }?;
                self.all(event, plan.after.get(&event.number))
            }
            Kind::Fact if plan.gone.contains(&event.object) => self.leave_out(event),
            Kind::Fact => match fact::left_out(event.payload) {
                Some((calls, frames)) => Ok(self.writer.left_out(event.thread, calls, frames)?),
                None => self.copy(event),
            },
            Kind::Memory | Kind::Pages => {
                let number = self.stores;
                self.stores += 1;
                match plan.stores.get(&number) {
                    Some(payload) => {
                        let (at, bytes) = different(event.payload, payload);
                        self.keep(event, &Kept::Stored(at, bytes))?;
                        self.put(event, payload)
                    }
                    None => self.copy(event),
                }
            }
            _ => self.copy(event),
        }
    }

    fn copy(&mut self, event: &Event<'_>) -> Result<(), Error> {
        self.writer.blobs_of(event)?;
        self.put(event, event.payload)
    }

    /// Notes something of the old trace, with the blobs of the event that it is about.
    fn keep(&mut self, event: &Event<'_>, kept: &Kept<'_>) -> Result<(), Error> {
        if !matches!(kept, Kept::Inserted(_)) {
            self.writer.blobs_of(event)?;
        }
        let payload = kept.payload(self.level);
        let fact = Past {
            kind: Kind::Fact,
            method: 0,
            object: 0,
            ordinal: 0,
            flags: 0,
            number: 0,
            ticks: 0,
            payload: &payload,
        };
        Ok(self.writer.put(&fact.on(event.thread))?)
    }

    fn leave_out(&mut self, event: &Event<'_>) -> Result<(), Error> {
        self.keep(event, &Kept::Record(Past::of(event)))
    }

    fn contents(&mut self, thread: u32, blobs: &[(u32, Content)]) -> Result<(), Error> {
        for (number, content) in blobs {
            match content {
                Content::New(bytes) => self.writer.blob(thread, *number, bytes),
                Content::Recorded(id) => self.writer.blob_again(thread, *number, *id)?,
            }
        }
        Ok(())
    }

    /// Calls that are new, on the thread of an event and at its time.
    fn all(&mut self, beside: &Event<'_>, calls: Option<&Vec<New>>) -> Result<(), Error> {
        for new in calls.into_iter().flatten() {
            self.keep(beside, &Kept::Inserted(new.by as u32))?;
            self.contents(beside.thread, &new.blobs)?;
            let flags = if new.method.get().order == Order::Object { ORDERED } else { SEQUENCE };
            let call = Past {
                kind: Kind::Enter,
                method: new.method.0,
                object: new.object,
                ordinal: 0,
                flags,
                number: 0,
                ticks: beside.ticks,
                payload: &new.enter,
            };
            self.writer.put(&call.on(beside.thread))?;
        }
        Ok(())
    }

    /// A record as it was, with this payload.
    fn put(&mut self, event: &Event<'_>, payload: &[u8]) -> Result<(), Error> {
        let record = Past::of(event).on(event.thread);
        self.writer.put(&NewRecord { payload, ..record })?;
        if event.kind == Kind::Enter {
            self.numbers.note(event.number, self.writer.calls());
        }
        Ok(())
    }
}
