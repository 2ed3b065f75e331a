//! A trace, read.
//!
//! Owns opening, the events, the blobs and the counts. Invariants: nothing in a trace makes this code panic, loop without
//! end, or allocate more than the bytes there can stand for; damage costs what is left of the chunk that it is in
//! and shows as a [`Kind::Gap`] event at its place.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::blocks::Blocks;
use crate::chunk::ChunkKind;
use crate::clock::Clock;
use crate::decode::{Decoder, EventChunk};
use crate::index::{self, Stretch};
use crate::layout::{Cursor, Entry, FileHeader, Footer, HEADER};
use crate::record::{GapReason, HEADER as RECORD, Header, Kind};
use crate::source::Source;
use crate::store;
use crate::unpack::Found;

/// Why a trace cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system refused.
    #[error("{path}: {reason}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason; not a source, because the message has it.
        reason: io::Error,
    },
    /// Not a trace, or its very beginning is damaged.
    #[error("{path}: {reason}")]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A blob is not in the trace, or its chunk is damaged.
    #[error("blob {id} cannot be read (chunk at offset {offset}): {reason}")]
    Blob {
        /// The blob.
        id: u64,
        /// Place of the chunk that should have it; 0 when there is none.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
    /// An event names a blob that does not come with it.
    #[error("call {call}: the event names blob {number}, which does not come with it")]
    Unbound {
        /// The call.
        call: u64,
        /// The thread's number of the blob.
        number: u32,
    },
    /// The address table is damaged.
    #[error("the address table at offset {offset} cannot be read: {reason}")]
    Ranges {
        /// Place of the chunk.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
}

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// Number of the call: for [`Kind::Enter`] its own (from 1), for [`Kind::Leave`] that of the enter it ends (0 if that
    /// is missing), for everything else that of the last call begun before it (0: none).
    pub number: u64,
    /// Number of the thread, from 0 in order of appearance.
    pub thread: u32,
    /// Number of the frame it belongs to, from 0. A [`Kind::Frame`] event ends the frame it belongs to.
    pub frame: u32,
    /// Nanoseconds since the session began: of this event, or of the thread's last one that had a time stamp.
    pub time_ns: u64,
    /// What it is.
    pub kind: Kind,
    /// The method called or left; 0 where there is none.
    pub method: u16,
    /// The object concerned; 0 for none.
    pub object: u32,
    /// Subresource of [`Kind::Memory`]; 0 for ordered calls, whose order is that of the events.
    pub ordinal: u32,
    /// Its sequence number; 0 when it took none.
    pub sequence: u64,
    /// The whole payload: parts joined, pages of memory put in.
    pub payload: &'a [u8],
    /// The blobs that the payload may name: the thread's number of each, and its place in the trace.
    pub blobs: &'a [(u32, u64)],
    /// For [`Kind::Enter`]: the recording ends while this call is running.
    pub open: bool,
}

impl<'a> Event<'a> {
    /// What it says as a call.
    #[inline]
    pub fn call(&self) -> Call<'a> {
        Call { number: self.number, method: self.method, object: self.object, payload: self.payload }
    }

    /// Offset and bytes of a [`Kind::Memory`] event.
    pub fn memory(&self) -> Option<(u64, &'a [u8])> {
        let mut c = Cursor(self.payload);
        let (offset, len) = (c.u64()?, usize::try_from(c.u64()?).ok()?);
        let bytes = c.bytes(len)?;
        (self.kind == Kind::Memory).then_some((offset, bytes))
    }

    /// Whether it is a gap that means that the trace itself is damaged.
    pub fn is_damage(&self) -> bool {
        let damage = [GapReason::DamagedChunk, GapReason::DamagedRing, GapReason::IncompleteBlob];
        self.kind == Kind::Gap
            && self.fact().is_some_and(|(found, _)| damage.iter().any(|reason| *reason as u32 == found))
    }

    /// The first word and the text or bytes behind it, of [`Kind::Fact`] and [`Kind::Gap`] events. Padding is included.
    pub fn fact(&self) -> Option<(u32, &'a [u8])> {
        let (kind, _) = self.payload.split_first_chunk::<4>()?;
        Some((u32::from_le_bytes(*kind), self.payload.get(8..)?))
    }

    /// What a [`Kind::Gap`] event says is missing.
    pub fn gap_text(&self) -> String {
        let text = self.payload.get(8..).unwrap_or(&[]);
        String::from_utf8_lossy(text).trim_end_matches('\0').to_owned()
    }
}

/// A call that says nothing but this.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// As in [`Event`].
    pub number: u64,
    /// The method called.
    pub method: u16,
    /// The object it is called on; 0 for none.
    pub object: u32,
    /// As in [`Event`].
    pub payload: &'a [u8],
}

/// What `info` shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Frame boundaries.
    pub frames: u32,
    /// Calls.
    pub calls: u64,
    /// Threads that recorded anything.
    pub threads: u32,
    /// From the first to the last time stamp.
    pub duration_ns: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Gaps: things that are missing.
    pub gaps: u64,
    /// Contents stored once each.
    pub blobs: u64,
    /// Records and payload bytes before compression, by kind; only kinds that occur.
    pub kinds: Vec<(Kind, u64, u64)>,
    /// Numbers of the calls that never ended.
    pub open: Vec<u64>,
    /// Whether the trace was finished by its writer and its index is sound; otherwise the index was rebuilt.
    pub complete: bool,
}

/// Chunks of events that are decompressed before they are asked for.
const AHEAD: usize = 4;
/// Bytes of decompressed blob chunks that are kept.
const CACHE: usize = 64 << 20;

/// An opened trace. May be used from several threads at a time.
#[derive(Debug)]
pub struct Trace {
    pub(crate) source: Source,
    pub(crate) header: FileHeader,
    pub(crate) stretches: Vec<Stretch>,
    events: Vec<Stretch>,
    blobs: Vec<Entry>,
    pub(crate) totals: Footer,
    statistics: Statistics,
    clock: Clock,
    schema: Vec<u8>,
    pub(crate) meta: Value,
    pub(crate) ranges: Option<Vec<(u32, u64, u64)>>,
    cache: Mutex<Vec<(u64, Arc<Vec<u8>>)>>,
    /// For chunks of events.
    blocks: Blocks,
}

/// XXH3-128 of a content: what [`Trace::blob_hash`] is for a blob that is sound.
pub fn content_hash(bytes: &[u8]) -> u128 {
    xxhash_rust::xxh3::xxh3_128(bytes)
}

impl Trace {
    /// Opens a file. Without a sound footer the index is rebuilt, and what the rings beside it (`FILE.rings`) still hold
    /// is included.
    pub fn open(path: &Path) -> Result<Trace, ReadError> {
        Trace::open_with_rings(path, &crate::session::folder_beside(path))
    }

    /// As [`Trace::open`], with the session's folder elsewhere.
    pub fn open_with_rings(path: &Path, rings: &Path) -> Result<Trace, ReadError> {
        let io = |reason| ReadError::Io { path: path.into(), reason };
        // A folder, a pipe or a device has no length to begin with, and to open a pipe is to wait for its writer.
        if !std::fs::metadata(path).map_err(io)?.is_file() {
            let reason = "this is no ordinary file".into();
            return Err(ReadError::Header { path: path.into(), reason });
        }
        let file = std::fs::File::open(path).map_err(io)?;
        Trace::from_source(path, Source::file(file).map_err(io)?, Some(rings))
    }

    /// Opens a trace that lies in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Trace, ReadError> {
        Trace::from_source(Path::new("memory"), Source::bytes(bytes), None)
    }

    fn from_source(path: &Path, source: Source, rings: Option<&Path>) -> Result<Trace, ReadError> {
        let head = source.read(0, source.len().min(HEADER as u64)).unwrap_or_default();
        let header = FileHeader::from_bytes(&head).map_err(|reason| ReadError::Header { path: path.into(), reason })?;
        let clock = Clock { start: header.start, frequency: 0 };
        let mut trace = Trace {
            source,
            header,
            stretches: Vec::new(),
            events: Vec::new(),
            blobs: Vec::new(),
            totals: Footer::default(),
            statistics: Statistics::default(),
            clock,
            schema: Vec::new(),
            meta: Value::Null,
            ranges: None,
            cache: Mutex::new(Vec::new()),
            blocks: Blocks::default(),
        };
        if let Some((footer, entries)) = index::load(&trace.source) {
            trace.stretches = entries.into_iter().map(Stretch::Chunk).collect();
            trace.sort_stretches();
            trace.totals = footer;
            trace.statistics.complete = true;
        } else {
            trace.stretches = index::scan(&trace.source, HEADER as u64);
            trace.sort_stretches();
            crate::salvage::complete(&mut trace, rings);
        }
        trace.describe();
        Ok(trace)
    }

    /// Finds events and blobs among the stretches.
    pub(crate) fn sort_stretches(&mut self) {
        self.events.clear();
        self.blobs.clear();
        for stretch in &self.stretches {
            match stretch {
                Stretch::Chunk(entry) if entry.header.kind == ChunkKind::Blobs => self.blobs.push(*entry),
                Stretch::Chunk(entry) if entry.header.kind == ChunkKind::Events => self.events.push(*stretch),
                Stretch::Hole(..) => self.events.push(*stretch),
                Stretch::Chunk(_) => {}
            }
        }
        self.blobs.sort_by_key(|entry| entry.header.first);
    }

    /// Reads what a trace says of itself, and sums up.
    fn describe(&mut self) {
        let last = |kind| {
            let chunks = self.stretches.iter().rev().filter_map(|s| match s {
                Stretch::Chunk(entry) if entry.header.kind == kind => Some(entry),
                _ => None,
            });
            chunks.into_iter().find_map(|entry| index::payload(&self.source, entry).ok())
        };
        let schema = last(ChunkKind::Schema).unwrap_or_default();
        let meta = last(ChunkKind::Meta).and_then(|bytes| serde_json::from_slice(&bytes).ok());
        self.schema = schema;
        if let Some(meta) = meta.filter(|_| self.meta.is_null()) {
            self.meta = meta;
        }
        let t = &self.totals;
        self.clock = Clock::between(self.header.start, t.end);
        let kinds = (0u8..).zip(t.kinds).filter(|(_, (records, _))| *records > 0);
        self.statistics = Statistics {
            frames: t.frames,
            calls: t.calls,
            threads: t.threads,
            duration_ns: self.clock.nanoseconds(t.ticks.1).saturating_sub(self.clock.nanoseconds(t.ticks.0)),
            bytes: self.source.base_len(),
            gaps: t.gaps,
            blobs: t.blobs,
            kinds: kinds.filter_map(|(k, (records, bytes))| Some((Kind::from_u8(k)?, records, bytes))).collect(),
            open: t.open.clone(),
            complete: self.statistics.complete,
        };
    }

    /// Version and hash of the API model of the recording.
    pub fn api(&self) -> (u32, u64) {
        (self.header.api_version, self.header.api_hash)
    }

    /// What tells this trace from others: XXH3-128 of the file's header and of the headers of all chunks, which hold the
    /// checksums of their contents.
    pub fn identity(&self) -> u128 {
        let mut bytes = self.source.read(0, self.source.len().min(HEADER as u64)).unwrap_or_default();
        for stretch in &self.stretches {
            match stretch {
                Stretch::Chunk(entry) => entry.put(&mut bytes),
                Stretch::Hole(offset, len) => [*offset, *len].iter().for_each(|word| bytes.extend(word.to_le_bytes())),
            }
        }
        content_hash(&bytes)
    }

    /// Nanoseconds since 1970 at which the session began.
    pub fn started_ns(&self) -> u64 {
        self.header.start.realtime_ns
    }

    /// Names and layouts of what the trace uses: the bytes that the codec wrote; empty when the writer did not get there.
    pub fn schema(&self) -> &[u8] {
        &self.schema
    }

    /// Program, arguments, environment, adapter, driver, policies.
    pub fn meta(&self) -> &Value {
        &self.meta
    }

    /// Counts.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// GPU virtual address ranges: object, first address, bytes. Needs no events.
    pub fn address_ranges(&self) -> Result<Vec<(u32, u64, u64)>, ReadError> {
        if let Some(ranges) = &self.ranges {
            return Ok(ranges.clone());
        }
        let offset = self.totals.places[2];
        let wrong = |reason: String| ReadError::Ranges { offset, reason };
        let entry = index::chunk_at(&self.source, offset).filter(|e| e.header.kind == ChunkKind::Ranges);
        let entry = entry.ok_or_else(|| wrong("there is none".into()))?;
        let payload = index::payload(&self.source, &entry).map_err(wrong)?;
        let word = |b: &[u8; 24], i: usize| Cursor(&b[8 * i..]).u64().unwrap_or(0);
        Ok(payload.as_chunks::<24>().0.iter().map(|b| (word(b, 0) as u32, word(b, 1), word(b, 2))).collect())
    }

    /// All events in order.
    pub fn events(&self) -> Events<'_> {
        Events::new(self, 0)
    }

    /// Gives all events in order to `reader`, while a thread of its own reads and decompresses ahead.
    pub fn events_ahead<R>(&self, reader: impl FnOnce(Events<'_>) -> R) -> R {
        std::thread::scope(|scope| {
            let (chunks, ahead) = sync_channel(AHEAD);
            scope.spawn(move || {
                for stretch in &self.events {
                    // Nobody takes them any more: the reader has what it wanted.
                    if chunks.send(self.event_chunk(*stretch)).is_err() {
                        return;
                    }
                }
            });
            reader(Events { ahead: Some(ahead), ..Events::new(self, 0) })
        })
    }

    /// Reads and decompresses a chunk of events.
    fn event_chunk(&self, stretch: Stretch) -> Result<(Entry, EventChunk), String> {
        let entry = match stretch {
            Stretch::Chunk(entry) => entry,
            Stretch::Hole(offset, len) => return Err(format!("{len} bytes at offset {offset} are no chunk")),
        };
        let place = |reason: String| format!("chunk at offset {}: {reason}", entry.offset);
        let payload = index::payload_in(&self.source, &entry, &self.blocks).map_err(place)?;
        let chunk = EventChunk::new(&entry.header, payload);
        Ok((entry, chunk.ok_or_else(|| place("its records or the state of the threads are damaged".into()))?))
    }

    /// The events of the frames in this range.
    pub fn frames(&self, frames: std::ops::Range<u32>) -> Events<'_> {
        // A frame may begin within the chunk before the first one that begins in it.
        let from = self.seek(|entry| entry.header.frame < frames.start);
        Events { frames, ..Events::new(self, from) }
    }

    /// The events from the enter of this call on.
    pub fn from_call(&self, call: u64) -> Events<'_> {
        let from = self.seek(|entry| entry.header.first < call);
        Events { call, ..Events::new(self, from) }
    }

    /// All events from the chunk on in which this frame and this call begin, and before that those of the chunks that say
    /// what numbers stand for. So who shows a part of a long trace knows the objects in it, and need not read the rest.
    pub fn events_known_from(&self, frame: u32, call: u64) -> Events<'_> {
        let frame = self.seek(|entry| entry.header.frame < frame);
        let call = self.seek(|entry| entry.header.first < call);
        Events { known_from: frame.max(call), ..Events::new(self, 0) }
    }

    /// The last stretch whose chunk satisfies `before`, which holds for some first part of them.
    fn seek(&self, before: impl Fn(&Entry) -> bool) -> usize {
        let point = self.events.partition_point(|s| match s {
            Stretch::Chunk(entry) => before(entry),
            Stretch::Hole(..) => true,
        });
        point.saturating_sub(1)
    }

    /// The bytes of the blob that an event's payload names by the thread's number.
    pub fn blob(&self, event: &Event<'_>, number: u32) -> Result<Arc<[u8]>, ReadError> {
        let bound = event.blobs.iter().rev().find(|(n, _)| *n == number);
        let (_, id) = bound.ok_or(ReadError::Unbound { call: event.number, number })?;
        self.blob_by_id(*id)
    }

    /// The bytes of a blob by its number in the trace (the second half of [`Event::blobs`]).
    pub fn blob_by_id(&self, id: u64) -> Result<Arc<[u8]>, ReadError> {
        self.with_blob(id, |_, bytes| Arc::from(bytes))
    }

    /// XXH3-128 of a blob's content, as the writer computed it: equal content, equal hash, in any trace.
    pub fn blob_hash(&self, id: u64) -> Result<u128, ReadError> {
        self.with_blob(id, |hash, _| hash)
    }

    /// How many bytes a blob has.
    pub fn blob_len(&self, id: u64) -> Result<u64, ReadError> {
        self.with_blob(id, |_, bytes| bytes.len() as u64)
    }

    fn with_blob<R>(&self, id: u64, f: impl FnOnce(u128, &[u8]) -> R) -> Result<R, ReadError> {
        let wrong = |offset, reason: &str| ReadError::Blob { id, offset, reason: reason.into() };
        let point = self.blobs.partition_point(|entry| entry.header.first <= id);
        let entry = point.checked_sub(1).and_then(|at| self.blobs.get(at));
        let entry = entry.filter(|e| id - e.header.first < u64::from(e.header.count));
        let entry = entry.ok_or_else(|| wrong(0, "no chunk has it; it may have been in one that is damaged"))?;
        let chunk = self.blob_chunk(entry).map_err(|reason| wrong(entry.offset, &reason))?;
        let (hash, bytes) = store::find(&chunk, entry.header.count, (id - entry.header.first) as u32)
            .ok_or_else(|| wrong(entry.offset, "the chunk's table is damaged"))?;
        Ok(f(hash, bytes))
    }

    fn blob_chunk(&self, entry: &Entry) -> Result<Arc<Vec<u8>>, String> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = cache.iter().position(|(offset, _)| *offset == entry.offset) {
            let hit = cache.remove(at);
            let bytes = Arc::clone(&hit.1);
            cache.push(hit);
            return Ok(bytes);
        }
        let bytes = Arc::new(index::payload(&self.source, entry)?);
        cache.push((entry.offset, Arc::clone(&bytes)));
        while cache.len() > 1 && cache.iter().map(|(_, b)| b.len()).sum::<usize>() > CACHE {
            cache.remove(0);
        }
        Ok(bytes)
    }
}

/// Events, one after the other.
#[derive(Debug)]
pub struct Events<'t> {
    trace: &'t Trace,
    /// The next stretch to read.
    next: usize,
    /// Stretches before this one are left out where they say nothing of what numbers stand for.
    known_from: usize,
    /// Gives the chunks in order, where a thread reads ahead.
    ahead: Option<Receiver<Result<(Entry, EventChunk), String>>>,
    chunk: Option<EventChunk>,
    offset: u64,
    decoder: Decoder,
    current: Current,
    /// The payload of the current event, where it is not in the chunk as it is.
    buffer: Vec<u8>,
    /// Nothing before this call is given.
    call: u64,
    frames: std::ops::Range<u32>,
    /// Nothing is left out from here on.
    all: bool,
    /// What was found, and is still to be given.
    found: Option<Found>,
    /// Where the event is a call that [`Events::call`] gave: what stands before its payload in the record. Otherwise 0.
    head: usize,
    /// The last time stamp and its nanoseconds.
    time: (u64, u64),
}

/// The event just found, without its payload.
#[derive(Clone, Debug)]
struct Current {
    kind: Kind,
    method: u16,
    object: u32,
    ordinal: u32,
    sequence: u64,
    ticks: u64,
    thread: u32,
    frame: u32,
    number: u64,
    /// Behind so many bytes of the chunk's current record; `None`: in the buffer.
    payload: Option<usize>,
}

impl<'t> Events<'t> {
    fn new(trace: &'t Trace, next: usize) -> Events<'t> {
        let current = Current {
            kind: Kind::Gap,
            method: 0,
            object: 0,
            ordinal: 0,
            sequence: 0,
            ticks: 0,
            thread: 0,
            frame: 0,
            number: 0,
            payload: None,
        };
        Events {
            trace,
            next,
            known_from: 0,
            ahead: None,
            chunk: None,
            offset: 0,
            decoder: Decoder::default(),
            current,
            buffer: Vec::new(),
            call: 0,
            frames: 0..u32::MAX,
            all: false,
            found: None,
            head: 0,
            time: (0, trace.clock.nanoseconds(0)),
        }
    }

    /// The next event; `None` at the end. Damage appears as [`Kind::Gap`] events, so that what follows can still be read.
    #[allow(clippy::should_implement_trait)]
    #[inline]
    pub fn next(&mut self) -> Result<Option<Event<'_>>, ReadError> {
        let found = match self.found.take() {
            Some(found) => found,
            None if self.call().is_some() => return Ok(self.event()),
            None => self.found.take().unwrap_or_else(|| self.advance()),
        };
        match found {
            // It was taken in already.
            Found::Plain(_) if self.head > 0 => Ok(self.event()),
            found => Ok(self.other(found)),
        }
    }

    /// The next event, if it is a call of the kind that most are: one that says nothing but this. Where it is none, the event
    /// is that of [`Events::next`].
    #[inline(always)]
    pub fn call(&mut self) -> Option<Call<'_>> {
        let chunk = self.chunk.as_mut().filter(|_| self.all && self.found.is_none())?;
        let found = chunk.records.advance();
        let Found::Plain(head) = found else {
            self.found = Some(found);
            return None;
        };
        let (before, payload) = chunk.records.record().split_at_checked(head)?;
        let header = Header::from_bytes(before.first_chunk()?);
        self.decoder.plain(before);
        self.head = head;
        Some(Call { number: self.decoder.calls, method: header.method, object: header.object, payload })
    }

    /// Makes [`Events::next`] give the call that [`Events::call`] gave last.
    pub fn give_back(&mut self) {
        if self.head > 0 {
            self.found = Some(Found::Plain(self.head));
        }
    }

    /// The event of the call that was given last.
    #[inline(always)]
    fn event(&mut self) -> Option<Event<'_>> {
        let (thread, ticks) = self.decoder.thread();
        let time_ns = self.time(ticks);
        let (before, payload) = self.chunk.as_ref()?.records.record().split_at_checked(self.head)?;
        let header = Header::from_bytes(before.first_chunk()?);
        let number = self.decoder.calls;
        Some(Event {
            number,
            thread,
            frame: self.decoder.frame,
            time_ns,
            kind: Kind::Enter,
            method: header.method,
            object: header.object,
            ordinal: header.ordinal,
            sequence: if self.head > RECORD { self.decoder.sequence.wrapping_sub(1) } else { 0 },
            payload,
            blobs: &[],
            open: self.is_open(number),
        })
    }

    /// Whether the recording ends while this call is running.
    #[inline]
    fn is_open(&self, call: u64) -> bool {
        let open = &self.trace.totals.open;
        !open.is_empty() && open.binary_search(&call).is_ok()
    }

    /// Nanoseconds at these ticks. Most events have no time of their own, and telling it takes divisions.
    #[inline(always)]
    fn time(&mut self, ticks: u64) -> u64 {
        if self.time.0 != ticks {
            self.time = (ticks, self.trace.clock.nanoseconds(ticks));
        }
        self.time.1
    }

    /// The event of the record that was just `found`, or the first one after it that is asked for.
    #[inline(never)]
    fn other(&mut self, mut found: Found) -> Option<Event<'_>> {
        self.head = 0;
        loop {
            if !self.step(found) || self.current.frame >= self.frames.end {
                return None;
            }
            let reached = self.current.kind == Kind::Enter && self.current.number >= self.call;
            if (self.call == 0 || reached) && self.current.frame >= self.frames.start {
                break;
            }
            found = self.advance();
        }
        self.call = 0;
        self.all = self.frames == (0..u32::MAX);
        let time_ns = self.time(self.current.ticks);
        let current = &self.current;
        let payload = match (current.payload, &self.chunk) {
            (Some(head), Some(chunk)) => chunk.records.record().get(head..).unwrap_or(&[]),
            _ => &self.buffer,
        };
        Some(Event {
            number: current.number,
            thread: current.thread,
            frame: current.frame,
            time_ns,
            kind: current.kind,
            method: current.method,
            object: current.object,
            ordinal: current.ordinal,
            sequence: current.sequence,
            payload,
            blobs: &self.decoder.blobs,
            open: current.kind == Kind::Enter && self.is_open(current.number),
        })
    }

    /// Goes on to the next record of the chunk.
    fn advance(&mut self) -> Found {
        self.chunk.as_mut().map_or(Found::End, |chunk| chunk.records.advance())
    }

    /// Finds the next event, of whatever call or frame, from the record on that was just `found`. False at the end.
    fn step(&mut self, mut found: Found) -> bool {
        loop {
            let Some(chunk) = &mut self.chunk else {
                let Some(stretch) = self.trace.events.get(self.next).copied() else { return false };
                self.next += 1;
                if self.next <= self.known_from && stretch.is_nameless() {
                    continue;
                }
                if let Err(text) = self.load(stretch) {
                    self.set_gap(GapReason::DamagedChunk, &text);
                    return true;
                }
                found = self.advance();
                continue;
            };
            match self.decoder.next(found, &mut chunk.records) {
                Ok(None) => self.leave_chunk(),
                Ok(Some(decoded)) => {
                    self.current = Current {
                        kind: decoded.kind,
                        method: decoded.header.method,
                        object: decoded.header.object,
                        ordinal: decoded.header.ordinal,
                        sequence: decoded.sequence,
                        ticks: self.decoder.thread().1,
                        thread: decoded.thread,
                        frame: decoded.frame,
                        number: decoded.number,
                        payload: Some(decoded.head),
                    };
                    if decoded.kind == Kind::Pages {
                        let joined = pages(self.trace, chunk.records.record().get(decoded.head..).unwrap_or(&[]));
                        self.put_pages(joined);
                    }
                    return true;
                }
                Err(damage) => {
                    let position = chunk.records.position();
                    let text = format!("chunk at offset {}, record up to {position}: {damage}", self.offset);
                    self.chunk = None;
                    self.set_gap(GapReason::DamagedChunk, &text);
                    return true;
                }
            }
        }
    }

    fn leave_chunk(&mut self) {
        if let Some(chunk) = self.chunk.take() {
            self.trace.blocks.give_back(chunk.records.into_packed());
        }
    }

    fn load(&mut self, stretch: Stretch) -> Result<(), String> {
        let chunk = match &self.ahead {
            Some(ahead) => ahead.recv().unwrap_or_else(|_| Err("the thread that reads ahead is gone".into())),
            None => self.trace.event_chunk(stretch),
        };
        let (entry, chunk) = chunk?;
        self.decoder.start(&entry.header, &chunk.state);
        self.leave_chunk();
        (self.chunk, self.offset) = (Some(chunk), entry.offset);
        Ok(())
    }

    fn put_pages(&mut self, joined: Result<Vec<u8>, String>) {
        match joined {
            Ok(bytes) => {
                self.buffer = bytes;
                self.current.kind = Kind::Memory;
                self.current.payload = None;
            }
            Err(reason) => {
                let text = format!("memory of object {}: {reason}", self.current.object);
                self.set_gap(GapReason::DamagedChunk, &text);
            }
        }
    }

    fn set_gap(&mut self, reason: GapReason, text: &str) {
        self.buffer.clear();
        self.buffer.extend((reason as u64).to_le_bytes());
        self.buffer.extend(text.as_bytes());
        self.decoder.blobs.clear();
        let (thread, ticks) = self.decoder.thread();
        self.current = Current {
            kind: Kind::Gap,
            method: 0,
            object: 0,
            ordinal: 0,
            sequence: 0,
            frame: self.decoder.frame,
            number: self.decoder.calls,
            thread,
            ticks,
            payload: None,
        };
    }
}

/// The payload of a memory record from that of a record of pages.
fn pages(trace: &Trace, payload: &[u8]) -> Result<Vec<u8>, String> {
    let page = crate::file::PAGE as u64;
    let damaged = || "the record of its pages is damaged".to_owned();
    let mut c = Cursor(payload);
    let (offset, len) = c.u64().zip(c.u64()).ok_or_else(damaged)?;
    let lead = offset.checked_next_multiple_of(page).ok_or_else(damaged)? - offset;
    let count = len.checked_sub(lead).ok_or_else(damaged)? / page;
    let ids = usize::try_from(count).ok().and_then(|n| c.bytes(n.checked_mul(8)?)).ok_or_else(damaged)?;
    let tail = len - lead - count * page;
    let (lead, tail) = c.bytes(lead as usize).zip(c.bytes(tail as usize)).ok_or_else(damaged)?;
    // Bounded: the ids are there, each stands for one page.
    let mut bytes = payload[..16].to_vec();
    bytes.extend_from_slice(lead);
    for id in ids.as_chunks::<8>().0 {
        let add = |_: u128, page: &[u8]| bytes.extend_from_slice(page);
        trace.with_blob(u64::from_le_bytes(*id), add).map_err(|e| e.to_string())?;
    }
    bytes.extend_from_slice(tail);
    let whole = bytes.len() as u64 == 16 + len;
    bytes.resize(crate::record::padded(bytes.len()), 0);
    if whole { Ok(bytes) } else { Err("a page has another size".into()) }
}
