//! The events of a trace, one after the other.

use std::sync::mpsc::Receiver;

use crate::file::cursor::Cursor;
use crate::file::layout::{Entry, PAGE};
use crate::file::unpack::Found;
use crate::read::damage::{Damage, Place};
use crate::read::decode::{Decoder, EventChunk};
use crate::read::error::ReadError;
use crate::read::event::{self, Call, Event};
use crate::read::index::Stretch;
use crate::read::trace::Trace;
use crate::record::{GapReason, HEADER as RECORD, Header, Kind, padded};

/// What a thread that reads ahead gives.
pub(crate) type Ahead = Receiver<Result<(Entry, EventChunk), Damage>>;

/// Events, one after the other.
#[derive(Debug)]
pub struct Events<'t> {
    trace: &'t Trace,
    /// The next stretch to read.
    next: usize,
    /// Chunks before this stretch are left out if they say of nothing what it stands for.
    known_from: usize,
    /// Gives the chunks in order, where a thread reads ahead.
    ahead: Option<Ahead>,
    chunk: Option<EventChunk>,
    /// The chunk being read.
    entry: Option<Entry>,
    /// Calls, sequence number and frame with which the next chunk must begin; `None` behind damage and left-out chunks.
    expected: Option<(u64, u64, u32)>,
    /// The chunk begins with other numbers than expected, and no event of it was read yet.
    jumped: bool,
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
    pub(crate) fn new(trace: &'t Trace, next: usize) -> Events<'t> {
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
            entry: None,
            expected: None,
            jumped: false,
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

    /// All events, from chunks that another thread reads and decompresses.
    pub(crate) fn ahead(trace: &'t Trace, ahead: Ahead) -> Events<'t> {
        Events { ahead: Some(ahead), ..Events::new(trace, 0) }
    }

    /// The events of these frames, the first of which begins in the stretch `next` or behind it.
    pub(crate) fn of_frames(trace: &'t Trace, next: usize, frames: std::ops::Range<u32>) -> Events<'t> {
        Events { frames, ..Events::new(trace, next) }
    }

    /// The events from this call on, which begins in the stretch `next` or behind it.
    pub(crate) fn from_call(trace: &'t Trace, next: usize, call: u64) -> Events<'t> {
        Events { call, ..Events::new(trace, next) }
    }

    /// All events, without those of chunks before this stretch that say of nothing what it stands for.
    pub(crate) fn known_from(trace: &'t Trace, known_from: usize) -> Events<'t> {
        Events { known_from, ..Events::new(trace, 0) }
    }

    /// The next event; `None` at the end. Damage appears as [`Kind::Gap`] events, so that what follows can still be read.
    ///
    /// # Errors
    /// None so far: what cannot be read is damage, and shows as an event.
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

    /// How many stretches of events were begun.
    pub(crate) fn stretches_read(&self) -> usize {
        self.next
    }

    /// The last time stamp of the current event's thread; 0 for none.
    #[inline]
    pub(crate) fn ticks(&self) -> u64 {
        self.decoder.thread().1
    }

    /// Calls, next sequence number and frames up to here.
    pub(crate) fn reached(&self) -> (u64, u64, u32) {
        (self.decoder.calls, self.decoder.sequence, self.decoder.frame)
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
                    self.expected = None;
                    continue;
                }
                if let Err(damage) = self.load(stretch) {
                    self.lose(damage);
                    return true;
                }
                found = self.advance();
                continue;
            };
            match self.decoder.next(found, &mut chunk.records) {
                Ok(None) => self.end_chunk(),
                Ok(Some(decoded)) => {
                    let payload = chunk.records.record().get(decoded.head..).unwrap_or(&[]);
                    let loss = decoded.kind == Kind::Gap && event::is_loss(payload);
                    if std::mem::take(&mut self.jumped) && !loss {
                        let what =
                            "it begins with another call, sequence number or frame than the chunk before it ends with";
                        self.trace.damage.note(here(self.entry, what));
                    }
                    if loss {
                        let place = Place::Recorded { after_call: decoded.number };
                        self.trace.damage.note(Damage { place, what: event::text(payload) });
                    }
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
                Err(error) => {
                    let position = chunk.records.position();
                    self.chunk = None;
                    self.lose(here(self.entry, &format!("the record that ends at byte {position}: {error}")));
                    return true;
                }
            }
        }
    }

    /// Leaves a chunk of which all records were read.
    fn end_chunk(&mut self) {
        let Decoder { calls, sequence, frame, .. } = self.decoder;
        self.expected = Some((calls, sequence, frame));
        let stated = self.entry.map_or(calls, |entry| entry.header.first + u64::from(entry.header.count));
        if stated != calls {
            let what = format!("its header says that it ends with call {stated}, its records end with call {calls}");
            self.trace.damage.note(here(self.entry, &what));
        }
        if let Some(chunk) = self.chunk.take() {
            self.trace.blocks.give_back(chunk.records.into_packed());
        }
    }

    fn load(&mut self, stretch: Stretch) -> Result<(), Damage> {
        let chunk = match &self.ahead {
            Some(ahead) => ahead.recv().unwrap_or_else(|_| self.trace.event_chunk(stretch)),
            None => self.trace.event_chunk(stretch),
        };
        let (entry, chunk) = chunk?;
        self.decoder.start(&entry.header, &chunk.state);
        let begins = (entry.header.first, entry.header.sequence, entry.header.frame);
        self.jumped = self.expected.is_some_and(|expected| expected != begins);
        (self.chunk, self.entry) = (Some(chunk), Some(entry));
        Ok(())
    }

    /// Makes damage the current event.
    fn lose(&mut self, damage: Damage) {
        self.expected = None;
        self.set_gap(GapReason::DamagedChunk, &damage.to_string());
        self.trace.damage.note(damage);
    }

    /// Makes a record of pages one of memory.
    fn put_pages(&mut self, joined: Result<Vec<u8>, Unjoined>) {
        let what = match joined {
            Ok(bytes) => {
                self.buffer = bytes;
                self.current.kind = Kind::Memory;
                self.current.payload = None;
                return;
            }
            // The trace has noted that.
            Err(Unjoined::Blob(error)) => error.to_string(),
            Err(Unjoined::Record(what)) => {
                self.trace.damage.note(here(self.entry, what));
                what.to_owned()
            }
        };
        let text = format!("memory of object {}: {what}", self.current.object);
        self.set_gap(GapReason::DamagedChunk, &text);
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

/// Damage in a chunk of events.
fn here(entry: Option<Entry>, what: &str) -> Damage {
    let place = entry.map_or(Place::Recorded { after_call: 0 }, |entry| Place::Chunk {
        offset: entry.offset,
        kind: entry.header.kind,
    });
    Damage { place, what: what.into() }
}

/// Why a record of pages does not become one of memory.
enum Unjoined {
    /// A page cannot be read.
    Blob(ReadError),
    /// The record itself is damaged.
    Record(&'static str),
}

/// The payload of a memory record from that of a record of pages.
fn pages(trace: &Trace, payload: &[u8]) -> Result<Vec<u8>, Unjoined> {
    let page = PAGE as u64;
    let damaged = || Unjoined::Record("a record of pages of memory does not fit its length");
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
        trace.with_blob(u64::from_le_bytes(*id), add).map_err(Unjoined::Blob)?;
    }
    bytes.extend_from_slice(tail);
    let whole = bytes.len() as u64 == 16 + len;
    bytes.resize(padded(bytes.len()), 0);
    if whole { Ok(bytes) } else { Err(Unjoined::Record("a page of a record of memory has another size")) }
}
