//! A trace as lines: calls with their arguments by name, and everything else that happened.
//!
//! The object that is a line for programs is made first; the line for people is made from it. What a payload says is
//! decoded when the event is read, so that handles and addresses are named as of that point.

pub(crate) mod event;
pub(crate) mod filter;
pub(crate) mod names;
mod order;
mod text;

use crate::trace::api;
use filter::Filter;
use names::{Contents, Names, Scope};
pub(crate) use order::Line;
use order::{Next, Order};
use reprise_codec::decode::{Arguments, Outcome};
use reprise_codec::{Codec, Value};
use reprise_d3d12::model::{Direction, MethodId, Order as CallOrder};
use reprise_trace::read::Event;
use reprise_trace::record::Kind;
use serde_json::{Map, Value as Json};
use std::collections::HashMap;

/// Turns events into lines.
pub(crate) struct Dump<'c, L> {
    codec: Codec,
    names: Names,
    order: Order<L>,
    open: HashMap<u64, Open>,
    filter: Filter,
    /// Makes a line of an object that is one.
    form: fn(&Map<String, Json>) -> L,
    /// Where everything is to be told.
    contents: Option<&'c dyn Contents>,
    /// Whether memory is shown byte by byte.
    bytes: bool,
    /// Calls whose bytes could not be decoded.
    damaged: u64,
}

/// A call that has not returned yet.
struct Open {
    method: MethodId,
    /// The enter payload, which the leave payload cannot be read without.
    payload: Vec<u8>,
    blobs: Vec<(u32, u64)>,
    time_ns: u64,
    /// Empty for calls that are not shown.
    line: Map<String, Json>,
    shown: Shown,
}

/// Whether a call is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    No,
    /// Only if what it gives out is an object asked for.
    Undecided,
    Yes,
}

/// One JSON object a line, for programs.
pub(crate) fn for_programs(line: &Map<String, Json>) -> String {
    // Maps of strings to values always can be written.
    serde_json::to_string(line).unwrap_or_default()
}

/// A line for people.
pub(crate) fn for_people(line: &Map<String, Json>) -> String {
    in_words(line, false)
}

/// A line for people at a terminal.
pub(crate) fn in_colour(line: &Map<String, Json>) -> String {
    in_words(line, true)
}

/// A value for people, cut where it is long.
pub(crate) fn value_for_people(value: &Json) -> String {
    let mut text = String::new();
    text::value(&mut text, value);
    text
}

fn in_words(line: &Map<String, Json>, colour: bool) -> String {
    if line.contains_key("event") { text::event(line, colour) } else { text::call(line, colour) }
}

impl<'c, L: Line> Dump<'c, L> {
    /// The lines that the filter admits, in this form.
    pub(crate) fn new(filter: Filter, form: fn(&Map<String, Json>) -> L) -> Dump<'c, L> {
        Dump {
            codec: api::codec(),
            names: Names::default(),
            order: Order::new(),
            open: HashMap::new(),
            filter,
            form,
            contents: None,
            bytes: false,
            damaged: 0,
        }
    }

    /// The same with all there is to tell. Objects that are lines have more members then: of all events `contents` of blobs
    /// and memory; of calls `bytes` (of the payload), `sequence`, `duration_ns`, `outputs` (apart from `args`, of which
    /// those that are changed in place stay as they went in), `objects` and `blobs` (all that are mentioned).
    pub(crate) fn whole(self, contents: &'c dyn Contents) -> Dump<'c, L> {
        Dump { contents: Some(contents), ..self }
    }

    /// The same with the bytes of memory: as `hex` for programs, and sixteen a line for people.
    pub(crate) fn with_bytes(self, bytes: bool) -> Dump<'c, L> {
        Dump { bytes, ..self }
    }

    /// How many calls could not be decoded.
    pub(crate) fn damaged(&self) -> u64 {
        self.damaged
    }

    /// Whether nothing more of what was asked for can come.
    pub(crate) fn is_done(&self, event: &Event<'_>) -> bool {
        self.filter.is_past(event) && !self.open.values().any(|open| open.shown != Shown::No)
    }

    /// Takes the next event of the trace. Events that are not asked for are needed too: what is an object or a
    /// handle is learned from them.
    pub(crate) fn event(&mut self, event: &Event<'_>) {
        let shown = self.filter.admits(event);
        match event.kind {
            Kind::Enter => self.enter(event, shown),
            Kind::Leave => self.leave(event),
            _ => {
                if event.kind == Kind::Fact
                    && let Some((kind, bytes)) = event.fact()
                {
                    self.names.learn_fact(event.object, kind, bytes);
                }
                if shown
                    && self.filter.admits_object(event.object)
                    && let Some(mut line) = event::line(event, &self.names, self.contents)
                {
                    if let (true, Some((_, bytes))) = (self.bytes, event.memory()) {
                        line.insert("hex".into(), reprise_codec::json::hex(bytes).into());
                    }
                    self.order.complete((self.form)(&line));
                }
            }
        }
    }

    /// The next line that may be printed.
    pub(crate) fn next(&mut self) -> Option<L> {
        loop {
            let next = self.order.next()?;
            if let Some(line) = self.unwrap(next) {
                return Some(line);
            }
        }
    }

    /// The next line after the last event: calls that are still open are printed as they are.
    pub(crate) fn rest(&mut self) -> Option<L> {
        loop {
            let next = self.order.take()?;
            if let Some(line) = self.unwrap(next) {
                return Some(line);
            }
        }
    }

    /// The line of what comes next; none for a call of which it is not known whether it is shown.
    fn unwrap(&mut self, next: Next<L>) -> Option<L> {
        match next {
            Next::Line(line) => Some(line),
            Next::Overdue(call) => {
                let open = self.open.get(&call).filter(|open| open.shown == Shown::Yes)?;
                let mut line = open.line.clone();
                line.insert("returned".into(), false.into());
                Some((self.form)(&line))
            }
        }
    }

    fn enter(&mut self, event: &Event<'_>, admitted: bool) {
        let method = MethodId(event.method);
        let Some(known) = api::method(event.method) else {
            self.damaged += 1;
            if admitted && self.filter.admits_object(event.object) {
                let mut line = head(event, &self.names);
                line.insert("error".into(), api::name(method).into());
                self.order.complete((self.form)(&line));
            }
            return;
        };
        if let Some(interface) = known.interface {
            self.names.seen_as(event.object, interface);
        }
        let gives = self.codec.traits(method).output_objects;
        let returns = known.order == CallOrder::EnterLeave && !event.open;
        let (mut line, mut shown) = (Map::new(), Shown::No);
        if admitted {
            (line, shown) = self.arguments(event, returns && gives);
        }
        if event.open {
            line.insert("returned".into(), false.into());
        } else if !returns {
            line.insert("result".into(), Json::Null);
        }
        if !returns {
            if shown == Shown::Yes {
                self.order.complete((self.form)(&line));
            }
            return;
        }
        if shown != Shown::No {
            self.order.wait(event.number, event.payload.len() + 256);
        }
        if shown != Shown::No || gives {
            let (payload, blobs) = (event.payload.to_vec(), event.blobs.to_vec());
            let open = Open { method, payload, blobs, time_ns: event.time_ns, line, shown };
            self.open.insert(event.number, open);
        }
    }

    /// The line of a call as far as its arguments make it, and whether it is shown; `gives` says whether it may yet give out
    /// an object asked for.
    fn arguments(&mut self, event: &Event<'_>, gives: bool) -> (Map<String, Json>, Shown) {
        let scope = Scope { names: &self.names, blobs: event.blobs, contents: self.contents };
        let mut decoded = self.codec.decode_enter(MethodId(event.method), event.payload);
        for member in decoded.iter_mut().flat_map(|arguments| &mut arguments.members) {
            // Where a result is to go is an address of the program's; what came is known later.
            if member.field.direction == Direction::Out && matches!(member.value, Value::Word(..)) {
                member.value = Value::Null;
            }
        }
        let mentioned = |arguments: &Arguments<'_>| self.filter.mentioned(&arguments.members, &scope);
        let shown = match self.filter.admits_object(event.object) || decoded.as_ref().is_ok_and(mentioned) {
            true => Shown::Yes,
            false if gives => Shown::Undecided,
            false => return (Map::new(), Shown::No),
        };
        let mut line = head(event, &self.names);
        if self.contents.is_some() {
            let mut objects: Vec<u32> = (event.object != 0).then_some(event.object).into_iter().collect();
            decoded.iter().for_each(|arguments| scope.objects(&arguments.members, &mut objects));
            line.insert("sequence".into(), event.sequence.into());
            line.insert("bytes".into(), event.payload.len().into());
            line.insert("objects".into(), objects.into());
            line.insert("blobs".into(), event.blobs.iter().map(|(_, id)| *id).collect());
        }
        match decoded {
            Ok(arguments) => {
                line.insert("args".into(), self.codec.json_arguments(&arguments, &scope).into());
            }
            Err(error) => {
                self.damaged += 1;
                line.insert("args".into(), Map::new().into());
                line.insert("error".into(), error.to_string().into());
            }
        }
        (line, shown)
    }

    fn leave(&mut self, event: &Event<'_>) {
        let Some(mut open) = self.open.remove(&event.number) else { return };
        match self.codec.decode_leave(open.method, &open.payload, event.payload) {
            Ok(outcome) => {
                self.names.learn_given(&self.codec, open.method, &open.payload, &outcome);
                let mut blobs = std::mem::take(&mut open.blobs);
                blobs.extend_from_slice(event.blobs);
                let scope = Scope { names: &self.names, blobs: &blobs, contents: self.contents };
                if open.shown == Shown::Undecided {
                    let given = self.filter.mentioned(&outcome.outputs, &scope)
                        || self.filter.mentioned_by(&outcome.result, &scope);
                    open.shown = if given { Shown::Yes } else { Shown::Undecided };
                }
                if open.shown == Shown::Yes && self.contents.is_some() {
                    let began = (open.time_ns, open.payload.len());
                    add_whole(&mut open.line, began, event, &outcome, &scope);
                }
                if open.shown == Shown::Yes {
                    let (mut result, mut outputs) = self.codec.json_outcome(&outcome, &scope);
                    if let Some(arguments) = open.line.get_mut("args").and_then(Json::as_object_mut) {
                        // A structure that is the result comes through a parameter that the API's users do not see.
                        let hidden = api::method(open.method.0).filter(|method| method.returns_structure);
                        if let Some(hidden) = hidden.and_then(|method| method.params.first()) {
                            arguments.shift_remove(hidden.name);
                            result = outputs.shift_remove(hidden.name).unwrap_or(Json::Null);
                        }
                        match self.contents {
                            None => arguments.extend(outputs),
                            Some(_) => {
                                // Where an output goes is of no interest; what goes in and comes out is told twice.
                                arguments.retain(|name, value| !value.is_null() || !outputs.contains_key(name));
                                open.line.insert("outputs".into(), outputs.into());
                            }
                        }
                    }
                    open.line.insert("result".into(), result);
                }
            }
            Err(error) => {
                self.damaged += 1;
                open.line.insert("error".into(), error.to_string().into());
            }
        }
        match open.shown {
            Shown::No => return,
            Shown::Undecided => return self.order.withdraw(event.number),
            Shown::Yes => {}
        }
        let rendered = (self.form)(&open.line);
        if self.order.resolve(event.number, rendered).is_some() {
            // Its own line was printed long ago: the return gets another.
            let mut line = Map::new();
            line.insert("event".into(), "return".into());
            line.insert("after_call".into(), event.number.into());
            for name in ["thread", "frame", "method", "this", "args", "outputs", "result", "error"] {
                if let Some(value) = open.line.get(name) {
                    line.insert(name.into(), value.clone());
                }
            }
            self.order.complete((self.form)(&line));
        }
    }
}

/// What only a line that tells all says of a call's end; `began` is the time and payload of its beginning.
fn add_whole(
    line: &mut Map<String, Json>,
    began: (u64, usize),
    event: &Event<'_>,
    outcome: &Outcome<'_>,
    scope: &Scope<'_>,
) {
    line.insert("duration_ns".into(), event.time_ns.saturating_sub(began.0).into());
    line.insert("bytes".into(), (began.1 + event.payload.len()).into());
    let mut objects = Vec::new();
    scope.objects(&outcome.outputs, &mut objects);
    scope.objects_of(&outcome.result, &mut objects);
    let more = [("objects", Json::from(objects)), ("blobs", event.blobs.iter().map(|(_, id)| *id).collect())];
    for (name, more) in more {
        if let (Some(Json::Array(all)), Json::Array(more)) = (line.get_mut(name), more) {
            all.extend(more);
        }
    }
}

/// What every call's line begins with.
fn head(event: &Event<'_>, names: &Names) -> Map<String, Json> {
    let mut line = Map::new();
    line.insert("call".into(), event.number.into());
    line.insert("thread".into(), event.thread.into());
    line.insert("frame".into(), event::frame(event).into());
    line.insert("time_ns".into(), event.time_ns.into());
    line.insert("method".into(), api::name(MethodId(event.method)).into());
    line.insert("this".into(), names.object_json(event.object));
    line
}
