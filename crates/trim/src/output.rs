//! The new trace: records of the old one, and of calls that trimming makes itself.
//!
//! Owns numbers of calls, sequence numbers and threads of the new trace. Invariant: a leave follows the enter of its call on the same
//! thread, and what a record names by a blob's number stands before it.

use crate::error::Error;
use reprise_codec::{BlobSink, Codec, Objects, outputs::Before, schema};
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{MethodId, Order};
use reprise_timeline::codec;
use reprise_trace::layout::FileHeader;
use reprise_trace::read::{Event, Trace};
use reprise_trace::record::{Header, Kind, LEAVES, ORDERED, Record, SEQUENCE, TICKS, head_size, padded};
use reprise_trace::trace_writer::{FileOutput, Progress, TraceWriter};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::io;

/// Keys of the meta that the writer makes itself, or that are not true of a part.
const NOT_KEPT: [&str; 6] = ["threads", "wanted_frames", "stopped", "cut", "calls_made", "flight_recorder"];

/// Runs of calls: the first number in the old trace, the first in the new one, how many.
pub(crate) type Runs = Vec<(u64, u64, u64)>;

/// A trace under way.
pub(crate) struct Output<'t> {
    trace: &'t Trace,
    writer: TraceWriter<FileOutput>,
    /// By the thread's number in the trace, its place in the writer, and its time so far.
    threads: HashMap<u32, (usize, u64)>,
    /// By place in the writer: calls that have not returned, outermost first; the old number and the new one.
    open: Vec<Vec<(u64, u64)>>,
    calls: u64,
    /// What calls of the old trace became: first old number, first new one, how many.
    numbers: Runs,
    sequence: u64,
    /// Ticks of the last record.
    now: u64,
    /// The thread of trimming's own calls.
    own: u32,
    blobs: u32,
}

/// Ids stand for pointers.
struct Ids;

impl Objects for Ids {
    fn id_of(&self, pointer: u64) -> u64 {
        pointer
    }

    fn real_of(&self, pointer: u64) -> u64 {
        pointer
    }
}

/// Blobs of a call of trimming's own.
struct Blobs<'o>(&'o mut u32, Vec<(u32, Vec<u8>)>);

impl BlobSink for Blobs<'_> {
    fn blob(&mut self, bytes: &[u8]) -> u32 {
        *self.0 += 1;
        self.1.push((*self.0, bytes.to_vec()));
        *self.0
    }
}

impl<'t> Output<'t> {
    /// Begins a trace that is cut out of another one. `own` is a thread that this one does not have.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(crate) fn create(trace: &'t Trace, file: FileOutput, own: u32, about: Value) -> Result<Output<'t>, Error> {
        let mut meta: Map<String, Value> = trace.meta().as_object().cloned().unwrap_or_default();
        NOT_KEPT.iter().for_each(|key| _ = meta.shift_remove(*key));
        meta.insert("trimmed".into(), about);
        let (start, end) = trace.instants();
        let (api_version, _) = trace.api();
        let header = FileHeader { api_version, api_hash: reprise_d3d12::FINGERPRINT, start };
        let mut writer = TraceWriter::create(file, &header, meta)?;
        writer.set_end(end);
        let mut output = Output {
            trace,
            writer,
            threads: HashMap::new(),
            open: Vec::new(),
            calls: 0,
            numbers: Vec::new(),
            sequence: 0,
            now: start.ticks,
            own,
            blobs: 0,
        };
        for said in trace.meta()["threads"].as_array().into_iter().flatten() {
            let number = |key: &str| said[key].as_u64();
            if let Some(thread) = number("thread").and_then(|thread| u32::try_from(thread).ok()) {
                let name = said["name"].as_str().unwrap_or("");
                output.thread_named(thread, number("os_id").or(number("id")).unwrap_or(0), name);
            }
        }
        output.thread_named(own, 0, "reprise trim");
        Ok(output)
    }

    /// Calls so far.
    pub(crate) fn calls(&self) -> u64 {
        self.calls
    }

    fn thread_named(&mut self, thread: u32, os_id: u64, name: &str) -> usize {
        if let Some((place, _)) = self.threads.get(&thread) {
            return *place;
        }
        let place = self.writer.add_thread(thread, os_id, name);
        self.threads.insert(thread, (place, 0));
        self.open.resize(self.open.len().max(place + 1), Vec::new());
        place
    }

    /// Takes a record of the old trace over.
    ///
    /// # Errors
    /// A blob that it names cannot be read, or the output cannot be written.
    pub(crate) fn copy(&mut self, event: &Event<'_>) -> Result<(), Error> {
        self.thread_named(event.thread, 0, "");
        for (number, id) in event.blobs {
            let bytes = self.trace.blob_by_id(*id).map_err(|error| Error::Trace(error.to_string()))?;
            self.blob(event.thread, *number, &bytes);
        }
        let record = Put {
            thread: event.thread,
            kind: event.kind,
            method: event.method,
            object: event.object,
            ordinal: event.ordinal,
            ordered: event.sequence == 0,
            number: event.number,
            payload: event.payload,
        };
        let ticks = self.ticks(event.time_ns);
        self.now = self.now.max(ticks);
        self.put(&record, ticks)?;
        if event.kind == Kind::Enter {
            match self.numbers.last_mut() {
                Some((old, new, count)) if *old + *count == event.number && *new + *count == self.calls => *count += 1,
                _ => self.numbers.push((event.number, self.calls, 1)),
            }
        }
        Ok(())
    }

    /// Ticks at so many nanoseconds since the session began, by the line through the trace's two instants; 0 where it has none.
    fn ticks(&self, time_ns: u64) -> u64 {
        let (start, end) = self.trace.instants();
        let ticks = u128::from(end.ticks.saturating_sub(start.ticks));
        let ns = u128::from(end.monotonic_ns.saturating_sub(start.monotonic_ns));
        match (u128::from(time_ns) * ticks).checked_div(ns) {
            Some(since) => start.ticks.saturating_add(u64::try_from(since).unwrap_or(u64::MAX)),
            None => 0,
        }
    }

    /// A call that trimming makes itself. Output objects behind the words already hold the ids that it gives.
    ///
    /// # Safety
    /// The words are arguments of the method, with ids in the place of objects; what they point to is valid.
    pub(crate) unsafe fn call(
        &mut self,
        object: u32,
        method: MethodId,
        words: &[u64],
        result: u64,
    ) -> Result<(), Error> {
        let codec: &Codec = codec();
        let mut payload = Vec::new();
        let mut blobs = Blobs(&mut self.blobs, Vec::new());
        // SAFETY: the caller's promise; the codec does not look through objects.
        unsafe { codec.encode_enter(method, words, &Ids, &mut payload, &mut blobs) };
        let leaves = method.get().order == Order::EnterLeave;
        let mut outcome = Vec::new();
        if leaves {
            // SAFETY: as for the enter; the outputs are written.
            unsafe { codec.encode_leave(method, words, result, &Before::default(), &Ids, &mut outcome, &mut blobs) };
        }
        let blobs = blobs.1;
        blobs.iter().for_each(|(number, bytes)| self.blob(self.own, *number, bytes));
        self.own_record(Kind::Enter, method.0, object, 0, &payload)?;
        if leaves { self.own_record(Kind::Leave, method.0, object, 0, &outcome) } else { Ok(()) }
    }

    /// A call with payloads of the old trace, changed or not.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(crate) fn again(
        &mut self,
        object: u32,
        method: MethodId,
        enter: &[u8],
        leave: Option<&[u8]>,
    ) -> Result<(), Error> {
        self.own_record(Kind::Enter, method.0, object, 0, enter)?;
        leave.map_or(Ok(()), |leave| self.own_record(Kind::Leave, method.0, object, 0, leave))
    }

    /// Bytes that are stored to a mapped buffer.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(crate) fn memory(&mut self, resource: u32, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        // A record is short enough for every reader's patience, and begins with a page.
        const PIECE: usize = 1 << 20;
        for (piece, at) in bytes.chunks(PIECE).zip((offset..).step_by(PIECE)) {
            let mut payload = Vec::with_capacity(16 + padded(piece.len()));
            payload.extend_from_slice(&at.to_le_bytes());
            payload.extend_from_slice(&(piece.len() as u64).to_le_bytes());
            payload.extend_from_slice(piece);
            payload.resize(padded(payload.len()), 0);
            self.own_record(Kind::Memory, 0, resource, 0, &payload)?;
        }
        Ok(())
    }

    /// A fact about an object.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(crate) fn fact(&mut self, object: u32, number: u32, bytes: &[u8]) -> Result<(), Error> {
        let mut payload = u64::from(number).to_le_bytes().to_vec();
        payload.extend_from_slice(bytes);
        payload.resize(padded(payload.len()), 0);
        self.own_record(Kind::Fact, 0, object, 0, &payload)
    }

    fn own_record(&mut self, kind: Kind, method: u16, object: u32, ordinal: u32, payload: &[u8]) -> Result<(), Error> {
        let number = if kind == Kind::Enter { self.calls + 1 } else { self.calls };
        let (thread, ordered) = (self.own, false);
        let now = self.now;
        self.put(&Put { thread, kind, method, object, ordinal, ordered, number, payload }, now)
    }

    fn blob(&mut self, thread: u32, number: u32, bytes: &[u8]) {
        let place = self.thread_named(thread, 0, "");
        let mut payload = (bytes.len() as u64).to_le_bytes().to_vec();
        payload.extend_from_slice(&0u64.to_le_bytes());
        payload.extend_from_slice(bytes);
        let header = Header { kind: Kind::Blob as u8, ordinal: number, ..Header::default() };
        let record = Record { header, kind: Kind::Blob, sequence: 0, ticks: 0, after: 0, payload: &payload };
        self.writer.prefix(place, &record);
    }

    fn put(&mut self, put: &Put<'_>, ticks: u64) -> Result<(), Error> {
        let place = self.thread_named(put.thread, 0, "");
        let returns = MODEL.methods.get(usize::from(put.method)).is_some_and(|row| row.order == Order::EnterLeave);
        let mut flags = 0;
        match put.kind {
            Kind::Enter => {
                self.calls += 1;
                if returns {
                    flags |= LEAVES;
                    self.open[place].push((put.number, self.calls));
                }
            }
            Kind::Leave => {
                // What was open within it never returned: the reader gives the leave to the innermost open call.
                let open = &mut self.open[place];
                match open.last() {
                    Some((number, _)) if *number == put.number => _ = open.pop(),
                    _ => {
                        return Err(Error::Trace(format!(
                            "call {} returned, and a call within it has no end in the trace",
                            put.number
                        )));
                    }
                }
            }
            _ => {}
        }
        if put.ordered && put.kind == Kind::Enter {
            flags |= ORDERED;
        } else if !put.ordered {
            flags |= SEQUENCE;
            self.sequence += 1;
        }
        let time = self.threads.get_mut(&put.thread).map(|(_, time)| time);
        if let Some(time) = time.filter(|time| **time != ticks && ticks != 0) {
            flags |= TICKS;
            *time = ticks;
        }
        let header = Header {
            size: (head_size(flags) + padded(put.payload.len())) as u32,
            method: put.method,
            kind: put.kind as u8,
            flags,
            object: put.object,
            ordinal: put.ordinal,
        };
        let record = Record {
            header,
            kind: put.kind,
            sequence: if flags & SEQUENCE != 0 { self.sequence } else { 0 },
            ticks: if flags & TICKS != 0 { ticks } else { 0 },
            after: 0,
            payload: put.payload,
        };
        self.writer.record(place, &record, false);
        if self.writer.is_full(put.kind == Kind::Frame) {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        let open = &self.open;
        let flushed = self.writer.flush(false, |place| Progress {
            stored_to: 0,
            open: open.get(place).into_iter().flatten().map(|(_, new)| *new).collect(),
        });
        flushed?;
        match self.writer.cut() {
            Some(reason) => Err(Error::Output(io::Error::other(reason.to_owned()))),
            None => Ok(()),
        }
    }

    /// Writes the rest. The result is the length of the file in bytes, how many calls and frames it has, and what old calls became.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(crate) fn finish(mut self) -> Result<(u64, u64, u32, Runs), Error> {
        self.flush()?;
        let mut open: Vec<u64> = self.open.iter().flatten().map(|(_, new)| *new).collect();
        open.sort_unstable();
        let (file, totals) =
            self.writer.finish(open, |_| Progress::default(), &|methods| schema::of(&MODEL, methods))?;
        Ok((file.finish()?, totals.calls, totals.frames, self.numbers))
    }
}

/// A record to put.
struct Put<'a> {
    thread: u32,
    kind: Kind,
    method: u16,
    object: u32,
    ordinal: u32,
    /// By its place among the object's own records, without a sequence number.
    ordered: bool,
    /// The call's number in the old trace.
    number: u64,
    payload: &'a [u8],
}
