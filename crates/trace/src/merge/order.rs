//! The rules of the order of a trace. Pure: no input or output.
//!
//! The merge reads one stream of records for each thread. It takes a record when every rule allows it:
//!
//! - The records of one stream keep their order.
//! - Sequence numbers rise by one.
//! - The ordinals of an object rise by one.
//! - A record with `after` comes behind all smaller sequence numbers.
//! - A sequenced record waits until no stream has an unnumbered record that could be taken. It must also have been visible
//!   *before* the last look at the other streams ([`Merge::advance`]). So a record that any thread published before it is
//!   visible, too, and is taken first.
//!
//! Invariant: every record is given exactly once, or named in a gap. A killed thread may have taken a number without publishing
//! its record; [`Merge::resolve`] skips that number, and always makes progress.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::merge::item::{Gap, Item, Resolved, Streams};
use crate::merge::ordinals::{Ordinals, is_ahead};
use crate::record::{GapReason, HEADER, Header, Kind, LEAVES, Malformed, ORDERED, Record, SEQUENCE, TICKS, head_size};

/// Deepest nesting of calls that is tracked. A program that nests deeper has overrun its stack.
const MAX_OPEN: usize = 4096;

#[derive(Clone, Debug, Default)]
struct Stream {
    position: u64,
    visible: u64,
    /// Sequenced records may be taken before this position.
    settled: u64,
    /// Runnable or in one of the lists of the waiting; idle otherwise.
    busy: bool,
    /// A record is damaged, so where it ends is unknown, and no later one can be found.
    dead: bool,
    open: Vec<u64>,
    /// Position after, and number of, the last enter record without a leave.
    last_light: (u64, u64),
}

/// The state of a merge.
#[derive(Debug)]
pub struct Merge {
    streams: Vec<Stream>,
    /// Places of removed streams, which later ones take.
    free: Vec<usize>,
    next_sequence: u64,
    ordinals: Ordinals,
    calls: u64,
    /// Streams that may have something to give.
    runnable: Vec<usize>,
    by_sequence: BinaryHeap<Reverse<(u64, usize)>>,
    by_after: BinaryHeap<Reverse<(u64, usize)>>,
    by_ordinal: Vec<(u32, u32, usize)>,
}

/// The first record of a stream that waits.
struct Head {
    key: (u64, u32),
    stream: usize,
    sequence: u64,
    /// Object and ordinal.
    ordinal: Option<(u32, u32)>,
}

/// What [`Merge::choose`] found to be the next item.
enum Choice {
    /// The first record of a stream, which belongs to the record behind it.
    Prefix(usize),
    /// The first record of a stream.
    Record(usize),
    /// A stream ends in damage.
    Damage(Gap),
}

enum Blocked {
    Sequence(u64),
    After(u64),
    Ordinal(u32, u32),
}

impl Default for Merge {
    fn default() -> Merge {
        Merge::resume(1, 0)
    }
}

impl Merge {
    /// Continues an order of which everything below `next_sequence`, and so many calls, are already known.
    pub fn resume(next_sequence: u64, calls: u64) -> Merge {
        Merge {
            streams: Vec::new(),
            free: Vec::new(),
            next_sequence,
            ordinals: Ordinals::default(),
            calls,
            runnable: Vec::new(),
            by_sequence: BinaryHeap::new(),
            by_after: BinaryHeap::new(),
            by_ordinal: Vec::new(),
        }
    }

    /// Adds a stream that begins at `position`; gives its number: the next one from 0 on, or one that was removed.
    pub fn add_stream(&mut self, position: u64) -> usize {
        let fresh = Stream { position, visible: position, settled: position, ..Stream::default() };
        let Some(stream) = self.free.pop() else {
            self.streams.push(fresh);
            return self.streams.len() - 1;
        };
        // It may still be in the list of those that have something to give, from which only a look takes it.
        let busy = self.streams[stream].busy;
        self.streams[stream] = Stream { busy, ..fresh };
        stream
    }

    /// Removes a stream. Everything visible of it has been given, and the caller does not advance it any more.
    pub fn remove_stream(&mut self, stream: usize) {
        debug_assert_eq!(self.streams[stream].position, self.streams[stream].visible);
        self.free.push(stream);
    }

    /// Sets the ordinal that an object's next ordered record must have.
    pub fn set_ordinal(&mut self, object: u32, ordinal: u32) {
        self.ordinals.set(object, ordinal);
    }

    /// Sets the calls that are open on a stream, outermost first.
    pub fn set_open(&mut self, stream: usize, open: Vec<u64>) {
        self.streams[stream].open = open;
    }

    /// Says that the stream is now readable up to `visible`. To be called for *every* stream, each time the caller looks
    /// at them: what was visible at the last call is settled.
    pub fn advance(&mut self, stream: usize, visible: u64) {
        let s = &mut self.streams[stream];
        s.settled = s.visible;
        if visible > s.visible {
            s.visible = visible;
            if !s.busy {
                s.busy = true;
                self.runnable.push(stream);
            }
        }
    }

    /// The position up to which a stream's records have been given.
    pub fn position(&self, stream: usize) -> u64 {
        self.streams[stream].position
    }

    /// The next sequence number to be given.
    pub fn next_sequence(&self) -> u64 {
        self.next_sequence
    }

    /// Calls given so far.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// The calls that are open on a stream, outermost first. `in_call` is the ring's in-call word: the light call whose
    /// enter record ends there is the innermost one.
    pub fn open_calls(&self, stream: usize, in_call: u64) -> Vec<u64> {
        let s = &self.streams[stream];
        let mut open = s.open.clone();
        if in_call != 0 && in_call == s.last_light.0 {
            open.push(s.last_light.1);
        }
        open
    }

    /// Whether everything visible has been given.
    pub fn is_drained(&self) -> bool {
        self.streams.iter().all(|s| s.position == s.visible)
    }

    /// The stream that [`Merge::take_light`] would take from.
    #[inline]
    pub fn running(&self) -> Option<usize> {
        self.runnable.last().copied()
    }

    /// Takes enter records of light calls from the running stream, one after the other, as long as they need nothing but
    /// their own ordinal and `each` wants more; gives how many. `each` sees the header, and the whole record.
    ///
    /// The short way for nearly all records; what it leaves, [`Merge::next`] takes.
    #[inline]
    pub fn take_light<S: Streams + ?Sized>(
        &mut self,
        bytes: &mut S,
        mut each: impl FnMut(Header, &[u8]) -> bool,
    ) -> u64 {
        let Some(stream) = self.running().filter(|_| self.by_ordinal.is_empty()) else { return 0 };
        let s = &mut self.streams[stream];
        if s.dead || s.position == s.visible {
            return 0;
        }
        bytes.load(stream, s.position, s.visible);
        let bytes = bytes.bytes(stream, s.position, s.visible);
        let (mut at, mut count) = (0, 0);
        while let Some(rest) = bytes.get(at..)
            && let Some(fields) = rest.first_chunk::<HEADER>()
        {
            let header = Header::from_bytes(fields);
            let size = header.size as usize;
            let light = header.kind == Kind::Enter as u8 && header.flags & !(ORDERED | TICKS) == 0;
            if !light || size < head_size(header.flags) || !size.is_multiple_of(8) {
                break;
            }
            let Some(record) = rest.get(..size) else { break };
            if header.flags & ORDERED != 0 && !self.ordinals.take(header.object, header.ordinal) {
                break;
            }
            at += size;
            count += 1;
            if !each(header, record) {
                break;
            }
        }
        s.position += at as u64;
        self.calls += count;
        if count > 0 {
            s.last_light = (s.position, self.calls);
        }
        count
    }

    /// The next item; `None` when nothing can be taken before more is visible.
    #[inline]
    pub fn next<'b, S: Streams + ?Sized>(&mut self, bytes: &'b mut S) -> Option<Item<'b>> {
        let (stream, prefix) = match self.choose(bytes)? {
            Choice::Prefix(stream) => (stream, true),
            Choice::Record(stream) => (stream, false),
            Choice::Damage(gap) => return Some(Item::Gap(gap)),
        };
        let s = &self.streams[stream];
        match Record::parse(bytes.bytes(stream, s.position, s.visible)) {
            Ok(record) if prefix => {
                self.step_over(stream, &record);
                Some(Item::Prefix { stream, record })
            }
            Ok(record) => Some(self.take(stream, record)),
            Err(malformed) => Some(Item::Gap(self.damaged(stream, malformed))),
        }
    }

    /// The stream whose first record is the next item. That record is loaded.
    #[inline]
    fn choose<S: Streams + ?Sized>(&mut self, bytes: &mut S) -> Option<Choice> {
        loop {
            let Some(&stream) = self.runnable.last() else {
                // Nothing without a number is left to take.
                let &Reverse((sequence, stream)) = self.by_sequence.peek()?;
                let s = &mut self.streams[stream];
                if sequence > self.next_sequence || s.position >= s.settled {
                    return None;
                }
                self.by_sequence.pop();
                self.runnable.push(stream);
                continue;
            };
            let s = &mut self.streams[stream];
            if s.dead {
                s.position = s.visible;
            }
            if s.position == s.visible {
                s.busy = false;
                self.runnable.pop();
                continue;
            }
            let s = &self.streams[stream];
            bytes.load(stream, s.position, s.visible);
            let record = match Record::parse(bytes.bytes(stream, s.position, s.visible)) {
                Ok(record) if record.kind.in_ring() => record,
                Ok(record) => {
                    let malformed = Malformed::Kind(record.header.kind);
                    return Some(Choice::Damage(self.damaged(stream, malformed)));
                }
                Err(malformed) => return Some(Choice::Damage(self.damaged(stream, malformed))),
            };
            match record.kind {
                Kind::Pad => {
                    self.step_over(stream, &record);
                    continue;
                }
                Kind::Part | Kind::Blob => return Some(Choice::Prefix(stream)),
                _ => {}
            }
            if let Some(blocked) = self.blocked(stream, &record) {
                self.runnable.pop();
                match blocked {
                    Blocked::Sequence(sequence) => self.by_sequence.push(Reverse((sequence, stream))),
                    Blocked::After(after) => self.by_after.push(Reverse((after, stream))),
                    Blocked::Ordinal(object, ordinal) => self.by_ordinal.push((object, ordinal, stream)),
                }
                continue;
            }
            return Some(Choice::Record(stream));
        }
    }

    /// Gives up the numbers that the most promising stream waits for, and says which. To be called when [`Merge::next`] gives
    /// nothing although [`Merge::is_drained`] is false, and nothing more becomes visible, or has not for too long.
    pub fn resolve<S: Streams + ?Sized>(&mut self, bytes: &mut S) -> Resolved {
        // Of all heads the one with the smallest sequence number at it or behind it; those without one last, by ordinal.
        let mut best: Option<Head> = None;
        for (stream, s) in self.streams.iter_mut().enumerate() {
            // What waits only for another look need not.
            s.settled = s.visible;
            if s.position == s.visible {
                continue;
            }
            bytes.load(stream, s.position, s.visible);
            let Ok(record) = Record::parse(bytes.bytes(stream, s.position, s.visible)) else { continue };
            let ordinal = (record.header.flags & ORDERED != 0).then_some((record.header.object, record.header.ordinal));
            let (sequence, rank) = (record.sequence.max(record.after), record.header.ordinal);
            let before = if sequence > self.next_sequence { sequence } else { sequence_ahead(bytes, stream, s) };
            let key = (before, rank);
            if best.as_ref().is_none_or(|b| key < b.key) {
                best = Some(Head { key, stream, sequence, ordinal });
            }
        }
        let Some(Head { stream, sequence, ordinal, .. }) = best else { return Resolved::Nothing };
        self.wake_all();
        if sequence > self.next_sequence {
            let gap = Gap {
                stream: None,
                reason: GapReason::MissingSequence,
                object: 0,
                first: self.next_sequence,
                count: sequence - self.next_sequence,
                malformed: None,
            };
            self.next_sequence = sequence;
            return Resolved::Gap(gap);
        }
        let Some((object, ordinal)) = ordinal else { return Resolved::Ready };
        let expected = self.ordinals.get(object);
        let count = u64::from(ordinal.wrapping_sub(expected));
        if !is_ahead(ordinal, expected) {
            return Resolved::Ready;
        }
        self.ordinals.set(object, ordinal);
        let reason = GapReason::MissingOrdinal;
        Resolved::Gap(Gap { stream: Some(stream), reason, object, first: expected.into(), count, malformed: None })
    }

    fn wake_all(&mut self) {
        self.by_sequence.clear();
        self.by_after.clear();
        self.by_ordinal.clear();
        self.runnable.clear();
        for (stream, s) in self.streams.iter_mut().enumerate() {
            s.busy = s.position != s.visible;
            if s.busy {
                self.runnable.push(stream);
            }
        }
    }

    fn step_over(&mut self, stream: usize, record: &Record<'_>) {
        self.streams[stream].position += u64::from(record.header.size);
    }

    #[inline(always)]
    fn blocked(&self, stream: usize, record: &Record<'_>) -> Option<Blocked> {
        let header = &record.header;
        if header.flags & ORDERED != 0 && is_ahead(header.ordinal, self.ordinals.get(header.object)) {
            return Some(Blocked::Ordinal(header.object, header.ordinal));
        }
        if record.after > self.next_sequence {
            return Some(Blocked::After(record.after));
        }
        if header.flags & SEQUENCE == 0 || record.sequence < self.next_sequence {
            return None;
        }
        let s = &self.streams[stream];
        let now = record.sequence == self.next_sequence && s.position < s.settled && self.runnable.len() == 1;
        (!now).then_some(Blocked::Sequence(record.sequence))
    }

    #[inline(always)]
    fn take<'b>(&mut self, stream: usize, record: Record<'b>) -> Item<'b> {
        let header = record.header;
        let mut late = false;
        if header.flags & SEQUENCE != 0 {
            late = record.sequence < self.next_sequence;
            if !late {
                // A damaged ring may say the last number there is.
                self.next_sequence = record.sequence.saturating_add(1);
                self.wake_after();
            }
        }
        if header.flags & ORDERED != 0 {
            let expected = self.ordinals.get(header.object);
            late |= header.ordinal != expected;
            if header.ordinal == expected {
                self.ordinals.set(header.object, expected.wrapping_add(1));
                if !self.by_ordinal.is_empty() {
                    self.wake_ordinal(header.object, expected.wrapping_add(1));
                }
            }
        }
        self.step_over(stream, &record);
        let s = &mut self.streams[stream];
        let number = match record.kind {
            Kind::Enter => {
                self.calls += 1;
                if header.flags & LEAVES == 0 {
                    s.last_light = (s.position, self.calls);
                } else if s.open.len() < MAX_OPEN {
                    s.open.push(self.calls);
                }
                self.calls
            }
            Kind::Leave => s.open.pop().unwrap_or(0),
            _ => self.calls,
        };
        Item::Record { stream, record, number, late }
    }

    /// Makes a waiting stream runnable, below the one that is running, which stays on top.
    fn wake(&mut self, stream: usize) {
        self.runnable.insert(self.runnable.len().saturating_sub(1), stream);
    }

    fn wake_after(&mut self) {
        while let Some(&Reverse((after, stream))) = self.by_after.peek() {
            if after > self.next_sequence {
                break;
            }
            self.by_after.pop();
            self.wake(stream);
        }
    }

    fn wake_ordinal(&mut self, object: u32, ordinal: u32) {
        while let Some(at) = self.by_ordinal.iter().position(|&(o, n, _)| o == object && n == ordinal) {
            let (_, _, stream) = self.by_ordinal.swap_remove(at);
            self.wake(stream);
        }
    }

    #[cold]
    fn damaged(&mut self, stream: usize, malformed: Malformed) -> Gap {
        let s = &mut self.streams[stream];
        s.dead = true;
        let (reason, malformed) = (GapReason::DamagedRing, Some(malformed));
        let (first, count) = (s.position, s.visible - s.position);
        Gap { stream: Some(stream), reason, object: 0, first, count, malformed }
    }
}

/// Records that are looked through for a sequence number behind a head that waits for something else.
const LOOK_AHEAD: usize = 1024;

/// The first sequence number of the records that wait in a stream; `u64::MAX` when none is near.
fn sequence_ahead<S: Streams + ?Sized>(bytes: &mut S, stream: usize, s: &Stream) -> u64 {
    let mut position = s.position;
    for _ in 0..LOOK_AHEAD {
        if position >= s.visible {
            break;
        }
        bytes.load(stream, position, s.visible);
        let Ok(record) = Record::parse(bytes.bytes(stream, position, s.visible)) else { break };
        if record.header.flags & SEQUENCE != 0 {
            return record.sequence;
        }
        position += u64::from(record.header.size);
    }
    u64::MAX
}
