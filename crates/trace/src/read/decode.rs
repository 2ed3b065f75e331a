//! Makes events of the records of a chunk.
//!
//! Owns the state from which the differences in a chunk are taken, and the pairing of enters and leaves. Invariant: decoding
//! a chunk needs nothing but its own header and state.

use std::collections::HashMap;

use crate::fact;
use crate::file::chunk::ChunkHeader;
use crate::file::laid::Laid;
use crate::file::layout::{ChunkState, ThreadState};
use crate::file::records::Records;
use crate::file::unpack::{Found, Unpacker};
use crate::record::{HEADER, Header, Kind, Malformed, Record, SEQUENCE, TICKS, head_size};

/// Most threads of the records of one chunk, the threads in its state included. A damaged chunk may name a new thread with
/// each record, and the decoder keeps more of a thread than the record's bytes.
const MOST_THREADS: usize = 1 << 20;

/// Where decoding stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decoder {
    pub(crate) calls: u64,
    pub(crate) frame: u32,
    pub(crate) sequence: u64,
    pub(crate) threads: Vec<ThreadState>,
    /// Where in `threads` each thread is.
    places: HashMap<u32, usize>,
    /// The thread of the records that follow: its place.
    current: usize,
    /// The blobs that the record just given may name.
    pub(crate) blobs: Vec<(u32, u64)>,
}

/// A record, its numbers whole again. Its payload, as stored, is what follows the first `head` bytes of the record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoded {
    pub(crate) header: Header,
    pub(crate) kind: Kind,
    pub(crate) sequence: u64,
    pub(crate) ticks: u64,
    pub(crate) thread: u32,
    pub(crate) frame: u32,
    pub(crate) number: u64,
    pub(crate) head: usize,
}

/// What a chunk of events holds.
#[derive(Debug)]
pub(crate) struct EventChunk {
    pub(crate) records: Records,
    pub(crate) state: ChunkState,
}

impl EventChunk {
    /// Takes a chunk's payload apart.
    pub(crate) fn new(header: &ChunkHeader, payload: Vec<u8>) -> Option<EventChunk> {
        let records = Unpacker::new(payload, header.records as usize)?;
        let state = ChunkState::from_bytes(records.behind())?;
        Some(EventChunk { records: Records::Packed(records), state })
    }

    /// Unpacks its records for a reader on another thread. Gives the block of packed bytes back, or `laid` where nothing was done.
    pub(crate) fn lay(self, mut laid: Laid) -> (EventChunk, Result<Vec<u8>, Laid>) {
        let EventChunk { records, state } = self;
        match records {
            Records::Packed(mut records) => match laid.lay(&mut records) {
                true => (EventChunk { records: Records::Laid(laid), state }, Ok(records.into_packed())),
                false => (EventChunk { records: Records::Packed(records), state }, Err(laid)),
            },
            records @ Records::Laid(_) => (EventChunk { records, state }, Err(laid)),
        }
    }
}

/// Why a record is no event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Undecodable {
    /// The packed records are damaged.
    #[error("the packed records are damaged")]
    Packed,
    /// A record is malformed.
    #[error("{0}")]
    Record(#[from] Malformed),
}

impl Decoder {
    /// At the beginning of a chunk.
    pub(crate) fn start(&mut self, header: &ChunkHeader, state: &ChunkState) {
        self.calls = header.first;
        self.frame = header.frame;
        self.sequence = header.sequence;
        self.blobs.clear();
        self.threads.clone_from(&state.threads);
        self.places = (0..).zip(&self.threads).map(|(place, t)| (t.thread, place)).collect();
        self.switch(0);
    }

    fn switch(&mut self, thread: u32) {
        self.current = *self.places.entry(thread).or_insert(self.threads.len());
        if self.current == self.threads.len() {
            self.threads.push(ThreadState { thread, ..ThreadState::default() });
        }
    }

    /// The thread of the current record, and the ticks of its last record that had any.
    #[inline(always)]
    pub(crate) fn thread(&self) -> (u32, u64) {
        self.threads.get(self.current).map_or((0, 0), |thread| (thread.thread, thread.ticks))
    }

    /// Takes a plain call into account; `head` is what stands before its payload.
    #[inline(always)]
    pub(crate) fn plain(&mut self, head: &[u8]) {
        self.blobs.clear();
        self.calls += 1;
        if let Some(sequence) = head.get(HEADER..).and_then(|words| words.first_chunk()) {
            self.sequence = self.sequence.wrapping_add(u64::from_le_bytes(*sequence)).wrapping_add(1);
        }
    }

    /// The event of the record that was just `found`, or the first one after it; `None` at the end.
    pub(crate) fn next(&mut self, mut found: Found, records: &mut Records) -> Result<Option<Decoded>, Undecodable> {
        self.blobs.clear();
        loop {
            match found {
                Found::End => return Ok(None),
                Found::Damage => return Err(Undecodable::Packed),
                Found::Plain(_) | Found::Record => {
                    if let Some(decoded) = self.decode(records.record())? {
                        return Ok(Some(decoded));
                    }
                }
            }
            found = records.advance();
        }
    }

    /// Takes a record into account; `None` if it is no event.
    fn decode(&mut self, bytes: &[u8]) -> Result<Option<Decoded>, Malformed> {
        let mut record = Record::parse(bytes)?;
        match record.kind {
            Kind::Pad => return Ok(None),
            Kind::Part => return Err(Malformed::Kind(Kind::Part as u8)),
            Kind::Thread => {
                let thread = record.header.object;
                if self.threads.len() >= MOST_THREADS && !self.places.contains_key(&thread) {
                    return Err(Malformed::Threads(MOST_THREADS));
                }
                self.switch(thread);
                return Ok(None);
            }
            Kind::Blob => {
                let Some(id) = record.payload.first_chunk::<8>() else {
                    return Err(Malformed::Short { needed: 24, left: record.header.size.into() });
                };
                self.blobs.push((record.header.ordinal, u64::from_le_bytes(*id)));
                return Ok(None);
            }
            _ => {}
        }
        let Some(thread) = self.threads.get_mut(self.current) else { return Ok(None) };
        if record.header.flags & SEQUENCE != 0 {
            record.sequence = record.sequence.wrapping_add(self.sequence);
            self.sequence = record.sequence.wrapping_add(1);
        }
        if record.header.flags & TICKS != 0 {
            record.ticks = record.ticks.wrapping_add(thread.ticks);
            thread.ticks = record.ticks;
        }
        let frame = self.frame;
        let number = match record.kind {
            Kind::Enter => {
                self.calls += 1;
                if record.header.flags & crate::record::LEAVES != 0 {
                    thread.open.push(self.calls);
                }
                self.calls
            }
            Kind::Leave => thread.open.pop().unwrap_or(0),
            Kind::Fact => {
                if let Some((calls, frames)) = fact::left_out(record.payload) {
                    self.calls = self.calls.saturating_add(calls);
                    self.frame = self.frame.saturating_add(frames);
                }
                self.calls
            }
            Kind::Frame => {
                self.frame = self.frame.saturating_add(1);
                self.calls
            }
            _ => self.calls,
        };
        Ok(Some(Decoded {
            header: record.header,
            kind: record.kind,
            sequence: record.sequence,
            ticks: record.ticks,
            thread: thread.thread,
            frame,
            number,
            head: head_size(record.header.flags),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_bounded() {
        let mut decoder = Decoder::default();
        let mut of_thread = |object| {
            let header = Header { size: HEADER as u32, kind: Kind::Thread as u8, object, ..Header::default() };
            decoder.decode(&header.to_bytes()).map(|event| event.is_none())
        };
        assert!((0..MOST_THREADS as u32).all(|thread| of_thread(thread) == Ok(true)));
        assert_eq!(of_thread(MOST_THREADS as u32), Err(Malformed::Threads(MOST_THREADS)));
        assert_eq!(of_thread(7), Ok(true));
        assert_eq!(decoder.thread().0, 7);
    }
}
