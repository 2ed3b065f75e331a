//! Rows: the calls of any stretch of a trace, decoded when they are asked for, and kept for a while.
//!
//! Invariant: the cost of a row does not depend on where it is. Decoding begins at the chunk of the file in which its window begins.

use super::Subject;
use super::history::Place;
use super::kind;
use super::survey::Survey;
use crate::answer::{Deadline, Refused};
use reprise_codec::Codec;
use reprise_codec::json::Namer;
use reprise_d3d12::model::{BlobKind, MethodId, Order, Role};
use reprise_trace::read::{Event, Trace};
use reprise_trace::record::Kind as Record;
use reprise_view::dump::line;
use reprise_view::{api, dump};
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Rows of a window.
pub(crate) const WINDOW: u64 = 256;
/// Windows that are kept.
const KEPT: usize = 256;
/// Characters of a row's arguments.
const TEXT: usize = 400;

/// Windows that were decoded, and when each was asked for last.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    kept: Mutex<(u64, HashMap<u64, Kept>)>,
}

/// When a window was asked for last, and its rows.
type Kept = (u64, Arc<Vec<Json>>);

impl Windows {
    fn get(&self, window: u64) -> Option<Arc<Vec<Json>>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.0 += 1;
        let now = kept.0;
        let (last, rows) = kept.1.get_mut(&window)?;
        *last = now;
        Some(rows.clone())
    }

    fn put(&self, window: u64, rows: Arc<Vec<Json>>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let now = kept.0;
        if kept.1.len() >= KEPT
            && let Some(oldest) = kept.1.iter().min_by_key(|(_, (last, _))| *last).map(|(window, _)| *window)
        {
            kept.1.remove(&oldest);
        }
        kept.1.insert(window, (now, rows));
    }
}

/// Names of numbers as of a call.
pub(crate) struct Naming<'a> {
    pub(crate) survey: &'a Survey,
    /// The call that has begun last.
    pub(crate) at: u64,
    /// The thread's number of each blob, and its number in the trace.
    pub(crate) blobs: &'a [(u32, u64)],
    /// Where contents are to be told, too.
    pub(crate) contents: Option<&'a Trace>,
}

/// Bytes of one content that are shown whole.
const SHOWN: usize = 64 << 10;

impl Naming<'_> {
    /// Where a number of a role lay.
    pub(crate) fn place(&self, role: Role, value: u64) -> Option<Place> {
        let history = &self.survey.history;
        let places = match role {
            Role::CpuDescriptor => &history.cpu,
            Role::GpuDescriptor => &history.gpu,
            Role::GpuAddress => &history.addresses,
            _ => return None,
        };
        places.find(value, self.at)
    }
}

impl Namer for Naming<'_> {
    fn word(&self, role: Role, value: u64) -> Option<Json> {
        let Place { object, distance, increment } = self.place(role, value)?;
        let number = format!("{value:#x}");
        Some(match role {
            Role::GpuAddress => json!({ "address": number, "object": object, "offset": distance }),
            _ => json!({ "handle": number, "heap": object, "index": distance / increment }),
        })
    }

    fn object(&self, id: u32) -> Option<Json> {
        Some(object(self.survey, id, self.at))
    }

    fn blob(&self, number: u32, kind: BlobKind, bytes: u64) -> Option<Json> {
        let id = self.blobs.iter().find(|(own, _)| *own == number).map(|(_, id)| *id)?;
        let mut members = json!({ "blob": id, "kind": format!("{kind:?}"), "bytes": bytes });
        if let Some(trace) = self.contents {
            match trace.blob_hash(id) {
                Ok(hash) => members["hash"] = format!("{hash:032x}").into(),
                Err(error) => members["error"] = error.to_string().into(),
            }
        }
        Some(members)
    }

    fn bytes(&self, bytes: &[u8]) -> Option<Json> {
        self.contents.filter(|_| bytes.len() <= SHOWN).map(|_| reprise_codec::json::hex(bytes).into())
    }
}

/// An object as lines of a dump have it.
fn object(survey: &Survey, id: u32, at: u64) -> Json {
    match id {
        0 => Json::Null,
        _ => json!({ "id": id, "class": survey.class(id, at) }),
    }
}

/// Calls whose lines are being made.
pub(crate) struct Lines<'a> {
    codec: Codec,
    survey: &'a Survey,
    contents: Option<&'a Trace>,
    /// The lines, in the order of the calls.
    pub(crate) lines: Vec<Map<String, Json>>,
    /// Calls that have not returned, by number: the place of the line, and what decoding the outcome needs.
    open: HashMap<u64, Open>,
    /// The call that has begun last.
    at: u64,
}

/// The place of a line, and the call's payload and blobs.
type Open = (usize, Vec<u8>, Vec<(u32, u64)>);

impl<'a> Lines<'a> {
    /// Lines as `dump` has them; with `contents` as it has them for programs that are to be told all.
    pub(crate) fn new(survey: &'a Survey, contents: Option<&'a Trace>) -> Lines<'a> {
        Lines { codec: api::codec(), survey, contents, lines: Vec::new(), open: HashMap::new(), at: 0 }
    }

    /// Whether a line waits for its call to return.
    pub(crate) fn waits(&self) -> bool {
        !self.open.is_empty()
    }

    /// Takes a call of which a line is wanted.
    pub(crate) fn begin(&mut self, event: &Event<'_>) {
        let method = MethodId(event.method);
        let mut line = Map::new();
        line.insert("call".into(), event.number.into());
        line.insert("thread".into(), event.thread.into());
        line.insert("frame".into(), dump::event::frame(event).into());
        line.insert("time_ns".into(), event.time_ns.into());
        line.insert("method".into(), api::name(method).into());
        line.insert("this".into(), object(self.survey, event.object, event.number));
        self.at = event.number;
        let Some(known) = api::method(event.method) else {
            line.insert("error".into(), api::name(method).into());
            self.lines.push(line);
            return;
        };
        let naming = Naming { survey: self.survey, at: event.number, blobs: event.blobs, contents: self.contents };
        match line::arguments(&self.codec, method, event.payload) {
            Ok(arguments) => {
                line.insert("args".into(), self.codec.json_arguments(&arguments, &naming).into());
            }
            Err(error) => {
                line.insert("args".into(), Map::new().into());
                line.insert("error".into(), error.to_string().into());
            }
        }
        if event.open {
            line.insert("returned".into(), false.into());
        } else if known.order == Order::EnterLeave {
            let place = self.lines.len();
            self.open.insert(event.number, (place, event.payload.to_vec(), event.blobs.to_vec()));
        } else {
            line.insert("result".into(), Json::Null);
        }
        self.lines.push(line);
    }

    /// Takes the return of a call, whose line may have been begun here.
    pub(crate) fn end(&mut self, event: &Event<'_>) {
        let Some((place, enter, mut blobs)) = self.open.remove(&event.number) else { return };
        let Some(line) = self.lines.get_mut(place) else { return };
        let method = MethodId(event.method);
        let begun = line.get("time_ns").and_then(Json::as_u64).unwrap_or_default();
        match self.codec.decode_leave(method, &enter, event.payload) {
            Ok(outcome) => {
                blobs.extend(event.blobs);
                // A fact about what the call made may stand before its return.
                let at = self.at.saturating_add(1);
                let naming = Naming { survey: self.survey, at, blobs: &blobs, contents: self.contents };
                line::give_back(line, &self.codec, method, &outcome, &naming, self.contents.is_some());
            }
            Err(error) => {
                line.insert("error".into(), error.to_string().into());
            }
        }
        if self.contents.is_some() {
            line.insert("duration_ns".into(), event.time_ns.saturating_sub(begun).into());
        }
    }

    /// Another call has begun.
    pub(crate) fn pass(&mut self, event: &Event<'_>) {
        self.at = event.number;
    }

    /// The lines; those of calls whose end is not in the trace say so.
    pub(crate) fn finish(mut self) -> Vec<Map<String, Json>> {
        for (place, ..) in self.open.into_values() {
            if let Some(line) = self.lines.get_mut(place) {
                line.insert("returned".into(), false.into());
            }
        }
        self.lines
    }
}

/// A row, from the line of its call.
pub(crate) fn row(survey: &Survey, row: Option<u64>, line: &Map<String, Json>) -> Json {
    let text = |name: &str| line.get(name).and_then(Json::as_str);
    let method = text("method").unwrap_or_default();
    let (interface, name) = match method.split_once("::") {
        Some((interface, name)) => (Some(interface), name),
        None => (None, method),
    };
    let arguments = line.get("args").and_then(Json::as_object).map(dump::arguments_for_people).unwrap_or_default();
    let shown = match arguments.char_indices().nth(TEXT) {
        Some((at, _)) => format!("{}\u{2026}", &arguments[..at]),
        None => arguments,
    };
    let result = line.get("result").filter(|result| !result.is_null()).map(dump::value_for_people);
    let this = line.get("this").and_then(|this| this.get("id")).and_then(Json::as_u64).unwrap_or_default();
    let number = line.get("method").and_then(|_| number_of(method));
    json!({
        "row": row,
        "call": line.get("call"),
        "thread": line.get("thread"),
        "frame": line.get("frame"),
        "time_ns": line.get("time_ns"),
        "kind": number.map_or(kind::Kind::Other, kind::of).name(),
        "interface": interface,
        "method": name,
        "this": survey.object_json(this as u32),
        "text": shown,
        "result": result,
        "returned": line.get("returned").and_then(Json::as_bool).unwrap_or(true),
        "error": line.get("error"),
    })
}

/// The number of a method, by its whole name.
fn number_of(name: &str) -> Option<u16> {
    use std::sync::OnceLock;
    static NUMBERS: OnceLock<HashMap<String, u16>> = OnceLock::new();
    let numbers = NUMBERS.get_or_init(|| {
        let count = u16::try_from(api::model().methods.len()).unwrap_or(u16::MAX);
        (0..count).map(|number| (api::name(MethodId(number)), number)).collect()
    });
    numbers.get(name).copied()
}

impl Subject {
    /// Rows from `first` on: `count` of them, or as many as there are.
    ///
    /// # Errors
    /// The trace cannot be read, or it takes too long.
    pub(crate) fn rows(&self, first: u64, count: u64, deadline: &Deadline) -> Result<Vec<Json>, Refused> {
        let survey = self.survey(deadline)?;
        let end = first.saturating_add(count).min(survey.rows);
        let mut rows = Vec::new();
        let mut at = first;
        while at < end {
            let window = at / WINDOW;
            let decoded = self.window(survey, window, deadline)?;
            let from = (at - window * WINDOW) as usize;
            let to = ((end - window * WINDOW) as usize).min(decoded.len());
            rows.extend(decoded.get(from..to).unwrap_or_default().iter().cloned());
            at = (window + 1) * WINDOW;
        }
        Ok(rows)
    }

    fn window(&self, survey: &Survey, window: u64, deadline: &Deadline) -> Result<Arc<Vec<Json>>, Refused> {
        if let Some(rows) = self.windows.get(window) {
            return Ok(rows);
        }
        let first = window * WINDOW;
        let lines = self.lines(survey, first, WINDOW, deadline)?;
        let rows = lines.iter().zip(first..).map(|(line, number)| row(survey, Some(number), line)).collect();
        let rows = Arc::new(rows);
        self.windows.put(window, Arc::clone(&rows));
        Ok(rows)
    }

    /// The lines of rows.
    fn lines(
        &self,
        survey: &Survey,
        first: u64,
        count: u64,
        deadline: &Deadline,
    ) -> Result<Vec<Map<String, Json>>, Refused> {
        let mut lines = Lines::new(survey, None);
        let Some(call) = survey.call_of(first) else { return Ok(Vec::new()) };
        let mut events = self.trace.from_call(call).without_pages();
        let mut taken = 0;
        while let Some(event) = events.next()? {
            match event.kind {
                Record::Enter if taken < count => {
                    lines.begin(&event);
                    taken += 1;
                }
                Record::Enter => lines.pass(&event),
                Record::Leave => lines.end(&event),
                _ => {}
            }
            if taken >= count && !lines.waits() {
                break;
            }
            deadline.check()?;
        }
        Ok(lines.finish())
    }
}
