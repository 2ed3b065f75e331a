//! The records of a chunk of events, unpacked one behind the other.
//!
//! Unpacking takes about half of the instructions that a reader spends on a call. A thread that reads ahead can unpack in its stead. The
//! reader then finds each record by its place. Invariants: the records, and what is said of them, are those of the [`Unpacker`], up to its
//! end or its damage; the memory in use is bounded by [`LARGEST`].

use crate::file::unpack::{Found, Turn, Unpacker};

/// Bytes of records of a chunk that are unpacked at once. Chunks of our writer have little more than 2 MiB.
const LARGEST: usize = 8 << 20;
/// A record begins so many bytes behind a multiple of 16, so that its lanes are aligned to 16, as those of the [`Unpacker`] are.
const OFF: usize = 8;
/// Bytes by which the memory grows at least.
const GROWTH: usize = 1 << 20;

/// Records that lie ready, and a place among them.
#[derive(Debug)]
pub(crate) struct Laid {
    bytes: Vec<[u8; 16]>,
    places: Vec<Place>,
    /// The place behind the current record's.
    next: usize,
    /// What stands behind the last record, and behind how many bytes of records.
    end: (Found, usize),
    /// Numbers of turns begin behind this one.
    turns: u64,
    /// Bytes of the records so far, the current one included.
    position: usize,
}

/// Where a record lies, and what is known of it.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: u32,
    size: u32,
    /// Bytes before the payload of a plain call; 0 for other records.
    head: u16,
    form: u16,
    /// As in [`Turn`], from [`Laid::turns`] on; 0 where nothing is known.
    turn: u32,
    changed: u64,
}

impl Default for Laid {
    fn default() -> Laid {
        Laid { bytes: Vec::new(), places: Vec::new(), next: 0, end: (Found::End, 0), turns: 0, position: 0 }
    }
}

impl Laid {
    /// Unpacks all records that the unpacker has not given yet, in the place of those that are here. Does nothing where they are too many.
    pub(crate) fn lay(&mut self, records: &mut Unpacker) -> bool {
        if records.size() > LARGEST {
            return false;
        }
        self.places.clear();
        (self.next, self.position, self.turns) = (0, 0, records.turns());
        let mut used = OFF;
        let end = loop {
            let (head, turn) = match records.advance() {
                Found::Plain(head) => (head, records.plain(head).map_or(Turn::default(), |(_, _, turn)| turn)),
                Found::Record => (0, Turn::default()),
                end => break end,
            };
            let record = records.record();
            let end = used + record.len();
            if end > self.bytes.as_flattened().len() {
                self.bytes.resize((end + GROWTH).div_ceil(16), [0; 16]);
            }
            if let Some(room) = self.bytes.as_flattened_mut().get_mut(used..end) {
                room.copy_from_slice(record);
            }
            self.places.push(Place {
                at: used as u32,
                size: record.len() as u32,
                head: head as u16,
                form: turn.form as u16,
                turn: turn.number.saturating_sub(self.turns) as u32,
                changed: turn.changed,
            });
            used = (end + OFF).next_multiple_of(16) - OFF;
        };
        self.end = (end, records.position());
        true
    }

    /// As [`Unpacker::advance`].
    #[inline(always)]
    pub(crate) fn advance(&mut self) -> Found {
        let Some(place) = self.places.get(self.next) else {
            self.position = self.end.1;
            return self.end.0;
        };
        self.next += 1;
        self.position += place.size as usize;
        if place.head > 0 { Found::Plain(place.head.into()) } else { Found::Record }
    }

    #[inline(always)]
    fn current(&self) -> Option<(&Place, &[u8])> {
        let place = self.places.get(self.next.checked_sub(1)?)?;
        let record = self.bytes.as_flattened().get(place.at as usize..)?.get(..place.size as usize)?;
        Some((place, record))
    }

    /// As [`Unpacker::record`].
    #[inline(always)]
    pub(crate) fn record(&self) -> &[u8] {
        self.current().map_or(&[], |(_, record)| record)
    }

    /// As [`Unpacker::plain`], for the head that was found.
    #[inline(always)]
    pub(crate) fn plain(&self, head: usize) -> Option<(&[u8], &[u8], Turn)> {
        let (place, record) = self.current()?;
        let (before, payload) = record.split_at_checked(head)?;
        let number = if place.turn > 0 { self.turns + u64::from(place.turn) } else { 0 };
        Some((before, payload, Turn { form: place.form.into(), number, changed: place.changed }))
    }

    /// As [`Unpacker::turns`].
    #[cfg(test)]
    pub(crate) fn turns(&self) -> u64 {
        self.turns
    }

    /// As [`Unpacker::position`].
    pub(crate) fn position(&self) -> usize {
        self.position
    }
}
