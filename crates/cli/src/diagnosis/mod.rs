//! Where the GPU stopped, as a report: a replay says which operations are not done, or the recording itself does ([`recorded`]); the trace
//! says what they are.
//!
//! Invariant: the report says of nothing that it is the cause. It tells what is done, what was begun and what was not.

mod json;
pub(crate) mod recorded;
mod text;

use reprise_replay::diagnosis::{Diagnosis, Fault, Standing};
use reprise_timeline::index::{Cache, Index};
use reprise_trace::read::{ReadError, Trace};
use reprise_trace::record::Kind;
use reprise_view::api;
use reprise_view::dump::{self, Dump, filter::Filter};
use reprise_view::state;
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub(crate) use json::as_json;
pub(crate) use text::lines;

/// Calls of the submitting thread that are shown.
const LAST_CALLS: usize = 4;

/// A diagnosis, and what the trace says of its calls and objects.
pub(crate) struct Told {
    diagnosis: Diagnosis,
    /// It is of the program's own run.
    recorded: bool,
    /// What is begun is told by markers, not guessed from what is completed.
    marked: bool,
    /// Lines of `dump`, by call.
    calls: BTreeMap<u64, Map<String, Json>>,
    /// Names of objects, by id.
    objects: BTreeMap<u32, state::ObjectRef>,
    /// The first operation that was begun and is not done, and what was bound there.
    bound: Option<(u64, state::Report)>,
    /// The last calls of the thread that submitted it, up to where the replay ended.
    thread: Vec<u64>,
    /// Why the trace says less than it could.
    untold: Option<String>,
}

/// Looks up in the trace what a diagnosis names.
pub(crate) fn tell(trace: &Trace, diagnosis: Diagnosis) -> Told {
    look_up(trace, diagnosis, false, true)
}

/// The same for a diagnosis of the program's own run; `marked` where capture's markers say what was begun.
pub(crate) fn tell_recorded(trace: &Trace, diagnosis: Diagnosis, marked: bool) -> Told {
    look_up(trace, diagnosis, true, marked)
}

fn look_up(trace: &Trace, diagnosis: Diagnosis, recorded: bool, marked: bool) -> Told {
    let mut told = Told {
        diagnosis,
        recorded,
        marked,
        calls: BTreeMap::new(),
        objects: BTreeMap::new(),
        bound: None,
        thread: Vec::new(),
        untold: None,
    };
    let read = told.read_calls(trace).map_err(|error| error.to_string());
    told.untold = read.and(told.read_state(trace)).err();
    told
}

/// The last calls, up to `last`, of the thread that made the call `given`.
///
/// # Errors
/// The trace cannot be read.
fn last_calls(trace: &Trace, given: Option<u64>, last: u64) -> Result<Vec<u64>, ReadError> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let mut recent: BTreeMap<u32, VecDeque<u64>> = BTreeMap::new();
    let mut thread = None;
    let mut events = trace.events();
    while let Some(event) = events.next()? {
        if event.kind != Kind::Enter {
            continue;
        }
        if event.number > last {
            break;
        }
        if event.number == given {
            thread = Some(event.thread);
        }
        let calls = recent.entry(event.thread).or_default();
        calls.push_back(event.number);
        if calls.len() > LAST_CALLS {
            calls.pop_front();
        }
    }
    Ok(thread.and_then(|thread| recent.remove(&thread)).map(Vec::from).unwrap_or_default())
}

impl Told {
    /// Calls that the report names: of submissions, waits, operations, releases.
    fn named(&self) -> Vec<u64> {
        let mut calls = Vec::new();
        for queue in &self.diagnosis.queues {
            match &queue.at {
                Standing::Idle => {}
                Standing::Wait { call, signaller, .. } => {
                    calls.push(*call);
                    calls.extend(signaller.map(|signaller| signaller.call));
                }
                Standing::Submission { call, lists } => {
                    calls.push(*call);
                    let around = lists.iter().flat_map(|list| &list.around);
                    calls.extend(around.map(|operation| operation.call));
                }
            }
        }
        calls.extend(self.owner().and_then(|owner| owner.range.released));
        calls
    }

    fn owner(&self) -> Option<reprise_replay::diagnosis::Owner> {
        self.diagnosis.fault.as_ref().and_then(|fault: &Fault| fault.owner)
    }

    /// The call of the submission, or wait, that a queue is at: of the first queue that is at one.
    fn given(&self) -> Option<u64> {
        self.diagnosis.queues.iter().find_map(|queue| match queue.at {
            Standing::Submission { call, .. } => Some(call),
            _ => None,
        })
    }

    /// Objects that the report names.
    fn named_objects(&self) -> Vec<u32> {
        let mut objects: Vec<u32> = self.diagnosis.queues.iter().map(|queue| queue.queue).collect();
        for queue in &self.diagnosis.queues {
            match &queue.at {
                Standing::Idle => {}
                Standing::Wait { fence, .. } => objects.push(*fence),
                Standing::Submission { lists, .. } => objects.extend(lists.iter().map(|list| list.list)),
            }
        }
        objects.extend(self.owner().map(|owner| owner.range.resource));
        objects
    }

    /// Reads the trace up to where the replay ended: the last calls of the thread that submitted, and the lines of all calls that the report
    /// names.
    ///
    /// # Errors
    /// The trace cannot be read.
    fn read_calls(&mut self, trace: &Trace) -> Result<(), ReadError> {
        let mut named: BTreeSet<u64> = self.named().into_iter().collect();
        let last = named.last().copied().unwrap_or(0).max(self.diagnosis.place.call);
        self.thread = last_calls(trace, self.given(), last)?;
        named.extend(&self.thread);
        let filter = Filter::of_calls(named);
        let (frame, call) = filter.first();
        let mut dump = Dump::new(filter, Map::clone);
        let mut events = trace.events_known_from(frame, call);
        while let Some(event) = events.next()? {
            if dump.is_done(&event) {
                break;
            }
            dump.event(&event);
        }
        while let Some(line) = dump.next().or_else(|| dump.rest()) {
            if let Some(call) = line.get("call").and_then(Json::as_u64).filter(|_| !line.contains_key("event")) {
                self.calls.insert(call, line);
            }
        }
        Ok(())
    }

    /// Names of objects, and what was bound at the first operation that is not done.
    fn read_state(&mut self, trace: &Trace) -> Result<(), String> {
        let suspect = self.diagnosis.suspects().first().copied();
        let at = suspect.or_else(|| self.given()).or_else(|| self.named().into_iter().max());
        let Some(at) = at else { return Ok(()) };
        let mut index = Index::open(trace, Cache::user(), &mut |_| ()).map_err(|error| error.to_string())?;
        let state_at = |index: &mut Index, call, object| {
            state::report(trace, index, call, object, &mut |_| ()).map_err(|refused| refused.to_string())
        };
        // An object may have been made behind that call, or be gone by the end.
        let released = self.owner().and_then(|owner| owner.range.released);
        let moments: Vec<u64> = [Some(at), released, Some(self.diagnosis.place.call)].into_iter().flatten().collect();
        for id in self.named_objects() {
            let mut known = moments.iter().filter_map(|call| state_at(&mut index, *call, Some(id)).ok()?.object);
            if let Some(object) = known.next() {
                self.objects.insert(id, object.object);
            }
        }
        if let Some(call) = suspect {
            self.bound = Some((call, state_at(&mut index, call, None)?));
        }
        Ok(())
    }

    /// A call as `dump` shows it; where the trace does not give it, its number and method.
    fn call(&self, call: u64, method: Option<u16>, colour: bool) -> String {
        match self.calls.get(&call) {
            Some(line) if colour => dump::in_colour(line),
            Some(line) => dump::for_people(line),
            None => {
                let name = method.map(|method| api::name(reprise_d3d12::model::MethodId(method))).unwrap_or_default();
                format!("call {call} {name}")
            }
        }
    }
}
