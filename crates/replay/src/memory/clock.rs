//! Which bytes of buffers are times of the GPU's clock: they are other ones in every run, so a replay cannot have them again.
//!
//! Timestamp queries are resolved into buffers, and copied from there. A walk of its own over the trace follows that list by
//! list as they are submitted; it is made only where the trace's schema names such a resolve, and goes only as far as the
//! bytes that are asked about. Invariant: what is called a time was written by a resolve of timestamps, or copied from there.
//! Copies and other resolves unmark what they write; buffers that shaders may write to are never marked, because nobody sees
//! what they write. Not followed: `WriteBufferImmediate`, stream output, buffers that overlap, the processor's own stores; what
//! these write over times goes on counting as times. Memory grows with the copies of lists that live, not with the trace.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use reprise_codec::Codec;
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{Method, MethodId};
use reprise_d3d12::types::{D3D12_QUERY_TYPE, D3D12_RESOURCE_FLAGS};
use reprise_trace::read::Event;
use reprise_trace::record::Kind;

use crate::input::outcome::succeeded;
use crate::input::source::Source;
use crate::input::values::{argument, at, number_at, numbers, structure};

/// Follows times through the buffers of a trace.
pub(crate) struct Clocks<'t> {
    source: Box<dyn Source + 't>,
    /// The number of the last event that was looked at.
    at: u64,
    /// What each list will write when it is submitted.
    lists: HashMap<u32, Vec<Write>>,
    /// Times in each buffer.
    times: HashMap<u32, Spans>,
    /// Buffers that shaders may write to.
    opaque: HashSet<u32>,
    /// Calls whose leave matters.
    open: HashMap<u64, (u32, Vec<u8>)>,
    /// The record that was asked about last: event, object, bytes.
    asked: Option<(u64, u32, Range<u64>)>,
}

/// What a command writes to a buffer.
#[derive(Clone)]
enum Write {
    Times(u32, Range<u64>),
    Other(u32, Range<u64>),
    Copy { to: u32, offset: u64, from: u32, range: Range<u64> },
}

/// Why a method matters here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Act {
    Nothing,
    CreateResource,
    Release,
    Reset,
    Resolve,
    CopyRegion,
    CopyWord(u64),
    CopyAll,
    CopyTexture,
    CopyTiles,
    Execute,
}

/// Whether the trace's schema names a method that resolves queries; one without a schema may.
pub(crate) fn are_in(schema: &[u8]) -> bool {
    const RESOLVE: &[u8] = b"::ResolveQueryData";
    schema.is_empty() || schema.windows(RESOLVE.len()).any(|window| window == RESOLVE)
}

fn act(method: u16) -> Act {
    static TABLE: LazyLock<Vec<Act>> = LazyLock::new(|| MODEL.methods.iter().map(act_of).collect());
    TABLE.get(usize::from(method)).copied().unwrap_or(Act::Nothing)
}

fn act_of(method: &Method) -> Act {
    let interface = method.interface.map_or("", |id| id.get().name);
    match (interface, method.name) {
        ("IUnknown", "Release") => Act::Release,
        (_, "ExecuteCommandLists") => Act::Execute,
        (device, name) if device.starts_with("ID3D12Device") => {
            let creates = ["CreateCommittedResource", "CreatePlacedResource", "CreateReservedResource"];
            if creates.iter().any(|start| name.starts_with(start)) { Act::CreateResource } else { Act::Nothing }
        }
        (list, _) if !list.contains("CommandList") => Act::Nothing,
        (_, "Reset") => Act::Reset,
        (_, "ResolveQueryData") => Act::Resolve,
        (_, "CopyBufferRegion") => Act::CopyRegion,
        (_, "AtomicCopyBufferUINT") => Act::CopyWord(4),
        (_, "AtomicCopyBufferUINT64") => Act::CopyWord(8),
        (_, "CopyResource") => Act::CopyAll,
        (_, "CopyTextureRegion") => Act::CopyTexture,
        (_, "CopyTiles") => Act::CopyTiles,
        _ => Act::Nothing,
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
        Self {
            source: Box::new(source),
            at: 0,
            lists: HashMap::new(),
            times: HashMap::new(),
            opaque: HashSet::new(),
            open: HashMap::new(),
            asked: None,
        }
    }

    /// The parts of a range of a buffer that are times, in order, as of `event`, a record of what the program saw there.
    pub(crate) fn among(&mut self, codec: &Codec, event: &Event<'_>, bytes: Range<u64>) -> Vec<Range<u64>> {
        // Asked twice about one record, the walk would go on beyond it.
        let asked = Some((event.number, event.object, bytes.clone()));
        if self.asked != asked {
            self.walk_to(codec, event);
            self.asked = asked;
        }
        self.times.get(&event.object).map(|spans| spans.within(&bytes)).unwrap_or_default()
    }

    /// Damage ends the walk as it ends the replay, which says so.
    fn walk_to(&mut self, codec: &Codec, until: &Event<'_>) {
        while self.at <= until.number {
            let Self { source, lists, times, opaque, open, .. } = self;
            let Ok(Some(event)) = source.next() else { return };
            let mut step = Step { codec, lists, times, opaque, open };
            _ = match event.kind {
                Kind::Enter => step.enter(&event),
                Kind::Leave => step.leave(&event),
                _ => None,
            };
            self.at = event.number;
            let same = (event.kind, event.number, event.object) == (until.kind, until.number, until.object);
            if same && event.payload == until.payload {
                return;
            }
        }
    }
}

/// What an event changes.
struct Step<'s> {
    codec: &'s Codec,
    lists: &'s mut HashMap<u32, Vec<Write>>,
    times: &'s mut HashMap<u32, Spans>,
    opaque: &'s mut HashSet<u32>,
    open: &'s mut HashMap<u64, (u32, Vec<u8>)>,
}

impl Step<'_> {
    /// `None`: there is nothing to be learnt from it.
    fn enter(&mut self, event: &Event<'_>) -> Option<()> {
        let act = act(event.method);
        let method = MODEL.methods.get(usize::from(event.method))?;
        let number = |name| argument(method, event.payload, name);
        let write = match act {
            Act::Nothing => return None,
            Act::Release if !self.knows(event.object) => return None,
            Act::Release | Act::CreateResource => {
                self.open.insert(event.number, (event.object, event.payload.to_vec()));
                return None;
            }
            Act::Reset => {
                self.lists.remove(&event.object);
                return None;
            }
            Act::Execute => {
                let arguments = self.codec.decode_enter(MethodId(event.method), event.payload).ok()?;
                numbers(at(&arguments.members, "ppCommandLists")?).into_iter().for_each(|id| self.submit(id as u32));
                return None;
            }
            Act::Resolve => {
                let query = D3D12_QUERY_TYPE(number("Type")? as _);
                let bytes = answer_bytes(query).saturating_mul(number("NumQueries")?);
                let (buffer, offset) =
                    (number("pDestinationBuffer")? as u32, number("AlignedDestinationBufferOffset")?);
                let times = query == D3D12_QUERY_TYPE::TIMESTAMP;
                if times {
                    Write::Times(buffer, range(offset, bytes))
                } else {
                    Write::Other(buffer, range(offset, bytes))
                }
            }
            Act::CopyRegion | Act::CopyWord(_) => {
                let bytes = if let Act::CopyWord(bytes) = act { bytes } else { number("NumBytes")? };
                Write::Copy {
                    to: number("pDstBuffer")? as u32,
                    offset: number("DstOffset")?,
                    from: number("pSrcBuffer")? as u32,
                    range: range(number("SrcOffset")?, bytes),
                }
            }
            Act::CopyAll => Write::Copy {
                to: number("pDstResource")? as u32,
                offset: 0,
                from: number("pSrcResource")? as u32,
                range: 0..u64::MAX,
            },
            Act::CopyTexture => {
                let arguments = self.codec.decode_enter(MethodId(event.method), event.payload).ok()?;
                let target = structure(at(&arguments.members, "pDst")?)?;
                let placed = |name: &str| number_at(target, &format!("PlacedFootprint.{name}"));
                let rows = placed("Footprint.Height")?.saturating_mul(placed("Footprint.Depth")?);
                let bytes = placed("Footprint.RowPitch")?.saturating_mul(rows);
                Write::Other(number_at(target, "pResource")? as u32, range(placed("Offset")?, bytes))
            }
            // In either direction, and however many tiles: too little is marked then, not too much.
            Act::CopyTiles => Write::Other(number("pBuffer")? as u32, number("BufferStartOffsetInBytes")?..u64::MAX),
        };
        self.lists.entry(event.object).or_default().push(write);
        Some(())
    }

    fn leave(&mut self, event: &Event<'_>) -> Option<()> {
        let (object, enter) = self.open.remove(&event.number)?;
        let method = MethodId(event.method);
        let outcome = self.codec.decode_leave(method, &enter, event.payload).ok()?;
        if act(event.method) == Act::Release {
            if crate::input::values::number(&outcome.result) == Some(0) {
                self.lists.remove(&object);
                self.times.remove(&object);
                self.opaque.remove(&object);
            }
            return None;
        }
        let arguments = self.codec.decode_enter(method, &enter).ok()?;
        let flags = number_at(&arguments.members, "pDesc.Flags")?;
        let written = flags & u64::from(D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS.0) != 0;
        if written && succeeded(&outcome) {
            self.opaque.extend(self.codec.output_ids(method, &enter, event.payload).ok()?);
        }
        Some(())
    }

    fn knows(&self, object: u32) -> bool {
        self.lists.contains_key(&object) || self.times.contains_key(&object) || self.opaque.contains(&object)
    }

    fn submit(&mut self, list: u32) {
        for write in self.lists.get(&list).into_iter().flatten() {
            let (buffer, written, times) = match write {
                Write::Times(buffer, range) => (*buffer, range.clone(), vec![range.clone()]),
                Write::Other(buffer, range) => (*buffer, range.clone(), Vec::new()),
                Write::Copy { to, offset, from, range } => {
                    let times = self.times.get(from).map(|spans| spans.within(range)).unwrap_or_default();
                    let moved = |at: u64| (at - range.start).saturating_add(*offset);
                    let times = times.into_iter().map(|part| moved(part.start)..moved(part.end)).collect();
                    (*to, moved(range.start)..moved(range.end), times)
                }
            };
            if let Some(spans) = self.times.get_mut(&buffer) {
                spans.remove(&written);
            }
            if !times.is_empty() && !self.opaque.contains(&buffer) {
                let spans = self.times.entry(buffer).or_default();
                times.into_iter().for_each(|part| spans.insert(part));
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
