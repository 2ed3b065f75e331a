//! What the numbers in a trace stand for at the point that a dump has reached: the class of each object, and where
//! descriptor handles and GPU addresses lie.
//!
//! Invariant: a name given to a number was stated by the trace before that point; later statements replace earlier ones
//! that they overlap, because handles and addresses are re-used.

use crate::api;
use reprise_codec::decode::Outcome;
use reprise_codec::json::{self, Namer};
use reprise_codec::value::Member;
use reprise_codec::{Codec, Value};
use reprise_d3d12::model::{BlobKind, InterfaceId, MethodId, Role};
use reprise_trace::fact;
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, HashMap};

/// Everything learned so far.
#[derive(Debug, Default)]
pub struct Names {
    classes: HashMap<u32, InterfaceId>,
    cpu: BTreeMap<u64, Range>,
    gpu: BTreeMap<u64, Range>,
    addresses: BTreeMap<u64, Range>,
}

/// Numbers that belong to one object.
#[derive(Clone, Copy, Debug)]
struct Range {
    object: u32,
    bytes: u64,
    /// Bytes from one descriptor to the next; 1 for addresses.
    increment: u64,
}

impl Names {
    /// The class an object was first given out as.
    pub fn class(&self, object: u32) -> Option<&'static str> {
        self.classes.get(&object).map(|interface| api::class(*interface))
    }

    /// All objects whose class is known, in no order.
    pub fn classes(&self) -> impl Iterator<Item = (u32, &'static str)> + '_ {
        self.classes.iter().map(|(id, interface)| (*id, api::class(*interface)))
    }

    /// An object as JSON: its id and class; null for none.
    pub fn object_json(&self, object: u32) -> Json {
        match object {
            0 => Json::Null,
            _ => json!({ "id": object, "class": self.class(object).unwrap_or("IUnknown") }),
        }
    }

    /// Learns the objects that a value gives out.
    fn learn(&mut self, value: &Value<'_>) {
        match value {
            Value::Object(id, interface) if *id != 0 => {
                self.classes.entry(*id).or_insert(*interface);
            }
            Value::Struct(_, members) => members.iter().for_each(|member| self.learn(&member.value)),
            Value::Array(values) => values.iter().for_each(|value| self.learn(value)),
            Value::Stream(subobjects) => subobjects.iter().for_each(|(_, value)| self.learn(value)),
            _ => {}
        }
    }

    /// Learns the classes of what a call gave out: as the program asked for it, or as the model states it. `enter` is the
    /// payload of the call's beginning.
    pub fn learn_given(&mut self, codec: &Codec, method: MethodId, enter: &[u8], outcome: &Outcome<'_>) {
        let asked = outcome.outputs.iter().any(|output| output.field.iid.is_some());
        let arguments = if asked { codec.decode_enter(method, enter).ok() } else { None };
        for output in &outcome.outputs {
            let wanted = output.field.iid.and_then(|index| {
                let member = arguments.as_ref()?.members.get(usize::from(index))?;
                match member.value {
                    Value::Guid(iid) => api::by_iid(&iid),
                    _ => None,
                }
            });
            match (&output.value, wanted) {
                (Value::Object(id, _), Some(interface)) => self.seen_as(*id, interface),
                (value, _) => self.learn(value),
            }
        }
        self.learn(&outcome.result);
    }

    /// Learns that a call went through this interface of the object, where nothing better is known.
    pub fn seen_as(&mut self, object: u32, interface: InterfaceId) {
        if object != 0 {
            self.classes.entry(object).or_insert(interface);
        }
    }

    /// Learns what a fact states; facts about other things teach nothing.
    pub fn learn_fact(&mut self, object: u32, kind: u32, bytes: &[u8]) {
        let word = |at: usize| bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
        let half = |at: usize| bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
        match kind {
            fact::ADDRESS_RANGE => {
                if let (Some(start), Some(bytes)) = (word(0), word(8)) {
                    put(&mut self.addresses, start, Range { object, bytes, increment: 1 });
                }
            }
            fact::DESCRIPTOR_HEAP => {
                if let (Some(cpu), Some(gpu), Some(increment), Some(count)) = (word(0), word(8), half(16), half(20)) {
                    let increment = u64::from(increment);
                    let range = Range { object, bytes: u64::from(count) * increment, increment };
                    put(&mut self.cpu, cpu, range);
                    put(&mut self.gpu, gpu, range);
                }
            }
            _ => {}
        }
    }
}

/// Adds a range and drops those it overlaps; empty ranges and those at 0 name nothing.
fn put(ranges: &mut BTreeMap<u64, Range>, start: u64, range: Range) {
    let Some(end) = start.checked_add(range.bytes) else { return };
    if start == 0 || range.bytes == 0 || range.increment == 0 {
        return;
    }
    let overlapped = |(first, old): (&u64, &Range)| (first.saturating_add(old.bytes) > start).then_some(*first);
    // Ranges in the table never overlap each other, so their ends rise with their starts.
    let stale: Vec<u64> = ranges.range(..end).rev().map_while(overlapped).collect();
    for first in stale {
        ranges.remove(&first);
    }
    ranges.insert(start, range);
}

/// The range that a number lies in, with the distance from its start.
fn find(ranges: &BTreeMap<u64, Range>, value: u64) -> Option<(Range, u64)> {
    let (start, range) = ranges.range(..=value).next_back()?;
    let distance = value - start;
    (distance < range.bytes).then_some((*range, distance))
}

/// Says of contents more than how many bytes they have.
pub trait Contents {
    /// Adds members about a blob, by its number in the trace.
    fn blob(&self, id: u64, members: &mut Map<String, Json>);
    /// Adds members about bytes that are in the trace's events.
    fn bytes(&self, bytes: &[u8], members: &mut Map<String, Json>);
}

/// The names as one event sees them: with the blobs that its payload may mention.
pub struct Scope<'a> {
    /// What numbers stand for there.
    pub names: &'a Names,
    /// The thread's number of each blob, and its number in the trace.
    pub blobs: &'a [(u32, u64)],
    /// Where all is to be told: who knows contents. Otherwise long bytes are cut.
    pub contents: Option<&'a dyn Contents>,
}

impl Scope<'_> {
    /// The object that a number of a role lies in, with what is known of its range and the distance from its start.
    fn place(&self, role: Role, value: u64) -> Option<(Range, u64)> {
        let ranges = match role {
            Role::CpuDescriptor => &self.names.cpu,
            Role::GpuDescriptor => &self.names.gpu,
            Role::GpuAddress => &self.names.addresses,
            _ => return None,
        };
        find(ranges, value)
    }

    /// The same object with what the distance is counted in: bytes of addresses, descriptors of handles.
    pub fn place_of(&self, role: Role, value: u64) -> Option<(u32, u64)> {
        self.place(role, value).map(|(range, distance)| (range.object, distance / range.increment))
    }

    /// The objects among these values and behind their addresses and descriptor handles, as they come.
    pub fn objects(&self, members: &[Member<'_>], found: &mut Vec<u32>) {
        members.iter().for_each(|member| self.objects_of(&member.value, found));
    }

    /// As [`Scope::objects`], for one value.
    pub fn objects_of(&self, value: &Value<'_>, found: &mut Vec<u32>) {
        match value {
            Value::Object(id, _) => found.extend((*id != 0).then_some(*id)),
            Value::Word(role, word) => found.extend(self.owner(*role, *word)),
            Value::Struct(_, members) => self.objects(members, found),
            Value::Array(values) => values.iter().for_each(|value| self.objects_of(value, found)),
            Value::Stream(subobjects) => subobjects.iter().for_each(|(_, value)| self.objects_of(value, found)),
            _ => {}
        }
    }

    /// The object that an address or a descriptor handle lies in.
    pub fn owner(&self, role: Role, value: u64) -> Option<u32> {
        self.place(role, value).map(|(range, _)| range.object)
    }
}

impl Namer for Scope<'_> {
    fn word(&self, role: Role, value: u64) -> Option<Json> {
        let (range, distance) = self.place(role, value)?;
        Some(match role {
            Role::GpuAddress => json!({
                "address": format!("{value:#x}"),
                "object": range.object,
                "offset": distance,
            }),
            _ => json!({
                "handle": format!("{value:#x}"),
                "heap": range.object,
                "index": distance / range.increment,
            }),
        })
    }

    fn object(&self, id: u32) -> Option<Json> {
        Some(self.names.object_json(id))
    }

    fn blob(&self, number: u32, kind: BlobKind, bytes: u64) -> Option<Json> {
        let id = self.blobs.iter().find(|(own, _)| *own == number).map(|(_, id)| *id)?;
        let mut members = Map::new();
        members.insert("blob".into(), id.into());
        members.insert("kind".into(), format!("{kind:?}").into());
        members.insert("bytes".into(), bytes.into());
        if let Some(contents) = self.contents {
            contents.blob(id, &mut members);
        }
        Some(members.into())
    }

    fn bytes(&self, bytes: &[u8]) -> Option<Json> {
        self.contents.map(|_| json::hex(bytes).into())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn range(object: u32, bytes: u64) -> Range {
        Range { object, bytes, increment: 1 }
    }

    #[test]
    fn later_ranges_replace_what_they_overlap() {
        let mut ranges = BTreeMap::new();
        for (start, object, bytes) in [(100, 1, 50), (150, 2, 50), (200, 3, 50)] {
            put(&mut ranges, start, range(object, bytes));
        }
        assert_eq!(find(&ranges, 149).map(|(r, d)| (r.object, d)), Some((1, 49)));
        put(&mut ranges, 140, range(4, 20));
        let at = |value| find(&ranges, value).map(|(range, _)| range.object);
        assert_eq!(
            [at(120), at(140), at(159), at(160), at(200), at(250)],
            [None, Some(4), Some(4), None, Some(3), None]
        );
    }

    #[test]
    fn nonsense_from_a_trace_is_harmless() {
        let mut names = Names::default();
        names.learn_fact(1, fact::ADDRESS_RANGE, &[0xff; 16]);
        names.learn_fact(1, fact::DESCRIPTOR_HEAP, &[0xff; 24]);
        names.learn_fact(1, fact::DESCRIPTOR_HEAP, &[1; 3]);
        assert!(names.addresses.is_empty() && names.cpu.is_empty());
    }

    #[test]
    fn descriptors_are_found_by_heap_and_index() {
        let mut names = Names::default();
        let mut bytes = Vec::new();
        bytes.extend(0x1000u64.to_le_bytes());
        bytes.extend(0x9000u64.to_le_bytes());
        bytes.extend(32u32.to_le_bytes());
        bytes.extend(4u32.to_le_bytes());
        names.learn_fact(12, fact::DESCRIPTOR_HEAP, &bytes);
        let scope = Scope { names: &names, blobs: &[], contents: None };
        let found = scope.word(Role::CpuDescriptor, 0x1040).unwrap();
        assert_eq!((found["heap"].as_u64(), found["index"].as_u64()), (Some(12), Some(2)));
        assert_eq!(scope.word(Role::GpuDescriptor, 0x9080), None);
    }
}
