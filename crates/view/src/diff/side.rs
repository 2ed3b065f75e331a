//! One of two traces that are compared: read window by window.
//!
//! Invariant: a window ends with a frame, with the trace, or when it holds as much as it may.

use super::item::{Item, Kind};
use super::writing::Writing;
use crate::api;
use crate::dump::event;
use crate::dump::names::{Names, Scope};
use reprise_codec::Codec;
use reprise_d3d12::model::{Direction, MethodId, Order};
use reprise_timeline::{At, Call, Interests, Pass, Payload, Walk};
use reprise_trace::fact;
use reprise_trace::read::{Event, Events, ReadError, Trace};
use reprise_trace::record;
use std::collections::HashMap;
use std::fmt::Write;

/// Items that a window may hold of one trace.
pub const MOST_ITEMS: usize = 1 << 16;
/// Bytes of it, roughly.
pub const MOST_BYTES: usize = 32 << 20;
/// Hashes that are remembered, so that contents are not unpacked for each mention.
const REMEMBERED: usize = 1 << 16;

/// What is compared.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// Methods left out, by number.
    pub ignored: Vec<bool>,
    /// Neither memory nor pictures.
    pub calls_only: bool,
}

/// How a window ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// It holds as much as it may; there is more of the frame.
    Full,
    Frame,
    Trace,
}

/// See the module.
pub(super) struct Side<'t> {
    pub(super) trace: &'t Trace,
    events: Events<'t>,
    walk: Walk,
    reading: Reading<'t>,
    ended: bool,
    /// Calls that were compared.
    pub(super) calls: u64,
    /// Frame boundaries met.
    pub(super) frames: u64,
}

impl<'t> Side<'t> {
    pub(super) fn new(trace: &'t Trace, compared: Compared) -> Side<'t> {
        let mut reading = Reading {
            trace,
            codec: api::codec(),
            names: Names::default(),
            compared,
            open: HashMap::new(),
            hashes: HashMap::new(),
            done: None,
            undecoded: 0,
        };
        let walk = Walk::new_as(api::model(), &[&mut reading]);
        Side { trace, events: trace.events(), walk, reading, ended: false, calls: 0, frames: 0 }
    }

    /// Calls that cannot be decoded.
    pub(super) fn undecoded(&self) -> u64 {
        self.reading.undecoded
    }

    /// Reads on until the frame or the trace ends, or the window is full.
    ///
    /// # Errors
    /// When the file cannot be read; damage is counted.
    pub(super) fn fill(&mut self, window: &mut Vec<Item>) -> Result<Ended, ReadError> {
        let mut held: usize = window.iter().map(Item::held).sum();
        while !self.ended {
            if window.len() >= MOST_ITEMS || held >= MOST_BYTES {
                return Ok(Ended::Full);
            }
            let Some(event) = self.events.next()? else { break };
            self.walk.event(&event, &mut [&mut self.reading]);
            let is_frame = event.kind == record::Kind::Frame;
            if let Some(item) = self.reading.done.take() {
                self.calls += u64::from(matches!(item.kind, Kind::Call(_)));
                held += item.held();
                window.push(item);
            }
            if is_frame {
                self.frames += 1;
                return Ok(Ended::Frame);
            }
        }
        self.ended = true;
        // Calls that never returned, in their order.
        let mut open: Vec<Item> = self.reading.open.drain().filter_map(|(_, item)| item).collect();
        open.sort_by_key(|item| item.number);
        self.calls += open.len() as u64;
        window.extend(open.into_iter().map(|mut item| {
            item.text.push_str(",\"returned\":false}");
            finished(item)
        }));
        Ok(Ended::Trace)
    }
}

/// The pass that makes items: at most one of each event.
struct Reading<'t> {
    trace: &'t Trace,
    codec: Codec,
    names: Names,
    compared: Compared,
    /// Calls that have not returned, by number; without an item where only what they give out matters.
    open: HashMap<u64, Option<Item>>,
    hashes: HashMap<u64, u128>,
    /// What is complete with the last event.
    done: Option<Item>,
    undecoded: u64,
}

impl Pass for Reading<'_> {
    fn interests(&self) -> Interests {
        Interests::new().events().every_call()
    }

    fn event(&mut self, event: &Event<'_>) {
        self.done = self.item(event);
    }

    fn call(&mut self, call: &Call<'_>, _at: &At) {
        // Without a leave it stays open, and the item says so in the end.
        if let Some(leave) = call.leave() {
            self.done = self.leave(call, leave);
        }
    }
}

impl Reading<'_> {
    /// What is complete with this event; calls that return come with the walk.
    fn item(&mut self, event: &Event<'_>) -> Option<Item> {
        match event.kind {
            record::Kind::Enter => self.enter(event),
            record::Kind::Memory if !self.compared.calls_only => {
                let (offset, bytes) = event.memory()?;
                let (length, hash) = (bytes.len(), reprise_trace::read::content_hash(bytes));
                let mut item = new_item(event, Kind::Memory);
                item.text.push_str("{\"object\":");
                self.write(event.blobs, &mut item, |writing| writing.object(event.object, ""));
                let _ = write!(
                    item.text,
                    ",\"subresource\":{},\"offset\":{offset},\"bytes\":{length},\"hash\":\"{hash:032x}\"}}",
                    event.ordinal
                );
                Some(finished(item))
            }
            record::Kind::Fact => {
                let (kind, bytes) = event.fact()?;
                self.names.learn_fact(event.object, kind, bytes);
                let hash = event::hash(bytes).filter(|_| kind == fact::FRAME_HASH && !self.compared.calls_only)?;
                let mut item = new_item(event, Kind::Picture);
                let _ = write!(item.text, "{{\"hash\":\"{hash}\"}}");
                Some(finished(item))
            }
            _ => None,
        }
    }

    fn enter(&mut self, event: &Event<'_>) -> Option<Item> {
        let Some(known) = api::method(event.method) else {
            self.undecoded += 1;
            return None;
        };
        if let Some(interface) = known.interface {
            self.names.seen_as(event.object, interface);
        }
        let method = MethodId(event.method);
        let ignored = self.compared.ignored.get(usize::from(event.method)).is_some_and(|ignored| *ignored);
        let new = (!ignored).then(|| {
            let mut item = new_item(event, Kind::Call(event.method));
            item.text.push_str("{\"this\":");
            match event.object {
                0 => item.text.push_str("null"),
                id => self.write(event.blobs, &mut item, |writing| writing.object(id, "")),
            }
            item.text.push_str(",\"args\":");
            match self.codec.decode_enter(method, event.payload) {
                Ok(mut arguments) => {
                    // Where an output goes is the program's own matter.
                    arguments.members.retain(|member| member.field.direction != Direction::Out);
                    self.write(event.blobs, &mut item, |writing| writing.members(&arguments.members));
                }
                Err(error) => self.damage(&mut item, &error.to_string()),
            }
            item
        });
        let returns = known.order == Order::EnterLeave;
        if returns && (new.is_some() || self.codec.traits(method).output_objects) {
            self.open.insert(event.number, new);
            return None;
        }
        let mut item = new.filter(|_| !returns)?;
        item.text.push('}');
        Some(finished(item))
    }

    fn leave(&mut self, call: &Call<'_>, leave: Payload<'_>) -> Option<Item> {
        let item = self.open.remove(&call.number)?;
        let outcome = self.codec.decode_leave(call.method, call.enter.bytes, leave.bytes);
        if let Ok(outcome) = &outcome {
            self.names.learn_given(&self.codec, call.method, call.enter.bytes, outcome);
        }
        let mut item = item?;
        match outcome {
            Ok(outcome) => {
                let blobs = [call.enter.blobs, leave.blobs].concat();
                item.text.push_str(",\"result\":");
                self.write(&blobs, &mut item, |writing| writing.result(call.method.0, &outcome.result));
                item.text.push_str(",\"outputs\":");
                self.write(&blobs, &mut item, |writing| writing.members(&outcome.outputs));
            }
            Err(error) => {
                item.text.push_str(",\"error\":");
                self.damage(&mut item, &error.to_string());
            }
        }
        item.text.push('}');
        Some(finished(item))
    }

    fn damage(&mut self, item: &mut Item, error: &str) {
        self.undecoded += 1;
        item.text.push_str(&super::writing::quoted(error));
    }

    fn write(&mut self, blobs: &[(u32, u64)], item: &mut Item, write: impl FnOnce(&mut Writing<'_>)) {
        let (trace, hashes, undecoded) = (self.trace, &mut self.hashes, &mut self.undecoded);
        let mut hash = |id: u64| {
            if let Some(hash) = hashes.get(&id) {
                return Some(*hash);
            }
            if hashes.len() >= REMEMBERED {
                hashes.clear();
            }
            match trace.blob_hash(id) {
                Ok(hash) => hashes.insert(id, hash).or(Some(hash)),
                Err(_) => {
                    *undecoded += 1;
                    None
                }
            }
        };
        let Item { text, objects, .. } = item;
        let scope = Scope { names: &self.names, blobs, contents: None };
        write(&mut Writing { codec: &self.codec, scope, hash: &mut hash, text, objects });
    }
}

fn new_item(event: &Event<'_>, kind: Kind) -> Item {
    let (number, frame, thread) = (event.number, event::frame(event), event.thread);
    Item { number, frame, thread, kind, text: String::with_capacity(160), objects: Vec::new(), key: 0 }
}

/// With the key of what its text became.
fn finished(mut item: Item) -> Item {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    (item.kind, &item.text).hash(&mut hasher);
    item.key = hasher.finish();
    item.text.shrink_to_fit();
    item
}
