//! Bytes of buffers that hold times of the GPU's clock, or sizes of acceleration structures. Times differ in every run, and each driver has
//! sizes of its own, so a replay counts such bytes and does not compare them. Sizes that are the same are compared like all bytes: only bytes
//! that differ are looked for here. Answers of other queries are told apart from what else a program reads back, and compared.
//!
//! A time reaches a buffer when a list resolves timestamp queries into it, another answer when it resolves other queries, a size when a list
//! asks about structures (post-build information), and all of them when a list copies bytes that hold them. A pass over the trace follows these calls, list by list, in the order
//! of submission. The pass runs only if the trace's schema has such a call or the trace was cut out of another one, and only up to the bytes
//! in question. A trace that was cut tells by facts ([`apart`]) what its restored contents hold.
//!
//! Invariant: bytes that count as times were written by a resolve of timestamps, or copied from such bytes, here or before a cut; with sizes it is alike. Other
//! copies and resolves clear the mark of the bytes that they write. A buffer that shaders got at for writing has no marks for times from
//! then on, because the trace does not have a shader's writes; sizes can be written to such buffers only. The buffer's flags do not count:
//! drivers that draw by Direct3D 12 let shaders write to every buffer, and indirect commands get at those only where their signature says so. Stores of these kinds do not clear marks: `WriteBufferImmediate`, stream output, writes
//! through an overlapping buffer, stores of the CPU. Memory grows with the copies of living lists, not with the trace.

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_QUERY_TYPE, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC as Question, D3D12_RESOURCE_FLAGS,
};
use reprise_timeline::argument::{Argument, Damaged, Many, ObjectId};
use reprise_timeline::state::memory;
use reprise_timeline::{At, Call, Interests, Pass, Walk, argument};
use reprise_trace::apart::{self, Apart, Why};
use reprise_trace::fact;
use reprise_trace::read::Event;
use serde_json::Value as Json;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::commands::{self, Written, range, told_bytes};
use super::shaders::{Anywhere, ROOTS, VIEWS};
use super::spans::Spans;
use crate::input::source::Source;
use crate::picture::has_byte_channels;
use crate::resolve::address::AddressMap;

/// Follows times through the buffers of a trace.
pub(crate) struct Clocks<'t> {
    source: Box<dyn Source + 't>,
    walk: Walk,
    times: Times,
    /// The number of the last event that was looked at.
    at: u64,
    /// The record that was asked about last: event, object, bytes.
    asked: Option<(u64, u32, Range<u64>)>,
}

/// Parts of a range of a buffer, each kind in order. They do not overlap.
#[derive(Default)]
pub(crate) struct Marks {
    pub(crate) times: Vec<Range<u64>>,
    pub(crate) sizes: Vec<Range<u64>>,
    pub(crate) answers: Vec<Range<u64>>,
    /// Texels of which each byte is a channel. They are bytes like others, but for a comparison with a tolerance.
    pub(crate) texels: Vec<Range<u64>>,
}

impl Marks {
    /// All but texels, in order.
    pub(crate) fn in_order(&self) -> Vec<Range<u64>> {
        let mut all = [&self.times[..], &self.sizes, &self.answers].concat();
        all.sort_unstable_by_key(|part| part.start);
        all
    }
}

/// The pass that follows them.
#[derive(Default)]
struct Times {
    /// What each list will write when it is submitted.
    lists: HashMap<u32, Vec<Write>>,
    /// Times in each buffer, sizes of acceleration structures, and answers of other queries.
    times: HashMap<u32, Spans>,
    sizes: HashMap<u32, Spans>,
    answers: HashMap<u32, Spans>,
    /// Texels of which each byte is a channel.
    texels: HashMap<u32, Spans>,
    addresses: AddressMap,
    /// Resources that shaders may write to by their flags, and those that they got at.
    unordered: HashSet<u32>,
    opaque: HashSet<u32>,
    anywhere: Anywhere,
}

/// What a command writes to a buffer.
#[derive(Clone)]
enum Write {
    Times(u32, Range<u64>),
    Answers(u32, Range<u64>),
    Other(u32, Range<u64>),
    /// Texels of which each byte is a channel.
    Texels(u32, Range<u64>),
    /// Sizes of acceleration structures, which each driver has its own of.
    Sizes(u32, Range<u64>),
    Copy {
        to: u32,
        offset: u64,
        from: u32,
        range: Range<u64>,
    },
}

/// Whether the trace's schema names a method that resolves queries or builds structures; one without a schema may, and so may the trace
/// that this one was cut out of.
pub(crate) fn are_in(schema: &[u8], meta: &Json) -> bool {
    const WRITES: [&[u8]; 2] = [b"::ResolveQueryData", b"::BuildRaytracingAccelerationStructure"];
    let has = |name: &[u8]| schema.windows(name.len()).any(|window| window == name);
    schema.is_empty() || meta.get("trimmed").is_some() || WRITES.into_iter().any(has)
}

const RELEASE: MethodId = method("IUnknown", "Release");
pub(super) const RESETS: [MethodId; 4] = [
    method("ID3D12GraphicsCommandList", "Reset"),
    method("ID3D12VideoDecodeCommandList", "Reset"),
    method("ID3D12VideoEncodeCommandList", "Reset"),
    method("ID3D12VideoProcessCommandList", "Reset"),
];
pub(super) const EXECUTE: Argument<Many<ObjectId>> =
    argument!("ID3D12CommandQueue", "ExecuteCommandLists", "ppCommandLists");

impl<'t> Clocks<'t> {
    /// `source` gives the events of the trace from the first on.
    pub(crate) fn over(source: impl Source + 't) -> Self {
        let mut times = Times::default();
        let walk = Walk::new(&[&mut times]);
        Self { source: Box::new(source), walk, times, at: 0, asked: None }
    }

    /// The parts of a range of a buffer that are times, those that are sizes, and those that are other answers, in order, as of
    /// `event`, a record of what the program saw there.
    pub(crate) fn among(&mut self, event: &Event<'_>, bytes: Range<u64>) -> Marks {
        // Asked twice about one record, the walk would go on beyond it.
        let asked = Some((event.number, event.object, bytes.clone()));
        if self.asked != asked {
            self.walk_to(event);
            self.asked = asked;
        }
        let within = |marks: &HashMap<u32, Spans>| {
            marks.get(&event.object).map(|spans| spans.within(&bytes)).unwrap_or_default()
        };
        let Times { times, sizes, answers, texels, .. } = &self.times;
        Marks { times: within(times), sizes: within(sizes), answers: within(answers), texels: within(texels) }
    }

    /// What each buffer holds where `stop` says that nothing more is played.
    pub(crate) fn at_end(mut self, stop: impl Fn(&Event<'_>) -> bool) -> HashMap<u32, Vec<Apart>> {
        // Damage ends the walk as it ends the replay, which says so.
        while let Ok(Some(event)) = self.source.next() {
            if stop(&event) {
                break;
            }
            self.walk.event(&event, &mut [&mut self.times]);
        }
        let Times { times, sizes, answers, .. } = &self.times;
        let mut all: HashMap<u32, Vec<Apart>> = HashMap::new();
        for (why, buffers) in [(Why::Time, times), (Why::Size, sizes), (Why::Answer, answers)] {
            for (buffer, spans) in buffers {
                let parts = spans.all().iter().map(|bytes| Apart { bytes: bytes.clone(), why });
                all.entry(*buffer).or_default().extend(parts);
            }
        }
        all
    }

    /// Damage ends the walk as it ends the replay, which says so.
    fn walk_to(&mut self, until: &Event<'_>) {
        while self.at <= until.number {
            let Ok(Some(event)) = self.source.next() else { return };
            self.walk.event(&event, &mut [&mut self.times]);
            self.at = event.number;
            let same = (event.kind, event.number, event.object) == (until.kind, until.number, until.object);
            if same && event.payload == until.payload {
                return;
            }
        }
    }
}

impl Pass for Times {
    fn interests(&self) -> Interests {
        let enters: Vec<MethodId> = commands::methods()
            .into_iter()
            .chain([EXECUTE.method()])
            .chain(RESETS)
            .chain(ROOTS.iter().map(Argument::method))
            .chain(VIEWS.iter().map(Argument::method))
            .chain(Anywhere::COMMANDS)
            .collect();
        Interests::new().enters(&enters).calls(&[RELEASE, Anywhere::MAKES]).calls_where(memory::makes_resource).facts()
    }

    fn fact(&mut self, object: u32, kind: u32, bytes: &[u8], _at: &At) {
        let word = |at: usize| bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|it| u64::from_le_bytes(*it));
        if let (fact::ADDRESS_RANGE, Some(start), Some(size)) = (kind, word(0), word(8)) {
            self.addresses.insert(object, start, size);
        }
        if kind == fact::APART {
            for Apart { bytes, why } in apart::parts(bytes) {
                self.write(&match why {
                    Why::Time => Write::Times(object, bytes),
                    Why::Size => Write::Sizes(object, bytes),
                    Why::Answer => Write::Answers(object, bytes),
                });
            }
        }
    }

    fn enter(&mut self, call: &Call<'_>, _at: &At) {
        // Nothing is learnt from what cannot be read.
        let writes = self.begins(call).unwrap_or_default();
        if !writes.is_empty() {
            self.lists.entry(call.object).or_default().extend(writes);
        }
    }

    fn call(&mut self, call: &Call<'_>, _at: &At) {
        if call.method == RELEASE {
            if call.result() == Some(0) {
                self.lists.remove(&call.object);
                self.times.remove(&call.object);
                self.sizes.remove(&call.object);
                self.answers.remove(&call.object);
                self.texels.remove(&call.object);
                self.addresses.remove(call.object);
                self.unordered.remove(&call.object);
                self.opaque.remove(&call.object);
            }
            return;
        }
        if call.method == Anywhere::MAKES {
            self.anywhere.made(call);
            return;
        }
        let Ok(Some(desc)) = memory::resource(call) else { return };
        let written = desc.Flags.0 & D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS.0 != 0;
        if written && call.succeeded() {
            self.unordered.extend(call.given().unwrap_or_default().iter().map(|given| given.object));
        }
    }
}

impl Times {
    /// What a call of a list writes when the list is submitted. Takes in resets and submissions.
    fn begins(&mut self, call: &Call<'_>) -> Result<Vec<Write>, Damaged> {
        if RESETS.contains(&call.method) {
            self.lists.remove(&call.object);
            return Ok(Vec::new());
        }
        if call.method == EXECUTE.method() {
            EXECUTE.of(call)?.iter().for_each(|list| self.submit(list.0));
            return Ok(Vec::new());
        }
        for buffer in self.reached(call)? {
            self.times.remove(&buffer);
            self.texels.remove(&buffer);
            self.opaque.insert(buffer);
        }
        let writes = commands::written(call)?.into_iter().filter_map(|written| self.marks(written));
        Ok(writes.collect())
    }

    /// What shaders get at by a call.
    fn reached(&self, call: &Call<'_>) -> Result<Vec<u32>, Damaged> {
        if self.anywhere.has(call) {
            return Ok(self.unordered.iter().copied().collect());
        }
        let mut reached = Vec::new();
        for root in ROOTS.iter().filter(|root| root.method() == call.method) {
            reached.extend(self.addresses.resolve(root.of(call)?.0).map(|place| place.resource));
        }
        for view in VIEWS.iter().filter(|view| view.method() == call.method) {
            reached.push(view.of(call)?.0);
        }
        Ok(reached)
    }

    /// What becomes of the marks by what a command writes.
    fn marks(&self, written: Written) -> Option<Write> {
        Some(match written {
            Written::Queries(D3D12_QUERY_TYPE::TIMESTAMP, buffer, range) => Write::Times(buffer, range),
            Written::Queries(_, buffer, range) => Write::Answers(buffer, range),
            Written::Texels(buffer, range, format) if has_byte_channels(format) => Write::Texels(buffer, range),
            Written::Texels(buffer, range, _) => Write::Other(buffer, range),
            // In either direction, and however many tiles: too little is marked then, not too much.
            Written::Tiles(buffer, range) => Write::Other(buffer, range),
            Written::Copy { to, offset, from, range } => Write::Copy { to, offset, from, range },
            Written::Answers(question, structures) => return self.answers(&question, structures),
            Written::Texture(_) | Written::Word(_) => return None,
        })
    }

    /// What a question about so many structures writes.
    fn answers(&self, question: &Question, structures: u32) -> Option<Write> {
        let at = self.addresses.resolve(question.DestBuffer)?;
        let bytes = told_bytes(question).saturating_mul(structures.into());
        Some(Write::Sizes(at.resource, range(at.offset, bytes)))
    }

    fn submit(&mut self, list: u32) {
        let writes = self.lists.remove(&list).unwrap_or_default();
        writes.iter().for_each(|write| self.write(write));
        self.lists.insert(list, writes);
    }

    fn write(&mut self, write: &Write) {
        let none: [Vec<Range<u64>>; 4] = Default::default();
        let one = |kind: usize, buffer: &u32, range: &Range<u64>| {
            let mut marks = none.clone();
            marks[kind].push(range.clone());
            (*buffer, range.clone(), marks)
        };
        let (buffer, written, marks) = match write {
            Write::Times(buffer, range) => one(0, buffer, range),
            Write::Sizes(buffer, range) => one(1, buffer, range),
            Write::Answers(buffer, range) => one(2, buffer, range),
            Write::Texels(buffer, range) => one(3, buffer, range),
            Write::Other(buffer, range) => (*buffer, range.clone(), none),
            Write::Copy { to, offset, from, range } => {
                let moved = |at: u64| (at - range.start).saturating_add(*offset);
                let copied = |of: &HashMap<u32, Spans>| {
                    let parts = of.get(from).map(|spans| spans.within(range)).unwrap_or_default();
                    parts.into_iter().map(|part| moved(part.start)..moved(part.end)).collect()
                };
                let kinds = [&self.times, &self.sizes, &self.answers, &self.texels];
                (*to, moved(range.start)..moved(range.end), kinds.map(copied))
            }
        };
        let [times, sizes, answers, texels] = marks;
        let times = if self.opaque.contains(&buffer) { Vec::new() } else { times };
        let texels = if self.opaque.contains(&buffer) { Vec::new() } else { texels };
        let kinds = [&mut self.times, &mut self.sizes, &mut self.answers, &mut self.texels];
        for (all, parts) in kinds.into_iter().zip([times, sizes, answers, texels]) {
            if let Some(spans) = all.get_mut(&buffer) {
                spans.remove(&written);
            }
            if !parts.is_empty() {
                let spans = all.entry(buffer).or_default();
                parts.into_iter().for_each(|part| spans.insert(part));
            }
        }
    }
}
