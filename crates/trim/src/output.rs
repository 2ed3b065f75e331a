//! The new trace: records of the old one, and of calls that trimming makes itself.
//!
//! Invariant: trimming's own calls are on a thread of their own, and no earlier than the record before them.

use crate::error::Error;
use reprise_codec::{BlobSink, Codec, Objects, outputs::Before, schema};
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{MethodId, Order};
use reprise_timeline::codec;
use reprise_trace::read::{Event, Trace};
use reprise_trace::record::{Kind, ORDERED, SEQUENCE, padded};
use reprise_trace::rewriter::{NewRecord, Numbers, RewriteError, Rewriter};
use reprise_trace::trace_writer::FileOutput;
use serde_json::{Map, Value};

/// Keys of the meta that are not true of a part.
const NOT_KEPT: [&str; 3] = ["cut", "calls_made", "flight_recorder"];

/// A trace under way.
pub(crate) struct Output<'t> {
    writer: Rewriter<'t>,
    /// What calls of the old trace became.
    numbers: Numbers,
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
        let mut writer = Rewriter::create(trace, file, reprise_d3d12::FINGERPRINT, meta)?;
        writer.add_thread(own, 0, "reprise trim");
        Ok(Output { writer, now: trace.instants().0.ticks, own, blobs: 0, numbers: Numbers::default() })
    }

    /// Calls so far.
    pub(crate) fn calls(&self) -> u64 {
        self.writer.calls()
    }

    /// Takes a record of the old trace over.
    ///
    /// # Errors
    /// A blob that it names cannot be read, or the output cannot be written.
    pub(crate) fn copy(&mut self, event: &Event<'_>) -> Result<(), Error> {
        self.writer.blobs_of(event)?;
        let returns = MODEL.methods.get(usize::from(event.method)).is_some_and(|row| row.order == Order::EnterLeave);
        let flags = match (event.sequence, event.kind) {
            (0, Kind::Enter) => ORDERED,
            (0, _) => 0,
            _ => SEQUENCE,
        };
        self.now = self.now.max(event.ticks);
        self.writer.put(&NewRecord {
            thread: event.thread,
            kind: event.kind,
            method: event.method,
            returns,
            object: event.object,
            ordinal: event.ordinal,
            flags,
            number: event.number,
            ticks: event.ticks,
            payload: event.payload,
        })?;
        if event.kind == Kind::Enter {
            self.numbers.note(event.number, self.writer.calls());
        }
        Ok(())
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
        blobs.iter().for_each(|(number, bytes)| self.writer.blob(self.own, *number, bytes));
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
        let calls = self.writer.calls();
        let returns = MODEL.methods.get(usize::from(method)).is_some_and(|row| row.order == Order::EnterLeave);
        Ok(self.writer.put(&NewRecord {
            thread: self.own,
            kind,
            method,
            returns,
            object,
            ordinal,
            flags: SEQUENCE,
            number: if kind == Kind::Enter { calls + 1 } else { calls },
            ticks: self.now,
            payload,
        })?)
    }

    /// Writes the rest. The result is the length of the file in bytes, how many calls and frames it has, and what old calls became.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(crate) fn finish(self) -> Result<(u64, u64, u32, Numbers), Error> {
        let (bytes, totals) = self.writer.finish(&|methods| schema::of(&MODEL, methods))?;
        Ok((bytes, totals.calls, totals.frames, self.numbers))
    }
}

impl From<RewriteError> for Error {
    fn from(error: RewriteError) -> Error {
        match error {
            RewriteError::Trace(what) => Error::Trace(what),
            RewriteError::Output(error) => Error::Output(error),
        }
    }
}
