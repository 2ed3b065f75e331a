//! Bytes of buffers that hold times of the GPU's clock, or sizes of acceleration structures. Times differ in every run, and each driver has
//! sizes of its own, so a replay counts such bytes and does not compare them. Sizes that are the same are compared like all bytes: only bytes
//! that differ are looked for here. Answers of other queries are told apart from what else a program reads back, and compared.
//!
//! A time reaches a buffer when a list resolves timestamp queries into it, another answer when it resolves other queries, a size when a list
//! asks about structures (post-build information), and all of them when a list copies bytes that hold them. A pass over the trace follows these calls, list by list, in the order
//! of submission. The pass runs only if the trace's schema has such a call, and only up to the bytes in question.
//!
//! Invariant: bytes that count as times were written by a resolve of timestamps, or copied from such bytes; with sizes it is alike. Other
//! copies and resolves clear the mark of the bytes that they write. A buffer that shaders may write to is never marked for times, because
//! the trace does not have a shader's writes; sizes can be written to such buffers only. Stores of these kinds do not clear marks: `WriteBufferImmediate`, stream output, writes
//! through an overlapping buffer, stores of the CPU. Memory grows with the copies of living lists, not with the trace.

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_QUERY_TYPE, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC as Question,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_TYPE as Info, D3D12_RESOURCE_FLAGS,
    D3D12_TEXTURE_COPY_LOCATION, D3D12_TEXTURE_COPY_TYPE,
};
use reprise_timeline::argument::{Argument, Damaged, Many, ObjectId, One};
use reprise_timeline::state::memory;
use reprise_timeline::{At, Call, Interests, Pass, Walk, argument};
use reprise_trace::fact;
use reprise_trace::read::Event;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::input::source::Source;
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
}

impl Marks {
    /// All of them, in order.
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
    addresses: AddressMap,
    /// Buffers that shaders may write to.
    opaque: HashSet<u32>,
}

/// What a command writes to a buffer.
#[derive(Clone)]
enum Write {
    Times(u32, Range<u64>),
    Answers(u32, Range<u64>),
    Other(u32, Range<u64>),
    /// Sizes of acceleration structures, which each driver has its own of.
    Sizes(u32, Range<u64>),
    Copy {
        to: u32,
        offset: u64,
        from: u32,
        range: Range<u64>,
    },
}

/// Whether the trace's schema names a method that resolves queries or builds structures; one without a schema may.
pub(crate) fn are_in(schema: &[u8]) -> bool {
    const WRITES: [&[u8]; 2] = [b"::ResolveQueryData", b"::BuildRaytracingAccelerationStructure"];
    let has = |name: &[u8]| schema.windows(name.len()).any(|window| window == name);
    schema.is_empty() || WRITES.into_iter().any(has)
}

const RELEASE: MethodId = method("IUnknown", "Release");
const RESETS: [MethodId; 4] = [
    method("ID3D12GraphicsCommandList", "Reset"),
    method("ID3D12VideoDecodeCommandList", "Reset"),
    method("ID3D12VideoEncodeCommandList", "Reset"),
    method("ID3D12VideoProcessCommandList", "Reset"),
];
const EXECUTE: Argument<Many<ObjectId>> = argument!("ID3D12CommandQueue", "ExecuteCommandLists", "ppCommandLists");

/// A method that resolves queries into a buffer.
struct Resolve {
    kind: Argument<D3D12_QUERY_TYPE>,
    count: Argument<u32>,
    buffer: Argument<ObjectId>,
    offset: Argument<u64>,
}

macro_rules! resolve {
    ($interface:literal) => {
        Resolve {
            kind: argument!($interface, "ResolveQueryData", "Type"),
            count: argument!($interface, "ResolveQueryData", "NumQueries"),
            buffer: argument!($interface, "ResolveQueryData", "pDestinationBuffer"),
            offset: argument!($interface, "ResolveQueryData", "AlignedDestinationBufferOffset"),
        }
    };
}

static RESOLVES: [Resolve; 4] = [
    resolve!("ID3D12GraphicsCommandList"),
    resolve!("ID3D12VideoDecodeCommandList"),
    resolve!("ID3D12VideoEncodeCommandList"),
    resolve!("ID3D12VideoProcessCommandList"),
];

/// A method that copies bytes of a buffer to another one.
struct BufferCopy {
    to: Argument<ObjectId>,
    to_offset: Argument<u64>,
    from: Argument<ObjectId>,
    from_offset: Argument<u64>,
    bytes: Bytes,
}

/// How many bytes a copy takes.
enum Bytes {
    Stated(Argument<u64>),
    Always(u64),
}

macro_rules! copy {
    ($interface:literal $method:literal $bytes:expr) => {
        BufferCopy {
            to: argument!($interface, $method, "pDstBuffer"),
            to_offset: argument!($interface, $method, "DstOffset"),
            from: argument!($interface, $method, "pSrcBuffer"),
            from_offset: argument!($interface, $method, "SrcOffset"),
            bytes: $bytes,
        }
    };
}

static COPIES: [BufferCopy; 3] = [
    copy!("ID3D12GraphicsCommandList" "CopyBufferRegion"
        Bytes::Stated(argument!("ID3D12GraphicsCommandList", "CopyBufferRegion", "NumBytes"))),
    copy!("ID3D12GraphicsCommandList1" "AtomicCopyBufferUINT" Bytes::Always(4)),
    copy!("ID3D12GraphicsCommandList1" "AtomicCopyBufferUINT64" Bytes::Always(8)),
];

const COPY_ALL_TO: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "CopyResource", "pDstResource");
const COPY_ALL_FROM: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "CopyResource", "pSrcResource");
const COPY_TEXTURE: Argument<One<D3D12_TEXTURE_COPY_LOCATION>> =
    argument!("ID3D12GraphicsCommandList", "CopyTextureRegion", "pDst");
const COPY_TILES: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "CopyTiles", "pBuffer");
const COPY_TILES_OFFSET: Argument<u64> =
    argument!("ID3D12GraphicsCommandList", "CopyTiles", "BufferStartOffsetInBytes");

const BUILD_ASKS: Argument<Many<Question>> =
    argument!("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure", "pPostbuildInfoDescs");
const ASK: Argument<One<Question>> =
    argument!("ID3D12GraphicsCommandList4", "EmitRaytracingAccelerationStructurePostbuildInfo", "pDesc");
const ASKED: Argument<u32> = argument!(
    "ID3D12GraphicsCommandList4",
    "EmitRaytracingAccelerationStructurePostbuildInfo",
    "NumSourceAccelerationStructures"
);

/// Bytes that are told of one structure.
fn told_bytes(question: &Question) -> u64 {
    match question.InfoType {
        Info::SERIALIZATION => 16,
        _ => 8,
    }
}

/// So many bytes from an offset on.
fn range(offset: u64, bytes: u64) -> Range<u64> {
    offset..offset.saturating_add(bytes)
}

/// Bytes of a query's answer in a buffer.
fn answer_bytes(query: D3D12_QUERY_TYPE) -> u64 {
    match query {
        D3D12_QUERY_TYPE::PIPELINE_STATISTICS => 11 * 8,
        D3D12_QUERY_TYPE::PIPELINE_STATISTICS1 => 14 * 8,
        D3D12_QUERY_TYPE::SO_STATISTICS_STREAM0
        | D3D12_QUERY_TYPE::SO_STATISTICS_STREAM1
        | D3D12_QUERY_TYPE::SO_STATISTICS_STREAM2
        | D3D12_QUERY_TYPE::SO_STATISTICS_STREAM3 => 16,
        _ => 8,
    }
}

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
        let Times { times, sizes, answers, .. } = &self.times;
        Marks { times: within(times), sizes: within(sizes), answers: within(answers) }
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
        let copies = COPIES.iter().map(|copy| copy.to.method());
        let resolves = RESOLVES.iter().map(|resolve| resolve.kind.method());
        let others = [
            EXECUTE.method(),
            COPY_ALL_TO.method(),
            COPY_TEXTURE.method(),
            COPY_TILES.method(),
            BUILD_ASKS.method(),
            ASK.method(),
        ];
        let enters: Vec<MethodId> = copies.chain(resolves).chain(others).chain(RESETS).collect();
        Interests::new().enters(&enters).calls(&[RELEASE]).calls_where(memory::makes_resource).facts()
    }

    fn fact(&mut self, object: u32, kind: u32, bytes: &[u8], _at: &At) {
        let word = |at: usize| bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|it| u64::from_le_bytes(*it));
        if let (fact::ADDRESS_RANGE, Some(start), Some(size)) = (kind, word(0), word(8)) {
            self.addresses.insert(object, start, size);
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
                self.addresses.remove(call.object);
                self.opaque.remove(&call.object);
            }
            return;
        }
        let Ok(Some(desc)) = memory::resource(call) else { return };
        let written = desc.Flags.0 & D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS.0 != 0;
        if written && call.succeeded() {
            self.opaque.extend(call.given().unwrap_or_default().iter().map(|given| given.object));
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
        if let Some(resolve) = RESOLVES.iter().find(|resolve| resolve.kind.method() == call.method) {
            let query = resolve.kind.of(call)?;
            let bytes = answer_bytes(query).saturating_mul(resolve.count.of(call)?.into());
            let (buffer, written) = (resolve.buffer.of(call)?.0, range(resolve.offset.of(call)?, bytes));
            let times = query == D3D12_QUERY_TYPE::TIMESTAMP;
            return Ok(vec![if times { Write::Times(buffer, written) } else { Write::Answers(buffer, written) }]);
        }
        if let Some(copy) = COPIES.iter().find(|copy| copy.to.method() == call.method) {
            let bytes = match &copy.bytes {
                Bytes::Stated(bytes) => bytes.of(call)?,
                Bytes::Always(bytes) => *bytes,
            };
            let (to, offset) = (copy.to.of(call)?.0, copy.to_offset.of(call)?);
            let (from, range) = (copy.from.of(call)?.0, range(copy.from_offset.of(call)?, bytes));
            return Ok(vec![Write::Copy { to, offset, from, range }]);
        }
        if call.method == COPY_ALL_TO.method() {
            let (to, from) = (COPY_ALL_TO.of(call)?.0, COPY_ALL_FROM.of(call)?.0);
            return Ok(vec![Write::Copy { to, offset: 0, from, range: 0..u64::MAX }]);
        }
        if call.method == COPY_TILES.method() {
            // In either direction, and however many tiles: too little is marked then, not too much.
            return Ok(vec![Write::Other(COPY_TILES.of(call)?.0, COPY_TILES_OFFSET.of(call)?..u64::MAX)]);
        }
        if call.method == BUILD_ASKS.method() {
            return Ok(BUILD_ASKS.of(call)?.iter().filter_map(|question| self.answers(&question, 1)).collect());
        }
        if call.method == ASK.method() {
            let (question, count) = (ASK.of(call)?, ASKED.of(call)?);
            return Ok(question.and_then(|question| self.answers(&question, count)).into_iter().collect());
        }
        let target = COPY_TEXTURE.of(call)?.filter(|to| to.Type == D3D12_TEXTURE_COPY_TYPE::PLACED_FOOTPRINT);
        let Some(target) = target else { return Ok(Vec::new()) };
        // SAFETY: every bit pattern is a value of both members, and the type says that it is this one.
        let placed = unsafe { target.Anonymous.PlacedFootprint };
        let rows = u64::from(placed.Footprint.Height).saturating_mul(placed.Footprint.Depth.into());
        let bytes = u64::from(placed.Footprint.RowPitch).saturating_mul(rows);
        // Objects in structures are ids.
        Ok(vec![Write::Other(target.pResource as usize as u32, range(placed.Offset, bytes))])
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
        let (buffer, written, marks) = match write {
            Write::Times(buffer, range) => (*buffer, range.clone(), [vec![range.clone()], Vec::new(), Vec::new()]),
            Write::Sizes(buffer, range) => (*buffer, range.clone(), [Vec::new(), vec![range.clone()], Vec::new()]),
            Write::Answers(buffer, range) => (*buffer, range.clone(), [Vec::new(), Vec::new(), vec![range.clone()]]),
            Write::Other(buffer, range) => (*buffer, range.clone(), Default::default()),
            Write::Copy { to, offset, from, range } => {
                let moved = |at: u64| (at - range.start).saturating_add(*offset);
                let copied = |of: &HashMap<u32, Spans>| {
                    let parts = of.get(from).map(|spans| spans.within(range)).unwrap_or_default();
                    parts.into_iter().map(|part| moved(part.start)..moved(part.end)).collect()
                };
                (*to, moved(range.start)..moved(range.end), [&self.times, &self.sizes, &self.answers].map(copied))
            }
        };
        let [times, sizes, answers] = marks;
        let times = if self.opaque.contains(&buffer) { Vec::new() } else { times };
        for (all, parts) in [(&mut self.times, times), (&mut self.sizes, sizes), (&mut self.answers, answers)] {
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

/// Numbers in ranges that neither meet nor overlap, in order.
#[derive(Default, Debug)]
struct Spans(Vec<Range<u64>>);

impl Spans {
    fn insert(&mut self, mut new: Range<u64>) {
        if new.is_empty() {
            return;
        }
        let first = self.0.partition_point(|old| old.end < new.start);
        let last = self.0.partition_point(|old| old.start <= new.end);
        if let (Some(left), Some(right)) = (self.0.get(first), last.checked_sub(1).and_then(|last| self.0.get(last)))
            && first < last
        {
            new = new.start.min(left.start)..new.end.max(right.end);
        }
        self.0.splice(first..last, [new]);
    }

    fn remove(&mut self, gone: &Range<u64>) {
        if gone.is_empty() {
            return;
        }
        let first = self.0.partition_point(|old| old.end <= gone.start);
        let last = self.0.partition_point(|old| old.start < gone.end);
        if first >= last {
            return;
        }
        let ends = [self.0[first].start..gone.start, gone.end..self.0[last - 1].end];
        self.0.splice(first..last, ends.into_iter().filter(|part| !part.is_empty()));
    }

    /// The parts that lie in a range.
    fn within(&self, range: &Range<u64>) -> Vec<Range<u64>> {
        let first = self.0.partition_point(|old| old.end <= range.start);
        let parts = self.0[first..].iter().map(|old| old.start.max(range.start)..old.end.min(range.end));
        parts.take_while(|part| !part.is_empty()).collect()
    }
}

/// What of a range lies between these parts of it, which are in order.
pub(crate) fn between(range: Range<u64>, parts: &[Range<u64>]) -> impl Iterator<Item = Range<u64>> {
    let starts = core::iter::once(range.start).chain(parts.iter().map(|part| part.end));
    let ends = parts.iter().map(|part| part.start).chain([range.end]);
    starts.zip(ends).map(|(start, end)| start..end).filter(|rest| !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against one truth value a number.
        #[test]
        fn spans_are_the_numbers_that_were_put_in(steps in prop::collection::vec((any::<bool>(), 0..64u64, 0..24u64), 0..40)) {
            let mut spans = Spans::default();
            let mut model = [false; 96];
            for (put, start, len) in steps {
                let range = start..start + len;
                model[start as usize..(start + len) as usize].fill(put);
                if put { spans.insert(range) } else { spans.remove(&range) }
                prop_assert!(spans.0.iter().all(|span| !span.is_empty()));
                prop_assert!(spans.0.windows(2).all(|pair| pair[0].end < pair[1].start), "{:?}", spans);
                for (window, (from, to)) in [(0, 96), (10, 30), (29, 29)].into_iter().enumerate() {
                    let inside = spans.within(&(from..to));
                    let outside: Vec<_> = between(from..to, &inside).collect();
                    for number in from..to {
                        let held = |parts: &[Range<u64>]| parts.iter().any(|part| part.contains(&number));
                        let expected = model[number as usize];
                        prop_assert_eq!((held(&inside), held(&outside)), (expected, !expected), "{} {}", window, number);
                    }
                }
            }
        }
    }
}
