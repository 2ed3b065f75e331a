//! A trace as lines: calls with their arguments by name, and everything else that happened.
//!
//! The object that is a line for programs is made first; the line for people is made from it. What a payload says is
//! decoded when the event is read, so that handles and addresses are named as of that point.

pub mod event;
pub mod filter;
pub mod line;
pub mod names;
mod order;
mod text;

use crate::api;
use filter::Filter;
use names::{Contents, Names, Scope};
pub use order::Line;
use order::{Next, Order};
use reprise_codec::Codec;
use reprise_codec::decode::{Arguments, Outcome};
use reprise_d3d12::model::{MethodId, Order as CallOrder};
use reprise_timeline::{At, Call, Interests, Pass, Payload, Walk};
use reprise_trace::read::Event;
use reprise_trace::record::Kind;
use serde_json::{Map, Value as Json};
use std::collections::HashMap;

/// Turns events into lines: a walk with one pass.
pub struct Dump<'c, L> {
    walk: Walk,
    lines: Lines<'c, L>,
}

/// The pass that makes lines. A call's line begins at its enter, where handles and addresses are named, and is complete when
/// the walk gives the call with its outcome.
struct Lines<'c, L> {
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

/// The line of a call that has not returned yet.
struct Open {
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
pub fn for_programs(line: &Map<String, Json>) -> String {
    // Maps of strings to values always can be written.
    serde_json::to_string(line).unwrap_or_default()
}

/// A line for people.
pub fn for_people(line: &Map<String, Json>) -> String {
    in_words(line, false)
}

/// A line for people at a terminal.
pub fn in_colour(line: &Map<String, Json>) -> String {
    in_words(line, true)
}

/// Arguments for people, as a line has them between the brackets of a call.
pub fn arguments_for_people(arguments: &Map<String, Json>) -> String {
    let mut text = String::new();
    text::members(&mut text, arguments, false);
    text
}

/// A value for people, cut where it is long.
pub fn value_for_people(value: &Json) -> String {
    let mut text = String::new();
    text::value(&mut text, value);
    text
}

fn in_words(line: &Map<String, Json>, colour: bool) -> String {
    if line.contains_key("event") { text::event(line, colour) } else { text::call(line, colour) }
}

impl<'c, L: Line> Dump<'c, L> {
    /// The lines that the filter admits, in this form.
    pub fn new(filter: Filter, form: fn(&Map<String, Json>) -> L) -> Dump<'c, L> {
        let mut lines = Lines {
            codec: api::codec(),
            names: Names::default(),
            order: Order::new(),
            open: HashMap::new(),
            filter,
            form,
            contents: None,
            bytes: false,
            damaged: 0,
        };
        Dump { walk: Walk::new_as(api::model(), &[&mut lines]), lines }
    }

    /// The same with all there is to tell. Objects that are lines have more members then: of all events `contents` of blobs
    /// and memory; of calls `bytes` (of the payload), `sequence`, `duration_ns`, `outputs` (apart from `args`, of which
    /// those that are changed in place stay as they went in), `objects` and `blobs` (all that are mentioned).
    pub fn whole(mut self, contents: &'c dyn Contents) -> Dump<'c, L> {
        self.lines.contents = Some(contents);
        self
    }

    /// The same with the bytes of memory: as `hex` for programs, and sixteen a line for people.
    pub fn with_bytes(mut self, bytes: bool) -> Dump<'c, L> {
        self.lines.bytes = bytes;
        self
    }

    /// How many calls could not be decoded.
    pub fn damaged(&self) -> u64 {
        self.lines.damaged
    }

    /// Whether nothing more of what was asked for can come.
    pub fn is_done(&self, event: &Event<'_>) -> bool {
        self.lines.filter.is_past(event) && !self.lines.open.values().any(|open| open.shown != Shown::No)
    }

    /// Takes the next event of the trace. Events that are not asked for are needed too: what is an object or a
    /// handle is learned from them.
    pub fn event(&mut self, event: &Event<'_>) {
        self.walk.event(event, &mut [&mut self.lines]);
    }

    /// The next line that may be printed.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Option<L> {
        loop {
            let next = self.lines.order.next()?;
            if let Some(line) = self.lines.unwrap(next) {
                return Some(line);
            }
        }
    }

    /// The next line after the last event: calls that are still open are printed as they are.
    pub fn rest(&mut self) -> Option<L> {
        loop {
            let next = self.lines.order.take()?;
            if let Some(line) = self.lines.unwrap(next) {
                return Some(line);
            }
        }
    }
}

impl<L: Line> Pass for Lines<'_, L> {
    fn interests(&self) -> Interests {
        Interests::new().events().every_call()
    }

    fn event(&mut self, event: &Event<'_>) {
        let shown = self.filter.admits(event);
        match event.kind {
            Kind::Enter => self.enter(event, shown),
            // The call comes with it.
            Kind::Leave => {}
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

    fn call(&mut self, call: &Call<'_>, at: &At) {
        // Without a leave the line stays open, and says so in the end.
        if let Some(leave) = call.leave() {
            self.leave(call, leave, at.time_ns);
        }
    }
}

impl<L: Line> Lines<'_, L> {
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
            self.open.insert(event.number, Open { line, shown });
        }
    }

    /// The line of a call as far as its arguments make it, and whether it is shown; `gives` says whether it may yet give out
    /// an object asked for.
    fn arguments(&mut self, event: &Event<'_>, gives: bool) -> (Map<String, Json>, Shown) {
        let scope = Scope { names: &self.names, blobs: event.blobs, contents: self.contents };
        let decoded = line::arguments(&self.codec, MethodId(event.method), event.payload);
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

    /// A call returned, at so many nanoseconds.
    fn leave(&mut self, call: &Call<'_>, leave: Payload<'_>, time_ns: u64) {
        let Some(mut open) = self.open.remove(&call.number) else { return };
        match self.codec.decode_leave(call.method, call.enter.bytes, leave.bytes) {
            Ok(outcome) => {
                self.names.learn_given(&self.codec, call.method, call.enter.bytes, &outcome);
                let blobs = [call.enter.blobs, leave.blobs].concat();
                let scope = Scope { names: &self.names, blobs: &blobs, contents: self.contents };
                if open.shown == Shown::Undecided {
                    let given = self.filter.mentioned(&outcome.outputs, &scope)
                        || self.filter.mentioned_by(&outcome.result, &scope);
                    open.shown = if given { Shown::Yes } else { Shown::Undecided };
                }
                if open.shown == Shown::Yes && self.contents.is_some() {
                    open.line.insert("duration_ns".into(), time_ns.saturating_sub(call.time_ns).into());
                    open.line.insert("bytes".into(), (call.enter.bytes.len() + leave.bytes.len()).into());
                    add_mentioned(&mut open.line, leave, &outcome, &scope);
                }
                if open.shown == Shown::Yes {
                    line::give_back(
                        &mut open.line,
                        &self.codec,
                        call.method,
                        &outcome,
                        &scope,
                        self.contents.is_some(),
                    );
                }
            }
            Err(error) => {
                self.damaged += 1;
                open.line.insert("error".into(), error.to_string().into());
            }
        }
        match open.shown {
            Shown::No => return,
            Shown::Undecided => return self.order.withdraw(call.number),
            Shown::Yes => {}
        }
        let rendered = (self.form)(&open.line);
        if self.order.resolve(call.number, rendered).is_some() {
            // Its own line was printed long ago: the return gets another.
            let mut line = Map::new();
            line.insert("event".into(), "return".into());
            line.insert("after_call".into(), call.number.into());
            for name in ["thread", "frame", "method", "this", "args", "outputs", "result", "error"] {
                if let Some(value) = open.line.get(name) {
                    line.insert(name.into(), value.clone());
                }
            }
            self.order.complete((self.form)(&line));
        }
    }
}

/// Adds the objects and blobs that a call's outcome mentions.
fn add_mentioned(line: &mut Map<String, Json>, leave: Payload<'_>, outcome: &Outcome<'_>, scope: &Scope<'_>) {
    let mut objects = Vec::new();
    scope.objects(&outcome.outputs, &mut objects);
    scope.objects_of(&outcome.result, &mut objects);
    let more = [("objects", Json::from(objects)), ("blobs", leave.blobs.iter().map(|(_, id)| *id).collect())];
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
