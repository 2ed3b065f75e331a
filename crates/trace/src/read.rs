//! skeleton
use std::path::Path;
use std::sync::Arc;

use crate::record::Kind;

/// Why a trace cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ReadError(String);

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// Number of the call: for [`Kind::Enter`] its own (from 1), for [`Kind::Leave`] that of the enter it ends, for
    /// everything else that of the last call begun before it (0: none).
    pub number: u64,
    /// Number of the thread, from 0 in order of appearance.
    pub thread: u32,
    /// Number of the frame it belongs to, from 0.
    pub frame: u32,
    /// Nanoseconds since the session began: of this event, or of the thread's last one that had a time stamp.
    pub time_ns: u64,
    /// What it is.
    pub kind: Kind,
    /// The method called or left; 0 where there is none.
    pub method: u16,
    /// The object concerned; 0 for none.
    pub object: u32,
    /// Subresource of [`Kind::Memory`]; 0 elsewhere.
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
    /// Offset and bytes of a [`Kind::Memory`] event.
    pub fn memory(&self) -> Option<(u64, &'a [u8])> {
        let (offset, rest) = self.payload.split_first_chunk::<8>()?;
        let (len, rest) = rest.split_first_chunk::<8>()?;
        let bytes = rest.get(..usize::try_from(u64::from_le_bytes(*len)).ok()?)?;
        (self.kind == Kind::Memory).then_some((u64::from_le_bytes(*offset), bytes))
    }

    /// The first word and the text or bytes behind it, of [`Kind::Fact`] and [`Kind::Gap`] events.
    pub fn fact(&self) -> Option<(u32, &'a [u8])> {
        let (kind, _) = self.payload.split_first_chunk::<4>()?;
        Some((u32::from_le_bytes(*kind), self.payload.get(8..)?))
    }
}

/// What `info` shows.
#[derive(Clone, Debug, Default)]
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
    /// Records and payload bytes before compression, by kind.
    pub kinds: Vec<(Kind, u64, u64)>,
    /// Whether the trace was finished by its writer; otherwise the index was rebuilt.
    pub complete: bool,
}

/// An opened trace.
#[derive(Debug)]
pub struct Trace {}

impl Trace {
    /// Opens a file. Without a footer the index is rebuilt, and what the rings beside it still hold is included.
    pub fn open(path: &Path) -> Result<Trace, ReadError> {
        Err(ReadError(format!("{}: not yet", path.display())))
    }

    /// Opens a trace that lies in memory.
    pub fn from_bytes(_bytes: Vec<u8>) -> Result<Trace, ReadError> {
        Err(ReadError("not yet".into()))
    }

    /// Version and hash of the API model of the recording.
    pub fn api(&self) -> (u32, u64) {
        (0, 0)
    }

    /// Names and layouts of what the trace uses: the bytes that the codec wrote; empty when the writer did not get there.
    pub fn schema(&self) -> &[u8] {
        &[]
    }

    /// Program, arguments, environment, adapter, driver, policies.
    pub fn meta(&self) -> &serde_json::Value {
        &serde_json::Value::Null
    }

    /// GPU virtual address ranges: object, first address, bytes. Needs no events.
    pub fn address_ranges(&self) -> Result<Vec<(u32, u64, u64)>, ReadError> {
        Ok(Vec::new())
    }

    /// Counts.
    pub fn statistics(&self) -> &Statistics {
        unimplemented!()
    }

    /// All events in order.
    pub fn events(&self) -> Events<'_> {
        Events(std::marker::PhantomData)
    }

    /// The events of the frames in this range.
    pub fn frames(&self, frames: std::ops::Range<u32>) -> Events<'_> {
        let _ = frames;
        self.events()
    }

    /// The events from the enter of this call on.
    pub fn from_call(&self, call: u64) -> Events<'_> {
        let _ = call;
        self.events()
    }

    /// The bytes of the blob that an event's payload names by the thread's number.
    pub fn blob(&self, event: &Event<'_>, number: u32) -> Result<Arc<[u8]>, ReadError> {
        let _ = (event, number);
        Err(ReadError("not yet".into()))
    }

    /// The bytes of a blob by its number in the trace (the second half of [`Event::blobs`]).
    pub fn blob_by_id(&self, id: u64) -> Result<Arc<[u8]>, ReadError> {
        let _ = id;
        Err(ReadError("not yet".into()))
    }
}

/// Events, one after the other. Damage appears as [`Kind::Gap`] events; an error ends it.
#[derive(Debug)]
pub struct Events<'a>(std::marker::PhantomData<&'a Trace>);

impl Events<'_> {
    /// The next event; `None` at the end.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<Event<'_>>, ReadError> {
        Ok(None)
    }
}
