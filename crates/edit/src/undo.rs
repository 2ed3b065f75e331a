//! The trace before the last edit, out of the edited one.
//!
//! Invariant: what is written has every record of the trace that was edited, with its bytes and times: their hash is compared with the one
//! that the edit noted.

use crate::error::Error;
use crate::kept::{Kept, Past, Tally, level};
use crate::output::{Written, finish};
use reprise_trace::fact;
use reprise_trace::read::{Event, Trace};
use reprise_trace::record::Kind;
use reprise_trace::rewriter::{Numbers, Rewriter};
use reprise_trace::trace_writer::FileOutput;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The lines of the last edit of a trace, which can be undone.
///
/// # Errors
/// The trace was not edited, or has not what undoing takes.
pub fn last_edits(trace: &Trace) -> Result<Vec<String>, Error> {
    let meta = trace.meta();
    let Some(edited) = meta.get("edited") else {
        return Err(Error::Undo("it was not edited: there is nothing to undo".into()));
    };
    if edited.get("records").is_none() {
        let what = "a build edited it that did not keep what undoing takes: edit the trace before it, of identity";
        return Err(Error::Undo(format!("{what} {}", edited["of"].as_str().unwrap_or("unknown"))));
    }
    let lines = edited["edits"].as_array().into_iter().flatten();
    Ok(lines.filter_map(|line| line.as_str().map(str::to_owned)).collect())
}

/// Writes the trace as it was before its last edit.
///
/// # Errors
/// The trace cannot be undone or read, or the new one cannot be written.
pub fn undo(trace: &Trace, file: FileOutput) -> Result<Written, Error> {
    last_edits(trace)?;
    let mut meta: Map<String, Value> = trace.meta().as_object().cloned().unwrap_or_default();
    let edited = meta.get("edited").cloned().unwrap_or_default();
    match edited.get("before") {
        Some(before) => _ = meta.insert("edited".into(), before.clone()),
        None => _ = meta.shift_remove("edited"),
    }
    let writer = Rewriter::create(trace, file, reprise_d3d12::FINGERPRINT, meta)?;
    let mut undo = Undo {
        trace,
        writer,
        level: level(trace.meta()),
        next: HashMap::new(),
        tally: Tally::default(),
        numbers: Numbers::default(),
    };
    let mut events = trace.events_as_recorded();
    while let Some(event) = events.next().map_err(|error| Error::Trace(error.to_string()))? {
        let calls = undo.writer.calls();
        undo.event(&event)?;
        if event.kind == Kind::Enter && undo.writer.calls() > calls {
            undo.numbers.note(event.number, undo.writer.calls());
        }
    }
    // What is damaged was left out, so the records are others for that reason.
    if let Some(damage) = trace.damage().0.first() {
        return Err(Error::Trace(format!("it is damaged: {}: {}", damage.place, damage.what)));
    }
    if undo.tally.json() != edited["records"] {
        let what = "what undoing takes is not all in it, or it was changed by other means: a part that `reprise trim` cut out cannot be undone";
        return Err(Error::Undo(what.into()));
    }
    finish(undo.writer, undo.numbers)
}

struct Undo<'t> {
    trace: &'t Trace,
    writer: Rewriter<'t>,
    level: u32,
    /// By thread: what its next call or store was.
    next: HashMap<u32, Next>,
    /// Of what is written.
    tally: Tally,
    /// What calls became; those that the edit put into the trace became nothing.
    numbers: Numbers,
}

/// What a fact said of the record that follows it.
enum Next {
    Nothing,
    Arguments(Vec<u8>, Vec<(u32, u64)>),
    Stored(usize, Vec<u8>),
}

impl Undo<'_> {
    fn event(&mut self, event: &Event<'_>) -> Result<(), Error> {
        let past = Past::of(event);
        if let Some((_, kept)) = Kept::of(event).filter(|(level, _)| *level == self.level) {
            let next = match kept {
                Kept::Record(past) => return self.put(event.thread, &past, event.blobs),
                Kept::Inserted(_) => Next::Nothing,
                Kept::Arguments(_, bytes) => Next::Arguments(bytes.to_vec(), event.blobs.to_vec()),
                Kept::Stored(at, bytes) => Next::Stored(at, bytes.to_vec()),
            };
            self.next.insert(event.thread, next);
            return Ok(());
        }
        let is_call = event.kind == Kind::Enter;
        let is_store = matches!(event.kind, Kind::Memory | Kind::Pages);
        match self.next.remove(&event.thread) {
            Some(Next::Nothing) if is_call => Ok(()),
            Some(Next::Arguments(bytes, blobs)) if is_call => {
                self.put(event.thread, &Past { payload: &bytes, ..past }, &blobs)
            }
            Some(Next::Stored(at, bytes)) if is_store => {
                let mut payload = event.payload.to_vec();
                let Some(place) = at.checked_add(bytes.len()).and_then(|end| payload.get_mut(at..end)) else {
                    return Err(Error::Trace(format!(
                        "behind call {}: what an edit replaced does not fit",
                        event.number
                    )));
                };
                place.copy_from_slice(&bytes);
                self.put(event.thread, &Past { payload: &payload, ..past }, event.blobs)
            }
            Some(_) => {
                let what = format!("behind call {}: what an edit replaced stands before nothing", event.number);
                Err(Error::Trace(what))
            }
            None => self.put(event.thread, &past, event.blobs),
        }
    }

    fn put(&mut self, thread: u32, past: &Past<'_>, blobs: &[(u32, u64)]) -> Result<(), Error> {
        self.tally.add(self.trace, thread, past, blobs)?;
        if let Some((calls, frames)) = fact::left_out(past.payload).filter(|_| past.kind == Kind::Fact) {
            return Ok(self.writer.left_out(thread, calls, frames)?);
        }
        blobs.iter().try_for_each(|(number, id)| self.writer.blob_again(thread, *number, *id))?;
        Ok(self.writer.put(&past.on(thread))?)
    }
}
