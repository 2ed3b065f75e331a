//! Totals of an unfinished trace, counted from the contents of its chunks.

use std::collections::HashSet;

use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_64;

use crate::fact;
use crate::file::chunk::ChunkKind;
use crate::file::cursor::Cursor;
use crate::file::layout::{Entry, Footer, Range, ThreadState};
use crate::read::Trace;
use crate::read::decode::{Decoder, EventChunk};
use crate::read::index::{self, Stretch};
use crate::record::{GapReason, Kind};
use crate::wanted_frames;

/// What the chunks of an unfinished trace add up to.
#[derive(Default)]
pub(super) struct Counted {
    pub(super) totals: Footer,
    /// Calls and frames up to the last record that can be read.
    pub(super) readable: (u64, u32),
    /// The threads where the last chunk ends.
    pub(super) threads: Vec<ThreadState>,
    /// Threads of which the chunks have any record.
    pub(super) recorded: HashSet<u32>,
    pub(super) ranges: Vec<Range>,
    facts: Map<String, Value>,
    /// XXH3-64 of the texts of gaps that the capture layer recorded.
    pub(super) gaps: HashSet<u64>,
}

/// Counts what the chunks of a trace hold.
pub(super) fn count(trace: &Trace) -> Counted {
    let mut counted = Counted { totals: Footer { sequence: 1, ..Footer::default() }, ..Counted::default() };
    let mut recorded = HashSet::new();
    for stretch in &trace.stretches {
        match stretch {
            Stretch::Chunk(entry) if entry.header.kind == ChunkKind::Blobs => {
                let next = entry.header.first.saturating_add(entry.header.count.into());
                counted.totals.blobs = counted.totals.blobs.max(next);
            }
            Stretch::Chunk(entry) if entry.header.kind == ChunkKind::Events => {
                if count_events(trace, entry, &mut counted, &mut recorded).is_none() {
                    counted.totals.gaps += 1;
                    counted.totals.calls = counted.totals.calls.max(entry.header.first + u64::from(entry.header.count));
                }
            }
            Stretch::Chunk(_) => {}
            Stretch::Hole(..) => counted.totals.gaps += 1,
        }
    }
    counted.totals.threads = recorded.len() as u32;
    counted.recorded = recorded;
    let open = counted.threads.iter().flat_map(|t| t.open.iter().copied());
    counted.totals.open = open.collect();
    counted.totals.open.sort_unstable();
    counted
}

fn count_events(trace: &Trace, entry: &Entry, counted: &mut Counted, recorded: &mut HashSet<u32>) -> Option<()> {
    let payload = index::payload(&trace.source, entry).ok()?;
    let mut chunk = EventChunk::new(&entry.header, payload)?;
    let mut decoder = Decoder::default();
    decoder.start(&entry.header, &chunk.state);
    let totals = &mut counted.totals;
    let sound = loop {
        let found = chunk.records.advance();
        let decoded = match decoder.next(found, &mut chunk.records) {
            Ok(Some(decoded)) => decoded,
            Ok(None) => break true,
            Err(_) => break false,
        };
        let (kind, payload) = (decoded.kind, chunk.records.record().get(decoded.head..).unwrap_or(&[]));
        recorded.insert(decoded.thread);
        let as_recorded = if kind == Kind::Pages { Kind::Memory } else { kind };
        let slot = &mut totals.kinds[as_recorded as usize];
        slot.0 += 1;
        // Pages stand for the bytes that they say; a payload too short to say so stands for none.
        let said = || payload.get(8..).and_then(|rest| Cursor(rest).u64()).unwrap_or(0);
        let bytes = if kind == Kind::Pages { said() } else { payload.len() as u64 };
        slot.1 = slot.1.saturating_add(bytes);
        totals.gaps += u64::from(kind == Kind::Gap);
        if decoded.ticks != 0 {
            let (first, last) = &mut totals.ticks;
            *first = if *first == 0 { decoded.ticks } else { (*first).min(decoded.ticks) };
            *last = (*last).max(decoded.ticks);
        }
        if kind == Kind::Gap && payload.first_chunk() == Some(&(GapReason::Capture as u32).to_le_bytes()) {
            let text = payload.get(8..).unwrap_or(&[]);
            counted.gaps.insert(xxh3_64(text.split(|&b| b == 0).next().unwrap_or(&[])));
        }
        if kind == Kind::Fact {
            let mut c = Cursor(payload);
            match (c.u32(), c.u32()) {
                (Some(fact::ADDRESS_RANGE), _) => {
                    let object = decoded.header.object;
                    counted.ranges.extend(c.u64().zip(c.u64()).map(|(address, bytes)| (object, address, bytes)));
                }
                (Some(fact::META), _) => {
                    let text = c.0.split(|&b| b == 0).next().unwrap_or(&[]);
                    if let Ok(Value::Object(more)) = serde_json::from_slice(text) {
                        counted.facts.extend(more);
                    }
                }
                (Some(kind), _) => wanted_frames::note(&mut counted.facts, kind, c.u32().unwrap_or(0), decoder.frame),
                _ => {}
            }
        }
    };
    totals.calls = decoder.calls;
    totals.frames = decoder.frame;
    totals.sequence = decoder.sequence;
    totals.end = chunk.state.closed;
    counted.readable = (totals.calls, totals.frames);
    // The state in the chunk is that of its beginning, except how far the rings are stored.
    decoder.threads.truncate(chunk.state.threads.len());
    counted.threads = decoder.threads;
    sound.then_some(())
}

/// The meta of an unfinished trace: its meta chunks, then the facts that would have gone into the last one.
pub(super) fn meta(trace: &Trace, counted: &Counted) -> Map<String, Value> {
    let mut meta = Map::new();
    for stretch in &trace.stretches {
        if let Stretch::Chunk(entry) = stretch
            && entry.header.kind == ChunkKind::Meta
            && let Ok(bytes) = index::payload(&trace.source, entry)
            && let Ok(Value::Object(more)) = serde_json::from_slice(&bytes)
        {
            meta.extend(more);
        }
    }
    meta.extend(counted.facts.clone());
    meta
}
