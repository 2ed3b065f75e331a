//! Stores of the program that are none: bytes that the GPU wrote where the capture could not tell the two apart.
//!
//! Where the GPU's threads write through the program's own mapping, a capture finds what they wrote as stores of the program. Traces
//! say which mappings are told apart ([`fact::MAPPING_MODE`], `stores`); older traces say nothing. A replay that stored such bytes
//! would put the capture's picture over the one that the GPU has made here, and find both equal. So a pass over the trace looks for
//! stores into bytes that submitted work wrote, or could have written, since a record last showed them. Bytes of such a store that the
//! program is next seen to find there are the GPU's. All other bytes are the program's, such as those of a ring that the GPU writes, the
//! program reads and then fills anew. In memory that the trace marks as not told apart, bytes that work surely wrote are not stored either, unless
//! the program has mapped them since: then it has had them before it, and may have stored over them.
//!
//! Limit: a program that stores over what the GPU wrote, without a look at it, and then maps the same bytes for reading, looks alike.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use reprise_trace::fact;
use reprise_trace::read::Event;
use reprise_trace::record::{Kind, OBSERVED};

use super::clock::EXECUTE;
use super::gpu_writes::{GpuWrites, MAP};
use super::spans::{Spans, between};
use crate::input::source::Source;

/// A record of memory: the call before it, the resource, its subresource, and the first byte.
type Record = (u64, u32, u32, u64);

/// What is left out of the program's stores.
#[derive(Default)]
pub(crate) struct Untold(HashMap<Record, Spans>);

/// Whether a trace says of all its mappings that stores are told apart.
pub(crate) fn are_none(meta: &serde_json::Value) -> bool {
    meta.get("stores").and_then(serde_json::Value::as_str) == Some("told")
}

/// What a trace says of a mapping.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    Told,
    Untold,
}

/// A store that may be the GPU's.
struct Held {
    record: Record,
    bytes: Vec<u8>,
    /// Where the bytes begin.
    offset: u64,
    /// Work surely wrote them, and the trace says that the two are not told apart.
    never: bool,
}

impl Held {
    fn range(&self) -> Range<u64> {
        self.offset..self.offset + self.bytes.len() as u64
    }

    fn part(&self, range: &Range<u64>) -> Held {
        let bytes = self.bytes[(range.start - self.offset) as usize..(range.end - self.offset) as usize].to_vec();
        Held { bytes, offset: range.start, ..*self }
    }
}

/// Looks for stores of the GPU's.
#[derive(Default)]
struct Finder {
    gpu: GpuWrites,
    said: HashMap<u32, Said>,
    held: Vec<Held>,
    /// Resources that were mapped since work was submitted last.
    mapped: HashSet<u32>,
    found: Untold,
}

impl Untold {
    /// Reads a trace up to the first event for which `stop` holds. `sources` gives its events, the first time without the bytes of
    /// large stores: most traces have no such store.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub(crate) fn find<'t>(
        mut sources: impl FnMut(bool) -> Box<dyn Source + 't>,
        stop: impl Fn(&Event<'_>) -> bool,
    ) -> Result<Untold, String> {
        let mut finder = Finder::new();
        let mut doubtful = false;
        finder.records(&mut *sources(false), &stop, |finder, event| {
            let range = event.memory_range().map(|(offset, len)| offset..offset.saturating_add(len));
            doubtful |= event.method != OBSERVED && range.is_some_and(|range| finder.is_in_doubt(event.object, &range));
            !doubtful
        })?;
        if !doubtful {
            return Ok(Untold::default());
        }
        let mut finder = Finder::new();
        finder.records(&mut *sources(true), &stop, |finder, event| {
            match event.memory() {
                Some((offset, bytes)) if event.method == OBSERVED => finder.seen(event, offset, bytes),
                Some((offset, bytes)) => finder.stored(event, offset, bytes),
                None => {}
            }
            true
        })?;
        finder.settle();
        Ok(finder.found)
    }

    /// The parts of the record at `offset` that are stored, of those that lie among `bytes`, in order, and how many bytes are not; `None`
    /// where all of it is.
    pub(crate) fn stored(&self, event: &Event<'_>, offset: u64, bytes: Range<u64>) -> Option<(Vec<Range<u64>>, u64)> {
        let out = self.0.get(&record(event, offset))?.within(&bytes);
        let count = out.iter().map(|part| part.end - part.start).sum();
        Some((between(bytes, &out).collect(), count))
    }
}

fn record(event: &Event<'_>, offset: u64) -> Record {
    (event.number, event.object, event.ordinal, offset)
}

impl Finder {
    fn new() -> Finder {
        let mut finder = Finder::default();
        finder.gpu.follow();
        finder
    }

    /// Takes in a trace and gives each record of memory, as long as `each` wants more.
    fn records(
        &mut self,
        source: &mut dyn Source,
        stop: &impl Fn(&Event<'_>) -> bool,
        mut each: impl FnMut(&mut Finder, &Event<'_>) -> bool,
    ) -> Result<(), String> {
        loop {
            while let Some(call) = source.call() {
                if self.gpu.wants(call.method) {
                    source.give_back();
                    break;
                }
            }
            let Some(event) = source.next()?.filter(|event| !stop(event)) else { return Ok(()) };
            self.gpu.event(&event);
            match event.kind {
                Kind::Memory | Kind::Pages if !each(self, &event) => return Ok(()),
                Kind::Fact => self.fact(&event),
                Kind::Enter if event.method == MAP.0 => _ = self.mapped.insert(event.object),
                Kind::Enter if event.method == EXECUTE.method().0 => self.mapped.clear(),
                _ => {}
            }
        }
    }

    fn fact(&mut self, event: &Event<'_>) {
        let Some((fact::MAPPING_MODE, text)) = event.fact() else { return };
        let said: serde_json::Value = serde_json::from_slice(trimmed(text)).unwrap_or_default();
        let said = match said.get("stores").and_then(serde_json::Value::as_str) {
            Some("told") => Some(Said::Told),
            Some("untold") => Some(Said::Untold),
            _ => None,
        };
        match said {
            Some(said) => _ = self.said.insert(event.object, said),
            None => _ = self.said.remove(&event.object),
        }
    }

    /// Whether a store to these bytes may be the GPU's.
    fn is_in_doubt(&self, resource: u32, range: &Range<u64>) -> bool {
        let unseen = self.gpu.unseen(resource, range);
        self.said.get(&resource) != Some(&Said::Told) && !(unseen.surely.is_empty() && unseen.perhaps.is_empty())
    }

    fn stored(&mut self, event: &Event<'_>, offset: u64, bytes: &[u8]) {
        let range = offset..offset.saturating_add(bytes.len() as u64);
        // What comes later without work in between is the program's, and so is what it stores over.
        self.take(event, &range);
        if self.is_in_doubt(event.object, &range) {
            let unseen = self.gpu.unseen(event.object, &range);
            let untold = self.said.get(&event.object) == Some(&Said::Untold) && !self.mapped.contains(&event.object);
            let mut surely = Spans::default();
            unseen.surely.iter().for_each(|part| surely.insert(part.clone()));
            let perhaps = unseen.perhaps.into_iter().flat_map(|part| {
                let sure = surely.within(&part);
                between(part, &sure).collect::<Vec<_>>()
            });
            let whole = Held { record: record(event, offset), bytes: bytes.to_vec(), offset, never: false };
            let sure = unseen.surely.iter().cloned().map(|part| (part, true));
            for (part, surely) in sure.chain(perhaps.map(|part| (part, false))) {
                self.held.push(Held { never: surely && untold, ..whole.part(&part) });
            }
        }
        self.gpu.seen(event.object, &range);
    }

    fn seen(&mut self, event: &Event<'_>, offset: u64, bytes: &[u8]) {
        let range = offset..offset.saturating_add(bytes.len() as u64);
        let again = self.gpu.unseen(event.object, &range);
        for part in again.surely.iter().chain(&again.perhaps) {
            // The program sees what later work wrote.
            self.take(event, part);
        }
        for held in self.take(event, &range) {
            let place = held.range();
            if held.bytes == bytes[(place.start - offset) as usize..(place.end - offset) as usize] {
                self.found.0.entry(held.record).or_default().insert(place);
            }
        }
        self.gpu.seen(event.object, &range);
    }

    /// Takes out what is held of a range of a record's subresource. What must never be stored is found with that.
    fn take(&mut self, event: &Event<'_>, range: &Range<u64>) -> Vec<Held> {
        let mut taken = Vec::new();
        let mut kept = Vec::new();
        for held in self.held.drain(..) {
            let own = held.range();
            let common = own.start.max(range.start)..own.end.min(range.end);
            let (_, resource, subresource, _) = held.record;
            if (resource, subresource) != (event.object, event.ordinal) || common.is_empty() {
                kept.push(held);
                continue;
            }
            kept.extend(between(own, core::slice::from_ref(&common)).map(|rest| held.part(&rest)));
            taken.push(held.part(&common));
        }
        self.held = kept;
        for held in taken.iter().filter(|held| held.never) {
            self.found.0.entry(held.record).or_default().insert(held.range());
        }
        taken
    }

    /// The trace has ended.
    fn settle(&mut self) {
        for held in self.held.drain(..).filter(|held| held.never) {
            self.found.0.entry(held.record).or_default().insert(held.range());
        }
    }
}

/// Facts are filled up with zeros.
fn trimmed(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &text[..end]
}
