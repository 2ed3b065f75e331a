//! What can still be had of a trace that was not finished, or whose tables are damaged.
//!
//! Owns the counting of what the chunks hold, the taking over of what the rings still hold, and the rewriting into a
//! complete trace. Invariant: nothing that is sound is left out, nothing is included twice: chunks say how far each ring
//! is stored.

use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use crate::chunk::{ChunkKind, Encoder};
use crate::decode::{Decoder, EventChunk};
use crate::drain::Drain;
use crate::fact;
use crate::file::{Output, Resume, TraceFile};
use crate::index::{self, Stretch};
use crate::layout::{Cursor, Entry, Footer, ThreadState};
use crate::merge::Merge;
use crate::read::Trace;
use crate::record::{GapReason, Kind};
use crate::session::Session;
use crate::writer::{FileOutput, Summary, WriteError};

/// What the chunks of an unfinished trace come to.
#[derive(Default)]
struct Counted {
    totals: Footer,
    threads: Vec<ThreadState>,
    ranges: Vec<(u32, u64, u64)>,
    facts: serde_json::Map<String, Value>,
    /// What the gaps say that capture made, as hashes of it.
    gaps: HashSet<u64>,
}

/// Completes a trace that was opened without a footer: counts it, and includes what the rings in `rings` still hold.
pub(crate) fn complete(trace: &mut Trace, rings: Option<&Path>) {
    let counted = count(trace);
    let meta = meta(trace, &counted);
    trace.totals = counted.totals.clone();
    trace.ranges = Some(counted.ranges.clone());
    trace.meta = Value::Object(meta.clone());
    let Some(folder) = rings.filter(|folder| folder.join(crate::session::FILE).exists()) else { return };
    if let Err(reason) = append_rings(trace, folder, counted, meta) {
        trace.totals.gaps += 1;
        if let Value::Object(meta) = &mut trace.meta {
            meta.insert("rings_not_read".into(), reason.into());
        }
    }
}

fn append_rings(
    trace: &mut Trace,
    folder: &Path,
    counted: Counted,
    meta: serde_json::Map<String, Value>,
) -> Result<(), String> {
    let session = Session::open_snapshot(folder).map_err(|e| e.to_string())?;
    if session.started() != trace.header.start {
        return Err(format!("{}: the rings belong to another recording", folder.display()));
    }
    if session.has_writer() {
        return Err(format!("{}: the recording still runs; its writer will finish the trace", folder.display()));
    }
    let place = trace.source.len();
    let resumed = counted.totals.calls > 0 || counted.totals.sequence > 1;
    let Counted { mut totals, threads, ranges, gaps, .. } = counted;
    // What the writer was writing when it died: the rings still hold it, and name what they do not.
    let unfinished = matches!(trace.stretches.last(), Some(&Stretch::Hole(offset, len)) if offset + len == place);
    totals.gaps -= u64::from(unfinished);
    let merge = Merge::resume(totals.sequence, totals.calls);
    let seen = session.last_seen();
    let end = if seen.monotonic_ns > totals.end.monotonic_ns { seen } else { totals.end };
    let resume = Resume { totals, entries: Vec::new(), threads: threads.clone(), ranges, meta };
    let mut file = TraceFile::resume(Vec::new(), place, resume).map_err(|e| e.to_string())?;
    file.set_end(end);
    let mut drain = Drain::new(file, merge);
    open_rings(&session, &mut drain, &threads, &gaps);
    if resumed {
        drain.resume_ordinals();
    }
    let (bytes, totals) = drain.finish(&|_| Vec::new()).map_err(|e| e.to_string())?;
    if unfinished {
        trace.stretches.pop();
    }
    trace.source.extend(bytes);
    trace.stretches.extend(index::scan(&trace.source, place));
    trace.sort_stretches();
    trace.totals = totals;
    trace.meta = Value::Null;
    trace.ranges = None;
    Ok(())
}

/// What the trace says of itself: its meta chunks, then the facts that would have gone into the last one.
fn meta(trace: &Trace, counted: &Counted) -> serde_json::Map<String, Value> {
    let mut meta = serde_json::Map::new();
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

fn count(trace: &Trace) -> Counted {
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
                (Some(kind), _) => crate::wanted::note(&mut counted.facts, kind, c.u32().unwrap_or(0), decoder.frame),
                _ => {}
            }
        }
    };
    totals.calls = decoder.calls;
    totals.frames = decoder.frame;
    totals.sequence = decoder.sequence;
    totals.end = chunk.state.closed;
    // The state in the chunk is that of its beginning, except how far the rings are stored.
    decoder.threads.truncate(chunk.state.threads.len());
    counted.threads = decoder.threads;
    sound.then_some(())
}

/// Opens every ring that is left, each from where the trace already has it, and names those that could not be made, where
/// none of the `gaps` of the trace does already.
fn open_rings<O: Output>(session: &Session, drain: &mut Drain<O>, threads: &[ThreadState], gaps: &HashSet<u64>) {
    for text in session.failed_rings().into_iter().map(crate::writer::not_recorded) {
        if !gaps.contains(&xxh3_64(text.as_bytes())) {
            drain.file().gap_text(None, GapReason::Capture, &text);
        }
    }
    for index in session.rings() {
        let known = threads.iter().find(|t| t.thread == index);
        match session.open_ring(index) {
            Ok(Some(ring)) => {
                let from = known.map_or(0, |t| t.stored_to);
                drain.add_ring(ring, index, from, known.map(|t| t.open.clone()).unwrap_or_default());
            }
            Ok(None) => {}
            Err(error) => {
                let text = format!("thread {index}: {error}");
                drain.file().gap_text(None, GapReason::DamagedRing, &text);
            }
        }
    }
}

/// Rewrites an unfinished or damaged trace into a complete one: sound chunks are copied as they are, damage is named, what
/// the rings in `rings` still hold is appended, and index and footer are made anew. The rings are left as they are.
pub fn repair(
    damaged: &Path,
    rings: Option<&Path>,
    output: &Path,
    schema: &dyn Fn(&[u16]) -> Vec<u8>,
) -> Result<Summary, WriteError> {
    let beside = crate::session::folder_beside(damaged);
    let trace = Trace::open_with_rings(damaged, rings.unwrap_or(&beside))?;
    let failed = |source| WriteError::Output { path: output.into(), source };
    let mut copy = Copy {
        out: FileOutput::create(output).map_err(failed)?,
        place: 0,
        entries: Vec::new(),
        damage: Vec::new(),
        gaps: 0,
    };
    copy.put(&trace.header.to_bytes()).map_err(failed)?;
    for stretch in &trace.stretches {
        copy.stretch(&trace, stretch).map_err(failed)?;
    }
    let mut totals = trace.totals.clone();
    let (open, end) = (std::mem::take(&mut totals.open), totals.end);
    totals.places = [0; 3];
    totals.pages.clear();
    // Those of the original were counted only if its index had to be rebuilt.
    if trace.statistics().complete {
        totals.gaps += copy.gaps + copy.damage.len() as u64;
    } else {
        totals.gaps -= (copy.damage.len() as u64).min(totals.gaps);
    }
    let meta = trace.meta().as_object().cloned().unwrap_or_default();
    let ranges = trace.address_ranges().unwrap_or_default();
    let resume = Resume { totals, entries: copy.entries, threads: Vec::new(), ranges, meta };
    let mut file = TraceFile::resume(copy.out, copy.place, resume).map_err(failed)?;
    file.set_end(end);
    file.set_meta("repaired", Value::Bool(true));
    copy.damage.iter().for_each(|text| file.gap_text(None, GapReason::DamagedChunk, text));
    let schema = |methods: &[u16]| if trace.schema().is_empty() { schema(methods) } else { trace.schema().to_vec() };
    let (out, totals) = file.finish(open, |_| Default::default(), &schema).map_err(failed)?;
    Ok(Summary::new(totals, out.finish().map_err(failed)?))
}

/// A trace being copied chunk by chunk.
struct Copy {
    out: FileOutput,
    place: u64,
    entries: Vec<Entry>,
    /// Damage not yet named in the copy.
    damage: Vec<String>,
    /// Damage that is.
    gaps: u64,
}

impl Copy {
    fn put(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.out.append(bytes)?;
        self.place += bytes.len() as u64;
        Ok(())
    }

    fn stretch(&mut self, trace: &Trace, stretch: &Stretch) -> std::io::Result<()> {
        let entry = match stretch {
            Stretch::Chunk(entry) => entry,
            Stretch::Hole(offset, len) => {
                self.damage.push(format!("{len} bytes at offset {offset} of the original were no chunk"));
                return Ok(());
            }
        };
        if !matches!(entry.header.kind, ChunkKind::Events | ChunkKind::Blobs | ChunkKind::Schema) {
            return Ok(());
        }
        if let Err(reason) = index::payload(&trace.source, entry) {
            self.damage.push(format!("chunk at offset {} of the original: {reason}", entry.offset));
            return Ok(());
        }
        if entry.header.kind == ChunkKind::Events && !self.damage.is_empty() {
            // A chunk of gaps, just before the next one that is sound.
            self.gaps += self.damage.len() as u64;
            let (header, payload) = crate::file::gap_chunk(&entry.header, &std::mem::take(&mut self.damage));
            let mut header = header;
            let bytes = Encoder::new()?.encode(&mut header, &payload)?.to_vec();
            self.entries.push(Entry { offset: self.place, header });
            self.put(&bytes)?;
        }
        let bytes = trace.source.read(entry.offset, entry.header.total())?;
        self.entries.push(Entry { offset: self.place, header: entry.header });
        self.put(&bytes)
    }
}
