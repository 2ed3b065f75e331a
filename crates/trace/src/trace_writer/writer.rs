//! The trace writer: records in their final order become a trace file.
//!
//! Owns the chunk of events that is being filled, and the totals. Invariants: after each chunk the file is a valid unfinished
//! trace. A blob's chunk stands before the events that name it. On a full disk the trace ends at one place of the order and
//! says so; later records are dropped without an error.

use std::collections::HashSet;
use std::io;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::clock::Instant3;
use crate::fact;
use crate::file::chunk::{ChunkHeader, ChunkKind, Compression, Names};
use crate::file::cursor::Cursor;
use crate::file::layout::{ChunkState, Entry, FileHeader, Footer, KINDS, PAGE, Range, ThreadState};
use crate::file::pack::Packer;
use crate::merge::Gap;
use crate::record::{
    AFTER, GapReason, HEADER, Header, Kind, LEAVES, ORDERED, Record, SEQUENCE, TICKS, head_size, padded,
};
use crate::shared::ring::Reading;
use crate::trace_writer::blob_store::{self, BlobStore};
use crate::trace_writer::chunk_job::Gain;
use crate::trace_writer::chunked_file::{Appended, ChunkedFile};
use crate::trace_writer::method_set::MethodSet;
use crate::trace_writer::output::{Output, Removed, SizeReached};
use crate::trace_writer::self_description::SelfDescription;
use crate::trace_writer::threads::{BrokenBlob, Threads};
use crate::trace_writer::writer_records::{self, put_gap, put_plain};
use crate::wanted_frames;

pub use crate::trace_writer::threads::MAX_JOINED;

/// A chunk of events is closed when it has this many bytes of records. Frames are much like each other: several of them in
/// one chunk compress well.
pub const CHUNK: usize = 2 << 20;
/// A frame begins in a new chunk if the chunk has at least this many bytes of records.
pub const FRAME_CHUNK: usize = 1 << 20;

/// Calls by which the numbers of one chunk of events rise at most: its header has 32 bits for them.
const MOST_CALLS: u64 = 1 << 31;

/// Where a recording stands: enough to go on with it.
#[derive(Clone, Debug, Default)]
pub struct Resume {
    /// Totals so far.
    pub totals: Footer,
    /// The chunks so far.
    pub entries: Vec<Entry>,
    /// The threads at the end.
    pub threads: Vec<ThreadState>,
    /// The threads that the totals count already, by the numbers of their rings.
    pub counted: HashSet<u32>,
    /// Address ranges so far.
    pub ranges: Vec<Range>,
    /// Meta so far.
    pub meta: Map<String, Value>,
}

/// A thread's progress, for [`TraceWriter::flush`].
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// The writer has all records before this position of the thread's ring, whole. In bytes, as ring positions are.
    pub stored_to: u64,
    /// The calls that are open, outermost first.
    pub open: Vec<u64>,
}

/// Why the writer stores nothing any more.
struct Cut {
    reason: String,
    /// The user asked for this size; the disk is not full.
    capped: bool,
    /// Calls that the program had made so far, with those that are not stored.
    made: u64,
}

/// What the file has, as of the last chunk appended. It remains true when the disk is full.
struct Written {
    totals: Footer,
    /// Chunks of events.
    flushes: u64,
    /// Methods that its last schema describes.
    described: u32,
    /// Entries of the address table for which there is room.
    ranges: usize,
}

/// Where the chunk of events begins that is being filled.
#[derive(Clone, Copy)]
struct Begin {
    /// Calls before it.
    calls: u64,
    sequence: u64,
    frame: u32,
}

impl Begin {
    fn after(totals: &Footer) -> Begin {
        Begin { calls: totals.calls, sequence: totals.sequence, frame: totals.frames }
    }

    /// The header of a chunk of events with so many bytes of records.
    fn header(self, records: u32) -> ChunkHeader {
        let Begin { calls: first, sequence, frame } = self;
        ChunkHeader { first, sequence, frame, records, ..ChunkHeader::empty(ChunkKind::Events) }
    }
}

/// Writes a trace. `O` takes the bytes.
pub struct TraceWriter<O: Output> {
    chunks: ChunkedFile<O>,
    store: BlobStore,
    totals: Footer,
    written: Written,
    /// Chunks of events handed over.
    flushes: u64,
    threads: Threads,
    /// What the next chunk of events says of the threads.
    state: ChunkState,
    events: Packer,
    /// A record that is put together.
    scratch: Vec<u8>,
    begin: Begin,
    /// Methods that occur.
    methods: MethodSet,
    /// How many of them the last schema describes that was handed over.
    described: u32,
    /// Methods that may give out objects.
    giving: MethodSet,
    /// A record of the chunk may say what an object, an address or a descriptor stands for.
    names: bool,
    about: SelfDescription,
    cut: Option<Cut>,
    /// What of the recording is lost, and why: the first loss that was noted.
    loss: Option<String>,
    end: Option<Instant3>,
}

impl<O: Output> TraceWriter<O> {
    /// Begins a trace: writes the header and the program's description of itself.
    ///
    /// # Errors
    /// The output cannot take the bytes.
    pub fn create(mut out: O, header: &FileHeader, description: Map<String, Value>) -> io::Result<TraceWriter<O>> {
        let bytes = header.to_bytes();
        out.append(&bytes)?;
        let totals = Footer { sequence: 1, ..Footer::default() };
        let mut writer =
            TraceWriter::resume(out, bytes.len() as u64, Resume { totals, meta: description, ..Resume::default() })?;
        writer.put_meta()?;
        Ok(writer)
    }

    /// Goes on with a trace that ends at `place`, in bytes from its beginning. `out` takes the bytes from there on.
    ///
    /// # Errors
    /// The compressor cannot be made, for want of memory.
    pub fn resume(out: O, place: u64, from: Resume) -> io::Result<TraceWriter<O>> {
        let Resume { totals, entries, threads, counted, ranges, meta } = from;
        let loss = meta.get("cut").and_then(Value::as_str).map(str::to_owned);
        Ok(TraceWriter {
            chunks: ChunkedFile::new(out, place, entries)?,
            store: BlobStore::new(totals.blobs),
            written: Written { totals: totals.clone(), flushes: 0, described: 0, ranges: ranges.len() },
            flushes: 0,
            threads: Threads::resume(threads.iter().map(|t| (t.thread, t.ticks)), counted),
            state: ChunkState { closed: Instant3::default(), threads },
            events: Packer::default(),
            scratch: Vec::new(),
            begin: Begin::after(&totals),
            methods: MethodSet::none(),
            described: 0,
            giving: MethodSet::all(),
            names: false,
            about: SelfDescription { meta, ranges },
            cut: None,
            loss,
            end: None,
            totals,
        })
    }

    /// Sets how far chunks are compressed from here on.
    pub fn set_compression(&mut self, compression: Compression) {
        self.chunks.compression = compression;
    }

    /// Lets up to so many threads compress chunks while this one goes on; without it, this one does. The file is the same.
    pub fn set_compressors(&mut self, threads: usize) {
        self.chunks.pipeline.set_threads(threads);
    }

    /// Whether chunks are to be packed fast from here on, because the program waits. They can be [packed anew](super::repack::repack).
    /// A compression other than [`Compression::Usual`] stays what it is.
    pub fn set_hurry(&mut self, hurries: bool) {
        self.chunks.hurries = hurries;
    }

    /// Sets which methods may give out objects; without it, all methods that return do.
    pub fn set_giving(&mut self, gives: &dyn Fn(u16) -> bool) {
        self.giving = MethodSet::those(gives);
    }

    /// Adds a thread: the number of its ring, the system's number, and its name. The result is the index by which the other
    /// functions know it.
    pub fn add_thread(&mut self, id: u32, os_id: u64, name: &str) -> usize {
        let (index, is_new) = self.threads.add(id, os_id, name);
        if is_new {
            self.state.threads.push(ThreadState { thread: id, ..ThreadState::default() });
        }
        index
    }

    /// Number of threads that were added and not forgotten.
    pub fn thread_count(&self) -> usize {
        self.threads.list.len()
    }

    /// Notes that the thread's ring is gone and everything in it is stored.
    pub fn remove_thread(&mut self, thread: usize) {
        self.threads.list[thread].removed = true;
    }

    /// Forgets the removed threads, except what the trace says of them at its end. The result is the new index of each
    /// thread, by its old one; `None` while forgetting is not worth the work, or while something waits to be written.
    pub fn forget_removed(&mut self) -> Option<Vec<usize>> {
        if !self.threads.are_many_removed() || self.has_pending() {
            return None;
        }
        let (places, removed) = self.threads.forget_removed();
        self.state.threads.retain(|state| !removed.contains(&state.thread));
        Some(places)
    }

    /// Whether the thread waits for the rest of a blob or of a payload. Its ring should keep the beginning of that, where
    /// there is room.
    pub fn is_collecting(&self, thread: usize) -> bool {
        self.threads.list[thread].is_collecting()
    }

    /// The output as it is now, without what waits to be written: the trace of a writer that was killed.
    ///
    /// # Errors
    /// There is none any more.
    pub fn into_output(self) -> io::Result<O> {
        self.chunks.into_output()
    }

    /// Totals so far.
    pub fn totals(&self) -> &Footer {
        &self.totals
    }

    /// Bytes of the file so far.
    pub fn bytes(&self) -> u64 {
        self.chunks.place
    }

    /// Why nothing is stored any more, if so.
    pub fn cut(&self) -> Option<&str> {
        self.cut.as_ref().map(|cut| cut.reason.as_str())
    }

    /// Whether the file has reached the size that was asked for: see [`SizeReached`].
    pub fn is_capped(&self) -> bool {
        self.cut.as_ref().is_some_and(|cut| cut.capped)
    }

    /// What of the recording is lost, and why, if anything is. An end that the user asked for is no loss.
    pub fn loss(&self) -> Option<&str> {
        self.loss.as_deref()
    }

    /// Sets the instant at which the recording ended, where that is not when the file is finished.
    pub fn set_end(&mut self, end: Instant3) {
        self.end = Some(end);
    }

    /// Whether the trace may end here and go on in another file: no blob waits for the record that names it.
    pub fn may_turn(&self) -> bool {
        self.cut.is_none() && self.threads.list.iter().all(|thread| thread.bindings.is_empty())
    }

    /// Ends the file here and goes on in another one, with the same numbers. Only where [`TraceWriter::may_turn`] holds. Gives the
    /// file that ended, and its totals; `None` where the disk had no room for what was to end it: then the trace ends in this file.
    ///
    /// # Errors
    /// An output cannot be written.
    pub fn turn(
        &mut self,
        mut out: O,
        header: &FileHeader,
        progress: impl FnMut(usize) -> Progress,
        schema: &dyn Fn(&[u16]) -> Vec<u8>,
    ) -> io::Result<Option<(O, Footer)>> {
        self.flush(false, progress)?;
        self.settle()?;
        if self.cut.is_some() {
            return Ok(None);
        }
        let bytes = header.to_bytes();
        out.append(&bytes)?;
        let Footer { calls, frames, sequence, .. } = self.totals;
        let totals = Footer { calls, frames, sequence, ..Footer::default() };
        let (meta, threads) = (self.about.meta.clone(), self.state.threads.clone());
        let resume = Resume { totals, threads, meta, ..Resume::default() };
        let mut next = TraceWriter::resume(out, bytes.len() as u64, resume)?;
        next.loss.clone_from(&self.loss);
        next.chunks.compression = self.chunks.compression;
        next.chunks.take_threads(&mut self.chunks);
        std::mem::swap(&mut next.giving, &mut self.giving);
        (next.flushes, next.written.flushes) = (self.flushes, self.flushes);
        next.threads = self.threads.turn();
        next.put_meta()?;
        let ended = std::mem::replace(self, next);
        ended.finish(Vec::new(), |_| Progress::default(), schema).map(Some)
    }

    /// Adds to what the trace says of itself.
    pub fn set_meta(&mut self, key: &str, value: Value) {
        self.about.meta.insert(key.into(), value);
    }

    /// Notes methods that occur in chunks which this writer did not make.
    pub(crate) fn note_methods(&mut self, methods: impl IntoIterator<Item = u16>) {
        methods.into_iter().for_each(|method| self.methods.insert(method));
    }

    /// Takes a part of a payload or a piece of a blob: [`Kind::Part`], [`Kind::Blob`].
    pub fn prefix(&mut self, thread: usize, record: &Record<'_>) {
        self.count(record);
        if self.cut.is_some() {
            return;
        }
        let t = &mut self.threads.list[thread];
        if let Err(BrokenBlob { number }) = t.collect(record, &mut self.store) {
            let text = format!("blob {number} of thread {} is incomplete or too long", t.id);
            self.gap_text(Some(thread), GapReason::IncompleteBlob, &text);
        }
    }

    /// Takes the next record of the order. `late`: its place had been given up.
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

    /// Whether a record of the thread goes in as it is: the last record was of the same thread, and nothing came ahead.
    #[inline]
    pub fn takes_plainly(&self, thread: usize) -> bool {
        let t = &self.threads.list[thread];
        self.threads.current == Some(thread) && t.recorded && t.has_nothing_ahead() && self.cut.is_none()
    }

    /// Takes the enter record of a light call: its header, and the whole record. Only while
    /// [`TraceWriter::takes_plainly`] holds. False when the chunk is full.
    #[inline]
    pub fn light(&mut self, thread: usize, header: Header, record: &[u8]) -> bool {
        let kind = &mut self.totals.kinds[Kind::Enter as usize];
        kind.0 += 1;
        kind.1 += (record.len() - HEADER) as u64;
        self.totals.calls += 1;
        self.methods.insert(header.method);
        // The order of the events gives the ordinal, which is the upper half of the header's last word.
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

    /// Notes a time stamp of the thread. The result is its difference from the thread's last one.
    #[inline]
    fn tick(&mut self, thread: usize, ticks: u64) -> u64 {
        let (first, last) = &mut self.totals.ticks;
        *first = if *first == 0 { ticks } else { (*first).min(ticks) };
        *last = (*last).max(ticks);
        let before = std::mem::replace(&mut self.threads.list[thread].ticks, ticks);
        ticks.wrapping_sub(before)
    }

    /// Notes the method of a record of a call, and whether the call may give out objects. Only calls that return do.
    #[inline]
    fn note_call(&mut self, record: &Record<'_>) {
        let Header { method, flags, .. } = record.header;
        self.methods.insert(method);
        let returns = record.kind == Kind::Leave || flags & LEAVES != 0;
        self.names |= returns && self.giving.contains(method);
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
        let t = &mut self.threads.list[thread];
        let id = t.id;
        if !t.recorded {
            t.recorded = true;
            self.totals.threads += u32::from(self.threads.counted.insert(id));
        }
        if t.too_long {
            t.too_long = false;
            t.parts.clear();
            let text = format!("the payload of a call of method {} is too long", record.header.method);
            self.gap_text(Some(thread), GapReason::Capture, &text);
        }
        let parts = std::mem::take(&mut self.threads.list[thread].parts);
        self.switch(thread);
        self.bind(thread);
        match record.kind {
            Kind::Enter | Kind::Leave => {
                self.note_call(record);
                self.put(thread, record, record.kind, &[&parts, record.payload]);
            }
            Kind::Memory if parts.is_empty() => self.memory(thread, record),
            Kind::Fact => {
                self.put(thread, record, record.kind, &[&parts, record.payload]);
                let payload = [&parts, record.payload].concat();
                self.names |= self.about.fact(record.header.object, &payload, self.totals.frames);
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
        if let Some(cut) = &mut self.cut {
            cut.made += u64::from(record.kind == Kind::Enter);
            return;
        }
        let kind = &mut self.totals.kinds[record.kind as usize % KINDS];
        kind.0 += 1;
        kind.1 += record.payload.len() as u64;
    }

    /// Stores that something found by the merge is missing here.
    pub fn gap(&mut self, thread: Option<usize>, gap: &Gap) {
        self.gap_text(thread, gap.reason, &writer_records::text(gap));
    }

    /// Stores that something is missing here.
    pub fn gap_text(&mut self, thread: Option<usize>, reason: GapReason, text: &str) {
        if self.cut.is_some() {
            return;
        }
        if let Some(thread) = thread.or(self.threads.current).or((!self.threads.list.is_empty()).then_some(0)) {
            self.switch(thread);
        }
        self.put_gap(Header::default(), reason, text);
    }

    /// Stores that a part of the recording is lost from here on: that of a thread, or of all of them.
    pub fn lose(&mut self, thread: Option<usize>, reason: GapReason, text: &str) {
        if self.cut.is_none() {
            self.loss.get_or_insert_with(|| text.to_owned());
            self.gap_text(thread, reason, text);
        }
    }

    /// Stores that a thread died while it read the arguments of a call.
    pub fn unread(&mut self, thread: usize, call: Reading) {
        if self.cut.is_some() {
            return;
        }
        self.switch(thread);
        self.methods.insert(call.method);
        let text = "the thread died while the arguments of this call were being read: a pointer among them is bad, or the \
            program was killed at that instant; the call did not reach the runtime";
        let Reading { method, object } = call;
        self.put_gap(Header { method, object, ..Header::default() }, GapReason::UnreadArguments, text);
    }

    fn put_gap(&mut self, about: Header, reason: GapReason, text: &str) {
        put_gap(&mut self.events, about, reason, text);
        self.totals.gaps += 1;
    }

    /// Notes that the following records are of this thread.
    fn switch(&mut self, thread: usize) {
        if self.threads.current != Some(thread) {
            self.threads.current = Some(thread);
            let object = self.threads.list[thread].id;
            put_plain(&mut self.events, Header { kind: Kind::Thread as u8, object, ..Header::default() }, &[]);
        }
    }

    /// Notes that so many calls and frames are left out here. Gives the calls that this chunk cannot count any more: they are to be
    /// given again behind a flush.
    #[must_use]
    pub fn leave_out(&mut self, thread: usize, calls: u64, frames: u32) -> u64 {
        let now = calls.min(MOST_CALLS.saturating_sub(self.totals.calls - self.begin.calls));
        let payload = fact::left_out_payload(now, frames);
        let header = Header { kind: Kind::Fact as u8, ..Header::default() };
        self.record(
            thread,
            &Record { header, kind: Kind::Fact, sequence: 0, ticks: 0, after: 0, payload: &payload },
            false,
        );
        self.totals.calls += now;
        self.totals.frames = self.totals.frames.saturating_add(frames);
        calls - now
    }

    /// Adds a blob that the thread's next record may name by this number of the thread.
    pub fn blob(&mut self, thread: usize, number: u32, bytes: &[u8]) {
        let id = self.store.insert(bytes);
        self.threads.list[thread].bindings.push((number, id));
    }

    /// Names the blobs that the thread's next record may mention.
    fn bind(&mut self, thread: usize) {
        for (number, id) in self.threads.list[thread].bindings.drain(..) {
            let header = Header { kind: Kind::Blob as u8, ordinal: number, ..Header::default() };
            put_plain(&mut self.events, header, &id.to_le_bytes());
        }
    }

    /// Appends a record as the file has it. Ordinals and AFTER are left out, because the order of the events gives them;
    /// numbers are stored as their difference from the expected ones. So equal calls are equal bytes, which compress well.
    #[inline]
    fn put(&mut self, thread: usize, record: &Record<'_>, kind: Kind, pieces: &[&[u8]]) {
        let flags = record.header.flags & !AFTER;
        let payload: usize = pieces.iter().map(|p| p.len()).sum();
        let ordinal = if flags & ORDERED != 0 { 0 } else { record.header.ordinal };
        let size = head_size(flags) + padded(payload);
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

    /// Stores memory page by page, each content once.
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

    /// Whether there is enough for a chunk. `frame_ended`: the last record ended a frame.
    #[inline]
    pub fn is_full(&self, frame_ended: bool) -> bool {
        self.events.records() >= if frame_ended { FRAME_CHUNK } else { CHUNK }
            || self.store.pending() >= blob_store::GROUP
            || self.totals.calls - self.begin.calls >= MOST_CALLS
    }

    /// Whether anything waits to be written.
    pub fn has_pending(&self) -> bool {
        self.events.records() > 0 || self.store.pending() > 0
    }

    /// Hands over what waits, and appends the chunks that are ready. `progress` says where each thread stands; `force` writes that
    /// down even without new events. The result is whether a chunk of events has it now: when that chunk is
    /// [stored](TraceWriter::stored), and only then, the rings may be given back.
    ///
    /// # Errors
    /// The output cannot be written, for another reason than a full disk or a reached size.
    pub fn flush(&mut self, force: bool, mut progress: impl FnMut(usize) -> Progress) -> io::Result<bool> {
        if self.cut.is_some() {
            self.drop_pending();
            return Ok(true);
        }
        let handed_over = self.hand_over(force, &mut progress);
        self.collect()?;
        Ok(handed_over || self.cut.is_some())
    }

    /// Appends the chunks that are ready.
    ///
    /// # Errors
    /// As those of [`TraceWriter::flush`].
    pub fn collect(&mut self) -> io::Result<()> {
        self.append(false)
    }

    /// Appends all chunks under way.
    pub(crate) fn settle(&mut self) -> io::Result<()> {
        self.append(true)
    }

    fn append(&mut self, all: bool) -> io::Result<()> {
        loop {
            match self.chunks.append_first(all) {
                Ok(Some(appended)) => self.note(appended),
                Ok(None) => return Ok(()),
                Err(error) => self.end_at(error)?,
            }
        }
    }

    /// Notes what the file has now.
    fn note(&mut self, appended: Appended) {
        let Appended { place, ranges, gain, .. } = appended;
        let written = &mut self.written;
        written.ranges = ranges.unwrap_or(written.ranges);
        match gain {
            Gain::Nothing => {}
            Gain::Blobs(next) => written.totals.blobs = next,
            Gain::Events(totals) => {
                // They were made when a schema before these events was under way.
                let places = written.totals.places;
                written.totals = Footer { places, ..*totals };
                written.flushes += 1;
            }
            Gain::Schema(methods) => {
                written.described = methods;
                written.totals.places[0] = place;
                self.totals.places[0] = place;
            }
        }
    }

    /// How many chunks of events were handed over.
    pub fn flushes(&self) -> u64 {
        self.flushes
    }

    /// How many of them are in the file, or are dropped because the trace ended before.
    pub fn stored(&self) -> u64 {
        if self.cut.is_some() { self.flushes } else { self.written.flushes }
    }

    /// Sleeps so long, or until there is something to [collect](TraceWriter::collect).
    pub fn sleep(&self, time: Duration) {
        self.chunks.pipeline.sleep(time);
    }

    /// Writes a schema of the methods that occur so far, if the last one lacks any. A trace whose writer dies later can so be read
    /// by builds with other tables of the API.
    ///
    /// # Errors
    /// The output cannot be written, for another reason than a full disk or a reached size.
    pub fn describe(&mut self, schema: &dyn Fn(&[u16]) -> Vec<u8>) -> io::Result<()> {
        let methods = self.methods.len();
        if self.cut.is_some() || methods == self.described {
            return Ok(());
        }
        let schema = schema(&self.methods.ids());
        if schema.is_empty() {
            return Ok(());
        }
        let header = ChunkHeader::empty(ChunkKind::Schema);
        self.chunks.hand_over(header, schema, self.about.ranges.len(), Gain::Schema(methods));
        self.described = methods;
        self.collect()
    }

    /// A full disk ends the trace, not the writer. So does the loss of the file's name: nobody would find what comes.
    fn end_at(&mut self, error: io::Error) -> io::Result<()> {
        if !is_end(&error) {
            return Err(error);
        }
        let capped = error.get_ref().is_some_and(|inner| inner.is::<SizeReached>());
        let next = self.written.totals.sequence;
        let reason = format!("{error}; nothing from sequence number {next} on is stored");
        if !capped {
            self.loss.get_or_insert_with(|| reason.clone());
        }
        self.cut = Some(Cut { reason, capped, made: self.totals.calls });
        self.totals = self.written.totals.clone();
        self.begin = Begin::after(&self.totals);
        self.described = self.written.described;
        self.about.ranges.truncate(self.written.ranges);
        self.chunks.pipeline.clear();
        self.drop_pending();
        Ok(())
    }

    fn drop_pending(&mut self) {
        self.events.clear();
        self.store.take(Vec::new);
        self.threads.list.iter_mut().for_each(|thread| thread.drop_collected());
    }

    /// Hands over what waits: blobs, then the events that name them. The result is whether there is a chunk of events.
    fn hand_over(&mut self, force: bool, progress: &mut dyn FnMut(usize) -> Progress) -> bool {
        let ranges = self.about.ranges.len();
        if let Some((first, count, payload)) = self.store.take(|| self.chunks.payload()) {
            let header = ChunkHeader { first, count, ..ChunkHeader::empty(ChunkKind::Blobs) };
            self.totals.blobs = self.store.next();
            self.chunks.hand_over(header, payload, ranges, Gain::Blobs(self.totals.blobs));
        }
        let records = self.events.records() as u32;
        if records == 0 && !force {
            return false;
        }
        let next = self.note_progress(progress);
        self.state.closed = self.end.unwrap_or_else(Instant3::now);
        let mut payload = self.chunks.payload();
        self.events.put(&mut payload);
        self.state.put(&mut payload);
        let header = ChunkHeader {
            count: (self.totals.calls - self.begin.calls) as u32,
            names: if self.names { Names::Some } else { Names::None },
            ..self.begin.header(records)
        };
        self.chunks.hand_over(header, payload, ranges, Gain::Events(Box::new(self.totals.clone())));
        self.flushes += 1;
        self.events.clear();
        self.names = false;
        self.state.threads = next;
        self.threads.current = None;
        self.begin = Begin::after(&self.totals);
        true
    }

    /// Notes in the state of the chunk how far each ring is stored. The result is the state that the next chunk begins with.
    fn note_progress(&mut self, progress: &mut dyn FnMut(usize) -> Progress) -> Vec<ThreadState> {
        let mut next = Vec::with_capacity(self.threads.list.len());
        // Both lists are in the order in which the threads came.
        let mut known = self.state.threads.iter_mut().peekable();
        for (index, thread) in self.threads.list.iter().enumerate() {
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
        next
    }

    /// Writes the rest, the index and the footer. `open` are the calls that never ended, rising; `schema` makes the schema of
    /// the methods that occur.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn finish(
        mut self,
        open: Vec<u64>,
        progress: impl FnMut(usize) -> Progress,
        schema: &dyn Fn(&[u16]) -> Vec<u8>,
    ) -> io::Result<(O, Footer)> {
        self.flush(false, progress)?;
        self.settle()?;
        self.about.meta.extend(self.loss.take().map(|loss| ("cut".to_owned(), json!(loss))));
        if self.cut.is_some() {
            self.put_cut()?;
        }
        let threads = std::mem::take(&mut self.threads).into_meta();
        self.about.set_threads(threads);
        if self.totals.places[0] == 0 || self.methods.len() != self.described {
            let schema = schema(&self.methods.ids());
            if !schema.is_empty() {
                self.totals.places[0] = self.chunks.place;
                self.chunks.plain(ChunkKind::Schema, 0, 0, schema)?;
            }
        }
        self.put_meta()?;
        self.totals.places[2] = self.chunks.place;
        let (count, ranges) = (self.about.ranges.len() as u32, self.about.ranges_to_bytes());
        self.chunks.plain(ChunkKind::Ranges, 0, count, ranges)?;
        self.totals.end = self.end.unwrap_or_else(Instant3::now);
        self.totals.open = if self.cut.is_some() { Vec::new() } else { open };
        let out = self.chunks.finish(&mut self.totals)?;
        Ok((out, self.totals))
    }

    /// Writes the chunk that says why the trace ends here.
    fn put_cut(&mut self) -> io::Result<()> {
        let Some(Cut { reason, capped, made }) = self.cut.take() else { return Ok(()) };
        if capped {
            // The user asked for it: no loss.
            let payload = wanted_frames::stop_payload(wanted_frames::StopReason::Size);
            put_plain(&mut self.events, Header { kind: Kind::Fact as u8, ..Header::default() }, &payload);
            wanted_frames::note(
                &mut self.about.meta,
                fact::STOP,
                wanted_frames::StopReason::Size as u32,
                self.totals.frames,
            );
        } else {
            self.about.meta.insert("calls_made".into(), json!(made));
            self.put_gap(Header::default(), GapReason::DiskFull, &reason);
        }
        self.cut = Some(Cut { reason, capped, made });
        let mut payload = Vec::new();
        self.events.put(&mut payload);
        ChunkState { closed: Instant3::now(), threads: Vec::new() }.put(&mut payload);
        self.chunks.append(Begin::after(&self.totals).header(self.events.records() as u32), payload)
    }

    fn put_meta(&mut self) -> io::Result<()> {
        let meta = serde_json::to_vec(&self.about.meta).map_err(io::Error::other)?;
        self.totals.places[1] = self.chunks.place;
        self.chunks.plain(ChunkKind::Meta, 0, 0, meta)
    }
}

/// Whether an error of the output ends the trace there, and not its writer.
pub(crate) fn is_end(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
        || error.get_ref().is_some_and(|inner| inner.is::<Removed>())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::read::Trace;

    /// Found by the fuzzer `trace`: pages that are too short to say how many bytes they stand for.
    #[test]
    fn pages_cut_short_are_read_without_an_index() {
        let mut file = TraceWriter::create(Vec::new(), &FileHeader::default(), Map::new()).unwrap();
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
