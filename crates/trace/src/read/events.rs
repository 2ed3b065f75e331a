//! The events of a trace, one after the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender};

use crate::file::laid::Laid;
use crate::file::layout::Entry;
use crate::file::records::Records;
use crate::file::unpack::Found;
use crate::read::damage::{Damage, Place};
use crate::read::decode::{Decoded, Decoder, EventChunk};
use crate::read::division::Division;
use crate::read::error::ReadError;
use crate::read::event::{self, Call, Event};
use crate::read::index::Stretch;
use crate::read::pages::{Pages, Unread};
use crate::read::piece::Piece;
use crate::read::trace::Trace;
use crate::read::translate::Translator;
use crate::record::{GapReason, HEADER as RECORD, Header, Kind, LEAVES, OBSERVED};

/// What a thread that reads ahead gives, and what it takes back to use it again.
#[derive(Debug)]
pub(crate) struct Ahead {
    pub(crate) chunks: Receiver<Result<(Entry, EventChunk), Damage>>,
    pub(crate) used: Sender<Laid>,
    /// How many chunks were sent and not taken.
    pub(crate) ready: Arc<AtomicUsize>,
}

/// Events, one after the other.
#[derive(Debug)]
pub struct Events<'t> {
    trace: &'t Trace,
    /// The next stretch to read.
    next: usize,
    /// Chunks before this stretch are left out if they say of nothing what it stands for.
    known_from: usize,
    /// By stretch, whether it is wanted. Stretches behind the last one here are read.
    wanted_stretches: Vec<bool>,
    /// Stretches that say what objects, addresses or descriptor handles stand for are read even if they are not wanted.
    known: bool,
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
    /// Says where frames end, where nothing recorded does.
    division: Option<&'t Division>,
    /// The frame ends behind the current event.
    due: bool,
    /// Converts calls, where the trace is of another model.
    translator: Option<Translator<'t>>,
    /// How memory is given that the trace has in pages.
    wanted: Wanted,
    /// The pieces of the current event, where they are wanted.
    pieces: Vec<Piece>,
}

/// How a reader wants memory that the trace has in pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    /// Put together, as events of memory.
    Whole,
    /// Where it lies, piece by piece, but for what the program saw.
    Pieces,
    /// Not read, but for what the program saw.
    Nothing,
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
    flags: u8,
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
            flags: 0,
            payload: None,
        };
        Events {
            trace,
            next,
            known_from: 0,
            wanted_stretches: Vec::new(),
            known: false,
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
            division: trace.division(),
            due: false,
            translator: trace.translation().map(|by| Translator::new(&**by)),
            wanted: Wanted::Whole,
            pieces: Vec::new(),
        }
    }

    /// All events, with the frames that were recorded.
    pub(crate) fn as_recorded(trace: &'t Trace) -> Events<'t> {
        Events { division: None, ..Events::new(trace, 0) }
    }

    /// By stretch of events, the frame in which it begins where submissions end frames. The first time, all events are read.
    pub(crate) fn starts<'d>(trace: &Trace, division: &'d Division) -> &'d [u32] {
        division.starts(|| {
            let mut events = Events::as_recorded(trace).without_pages();
            let mut ended = vec![0u32; trace.events.len() + 1];
            // What is damaged is an event, and no error.
            while let Ok(Some(event)) = events.next() {
                let (kind, method, flags) = (event.kind, event.method, event.flags);
                if division.ends(kind, method, event.number, flags)
                    && let Some(behind) = ended.get_mut(events.stretches_read())
                {
                    *behind = behind.saturating_add(1);
                }
            }
            ended
        })
    }

    /// Gives what the program stored to memory, where the trace has it in pages, as [`Kind::Pages`] events with [`Event::pieces`]: nothing
    /// is copied. What the program saw the GPU write is given as always.
    #[must_use]
    pub fn in_pieces(self) -> Self {
        Events { wanted: Wanted::Pieces, ..self }
    }

    /// Does not read what the program stored to memory, where the trace has it in pages: such events are of [`Kind::Pages`] and without
    /// pieces, sound or not. For readers who have no use for it.
    #[must_use]
    pub fn without_pages(self) -> Self {
        Events { wanted: Wanted::Nothing, ..self }
    }

    /// Leaves out the [stretches](Trace::stretches_of_events) that are not wanted. `wanted` says it by their numbers. What is left out is
    /// neither read nor checked. Not for events that a thread reads ahead.
    #[must_use]
    pub fn only(self, wanted: Vec<bool>) -> Self {
        Events { wanted_stretches: wanted, ..self }
    }

    /// The same, but stretches that say what objects, addresses or descriptor handles stand for are never left out.
    #[must_use]
    pub fn only_and_names(self, wanted: Vec<bool>) -> Self {
        Events { wanted_stretches: wanted, known: true, ..self }
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
            // The end of the frame comes first.
            None if self.due => Found::End,
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
        let chunk = self.chunk.as_mut().filter(|_| self.all && self.found.is_none() && !self.due)?;
        let found = chunk.records.advance();
        let Found::Plain(head) = found else {
            self.found = Some(found);
            return None;
        };
        let (before, payload, turn) = chunk.records.plain(head)?;
        let header = Header::from_bytes(before.first_chunk()?);
        let mut method = header.method;
        if let Some(translator) = &self.translator {
            let Some(number) = translator.number(method) else {
                (self.found, self.head) = (Some(found), 0);
                return None;
            };
            method = number;
        }
        self.decoder.plain(before);
        self.head = head;
        self.due = self.division.is_some_and(|division| division.is_by(method, self.decoder.calls));
        Some(Call { number: self.decoder.calls, method, object: header.object, payload, turn })
    }

    /// How many stretches of events were begun: the current event is in the last of them.
    pub fn stretches_read(&self) -> usize {
        self.next
    }

    /// Whether the reader was told to leave out a stretch, which is the next one.
    fn is_left_out(&self, stretch: Stretch) -> bool {
        let unwanted = self.wanted_stretches.get(self.next).is_some_and(|wanted| !wanted);
        (unwanted && (!self.known || stretch.is_nameless())) || (self.next < self.known_from && stretch.is_nameless())
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
            method: self.translator.as_ref().and_then(|by| by.number(header.method)).unwrap_or(header.method),
            object: header.object,
            ordinal: header.ordinal,
            sequence: if self.head > RECORD { self.decoder.sequence.wrapping_sub(1) } else { 0 },
            payload,
            pieces: &[],
            blobs: &[],
            open: self.is_open(number),
            flags: header.flags,
            ticks,
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
            match std::mem::take(&mut self.due) {
                true => self.end_frame(),
                false if !self.step(found) => return None,
                false => self.due = self.ends_frame(),
            }
            if self.current.frame >= self.frames.end {
                return None;
            }
            self.pass();
            let reached = self.current.kind == Kind::Enter && self.current.number >= self.call;
            if (self.call == 0 || reached) && self.current.frame >= self.frames.start {
                break;
            }
            if !self.due {
                found = self.advance();
            }
        }
        self.call = 0;
        self.all = self.frames == (0..u32::MAX);
        self.translate();
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
            pieces: &self.pieces,
            blobs: &self.decoder.blobs,
            open: current.kind == Kind::Enter && self.is_open(current.number),
            flags: current.flags,
            ticks: current.ticks,
        })
    }

    /// Whether the current event, which is not translated yet, ends a frame where nothing recorded does.
    fn ends_frame(&self) -> bool {
        let Current { kind, method, flags, number: call, .. } = self.current;
        let number = |method| self.translator.as_ref().map_or(method, |by| by.any_number(method));
        self.division.is_some_and(|division| division.ends(kind, number(method), call, flags))
    }

    /// Makes the end of a frame the current event, which no record is.
    fn end_frame(&mut self) {
        self.buffer.clear();
        let source = self.division.map_or(0, |division| division.source() as u32);
        self.buffer.extend(u64::from(source).to_le_bytes());
        self.set_made(Kind::Frame);
        self.decoder.frame = self.decoder.frame.saturating_add(1);
    }

    /// Remembers what the translation of a later event needs of the current one.
    fn pass(&mut self) {
        let (Some(translator), current) = (&mut self.translator, &self.current) else { return };
        if let (Some(head), Some(chunk), Kind::Enter, true) =
            (current.payload, &self.chunk, current.kind, current.flags & LEAVES != 0)
        {
            translator.pass(current.number, current.method, chunk.records.record().get(head..).unwrap_or(&[]));
        }
    }

    /// Makes the current event one of the reader's model.
    fn translate(&mut self) {
        let (Some(translator), current) = (&mut self.translator, &mut self.current) else { return };
        let (Some(head), Some(chunk)) = (current.payload, &self.chunk) else { return };
        let payload = chunk.records.record().get(head..).unwrap_or(&[]);
        let Current { kind, number, method, .. } = *current;
        let (method, converted) = translator.event(kind, number, method, payload, &mut self.buffer);
        current.method = method;
        if converted {
            current.payload = None;
        }
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
                let left_out = self.is_left_out(stretch);
                self.next += 1;
                if left_out {
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
            let frame = self.decoder.frame;
            let next = self.decoder.next(found, &mut chunk.records);
            if self.division.is_some() {
                // Recorded boundaries count for nothing.
                self.decoder.frame = frame;
            }
            match next {
                Ok(None) => self.end_chunk(),
                Ok(Some(Decoded { kind: Kind::Frame, .. })) if self.division.is_some() => {
                    found = chunk.records.advance();
                }
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
                        flags: decoded.header.flags,
                        payload: Some(decoded.head),
                    };
                    self.pieces.clear();
                    if decoded.kind == Kind::Pages {
                        self.put_pages(decoded.head);
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
            match (chunk.records, &self.ahead) {
                (Records::Packed(records), _) => self.trace.blocks.give_back(records.into_packed()),
                // The thread may have ended.
                (Records::Laid(records), Some(ahead)) => drop(ahead.used.send(records)),
                (Records::Laid(_), None) => {}
            }
        }
    }

    fn load(&mut self, stretch: Stretch) -> Result<(), Damage> {
        let chunk = match &self.ahead {
            Some(ahead) => match ahead.chunks.recv() {
                Ok(chunk) => {
                    ahead.ready.fetch_sub(1, Ordering::Relaxed);
                    chunk
                }
                Err(_) => self.trace.event_chunk(stretch),
            },
            None => self.trace.event_chunk(stretch),
        };
        let (entry, chunk) = chunk?;
        self.decoder.start(&entry.header, &chunk.state);
        if let Some(division) = self.division {
            self.decoder.frame = match self.expected {
                Some((_, _, frame)) => frame,
                None if self.next == 1 => 0,
                None => Events::starts(self.trace, division).get(self.next - 1).copied().unwrap_or(0),
            };
        }
        let begins = (entry.header.first, entry.header.sequence, self.decoder.frame);
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

    /// Makes a record of pages what the reader wants. Its payload begins behind so many bytes of the chunk's current record.
    fn put_pages(&mut self, head: usize) {
        let Some(chunk) = &self.chunk else { return };
        let payload = chunk.records.record().get(head..).unwrap_or(&[]);
        let wanted = if self.current.method == OBSERVED { Wanted::Whole } else { self.wanted };
        let read = |pieces: &mut Vec<Piece>| Pages::parse(payload)?.find(self.trace, pieces);
        let found = match wanted {
            Wanted::Nothing => return,
            Wanted::Pieces => read(&mut self.pieces),
            Wanted::Whole => read(&mut self.pieces).map(|()| {
                self.buffer.clear();
                Pages::join(payload, &self.pieces, &mut self.buffer);
                self.pieces.clear();
                self.current.kind = Kind::Memory;
                self.current.payload = None;
            }),
        };
        let Err(unread) = found else { return };
        self.pieces.clear();
        let what = match unread {
            // The trace has noted that.
            Unread::Blob(error) => error.to_string(),
            Unread::Record(what) => {
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
        self.set_made(Kind::Gap);
    }

    /// Makes what the buffer holds the current event, which no record is.
    fn set_made(&mut self, kind: Kind) {
        self.decoder.blobs.clear();
        self.pieces.clear();
        let (thread, ticks) = self.decoder.thread();
        self.current = Current {
            kind,
            method: 0,
            object: 0,
            ordinal: 0,
            sequence: 0,
            frame: self.decoder.frame,
            number: self.decoder.calls,
            thread,
            ticks,
            flags: 0,
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
