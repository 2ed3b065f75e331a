//! The input and output of the merge: streams of records, and items in one order.

use crate::record::{GapReason, Malformed, Record};

/// Where the merge finds the bytes of its streams.
pub trait Streams {
    /// Makes the record at `position` of a stream readable, and perhaps some behind it, none beyond `end`.
    fn load(&mut self, _stream: usize, _position: u64, _end: u64) {}

    /// The bytes of a stream from `position` on, at most up to `end`. They hold at least the whole record that begins there, if
    /// it was the last one of the stream that was loaded.
    fn bytes(&self, stream: usize, position: u64, end: u64) -> &[u8];
}

impl<T: AsRef<[u8]>> Streams for [T] {
    fn bytes(&self, stream: usize, position: u64, end: u64) -> &[u8] {
        let bytes = self.get(stream).map_or(&[][..], AsRef::as_ref);
        bytes.get(position as usize..end as usize).unwrap_or(&[])
    }
}

/// What the merge gives.
#[derive(Clone, Copy, Debug)]
pub enum Item<'b> {
    /// A [`Kind::Part`] or [`Kind::Blob`] record: it has no place of its own, it belongs to the stream's next record.
    Prefix {
        /// The stream.
        stream: usize,
        /// The record.
        record: Record<'b>,
    },
    /// The next record of the order.
    Record {
        /// The stream.
        stream: usize,
        /// The record.
        record: Record<'b>,
        /// As [`crate::read::Event::number`].
        number: u64,
        /// Its place had already been given up: a gap before it said that it was missing.
        late: bool,
    },
    /// Something is missing here.
    Gap(Gap),
}

/// Something that is missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gap {
    /// The stream concerned, if it is one.
    pub stream: Option<usize>,
    /// Why.
    pub reason: GapReason,
    /// The object whose ordinals are missing; 0 elsewhere.
    pub object: u32,
    /// The first number missing, or the position of the damage.
    pub first: u64,
    /// How many numbers are missing.
    pub count: u64,
    /// What the damage is.
    pub malformed: Option<Malformed>,
}

/// What [`crate::merge::Merge::resolve`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resolved {
    /// Nothing waits.
    Nothing,
    /// What waited can go on: call [`crate::merge::Merge::next`] again.
    Ready,
    /// The same, and this is missing.
    Gap(Gap),
}
