//! What each chunk of events has: methods, objects, objects that barriers, copies and views name, and times. A reader that looks for a few of them leaves out the chunks that
//! have none.
//!
//! Invariant: the contents name all that a chunk has. They may name more: a damaged chunk may have anything, and a chunk with too
//! many objects to write down may have any object. A file of contents is used only if it is whole, and the same sources wrote it
//! (`build.rs`) for this very trace.

mod named;
#[cfg(test)]
mod tests;

use super::cache::Cache;
use super::file::{self, Kept};
use named::{Named, Ranges, is_naming};
use reprise_d3d12::MODEL;
use reprise_trace::read::{Event, ReadError, Trace};
use reprise_trace::record::Kind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Objects of a chunk that are written down.
const MOST_OBJECTS: usize = 1 << 12;

/// The contents of all chunks of events.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    /// By stretch of events; those behind the last one have everything.
    chunks: Vec<Chunk>,
}

/// What a chunk has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Chunk {
    /// It is damaged: nothing is known of it.
    damaged: bool,
    /// Methods that calls enter or leave, by number, rising.
    methods: Vec<u16>,
    /// It has calls of methods that the built-in model lacks. Each run of a program numbers these anew, so the numbers are not kept.
    foreign: bool,
    /// Objects that calls were made on, or that other records are about, by id, rising; `None` for too many.
    objects: Option<Vec<u32>>,
    /// Objects that arguments of barriers, copies and views name, by id, rising; `None` where they may name any.
    named: Option<Vec<u32>>,
    /// Nanoseconds from the session's beginning at which the first and the last of its calls began; `(u64::MAX, 0)` where it has no call.
    times: (u64, u64),
}

/// What is looked for: all of it must be in a chunk.
#[derive(Clone, Debug)]
pub struct Sought<'s> {
    /// Calls of one of these methods: whether it is one, by number. `None` for any.
    pub methods: Option<&'s [bool]>,
    /// Records about one of these objects. `None` for any.
    pub objects: Option<&'s BTreeSet<u32>>,
    /// Calls whose arguments name one object of each of these sets, by id, or by an address in a buffer. Only of barriers, copies and the
    /// making of views is it known what they name: where `methods` has others, this leaves nothing out.
    pub named: &'s [BTreeSet<u32>],
    /// Calls that began at these times, in nanoseconds from the session's beginning.
    pub times: RangeInclusive<u64>,
}

impl Contents {
    /// Finds the contents of a trace's chunks in a cache, or reads the trace for them and puts them there.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn open(trace: &Trace, cache: &Cache) -> Result<Contents, ReadError> {
        // What a trace without a footer holds may still change, or lie beside it.
        if !trace.statistics().finished {
            return Contents::of(trace);
        }
        if let Some(found) = Contents::find(trace, cache) {
            return Ok(found);
        }
        let contents = Contents::of(trace)?;
        contents.put(trace, cache);
        Ok(contents)
    }

    /// Reads a whole trace for what its chunks have.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn of(trace: &Trace) -> Result<Contents, ReadError> {
        trace.events_ahead(|events| {
            let mut events = events.without_pages();
            let mut taker = Taker::default();
            while let Some(event) = events.next()? {
                let seen = Seen::of(&event);
                taker.take(&seen, events.stretches_read());
            }
            Ok(taker.finish())
        })
    }

    /// Finds the contents of a trace's chunks in a cache.
    pub fn find(trace: &Trace, cache: &Cache) -> Option<Contents> {
        let (_, bytes) = file::open(&cache.path(trace.identity(), Kept::Contents), Kept::Contents, trace.identity())?;
        let contents: Contents = postcard::from_bytes(&bytes).ok()?;
        (contents.chunks.len() <= trace.stretches_of_events()).then_some(contents)
    }

    pub(super) fn put(&self, trace: &Trace, cache: &Cache) {
        let identity = trace.identity();
        cache.put(identity, Kept::Contents, |to| {
            let bytes = postcard::to_allocvec(self).map_err(std::io::Error::other)?;
            file::write(to, Kept::Contents, identity, &bytes, &[])
        });
    }

    /// By stretch, whether it may have all that is sought; those behind the last one may, too.
    pub fn stretches(&self, sought: &Sought<'_>) -> Vec<bool> {
        self.chunks.iter().map(|chunk| chunk.may_have(sought)).collect()
    }
}

impl Chunk {
    fn may_have(&self, sought: &Sought<'_>) -> bool {
        let wanted = |methods: &[bool]| {
            let any = |from: usize| methods.iter().skip(from).any(|wanted| *wanted);
            let is_wanted = |method: &u16| methods.get(usize::from(*method)).is_some_and(|wanted| *wanted);
            self.methods.iter().any(is_wanted) || (self.foreign && any(MODEL.methods.len()))
        };
        let about = |objects: &BTreeSet<u32>| {
            let own = self.objects.as_ref();
            own.is_none_or(|own| objects.iter().any(|object| own.binary_search(object).is_ok()))
        };
        let names = |objects: &BTreeSet<u32>| {
            let own = self.named.as_ref();
            own.is_none_or(|own| objects.iter().any(|object| own.binary_search(object).is_ok()))
        };
        let all_times = *sought.times.start() == 0 && *sought.times.end() == u64::MAX;
        self.damaged
            || (sought.methods.is_none_or(wanted)
                && sought.objects.is_none_or(about)
                && (!sought.names_count() || sought.named.iter().all(names))
                && (all_times || (self.times.0 <= *sought.times.end() && *sought.times.start() <= self.times.1)))
    }
}

impl Sought<'_> {
    /// Whether all calls that are sought are such as it is known of what they name.
    fn names_count(&self) -> bool {
        let all = |methods: &[bool]| methods.iter().enumerate().all(|(number, wanted)| !wanted || is_naming(number));
        !self.named.is_empty() && self.methods.is_some_and(all)
    }
}

/// What counts of an event.
pub(super) struct Seen {
    /// The method that is entered or left.
    method: Option<u16>,
    object: u32,
    named: Named,
    /// When a call began.
    time_ns: Option<u64>,
    damage: bool,
}

impl Seen {
    pub(super) fn of(event: &Event<'_>) -> Seen {
        Seen {
            method: matches!(event.kind, Kind::Enter | Kind::Leave).then_some(event.method),
            object: event.object,
            named: Named::of(event),
            time_ns: (event.kind == Kind::Enter).then_some(event.time_ns),
            damage: event.is_damage(),
        }
    }
}

/// Takes down contents, event by event.
#[derive(Default)]
pub(super) struct Taker {
    contents: Contents,
    chunk: Chunk,
    /// The chunk that is being read, counted from 1; 0 before the first.
    number: usize,
    /// By number, the last chunk that has the method.
    methods: Vec<usize>,
    /// The object of the event before.
    last: u32,
    objects: BTreeSet<u32>,
    /// Objects that arguments name; nothing once they may name any.
    named: Option<BTreeSet<u32>>,
    ranges: Ranges,
}

impl Taker {
    /// Takes an event, and how many stretches were begun with it.
    #[inline]
    pub(super) fn take(&mut self, seen: &Seen, stretches: usize) {
        if stretches != self.number {
            self.begin(stretches);
        }
        if let Some(method) = seen.method {
            match self.methods.get_mut(usize::from(method)) {
                Some(number) if *number == stretches => {}
                Some(number) => {
                    *number = stretches;
                    self.chunk.methods.push(method);
                }
                None => self.chunk.foreign = true,
            }
        }
        if seen.object != self.last && seen.object != 0 {
            self.last = seen.object;
            if self.objects.len() <= MOST_OBJECTS {
                self.objects.insert(seen.object);
            }
        }
        match &seen.named {
            Named::Nothing => {}
            Named::Buffer(range) => self.ranges.insert(*range),
            Named::Objects(ids, addresses) => {
                if let Some(all) = self.named.as_mut().filter(|all| all.len() <= MOST_OBJECTS) {
                    all.extend(ids);
                    all.extend(addresses.iter().filter_map(|address| self.ranges.at(*address)));
                }
            }
            Named::Anything => self.named = None,
        }
        if let Some(time) = seen.time_ns {
            self.chunk.times = (self.chunk.times.0.min(time), self.chunk.times.1.max(time));
        }
        self.chunk.damaged |= seen.damage;
    }

    fn begin(&mut self, stretches: usize) {
        self.end();
        self.number = stretches;
        self.methods.resize(MODEL.methods.len(), 0);
    }

    /// Puts the chunk down that was being read.
    fn end(&mut self) {
        let mut chunk = std::mem::replace(&mut self.chunk, Chunk { times: (u64::MAX, 0), ..Chunk::default() });
        self.last = 0;
        let objects = std::mem::take(&mut self.objects);
        chunk.objects = (objects.len() <= MOST_OBJECTS).then(|| objects.into_iter().collect());
        let named = self.named.replace(BTreeSet::new());
        chunk.named = named.filter(|named| named.len() <= MOST_OBJECTS).map(|named| named.into_iter().collect());
        chunk.methods.sort_unstable();
        if let Some(place) = self.number.checked_sub(1) {
            // A stretch without any event has none of what can be sought.
            let nothing = Some(Vec::new());
            let empty = Chunk { times: (u64::MAX, 0), objects: nothing.clone(), named: nothing, ..Chunk::default() };
            self.contents.chunks.resize(place, empty);
            self.contents.chunks.push(chunk);
        }
    }

    pub(super) fn finish(mut self) -> Contents {
        self.end();
        self.contents
    }
}
