//! Unpacks the records of a chunk of events, one after the other: the other direction of [`pack`](crate::file::pack).
//!
//! Each form keeps its last record, and the next record of the form is made in the same place: lanes that do not change are
//! neither looked at nor copied, and callers read the record where it is. Invariants: records come out as
//! [`Packer`](crate::file::pack::Packer) took them; damage ends them; the memory in use is bounded by the packed bytes.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::file::pack::{FORMS, LITERAL, SECTIONS, extent};
use crate::file::predict::KEY;
use crate::record::{HEADER, Kind, ORDERED, SEQUENCE, head_size};

/// Bytes behind the packed ones, so that a mask and a lane can be read at every place.
const BEHIND: usize = 8;

/// Chunks that were taken apart, from 1: records of different chunks have different numbers. No chunk has 2³² records.
static CHUNKS: AtomicU64 = AtomicU64::new(1);

/// Takes the records of a chunk apart.
#[derive(Debug)]
pub(crate) struct Unpacker {
    packed: Vec<u8>,
    codes: Span,
    masks: Span,
    lanes: Span,
    keys: Span,
    bytes: Span,
    #[expect(
        clippy::vec_box,
        reason = "a growing row of whole forms asks the C library's allocator for large pieces; it then first puts together all that was \
                  freed, which slows down a driver that takes memory for each command"
    )]
    forms: Vec<Box<Form>>,
    /// The first record of each form has the number after this one.
    turns: u64,
    /// Where the current record is.
    current: Place,
    /// Bytes of all records, and of those that are still to come.
    records: usize,
    left: usize,
    damaged: bool,
}

/// Where in the packed bytes something begins and ends.
#[derive(Clone, Copy, Debug)]
struct Span {
    at: usize,
    end: usize,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    /// The last record of this form.
    Form(usize),
    /// As it is among the packed bytes.
    Packed(Span),
}

/// Records of one form.
#[derive(Debug)]
struct Form {
    /// Bytes of a record.
    size: usize,
    /// For plain calls ([`Found::Plain`]), the bytes before the payload; otherwise 0.
    head: usize,
    /// Whether all of a record lies in lanes.
    short: bool,
    /// Bytes of a mask.
    mask: usize,
    /// The bits of it that stand for lanes.
    known: u64,
    /// The bits of the lanes that changed last. Their prediction may differ from their value.
    moving: u64,
    /// The bits of the lanes that may have changed with the last record.
    touched: u64,
    /// The number of the last record; that of the next one is greater by one.
    turn: u64,
    lanes: Vec<Lane>,
    /// The last record. It begins 8 bytes into the first element, so that its lanes are aligned to 16, and may end 8 bytes
    /// before the end of the last one.
    last: Vec<[u8; 16]>,
}

/// What is expected of a lane.
#[derive(Clone, Copy, Default, Debug)]
struct Lane {
    /// What comes next.
    next: u32,
    /// By how much it grew last.
    step: u32,
}

/// What a call has in common with the one before it whose record has the same form: the same method and as many bytes.
///
/// A reader that keeps what it made of the last call of a form can make that of the next one from it: see [`Turn::changed`].
#[derive(Clone, Copy, Default, Debug)]
pub struct Turn {
    /// Which form of its chunk the record has, from 0 in order of appearance.
    pub form: usize,
    /// Greater by one than that of the call before; 0 where nothing is known. No other chunk has the same number for the form.
    pub number: u64,
    /// A bit for each 4 bytes of the payload, from its first on: those that may be other than in the call with the number before.
    pub changed: u64,
}

/// What [`Unpacker::advance`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// A plain call: an Enter record without time stamp and without Leave. So many bytes stand before its payload.
    Plain(usize),
    /// A record of any kind.
    Record,
    /// All records were given.
    End,
    /// The bytes here are no record; nothing comes after them.
    Damage,
}

impl Unpacker {
    /// The block that it was given.
    pub(crate) fn into_packed(self) -> Vec<u8> {
        self.packed
    }

    /// Takes what [`Packer::put`](crate::file::pack::Packer::put) wrote for `records` bytes of records, and whatever follows it.
    pub(crate) fn new(mut packed: Vec<u8>, records: usize) -> Option<Unpacker> {
        let mut at = 4 * SECTIONS;
        let mut spans = [Span { at, end: at }; SECTIONS];
        let lengths = packed.get(..at)?.as_chunks::<4>().0;
        for (span, length) in spans.iter_mut().zip(lengths) {
            *span = Span { at, end: at.checked_add(u32::from_le_bytes(*length) as usize)? };
            at = span.end;
        }
        if at > packed.len() {
            return None;
        }
        let [codes, masks, lanes, keys, bytes] = spans;
        packed.extend([0; BEHIND]);
        let current = Place::Packed(Span { at, end: at });
        let (forms, left) = (Vec::new(), records);
        let turns = CHUNKS.fetch_add(1, Ordering::Relaxed).wrapping_shl(32);
        Some(Unpacker {
            packed,
            codes,
            masks,
            lanes,
            keys,
            bytes,
            forms,
            turns,
            current,
            records,
            left,
            damaged: false,
        })
    }

    /// What follows the packed records.
    pub(crate) fn behind(&self) -> &[u8] {
        // The bytes are the last section.
        self.packed.get(self.bytes.end..self.packed.len() - BEHIND).unwrap_or(&[])
    }

    /// Bytes of all records.
    pub(crate) fn size(&self) -> usize {
        self.records
    }

    /// The numbers of turns of this chunk begin behind this one.
    pub(crate) fn turns(&self) -> u64 {
        self.turns
    }

    /// Bytes of the records so far, the current one included.
    pub(crate) fn position(&self) -> usize {
        self.records - self.left
    }

    /// The record that was found last.
    #[inline(always)]
    pub(crate) fn record(&self) -> &[u8] {
        match self.current {
            Place::Form(at) => self.forms.get(at).map_or(&[], |form| form.record()),
            Place::Packed(span) => self.packed.get(span.at..span.end).unwrap_or(&[]),
        }
    }

    /// The plain call that was found last, with so many bytes before its payload: these, the payload, and what it has in common with the
    /// record of its form before it.
    #[inline(always)]
    pub(crate) fn plain(&self, head: usize) -> Option<(&[u8], &[u8], Turn)> {
        let (record, turn) = match self.current {
            Place::Form(at) => {
                let form = self.forms.get(at)?;
                // The first lane stands behind half a header.
                let changed = form.touched >> ((head.saturating_sub(KEY) / 4) & 63);
                let turn = Turn { form: at, number: form.turn, changed };
                (form.record(), if form.short { turn } else { Turn::default() })
            }
            Place::Packed(_) => (self.record(), Turn::default()),
        };
        let (before, payload) = record.split_at_checked(head)?;
        Some((before, payload, turn))
    }

    /// Goes on to the next record.
    #[inline]
    pub(crate) fn advance(&mut self) -> Found {
        match self.known() {
            Some(found) => found,
            None => self.other(),
        }
    }

    /// The next record, if its form came before and all of it lies in lanes. `None` changes nothing.
    #[inline(always)]
    fn known(&mut self) -> Option<Found> {
        let code = *self.packed.get(self.codes.at).filter(|_| self.codes.at < self.codes.end)?;
        let at = usize::from(code).wrapping_sub(1);
        let form = self.forms.get_mut(at).filter(|form| form.short && code < 128)?;
        let (left, masks) = (self.left.checked_sub(form.size)?, self.masks.at + form.mask);
        if masks > self.masks.end {
            return None;
        }
        let mask = u64::from_le_bytes(*self.packed.get(self.masks.at..)?.first_chunk()?);
        let lanes = self.lanes.at + form.update(mask & form.known, self.packed.get(self.lanes.at..)?);
        (self.codes.at, self.masks.at, self.lanes.at, self.left) = (self.codes.at + 1, masks, lanes, left);
        if lanes > self.lanes.end {
            return Some(self.damage());
        }
        self.current = Place::Form(at);
        Some(form.found())
    }

    /// The next record in all other cases, the end, or damage.
    #[cold]
    #[inline(never)]
    fn other(&mut self) -> Found {
        if self.codes.is_empty() {
            let empty = [self.masks, self.lanes, self.keys, self.bytes].iter().all(Span::is_empty);
            return if empty && self.left == 0 && !self.damaged { Found::End } else { Found::Damage };
        }
        self.unpack().unwrap_or_else(|| self.damage())
    }

    /// Makes every later answer damage, too.
    #[cold]
    fn damage(&mut self) -> Found {
        self.codes.end = self.codes.at;
        self.damaged = true;
        Found::Damage
    }

    /// The next record, of whatever form; `None` where there is none.
    fn unpack(&mut self) -> Option<Found> {
        let code = self.code()?;
        if code == LITERAL {
            let size = u32::from_le_bytes(*self.bytes.of(&self.packed).first_chunk()?) as usize;
            let span = self.bytes.take(size).filter(|_| size >= HEADER)?;
            self.left = self.left.checked_sub(size)?;
            self.current = Place::Packed(span);
            return Some(Found::Record);
        }
        let at = code as usize - 1;
        if at == self.forms.len() {
            let key = self.keys.take(8)?;
            let key = u64::from_le_bytes(*key.of(&self.packed).first_chunk()?);
            let form = Form::new(key, self.turns).filter(|_| at < FORMS)?;
            self.forms.push(Box::new(form));
        }
        let form = self.forms.get_mut(at)?;
        self.left = self.left.checked_sub(form.size)?;
        let mask = self.masks.take(form.mask)?;
        let mask = u64::from_le_bytes(*self.packed.get(mask.at..)?.first_chunk()?);
        let lanes = form.update(mask & form.known, self.packed.get(self.lanes.at..)?);
        self.lanes.take(lanes)?;
        let rest = self.bytes.take(form.rest())?;
        form.put_rest(rest.of(&self.packed));
        self.current = Place::Form(at);
        Some(form.found())
    }

    fn code(&mut self) -> Option<u32> {
        let first = *self.codes.take(1)?.of(&self.packed).first()?;
        if first < 128 {
            return Some(first.into());
        }
        let second = *self.codes.take(1)?.of(&self.packed).first()?;
        // Two bytes are enough for all codes there may be.
        (second < 128).then_some(u32::from(first & 127) | u32::from(second) << 7)
    }
}

impl Span {
    fn is_empty(&self) -> bool {
        self.at >= self.end
    }

    /// Takes bytes off the front.
    fn take(&mut self, len: usize) -> Option<Span> {
        let end = self.at.checked_add(len).filter(|&end| end <= self.end)?;
        let taken = Span { at: self.at, end };
        self.at = end;
        Some(taken)
    }

    fn of(self, packed: &[u8]) -> &[u8] {
        packed.get(self.at..self.end).unwrap_or(&[])
    }
}

impl Form {
    /// `None` where there can be no such records.
    fn new(key: u64, turn: u64) -> Option<Form> {
        let (size, words) = extent(key);
        if size < HEADER || !size.is_multiple_of(8) {
            return None;
        }
        let mut last = vec![[0; 16]; 1 + words.div_ceil(2)];
        last[0][8..].copy_from_slice(&key.to_le_bytes());
        let [.., kind, flags] = key.to_le_bytes();
        let plain = kind == Kind::Enter as u8 && flags & !(ORDERED | SEQUENCE) == 0 && size >= head_size(flags);
        Some(Form {
            size,
            head: if plain { head_size(flags) } else { 0 },
            short: size == 8 + 8 * words,
            mask: words.div_ceil(4),
            known: u64::MAX.checked_shr(64 - 2 * words as u32).unwrap_or(0),
            moving: 0,
            touched: 0,
            turn,
            lanes: vec![Lane::default(); 2 * words],
            last,
        })
    }

    /// Bytes of a record that are not in lanes.
    fn rest(&self) -> usize {
        self.size.saturating_sub(8 + 4 * self.lanes.len())
    }

    #[inline(always)]
    fn found(&self) -> Found {
        if self.head > 0 { Found::Plain(self.head) } else { Found::Record }
    }

    #[inline(always)]
    fn record(&self) -> &[u8] {
        self.last.as_flattened().get(8..8 + self.size).unwrap_or(&[])
    }

    fn put_rest(&mut self, rest: &[u8]) {
        if rest.is_empty() {
            return;
        }
        // The bytes are there, so the memory for them is bounded.
        let start = 16 + 4 * self.lanes.len();
        self.last.resize((start + rest.len()).div_ceil(16), [0; 16]);
        if let Some(place) = self.last.as_flattened_mut().get_mut(start..start + rest.len()) {
            place.copy_from_slice(rest);
        }
    }

    /// The next record: which lanes are not as predicted, and bytes that begin with those; gives how many bytes these are.
    #[inline(always)]
    fn update(&mut self, mask: u64, new: &[u8]) -> usize {
        let mut todo = mask | self.moving;
        (self.touched, self.turn) = (todo, self.turn + 1);
        if todo == 0 {
            return 0;
        }
        let (mut taken, mut moving) = (0, 0);
        // The first lane stands behind half of what two elements are.
        let places = self.last.as_flattened_mut().as_chunks_mut::<4>().0.get_mut(4..).unwrap_or_default();
        let lanes = &mut *self.lanes;
        while todo != 0 {
            let at = todo.trailing_zeros();
            todo &= todo - 1;
            let (Some(lane), Some(place)) = (lanes.get_mut(at as usize), places.get_mut(at as usize)) else { break };
            let there = new.get(taken..).and_then(|new| new.first_chunk()).map_or(0, |new| u32::from_le_bytes(*new));
            // Without branches, which the processor would guess wrong: which lanes are new depends on the trace.
            let is_new = mask >> at & 1;
            let came = if is_new != 0 { there } else { lane.next };
            taken += 4 * is_new as usize;
            let step = came.wrapping_sub(u32::from_le_bytes(*place));
            *place = came.to_le_bytes();
            *lane = Lane { next: came.wrapping_add(if step == lane.step { step } else { 0 }), step };
            moving |= u64::from(step != 0) << at;
        }
        // Every lane that moved was looked at.
        self.moving = moving;
        taken
    }
}
