//! A trace file in the making.
//!
//! Owns chunks, totals, index and footer; takes records in their final order. Invariants: what is on disk is at any time
//! a valid unfinished trace; blobs are there before the events that name them; when the disk is full the trace ends at
//! one place of the order, says so, and everything after is dropped without an error.

use std::collections::HashSet;
use std::io;

use serde_json::{Map, Value, json};

use crate::chunk::{ChunkHeader, ChunkKind, Compression, Encoder, Names};
use crate::clock::Instant3;
use crate::fact;
use crate::layout::{self, ChunkState, Cursor, Entry, FileHeader, Footer, KINDS, ThreadState};
use crate::merge::Gap;
use crate::pack::Packer;
use crate::record::{AFTER, GapReason, HEADER, Header, Kind, LEAVES, ORDERED, Record, SEQUENCE, TICKS, head_size};
use crate::ring::Reading;
use crate::store::{self, Store};
use crate::wanted;

/// A chunk of events is closed when it has this many bytes of records: frames are much like each other, and compress well
/// where several are in one chunk.
pub const CHUNK: usize = 2 << 20;
/// A frame begins in a new chunk if the chunk has at least this many bytes of records.
pub const FRAME_CHUNK: usize = 1 << 20;
/// Longest payload that is joined from parts, and longest blob, in bytes.
pub const MAX_JOINED: u64 = 512 << 20;
/// The unit in which equal memory is found, in bytes.
pub const PAGE: usize = 4096;
/// Entries on one page of the chunk table.
const PAGE_ENTRIES: usize = 1024;
/// So many threads that were removed are worth to be forgotten.
const MANY_REMOVED: usize = 64;
/// Address ranges kept for the table.
const MAX_RANGES: usize = 1 << 20;

/// Where the bytes of a trace go.
pub trait Output {
    /// Appends all bytes, or, on an error, none.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Makes sure that so many bytes can still be appended, where that can be known.
    fn reserve(&mut self, bytes: u64) -> io::Result<()>;
}

/// The inner error of an [`Output`] whose file would become larger than was asked for: the trace ends there as on a full
/// disk, but says that it was asked to.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the trace has the size that was asked for, {0} bytes")]
pub struct SizeReached(pub u64);

impl Output for Vec<u8> {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.extend_from_slice(bytes);
        Ok(())
    }
    fn reserve(&mut self, _bytes: u64) -> io::Result<()> {
        Ok(())
    }
}

/// A blob whose pieces are still coming.
#[derive(Default)]
struct Assembly {
    number: u32,
    total: u64,
    bytes: Vec<u8>,
}

#[derive(Default)]
struct Thread {
    id: u32,
    ticks: u64,
    removed: bool,
    /// Payload that came ahead of its record.
    parts: Vec<u8>,
    too_long: bool,
    assembly: Option<Assembly>,
    /// Blobs that the next record may name.
    bindings: Vec<(u32, u64)>,
    name: String,
    os_id: u64,
    recorded: bool,
}

impl Thread {
    /// What the trace says of it at its end: number, the system's number, name.
    fn said(self) -> Option<(u32, u64, String)> {
        (self.recorded || self.os_id != 0).then_some((self.id, self.os_id, self.name))
    }
}

/// Where a recording stands: enough to go on with it.
#[derive(Clone, Debug, Default)]
pub struct Resume {
    /// Totals so far.
    pub totals: Footer,
    /// The chunks so far.
    pub entries: Vec<Entry>,
    /// The threads at the end.
    pub threads: Vec<ThreadState>,
    /// Address ranges so far.
    pub ranges: Vec<(u32, u64, u64)>,
    /// Meta so far.
    pub meta: Map<String, Value>,
}

/// A thread's progress, for [`TraceFile::flush`].
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Records before this position of its ring are given to the file, whole.
    pub stored_to: u64,
    /// The calls that are open.
    pub open: Vec<u64>,
}

/// The file.
pub struct TraceFile<O> {
    out: O,
    place: u64,
    encoder: Encoder,
    store: Store,
    entries: Vec<Entry>,
    totals: Footer,
    /// As of the last chunk written: what remains true when the disk is full.
    written: Footer,
    threads: Vec<Thread>,
    /// Threads that are forgotten, as [`Thread::said`] has them.
    ended: Vec<(u32, u64, String)>,
    state: ChunkState,
    current: Option<usize>,
    events: Packer,
    /// A record that is put together, or a chunk of events.
    scratch: Vec<u8>,
    first_call: u64,
    first_sequence: u64,
    first_frame: u32,
    methods: Vec<u64>,
    /// Methods that may give out objects.
    giving: Vec<u64>,
    /// What waits says what numbers stand for.
    names: bool,
    meta: Map<String, Value>,
    ranges: Vec<(u32, u64, u64)>,
    cut: Option<String>,
    /// The cut is the size that was asked for, not a full disk.
    capped: bool,
    end: Option<Instant3>,
}

impl<O: Output> TraceFile<O> {
    /// Begins a trace: writes the header and what the program says of itself.
    pub fn create(mut out: O, header: &FileHeader, description: Map<String, Value>) -> io::Result<TraceFile<O>> {
        let bytes = header.to_bytes();
        out.append(&bytes)?;
        let totals = Footer { sequence: 1, ..Footer::default() };
        let mut file =
            TraceFile::resume(out, bytes.len() as u64, Resume { totals, meta: description, ..Resume::default() })?;
        let meta = serde_json::to_vec(&file.meta).unwrap_or_default();
        file.totals.places[1] = file.place;
        file.chunk(ChunkKind::Meta, 0, 0, &meta, false)?;
        Ok(file)
    }

    /// Goes on with a trace that ends at `place`; `out` takes what comes there.
    pub fn resume(out: O, place: u64, from: Resume) -> io::Result<TraceFile<O>> {
        let Resume { totals, entries, threads, ranges, meta } = from;
        let state = ChunkState { closed: Instant3::default(), threads };
        let threads = state.threads.iter().map(|t| Thread { id: t.thread, ticks: t.ticks, ..Thread::default() });
        Ok(TraceFile {
            out,
            place,
            encoder: Encoder::new()?,
            store: Store::new(totals.blobs),
            entries,
            written: totals.clone(),
            threads: threads.collect(),
            ended: Vec::new(),
            current: None,
            events: Packer::default(),
            scratch: Vec::new(),
            first_call: totals.calls,
            first_sequence: totals.sequence,
            first_frame: totals.frames,
            methods: vec![0; 1 << 10],
            giving: vec![u64::MAX; 1 << 10],
            names: false,
            meta,
            ranges,
            cut: None,
            capped: false,
            end: None,
            state,
            totals,
        })
    }

    /// Says how far chunks are compressed that come from here on.
    pub fn set_compression(&mut self, compression: Compression) {
        self.encoder.compression = compression;
    }

    /// Says which methods may give out objects; without it, all that return do.
    pub fn set_giving(&mut self, gives: &dyn Fn(u16) -> bool) {
        self.giving.fill(0);
        for method in (0..=u16::MAX).filter(|method| gives(*method)) {
            self.giving[usize::from(method / 64)] |= 1 << (method % 64);
        }
    }

    /// Adds a thread; gives the index that the other functions call it by.
    pub fn add_thread(&mut self, id: u32, os_id: u64, name: &str) -> usize {
        if let Some(known) = self.threads.iter().position(|t| t.id == id) {
            (self.threads[known].os_id, self.threads[known].name) = (os_id, name.into());
            return known;
        }
        self.state.threads.push(ThreadState { thread: id, ..ThreadState::default() });
        self.threads.push(Thread { id, os_id, name: name.into(), ..Thread::default() });
        self.threads.len() - 1
    }

    /// Number of threads that were added and not forgotten.
    pub fn thread_count(&self) -> usize {
        self.threads.len()
    }

    /// The thread's ring is gone and everything in it is stored.
    pub fn remove_thread(&mut self, thread: usize) {
        self.threads[thread].removed = true;
    }

    /// Forgets the threads that were removed, but for what the trace says of them at its end, and gives where the others
    /// are now, by where they were; `None` while that is not worth it, or while something waits to be written.
    pub fn forget_removed(&mut self) -> Option<Vec<usize>> {
        let removed = self.threads.iter().filter(|t| t.removed).count();
        if removed < MANY_REMOVED || 2 * removed < self.threads.len() || self.has_pending() {
            return None;
        }
        let mut places = Vec::with_capacity(self.threads.len());
        let mut removed = HashSet::new();
        for thread in std::mem::take(&mut self.threads) {
            places.push(self.threads.len());
            if thread.removed {
                removed.insert(thread.id);
                self.ended.extend(thread.said());
            } else {
                self.threads.push(thread);
            }
        }
        self.state.threads.retain(|state| !removed.contains(&state.thread));
        self.current = None;
        Some(places)
    }

    /// Whether the thread waits for the rest of a blob or of a payload: its ring should not be given back further than
    /// the beginning of that, where it can be helped.
    pub fn is_collecting(&self, thread: usize) -> bool {
        let t = &self.threads[thread];
        !t.parts.is_empty() || t.assembly.is_some() || !t.bindings.is_empty()
    }

    /// What has been written, without the rest: a trace whose writer was killed.
    pub fn into_output(self) -> O {
        self.out
    }

    /// Totals so far.
    pub fn totals(&self) -> &Footer {
        &self.totals
    }

    /// Why nothing is stored any more, if so.
    pub fn cut(&self) -> Option<&str> {
        self.cut.as_deref()
    }

    /// Whether the file has reached the size that was asked for: see [`SizeReached`].
    pub fn is_capped(&self) -> bool {
        self.capped
    }

    /// Sets the instant at which the recording ended, where that is not when the file is finished.
    pub fn set_end(&mut self, end: Instant3) {
        self.end = Some(end);
    }

    /// Adds to what the trace says of itself.
    pub fn set_meta(&mut self, key: &str, value: Value) {
        self.meta.insert(key.into(), value);
    }

    /// Takes a part or a piece of a blob.
    pub fn prefix(&mut self, thread: usize, record: &Record<'_>) {
        self.count(record);
        if self.cut.is_some() {
            return;
        }
        let t = &mut self.threads[thread];
        if record.kind == Kind::Part {
            if (t.parts.len() + record.payload.len()) as u64 > MAX_JOINED {
                t.too_long = true;
            } else {
                t.parts.extend_from_slice(record.payload);
            }
            return;
        }
        let number = record.header.ordinal;
        let mut c = Cursor(record.payload);
        let (Some(total), Some(offset)) = (c.u64(), c.u64()) else {
            return self.broken_blob(thread, number);
        };
        let piece = &c.0[..c.0.len().min(usize::try_from(total.saturating_sub(offset)).unwrap_or(usize::MAX))];
        if offset == 0 && piece.len() as u64 == total {
            let id = self.store.insert(piece);
            self.threads[thread].bindings.push((number, id));
            return;
        }
        if offset == 0 {
            t.assembly = Some(Assembly { number, total, bytes: Vec::new() });
        }
        let fits = |a: &&mut Assembly| (a.number, a.total, a.bytes.len() as u64) == (number, total, offset);
        let Some(assembly) = t.assembly.as_mut().filter(fits).filter(|_| total <= MAX_JOINED) else {
            t.assembly = None;
            // Said once, at the blob's end.
            if offset + piece.len() as u64 >= total {
                self.broken_blob(thread, number);
            }
            return;
        };
        assembly.bytes.extend_from_slice(piece);
        if assembly.bytes.len() as u64 == total {
            let id = self.store.insert(&assembly.bytes);
            t.assembly = None;
            t.bindings.push((number, id));
        }
    }

    fn broken_blob(&mut self, thread: usize, number: u32) {
        let text = format!("blob {number} of thread {} is incomplete or too long", self.threads[thread].id);
        self.gap_text(Some(thread), GapReason::IncompleteBlob, &text);
    }

    /// Takes the next record of the order.
    #[inline]
    pub fn record(&mut self, thread: usize, record: &Record<'_>, late: bool) {
        if matches!(record.kind, Kind::Enter | Kind::Leave) && !late && self.takes_plainly(thread) {
            self.count(record);
            self.note_call(record);
            self.put(thread, record, record.kind, &[record.payload]);
            self.totals.calls += u64::from(record.kind == Kind::Enter);
        } else {
            self.record_any(thread, record, late);
        }
    }

    /// Whether a record of the thread goes in as it is: it is the one whose records were last, and nothing came ahead.
    #[inline]
    pub fn takes_plainly(&self, thread: usize) -> bool {
        let t = &self.threads[thread];
        let nothing_ahead = !t.too_long && t.parts.is_empty() && t.bindings.is_empty();
        self.current == Some(thread) && t.recorded && nothing_ahead && self.cut.is_none()
    }

    /// Takes the enter record of a light call: its header, and the whole record. Only while [`TraceFile::takes_plainly`].
    /// False when the chunk is full.
    #[inline]
    pub fn light(&mut self, thread: usize, header: Header, record: &[u8]) -> bool {
        let kind = &mut self.totals.kinds[Kind::Enter as usize];
        kind.0 += 1;
        kind.1 += (record.len() - HEADER) as u64;
        self.totals.calls += 1;
        self.note_method(header.method);
        // The order of the events says the ordinal, which is the upper half of the header's last word.
        let keep = if header.flags & ORDERED != 0 { u32::MAX.into() } else { u64::MAX };
        match record.split_at_checked(HEADER).and_then(|(head, rest)| Some((head, rest.split_first_chunk::<8>()?))) {
            Some((head, (ticks, payload))) if header.flags & TICKS != 0 => {
                self.totals.kinds[Kind::Enter as usize].1 -= 8;
                let delta = self.tick(thread, u64::from_le_bytes(*ticks));
                self.scratch.clear();
                self.scratch.extend_from_slice(head);
                self.scratch.extend_from_slice(&delta.to_le_bytes());
                self.scratch.extend_from_slice(payload);
                self.events.push_some(&self.scratch, keep);
            }
            _ => self.events.push_some(record, keep),
        }
        self.events.records() < CHUNK
    }

    /// Notes a time stamp of the thread; gives its difference from the last one.
    #[inline]
    fn tick(&mut self, thread: usize, ticks: u64) -> u64 {
        let (first, last) = &mut self.totals.ticks;
        *first = if *first == 0 { ticks } else { (*first).min(ticks) };
        *last = (*last).max(ticks);
        let before = std::mem::replace(&mut self.threads[thread].ticks, ticks);
        ticks.wrapping_sub(before)
    }

    #[inline]
    fn note_method(&mut self, method: u16) {
        self.methods[usize::from(method / 64)] |= 1 << (method % 64);
    }

    /// Notes the method of a record of a call, and whether the call may give out objects: not if it has no leave.
    #[inline]
    fn note_call(&mut self, record: &Record<'_>) {
        let Header { method, flags, .. } = record.header;
        self.note_method(method);
        let returns = record.kind == Kind::Leave || flags & LEAVES != 0;
        self.names |= returns && self.giving[usize::from(method / 64)] >> (method % 64) & 1 != 0;
    }

    #[inline(never)]
    fn record_any(&mut self, thread: usize, record: &Record<'_>, late: bool) {
        self.count(record);
        if self.cut.is_some() {
            return;
        }
        if late {
            let text = format!("a record of kind {:?} came after its place had been given up", record.kind);
            self.gap_text(Some(thread), GapReason::Late, &text);
        }
        let t = &mut self.threads[thread];
        if !t.recorded {
            t.recorded = true;
            self.totals.threads += 1;
        }
        if t.too_long {
            t.too_long = false;
            t.parts.clear();
            let text = format!("the payload of a call of method {} is too long", record.header.method);
            self.gap_text(Some(thread), GapReason::Capture, &text);
        }
        let parts = std::mem::take(&mut self.threads[thread].parts);
        self.switch(thread);
        if !self.threads[thread].bindings.is_empty() {
            self.bind(thread);
        }
        match record.kind {
            Kind::Enter | Kind::Leave => {
                self.note_call(record);
                self.put(thread, record, record.kind, &[&parts, record.payload]);
            }
            Kind::Memory if parts.is_empty() => self.memory(thread, record),
            Kind::Fact => {
                self.put(thread, record, record.kind, &[&parts, record.payload]);
                self.fact(record, &parts);
            }
            _ => self.put(thread, record, record.kind, &[&parts, record.payload]),
        }
        match record.kind {
            Kind::Enter => self.totals.calls += 1,
            Kind::Frame => self.totals.frames += 1,
            Kind::Gap => self.totals.gaps += 1,
            _ => {}
        }
    }

    #[inline]
    fn count(&mut self, record: &Record<'_>) {
        let kind = &mut self.totals.kinds[record.kind as usize % KINDS];
        kind.0 += 1;
        kind.1 += record.payload.len() as u64;
    }

    /// Stores that something found by the merge is missing here.
    pub fn gap(&mut self, thread: Option<usize>, gap: &Gap) {
        let Gap { first, count, object, .. } = *gap;
        let text = match (gap.reason, gap.malformed) {
            (GapReason::MissingSequence, _) => format!("{count} records from sequence number {first} on are missing"),
            (GapReason::MissingOrdinal, _) => format!("{count} calls of object {object} are missing"),
            (_, Some(malformed)) => {
                format!("ring position {first}: {malformed}; {count} bytes and all that follow are lost")
            }
            (reason, None) => format!("{reason:?}: {count} from {first} on"),
        };
        self.gap_text(thread, gap.reason, &text);
    }

    /// Stores that something is missing here.
    pub fn gap_text(&mut self, thread: Option<usize>, reason: GapReason, text: &str) {
        if self.cut.is_some() {
            return;
        }
        if let Some(thread) = thread.or(self.current).or((!self.threads.is_empty()).then_some(0)) {
            self.switch(thread);
        }
        self.put_gap(reason, text);
    }

    /// Stores that a thread died while it read the arguments of a call.
    pub fn unread(&mut self, thread: usize, call: Reading) {
        if self.cut.is_some() {
            return;
        }
        self.switch(thread);
        self.note_method(call.method);
        let text = "the thread died while the arguments of this call were being read: a pointer among them is bad, or the \
            program was killed at that instant; the call did not reach the runtime";
        let Reading { method, object } = call;
        put_gap(&mut self.events, Header { method, object, ..Header::default() }, GapReason::UnreadArguments, text);
        self.totals.gaps += 1;
    }

    fn put_gap(&mut self, reason: GapReason, text: &str) {
        put_gap(&mut self.events, Header::default(), reason, text);
        self.totals.gaps += 1;
    }

    fn switch(&mut self, thread: usize) {
        if self.current != Some(thread) {
            self.current = Some(thread);
            let header = Header { kind: Kind::Thread as u8, object: self.threads[thread].id, ..Header::default() };
            put_plain(&mut self.events, header, &[]);
        }
    }

    fn bind(&mut self, thread: usize) {
        for (number, id) in self.threads[thread].bindings.drain(..) {
            let header = Header { kind: Kind::Blob as u8, ordinal: number, ..Header::default() };
            put_plain(&mut self.events, header, &id.to_le_bytes());
        }
    }

    /// Appends a record as the file has it: what the order already says (ordinals, AFTER) left out, numbers as their
    /// difference from what is expected. So equal calls are equal bytes, which compress to nothing.
    #[inline]
    fn put(&mut self, thread: usize, record: &Record<'_>, kind: Kind, pieces: &[&[u8]]) {
        let flags = record.header.flags & !AFTER;
        let payload: usize = pieces.iter().map(|p| p.len()).sum();
        let ordinal = if flags & ORDERED != 0 { 0 } else { record.header.ordinal };
        let size = head_size(flags) + crate::record::padded(payload);
        let header = Header { size: size as u32, kind: kind as u8, flags, ordinal, ..record.header };
        let mut words = [0; 2];
        let mut count = 0;
        if flags & SEQUENCE != 0 {
            words[count] = record.sequence.wrapping_sub(self.totals.sequence);
            self.totals.sequence = record.sequence.wrapping_add(1);
            count += 1;
        }
        if flags & TICKS != 0 {
            words[count] = self.tick(thread, record.ticks);
            count += 1;
        }
        self.scratch.clear();
        self.scratch.extend_from_slice(&header.to_bytes());
        for word in &words[..count] {
            self.scratch.extend_from_slice(&word.to_le_bytes());
        }
        for piece in pieces {
            self.scratch.extend_from_slice(piece);
        }
        self.scratch.resize(size, 0);
        self.events.push(&self.scratch);
    }

    /// Memory goes in page by page, each content once.
    fn memory(&mut self, thread: usize, record: &Record<'_>) {
        let mut c = Cursor(record.payload);
        let (Some(offset), Some(len)) = (c.u64(), c.u64()) else {
            return self.put(thread, record, Kind::Memory, &[record.payload]);
        };
        let whole = offset.checked_next_multiple_of(PAGE as u64).map(|p| (p - offset) as usize);
        let bytes = usize::try_from(len).ok().and_then(|len| c.bytes(len));
        let (Some(lead), Some(bytes)) = (whole, bytes) else {
            return self.put(thread, record, Kind::Memory, &[record.payload]);
        };
        if bytes.len() < lead + PAGE {
            return self.put(thread, record, Kind::Memory, &[record.payload]);
        }
        let (lead, rest) = bytes.split_at(lead);
        let (pages, tail) = rest.as_chunks::<PAGE>();
        let mut ids = Vec::with_capacity(8 * pages.len());
        for page in pages {
            ids.extend_from_slice(&self.store.insert(page).to_le_bytes());
        }
        self.put(thread, record, Kind::Pages, &[&record.payload[..16], &ids, lead, tail]);
    }

    fn fact(&mut self, record: &Record<'_>, parts: &[u8]) {
        let payload = [parts, record.payload].concat();
        let mut c = Cursor(&payload);
        let (Some(kind), Some(_)) = (c.u32(), c.u32()) else { return };
        self.names |= matches!(kind, fact::ADDRESS_RANGE | fact::DESCRIPTOR_HEAP);
        match kind {
            fact::META => {
                let text = c.0.split(|&b| b == 0).next().unwrap_or(&[]);
                if let Ok(Value::Object(more)) = serde_json::from_slice(text) {
                    self.meta.extend(more);
                }
            }
            fact::ADDRESS_RANGE if self.ranges.len() < MAX_RANGES => {
                if let (Some(address), Some(bytes)) = (c.u64(), c.u64()) {
                    self.ranges.push((record.header.object, address, bytes));
                }
            }
            _ => wanted::note(&mut self.meta, kind, c.u32().unwrap_or(0), self.totals.frames),
        }
    }

    /// Whether enough has come together for a chunk. `frame_ended`: the last record ended a frame.
    #[inline]
    pub fn is_full(&self, frame_ended: bool) -> bool {
        self.events.records() >= if frame_ended { FRAME_CHUNK } else { CHUNK } || self.store.pending() >= store::GROUP
    }

    /// Whether anything waits to be written.
    pub fn has_pending(&self) -> bool {
        self.events.records() > 0 || self.store.pending() > 0
    }

    /// Writes what waits. `progress` says where each thread stands; whether the file says so now, too, is the result: only
    /// then may the rings be given back. `force`: say it even if there are no new events.
    pub fn flush(&mut self, force: bool, mut progress: impl FnMut(usize) -> Progress) -> io::Result<bool> {
        if self.cut.is_some() {
            self.drop_pending();
            return Ok(true);
        }
        let result = self.flush_chunks(force, &mut progress);
        self.accept(result)
    }

    /// A full disk ends the trace, not the writer.
    fn accept(&mut self, result: io::Result<bool>) -> io::Result<bool> {
        let error = match result {
            Ok(written) => return Ok(written),
            Err(error) => error,
        };
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        if !matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge) {
            return Err(error);
        }
        self.capped = error.get_ref().is_some_and(|inner| inner.is::<SizeReached>());
        let next = self.written.sequence;
        self.cut = Some(format!("{error}; nothing from sequence number {next} on is stored"));
        let kinds = self.totals.kinds;
        self.totals = self.written.clone();
        self.totals.kinds = kinds;
        self.drop_pending();
        Ok(true)
    }

    fn drop_pending(&mut self) {
        self.events.clear();
        self.store.take();
        for t in &mut self.threads {
            (t.assembly, t.too_long) = (None, false);
            t.parts.clear();
            t.bindings.clear();
        }
    }

    fn flush_chunks(&mut self, force: bool, progress: &mut dyn FnMut(usize) -> Progress) -> io::Result<bool> {
        if let Some((first, count, payload)) = self.store.take() {
            let header = ChunkHeader { first, count, ..empty_header(ChunkKind::Blobs) };
            self.write(header, &payload, true)?;
            self.totals.blobs = self.store.next();
            self.written.blobs = self.totals.blobs;
        }
        let records = self.events.records() as u32;
        if records == 0 && !force {
            return Ok(false);
        }
        let mut next = Vec::with_capacity(self.threads.len());
        // Both lists are in the order in which the threads came.
        let mut known = self.state.threads.iter_mut().peekable();
        for (index, thread) in self.threads.iter().enumerate() {
            let Progress { stored_to, open } = progress(index);
            let id = thread.id;
            if let Some(state) = known.next_if(|state| state.thread == id)
                && !thread.removed
            {
                state.stored_to = stored_to;
            }
            if !thread.removed {
                next.push(ThreadState { thread: id, stored_to, ticks: thread.ticks, open });
            }
        }
        self.state.closed = self.end.unwrap_or_else(Instant3::now);
        let mut payload = std::mem::take(&mut self.scratch);
        payload.clear();
        self.events.put(&mut payload);
        self.state.put(&mut payload);
        let header = ChunkHeader {
            first: self.first_call,
            sequence: self.first_sequence,
            frame: self.first_frame,
            count: (self.totals.calls - self.first_call) as u32,
            records,
            names: if self.names { Names::Some } else { Names::None },
            ..empty_header(ChunkKind::Events)
        };
        let result = self.write(header, &payload, true);
        self.scratch = payload;
        result?;
        self.events.clear();
        self.names = false;
        self.state.threads = next;
        self.current = None;
        self.first_call = self.totals.calls;
        self.first_sequence = self.totals.sequence;
        self.first_frame = self.totals.frames;
        self.written = self.totals.clone();
        Ok(true)
    }

    fn chunk(&mut self, kind: ChunkKind, first: u64, count: u32, payload: &[u8], keep: bool) -> io::Result<()> {
        self.write(ChunkHeader { first, count, ..empty_header(kind) }, payload, keep)
    }

    fn write(&mut self, mut header: ChunkHeader, payload: &[u8], keep_reserve: bool) -> io::Result<()> {
        let bytes = self.encoder.encode(&mut header, payload)?;
        if keep_reserve {
            // Room for everything that `finish` writes.
            let tables = (self.entries.len() + 64) * layout::ENTRY + self.ranges.len() * 24;
            self.out.reserve(bytes.len() as u64 + tables as u64 + (1 << 20))?;
        }
        self.out.append(bytes)?;
        self.entries.push(Entry { offset: self.place, header });
        self.place += header.total();
        Ok(())
    }

    /// Writes the rest, the index and the footer. `open` are the calls that never ended; `schema` makes the schema of the
    /// methods that occur.
    pub fn finish(
        mut self,
        open: Vec<u64>,
        progress: impl FnMut(usize) -> Progress,
        schema: &dyn Fn(&[u16]) -> Vec<u8>,
    ) -> io::Result<(O, Footer)> {
        self.flush(false, progress)?;
        if let Some(cut) = self.cut.clone() {
            if self.capped {
                // Not a loss: what was asked for.
                let payload = wanted::stop_payload(wanted::Reason::Size);
                put_plain(&mut self.events, Header { kind: Kind::Fact as u8, ..Header::default() }, &payload);
                wanted::note(&mut self.meta, fact::STOP, wanted::Reason::Size as u32, self.totals.frames);
            } else {
                self.meta.insert("cut".into(), json!(cut));
                self.put_gap(GapReason::DiskFull, &cut);
            }
            let records = self.events.records() as u32;
            let mut payload = Vec::new();
            self.events.put(&mut payload);
            ChunkState { closed: Instant3::now(), threads: Vec::new() }.put(&mut payload);
            let totals = &self.totals;
            let header = ChunkHeader {
                first: totals.calls,
                sequence: totals.sequence,
                frame: totals.frames,
                records,
                ..empty_header(ChunkKind::Events)
            };
            self.write(header, &payload, false)?;
        }
        let mut known = std::mem::take(&mut self.ended);
        known.extend(std::mem::take(&mut self.threads).into_iter().filter_map(Thread::said));
        known.sort_by_key(|(id, ..)| *id);
        let mut threads: Vec<Value> =
            known.into_iter().map(|(id, os_id, name)| json!({"thread": id, "os_id": os_id, "name": name})).collect();
        if let Some(Value::Array(earlier)) = self.meta.remove("threads") {
            let is_new = |e: &Value| threads.iter().all(|t| t["thread"] != e["thread"]);
            let mut earlier: Vec<Value> = earlier.into_iter().filter(is_new).collect();
            earlier.append(&mut threads);
            threads = earlier;
        }
        self.meta.insert("threads".into(), threads.into());
        let methods: Vec<u16> =
            (0..=u16::MAX).filter(|&m| self.methods[m as usize / 64] >> (m % 64) & 1 != 0).collect();
        let schema = schema(&methods);
        if !schema.is_empty() {
            self.totals.places[0] = self.place;
            self.chunk(ChunkKind::Schema, 0, 0, &schema, false)?;
        }
        let meta = serde_json::to_vec(&self.meta).map_err(io::Error::other)?;
        self.totals.places[1] = self.place;
        self.chunk(ChunkKind::Meta, 0, 0, &meta, false)?;
        let mut ranges = Vec::with_capacity(24 * self.ranges.len());
        for (object, address, bytes) in &self.ranges {
            for word in [u64::from(*object), *address, *bytes] {
                ranges.extend_from_slice(&word.to_le_bytes());
            }
        }
        self.totals.places[2] = self.place;
        self.chunk(ChunkKind::Ranges, 0, self.ranges.len() as u32, &ranges, false)?;
        let mut pages = Vec::new();
        let body: Vec<Entry> = self.entries.clone();
        for page in body.chunks(PAGE_ENTRIES) {
            let mut payload = Vec::with_capacity(page.len() * layout::ENTRY);
            page.iter().for_each(|entry| entry.put(&mut payload));
            pages.push(self.place);
            self.chunk(ChunkKind::Index, 0, page.len() as u32, &payload, false)?;
        }
        self.totals.end = self.end.unwrap_or_else(Instant3::now);
        self.totals.pages = pages;
        self.totals.open = if self.cut.is_some() { Vec::new() } else { open };
        let place = self.place;
        let footer = self.totals.to_bytes();
        self.chunk(ChunkKind::Footer, 0, 0, &footer, false)?;
        let len = self.place + layout::TRAILER as u64;
        self.out.append(&layout::trailer(place, len))?;
        Ok((self.out, self.totals))
    }
}

fn empty_header(kind: ChunkKind) -> ChunkHeader {
    ChunkHeader {
        kind,
        compressed: false,
        stored: 0,
        raw: 0,
        checksum: 0,
        first: 0,
        sequence: 0,
        frame: 0,
        count: 0,
        records: 0,
        names: Names::Unknown,
    }
}

fn put_plain(to: &mut Packer, header: Header, payload: &[u8]) {
    let size = HEADER + crate::record::padded(payload.len());
    let mut record = Header { size: size as u32, ..header }.to_bytes().to_vec();
    record.extend_from_slice(payload);
    record.resize(size, 0);
    to.push(&record);
}

fn put_gap(to: &mut Packer, about: Header, reason: GapReason, text: &str) {
    let mut payload = (reason as u64).to_le_bytes().to_vec();
    payload.extend_from_slice(text.as_bytes());
    put_plain(to, Header { kind: Kind::Gap as u8, ..about }, &payload);
}

/// A chunk that says only what is missing before the chunk of events `next`.
pub(crate) fn gap_chunk(next: &ChunkHeader, texts: &[String]) -> (ChunkHeader, Vec<u8>) {
    let mut events = Packer::default();
    texts.iter().for_each(|text| put_gap(&mut events, Header::default(), GapReason::DamagedChunk, text));
    let records = events.records() as u32;
    let mut payload = Vec::new();
    events.put(&mut payload);
    ChunkState::default().put(&mut payload);
    let header = ChunkHeader {
        first: next.first,
        sequence: next.sequence,
        frame: next.frame,
        records,
        ..empty_header(ChunkKind::Events)
    };
    (header, payload)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::read::Trace;

    /// Found by the fuzzer `trace`: pages that are too short to say how many bytes they stand for.
    #[test]
    fn pages_cut_short_are_read_without_an_index() {
        let mut file = TraceFile::create(Vec::new(), &FileHeader::default(), Map::new()).unwrap();
        let thread = file.add_thread(0, 1, "");
        let header = Header { kind: Kind::Pages as u8, ..Header::default() };
        let record = Record { header, kind: Kind::Pages, sequence: 0, ticks: 0, after: 0, payload: &[] };
        file.put(thread, &record, Kind::Pages, &[record.payload]);
        let (bytes, _) = file.finish(Vec::new(), |_| Progress::default(), &|_| Vec::new()).unwrap();
        let whole = Trace::from_bytes(bytes.clone()).unwrap();
        // Without its last bytes the footer is none, and everything is counted from the records.
        let cut = Trace::from_bytes(bytes[..bytes.len() - 8].to_vec()).unwrap();
        for trace in [whole, cut] {
            let mut events = trace.events();
            while events.next().unwrap().is_some() {}
        }
    }
}
