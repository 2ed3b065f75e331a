//! Records of a chunk of events, unpacked one after the other: the other direction of [`pack`](crate::pack).
//!
//! A form's predictions and its last record are one and the same: the record lies where its lanes are kept, so that what did
//! not change is neither looked at nor copied, and a record is read where it was put together. Invariants: records come as
//! [`Packer`](crate::pack::Packer) took them; what is no packed record ends them, as damage; the memory in use is bounded by
//! the packed bytes.

use crate::pack::{FORMS, LITERAL, SECTIONS, extent};
use crate::record::{HEADER, Kind};

/// Four lanes.
type Lanes = [u32; 4];

/// Bytes behind the packed ones, so that four can be read at every place.
const BEHIND: usize = 4;

/// Takes the records of a chunk apart.
#[derive(Debug)]
pub(crate) struct Unpacker {
    packed: Vec<u8>,
    codes: Span,
    masks: Span,
    lanes: Span,
    keys: Span,
    bytes: Span,
    forms: Vec<Form>,
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
    /// Whether records are calls of which nothing is to be said but what stands in every record.
    plain: bool,
    /// Bytes of a mask.
    mask: usize,
    /// The bits of it that stand for lanes.
    known: u64,
    /// The lowest bit of each quad of lanes that may change without being new.
    moving: u64,
    quads: Vec<Quad>,
    /// The last record, which begins 8 bytes on: so quads of its lanes are whole elements. Behind it may be half a quad more.
    last: Vec<[u8; 16]>,
}

/// Four lanes beside their values.
#[derive(Clone, Copy, Default, Debug)]
struct Quad {
    /// What comes next.
    next: Lanes,
    /// By how much they grew last.
    step: Lanes,
}

/// What [`Unpacker::advance`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// A record: a call of which nothing is to be said but its method, its object and its payload.
    Plain,
    /// A record of whatever kind.
    Record,
    /// Nothing: all records were given.
    End,
    /// Nothing that is a record; nothing comes after it.
    Damage,
}

impl Unpacker {
    /// Takes what [`Packer::put`](crate::pack::Packer::put) wrote for `records` bytes of records, and whatever follows it.
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
        Some(Unpacker { packed, codes, masks, lanes, keys, bytes, forms, current, records, left, damaged: false })
    }

    /// What follows the packed records.
    pub(crate) fn behind(&self) -> &[u8] {
        // The bytes are the last section.
        self.packed.get(self.bytes.end..self.packed.len() - BEHIND).unwrap_or(&[])
    }

    /// Bytes of the records so far, the current one included.
    pub(crate) fn position(&self) -> usize {
        self.records - self.left
    }

    /// The record that was found last.
    #[inline(always)]
    pub(crate) fn record(&self) -> &[u8] {
        match self.current {
            Place::Form(at) => self.forms.get(at).map_or(&[], Form::record),
            Place::Packed(span) => self.packed.get(span.at..span.end).unwrap_or(&[]),
        }
    }

    /// Goes on to the next record.
    #[inline]
    pub(crate) fn advance(&mut self) -> Found {
        match self.known() {
            Some(found) => found,
            None => self.other(),
        }
    }

    /// The next record, if it is of a form that came before, and lies whole within the form. `None` leaves all as it is.
    #[inline(always)]
    fn known(&mut self) -> Option<Found> {
        let code = *self.packed.get(self.codes.at).filter(|_| self.codes.at < self.codes.end)?;
        let at = usize::from(code).checked_sub(1).filter(|_| code < 128)?;
        let form = self.forms.get_mut(at).filter(|form| form.is_short())?;
        let (left, masks) = (self.left.checked_sub(form.size)?, self.masks.at + form.mask);
        let mask = mask(self.packed.get(self.masks.at..masks.min(self.masks.end))?, form)?;
        let lanes = self.lanes.at + 4 * mask.count_ones() as usize;
        if lanes > self.lanes.end {
            return None;
        }
        form.update(mask, self.packed.get(self.lanes.at..lanes + BEHIND)?);
        (self.codes.at, self.masks.at, self.lanes.at, self.left) = (self.codes.at + 1, masks, lanes, left);
        self.current = Place::Form(at);
        Some(if form.plain { Found::Plain } else { Found::Record })
    }

    /// The next record, or what is there in its place.
    #[cold]
    #[inline(never)]
    fn other(&mut self) -> Found {
        if self.codes.is_empty() {
            let empty = [self.masks, self.lanes, self.keys, self.bytes].iter().all(Span::is_empty);
            return if empty && self.left == 0 && !self.damaged { Found::End } else { Found::Damage };
        }
        let found = self.unpack();
        if found.is_none() {
            // Whoever asks again gets the same answer.
            self.codes.end = self.codes.at;
            self.damaged = true;
        }
        found.unwrap_or(Found::Damage)
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
            let form = Form::new(key).filter(|_| at < FORMS)?;
            self.forms.push(form);
        }
        let form = self.forms.get_mut(at)?;
        self.left = self.left.checked_sub(form.size)?;
        let mask = mask(self.masks.take(form.mask)?.of(&self.packed), form)?;
        let lanes = self.lanes.take(4 * mask.count_ones() as usize)?;
        form.update(mask, self.packed.get(lanes.at..lanes.end + BEHIND)?);
        let rest = self.bytes.take(form.rest())?;
        form.put_rest(rest.of(&self.packed));
        self.current = Place::Form(at);
        Some(if form.plain { Found::Plain } else { Found::Record })
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

/// The lanes that are new: the bits of a mask, if it is whole.
#[inline(always)]
fn mask(bytes: &[u8], form: &Form) -> Option<u64> {
    let mask = match *bytes {
        [one] => one.into(),
        [one, two] => u16::from_le_bytes([one, two]).into(),
        [] => 0,
        _ => {
            let mut mask = [0; 8];
            mask.get_mut(..bytes.len())?.copy_from_slice(bytes);
            u64::from_le_bytes(mask)
        }
    };
    (bytes.len() == form.mask).then_some(mask & form.known)
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
    fn new(key: u64) -> Option<Form> {
        let (size, words) = extent(key);
        if size < HEADER || !size.is_multiple_of(8) {
            return None;
        }
        let quads = words.div_ceil(2);
        let mut last = vec![[0; 16]; 1 + quads];
        last[0][8..].copy_from_slice(&key.to_le_bytes());
        let [.., kind, flags] = key.to_le_bytes();
        Some(Form {
            size,
            plain: kind == Kind::Enter as u8 && flags & !crate::record::ORDERED == 0,
            mask: words.div_ceil(4),
            known: if quads < 16 { (1 << (4 * quads)) - 1 } else { u64::MAX },
            moving: 0,
            quads: vec![Quad::default(); quads],
            last,
        })
    }

    /// Whether all of a record lies in lanes.
    #[inline(always)]
    fn is_short(&self) -> bool {
        self.rest() == 0
    }

    /// Bytes of a record that are not in lanes.
    #[inline(always)]
    fn rest(&self) -> usize {
        self.size.saturating_sub(8 + 16 * self.quads.len())
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
        let start = 1 + self.quads.len();
        self.last.resize(start + rest.len().div_ceil(16), [0; 16]);
        if let Some(place) = self.last.as_flattened_mut().get_mut(16 * start..16 * start + rest.len()) {
            place.copy_from_slice(rest);
        }
    }

    /// The next record: which lanes are not as predicted, and those; four bytes follow them.
    #[inline(always)]
    fn update(&mut self, mask: u64, mut new: &[u8]) {
        let mut todo = mask | self.moving;
        let Some(places) = self.last.get_mut(1..) else { return };
        while todo != 0 {
            let at = todo.trailing_zeros() / 4;
            todo &= !(15 << (4 * at));
            let (Some(quad), Some(place)) = (self.quads.get_mut(at as usize), places.get_mut(at as usize)) else {
                return;
            };
            let which = (mask >> (4 * at)) & 15;
            let value = lanes(place);
            let mut came = quad.next;
            if which != 0 {
                for (index, lane) in came.iter_mut().enumerate() {
                    // Without branches: which are new is a matter of the numbers.
                    let is_new = which >> index & 1 != 0;
                    let first = new.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
                    *lane = if is_new { first } else { *lane };
                    new = new.get(if is_new { 4 } else { 0 }..).unwrap_or(&[]);
                }
            }
            let step: Lanes = std::array::from_fn(|lane| came[lane].wrapping_sub(value[lane]));
            quad.next = std::array::from_fn(|lane| {
                came[lane].wrapping_add(if step[lane] == quad.step[lane] { step[lane] } else { 0 })
            });
            quad.step = step;
            *place = bytes(came);
            let moves = step.iter().fold(0, |all, lane| all | lane) != 0;
            self.moving = self.moving & !(1 << (4 * at)) | u64::from(moves) << (4 * at);
        }
    }
}

#[inline(always)]
fn lanes(bytes: &[u8; 16]) -> Lanes {
    let (words, _) = bytes.as_chunks::<4>();
    std::array::from_fn(|at| u32::from_le_bytes(words[at]))
}

#[inline(always)]
fn bytes(lanes: Lanes) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(lanes.map(u32::to_le_bytes).as_flattened());
    bytes
}
