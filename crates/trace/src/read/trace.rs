//! An opened trace: its tables, its blobs, and where to begin reading events.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::clock::{Clock, Instant3};
use crate::file::blobs;
use crate::file::blocks::Blocks;
use crate::file::chunk::ChunkKind;
use crate::file::cursor::Cursor;
use crate::file::layout::{Entry, FileHeader, Footer, HEADER, RANGE, Range};
use crate::read::blob_chunks::BlobChunks;
use crate::read::damage::{Damage, Ledger, Place};
use crate::read::decode::EventChunk;
use crate::read::division::Division;
use crate::read::error::ReadError;
use crate::read::event::Event;
use crate::read::index::{self, Stretch, Tables};
use crate::read::source::Source;
use crate::read::translate::Translate;
use crate::record::Kind;

/// What `info` shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Frame boundaries.
    pub frames: u32,
    /// Calls.
    pub calls: u64,
    /// Calls that the program made, where a full disk kept some of them out and they were counted.
    pub calls_made: Option<u64>,
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
    pub finished: bool,
    /// Whether it was finished and the recording lost nothing: no full disk or lost thread ended it before the program.
    pub complete: bool,
}

/// An opened trace. May be used from several threads at a time.
#[derive(Debug)]
pub struct Trace {
    pub(crate) source: Source,
    pub(crate) header: FileHeader,
    pub(crate) stretches: Vec<Stretch>,
    pub(crate) events: Vec<Stretch>,
    pub(crate) blobs: Vec<Entry>,
    /// The tables at the end, where the writer finished the file and they are sound.
    pub(crate) tables: Option<Tables>,
    pub(crate) totals: Footer,
    statistics: Statistics,
    pub(crate) clock: Clock,
    schema: Vec<u8>,
    pub(crate) meta: Value,
    pub(crate) ranges: Option<Vec<Range>>,
    pub(crate) blob_chunks: BlobChunks,
    /// For chunks of events.
    pub(crate) blocks: Blocks,
    /// What readers found damaged.
    pub(crate) damage: Ledger,
    translation: OnceLock<Arc<dyn Translate>>,
    /// Where submissions stand for frames.
    pub(crate) division: OnceLock<Division>,
    /// Where a reader chose what ends frames.
    pub(crate) chosen: OnceLock<Division>,
}

/// XXH3-128 of a content: what [`Trace::blob_hash`] is for a blob that is sound.
pub fn content_hash(bytes: &[u8]) -> u128 {
    xxhash_rust::xxh3::xxh3_128(bytes)
}

impl Trace {
    /// Takes a trace from where its bytes are. Without sound tables its chunks are found, and [`Trace::tables`] is `None`:
    /// salvage counts them then.
    pub(crate) fn from_source(path: &Path, source: Source) -> Result<Trace, ReadError> {
        let head = source.read(0, source.len().min(HEADER as u64)).unwrap_or_default();
        let header = FileHeader::from_bytes(&head).map_err(|reason| ReadError::Header { path: path.into(), reason })?;
        let clock = Clock { start: header.start, frequency: 0 };
        let mut trace = Trace {
            source,
            header,
            stretches: Vec::new(),
            events: Vec::new(),
            blobs: Vec::new(),
            tables: None,
            totals: Footer::default(),
            statistics: Statistics::default(),
            clock,
            schema: Vec::new(),
            meta: Value::Null,
            ranges: None,
            blob_chunks: BlobChunks::default(),
            blocks: Blocks::default(),
            damage: Ledger::default(),
            translation: OnceLock::new(),
            division: OnceLock::new(),
            chosen: OnceLock::new(),
        };
        match index::load(&trace.source) {
            Ok(tables) => {
                trace.stretches = tables.entries.iter().copied().map(Stretch::Chunk).collect();
                trace.totals = tables.footer.clone();
                trace.tables = Some(tables);
            }
            Err(damage) => {
                trace.stretches = index::scan(&trace.source, HEADER as u64);
                let damage = damage.or_else(|| index::lost_trailer(&trace.source, &trace.stretches));
                damage.into_iter().for_each(|damage| trace.damage.note(damage));
            }
        }
        trace.sort_stretches();
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

    /// Reads the trace's schema and meta, and sums up.
    pub(crate) fn describe(&mut self) {
        let last = |kind| {
            let chunks = self.stretches.iter().rev().filter_map(|s| match s {
                Stretch::Chunk(entry) if entry.header.kind == kind => Some(entry),
                _ => None,
            });
            let payload = |entry: &Entry| self.sound(index::payload(&self.source, entry));
            chunks.into_iter().find_map(|entry| Some((*entry, payload(entry)?)))
        };
        let schema = last(ChunkKind::Schema).map(|(_, bytes)| bytes).unwrap_or_default();
        let meta = last(ChunkKind::Meta).and_then(|(entry, bytes)| self.sound(parse_meta(&entry, &bytes)));
        self.schema = schema;
        if let Some(meta) = meta.filter(|_| self.meta.is_null()) {
            self.meta = meta;
        }
        for stretch in &self.stretches {
            if let Stretch::Hole(offset, len) = stretch {
                self.damage.note(hole(*offset, *len));
            }
        }
        let t = &self.totals;
        self.clock = Clock::between(self.header.start, t.end);
        let kinds = (0u8..).zip(t.kinds).filter(|(_, (records, _))| *records > 0);
        self.statistics = Statistics {
            frames: t.frames,
            calls: t.calls,
            calls_made: self.calls_made(),
            threads: t.threads,
            duration_ns: self.clock.nanoseconds(t.ticks.1).saturating_sub(self.clock.nanoseconds(t.ticks.0)),
            bytes: self.source.base_len(),
            gaps: t.gaps,
            blobs: t.blobs,
            kinds: kinds.filter_map(|(k, (records, bytes))| Some((Kind::from_u8(k)?, records, bytes))).collect(),
            open: t.open.clone(),
            finished: self.tables.is_some(),
            complete: self.tables.is_some() && self.loss().is_none(),
        };
    }

    /// What is sound; notes what is not.
    pub(crate) fn sound<T>(&self, read: Result<T, Damage>) -> Option<T> {
        read.map_err(|damage| self.damage.note(damage)).ok()
    }

    /// The damage that was met so far by whatever read this trace: opening it, its events, its blobs; in the order in which
    /// it was met, each place once. The number says how many further places there are that are not listed.
    /// [`Trace::check`] meets all damage of the file.
    pub fn damage(&self) -> (Vec<Damage>, u64) {
        self.damage.found()
    }

    fn calls_made(&self) -> Option<u64> {
        self.loss()?;
        // Earlier writers counted the records that a full disk kept out among those of the file.
        let (records, _) = self.totals.kinds[Kind::Enter as usize];
        let made = self.meta.get("calls_made").and_then(Value::as_u64).unwrap_or(records);
        (made > self.totals.calls).then_some(made)
    }

    /// What of the recording is lost, and why, as its writer said; an end that the user asked for is no loss.
    pub fn loss(&self) -> Option<&str> {
        self.meta.get("cut")?.as_str()
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

    /// When the recording began, and the instant that its clock was compared with last. A line through the two turns ticks into
    /// time.
    pub fn instants(&self) -> (Instant3, Instant3) {
        (self.header.start, self.totals.end)
    }

    /// Nanoseconds since 1970 at which the session began.
    pub fn started_ns(&self) -> u64 {
        self.header.start.realtime_ns
    }

    /// Names and layouts of what the trace uses: the bytes that the codec wrote; empty when the writer did not get there.
    pub fn schema(&self) -> &[u8] {
        &self.schema
    }

    /// Gives the events that are read from here on in another model's numbers and layouts. Once for a trace: false where it
    /// has a translation already, which stays.
    pub fn translate(&self, by: Arc<dyn Translate>) -> bool {
        self.translation.set(by).is_ok()
    }

    /// What converts the trace's calls; `None` where they are given as they are.
    pub fn translation(&self) -> Option<&Arc<dyn Translate>> {
        self.translation.get()
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
    ///
    /// # Errors
    /// The table is damaged.
    pub fn address_ranges(&self) -> Result<Vec<Range>, ReadError> {
        if let Some(ranges) = &self.ranges {
            return Ok(ranges.clone());
        }
        let offset = self.totals.places[2];
        let is_table = |entry: &Entry| entry.offset == offset && entry.header.kind == ChunkKind::Ranges;
        let table = self.stretches.iter().find_map(|stretch| match stretch {
            Stretch::Chunk(entry) if is_table(entry) => Some(*entry),
            _ => None,
        });
        let table = table.ok_or_else(|| ReadError::Ranges { offset, reason: "no such chunk is there".into() })?;
        let payload = index::payload(&self.source, &table).inspect_err(|damage| self.damage.note(damage.clone()));
        let payload = payload.map_err(|damage| ReadError::Ranges { offset, reason: damage.what })?;
        let word = |b: &[u8; RANGE], i: usize| Cursor(&b[8 * i..]).u64().unwrap_or(0);
        Ok(payload.as_chunks::<RANGE>().0.iter().map(|b| (word(b, 0) as u32, word(b, 1), word(b, 2))).collect())
    }

    /// Reads and decompresses a chunk of events.
    pub(crate) fn event_chunk(&self, stretch: Stretch) -> Result<(Entry, EventChunk), Damage> {
        let entry = match stretch {
            Stretch::Chunk(entry) => entry,
            Stretch::Hole(offset, len) => return Err(hole(offset, len)),
        };
        let payload = index::payload_in(&self.source, &entry, &self.blocks)?;
        let chunk = EventChunk::new(&entry.header, payload).ok_or_else(|| Damage {
            place: Place::Chunk { offset: entry.offset, kind: entry.header.kind },
            what: "its sections or the state of its threads do not fit its length".into(),
        })?;
        Ok((entry, chunk))
    }

    /// The bytes of the blob that an event's payload names by the thread's number.
    ///
    /// # Errors
    /// The event has no such blob, no chunk has it, or its chunk is damaged.
    pub fn blob(&self, event: &Event<'_>, number: u32) -> Result<Arc<[u8]>, ReadError> {
        let bound = event.blobs.iter().rev().find(|(n, _)| *n == number);
        let (_, id) = bound.ok_or(ReadError::Unbound { call: event.number, number })?;
        self.blob_by_id(*id)
    }

    /// The bytes of a blob by its id in the trace (the second half of [`Event::blobs`]).
    ///
    /// # Errors
    /// No chunk has it, or its chunk is damaged.
    pub fn blob_by_id(&self, id: u64) -> Result<Arc<[u8]>, ReadError> {
        self.with_blob(id, |_, bytes| Arc::from(bytes))
    }

    /// The ids of all blobs that the trace's chunks have, in order. A chunk that is damaged is found out when one of them is read; a count
    /// that its chunk has no room for is not believed.
    pub fn blob_ids(&self) -> impl Iterator<Item = u64> + '_ {
        let count =
            |entry: &Entry| u64::from(entry.header.count).min(u64::from(entry.header.raw) / blobs::ENTRY as u64);
        self.blobs.iter().flat_map(move |entry| (0..count(entry)).map(|at| entry.header.first.saturating_add(at)))
    }

    /// XXH3-128 of a blob's content, as the writer computed it: equal content, equal hash, in any trace.
    ///
    /// # Errors
    /// As [`Trace::blob_by_id`].
    pub fn blob_hash(&self, id: u64) -> Result<u128, ReadError> {
        self.with_blob(id, |hash, _| hash)
    }

    /// How many bytes a blob has.
    ///
    /// # Errors
    /// As [`Trace::blob_by_id`].
    pub fn blob_len(&self, id: u64) -> Result<u64, ReadError> {
        self.with_blob(id, |_, bytes| bytes.len() as u64)
    }

    /// The chunk that has a blob, and its place among those of blobs.
    pub(crate) fn chunk_of_blob(&self, id: u64) -> Option<(usize, &Entry)> {
        let point = self.blobs.partition_point(|entry| entry.header.first <= id);
        let entry = point.checked_sub(1).and_then(|at| Some((at, self.blobs.get(at)?)));
        entry.filter(|(_, e)| id - e.header.first < u64::from(e.header.count))
    }

    fn with_blob<R>(&self, id: u64, f: impl FnOnce(u128, &[u8]) -> R) -> Result<R, ReadError> {
        let (chunk, entry) = self.chunk_with(id)?;
        let found = blobs::find(&chunk, entry.header.count, (id - entry.header.first) as u32);
        found.map(|(hash, bytes)| f(hash, bytes)).ok_or_else(|| self.misfit(id, entry))
    }

    /// Up to `most` blobs of this size from `id` on that lie side by side: their chunk, and where in it. The range is empty where the first
    /// one has another size.
    ///
    /// # Errors
    /// As [`Trace::blob_by_id`].
    pub(crate) fn blobs_side_by_side(
        &self,
        id: u64,
        most: usize,
        size: usize,
    ) -> Result<(Arc<Vec<u8>>, std::ops::Range<usize>), ReadError> {
        let (chunk, entry) = self.chunk_with(id)?;
        let index = (id - entry.header.first) as u32;
        let found = blobs::side_by_side(&chunk, entry.header.count, (index, most), size);
        let range = found.ok_or_else(|| self.misfit(id, entry))?;
        Ok((chunk, range))
    }

    /// The chunk that has a blob, decompressed.
    fn chunk_with(&self, id: u64) -> Result<(Arc<Vec<u8>>, &Entry), ReadError> {
        let missing = || Damage {
            place: Place::Blob { id },
            what: "no chunk has it; it may have been in one that is damaged".into(),
        };
        let (at, entry) = self.chunk_of_blob(id).ok_or_else(|| self.lost_blob(id, 0, missing()))?;
        let chunk = self.blob_chunks.get(at, entry.offset, || self.blob_chunk(entry));
        Ok((chunk.map_err(|damage| self.lost_blob(id, entry.offset, damage))?, entry))
    }

    fn misfit(&self, id: u64, entry: &Entry) -> ReadError {
        let place = Place::Chunk { offset: entry.offset, kind: entry.header.kind };
        self.lost_blob(id, entry.offset, Damage { place, what: "its table does not fit its length".into() })
    }

    /// A blob cannot be read for what is damaged at this offset.
    fn lost_blob(&self, id: u64, offset: u64, damage: Damage) -> ReadError {
        let reason = damage.what.clone();
        self.damage.note(damage);
        ReadError::Blob { id, offset, reason }
    }

    /// Reads a chunk of blobs.
    pub(crate) fn blob_chunk(&self, entry: &Entry) -> Result<Vec<u8>, Damage> {
        index::payload_in(&self.source, entry, self.blob_chunks.blocks())
    }
}

/// Bytes that are no chunk.
fn hole(offset: u64, len: u64) -> Damage {
    Damage { place: Place::Bytes { offset, len }, what: "they are no chunk, or a chunk whose header is damaged".into() }
}

/// The object in a chunk of meta.
pub(crate) fn parse_meta(entry: &Entry, bytes: &[u8]) -> Result<Value, Damage> {
    match serde_json::from_slice(bytes) {
        Ok(meta @ Value::Object(_)) => Ok(meta),
        _ => {
            let place = Place::Chunk { offset: entry.offset, kind: entry.header.kind };
            Err(Damage { place, what: "it is no JSON object".into() })
        }
    }
}
