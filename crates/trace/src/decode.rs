//! From the records of one chunk to events.
//!
//! Owns the state that the differences in a chunk are relative to, and the pairing of enters and leaves. Invariant: a
//! chunk is decoded from its own header and state alone.

use std::collections::HashMap;

use crate::chunk::ChunkHeader;
use crate::layout::{ChunkState, ThreadState};
use crate::pack;
use crate::record::{Kind, Malformed, Record, SEQUENCE, TICKS};

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

/// A record, its numbers whole again. `record.payload` is as stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoded<'a> {
    pub(crate) record: Record<'a>,
    pub(crate) thread: u32,
    pub(crate) frame: u32,
    pub(crate) number: u64,
    pub(crate) ticks: u64,
}

/// What a chunk of events holds.
#[derive(Debug)]
pub(crate) struct EventChunk {
    records: Vec<u8>,
    pub(crate) state: ChunkState,
}

impl EventChunk {
    /// Takes a chunk's payload apart.
    pub(crate) fn new(header: &ChunkHeader, payload: &[u8]) -> Option<EventChunk> {
        let (records, state) = pack::unpack(payload, header.records as usize)?;
        Some(EventChunk { records, state: ChunkState::from_bytes(state)? })
    }

    /// The records.
    pub(crate) fn records(&self) -> &[u8] {
        &self.records
    }
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

    /// The record at `at`, which moves behind it; `None` at the end.
    #[inline]
    pub(crate) fn next<'a>(&mut self, records: &'a [u8], at: &mut usize) -> Result<Option<Decoded<'a>>, Malformed> {
        self.blobs.clear();
        loop {
            let rest = records.get(*at..).unwrap_or(&[]);
            if rest.is_empty() {
                return Ok(None);
            }
            let mut record = Record::parse(rest)?;
            *at += record.header.size as usize;
            match record.kind {
                Kind::Pad => continue,
                Kind::Part => return Err(Malformed::Kind(Kind::Part as u8)),
                Kind::Thread => {
                    self.switch(record.header.object);
                    continue;
                }
                Kind::Blob => {
                    let Some(id) = record.payload.first_chunk::<8>() else {
                        return Err(Malformed::Short { needed: 24, left: record.header.size.into() });
                    };
                    self.blobs.push((record.header.ordinal, u64::from_le_bytes(*id)));
                    continue;
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
                Kind::Frame => {
                    self.frame = self.frame.saturating_add(1);
                    self.calls
                }
                _ => self.calls,
            };
            let (thread, ticks) = (thread.thread, thread.ticks);
            return Ok(Some(Decoded { record, thread, frame, number, ticks }));
        }
    }
}
