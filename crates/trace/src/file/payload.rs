//! A chunk's payload, behind room that was kept for its beginning.
//!
//! What begins a payload may be known last: the table of a group of blobs. Room in front of the rest saves a copy of it.

use std::ops::Deref;

/// The bytes of a payload.
#[derive(Debug, Default)]
pub(crate) struct Payload {
    bytes: Vec<u8>,
    /// Where they begin.
    start: usize,
}

impl Payload {
    /// Memory for a payload, with so many bytes of room before what is [added](Payload::add) to it.
    pub(crate) fn with_room(mut memory: Vec<u8>, room: usize) -> Payload {
        memory.clear();
        memory.resize(room, 0);
        Payload { bytes: memory, start: room }
    }

    /// Puts bytes behind the others.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Puts bytes before the others: into the room, where they fit.
    pub(crate) fn begin_with(&mut self, bytes: &[u8]) {
        match self.start.checked_sub(bytes.len()) {
            Some(start) => {
                self.bytes[start..self.start].copy_from_slice(bytes);
                self.start = start;
            }
            None => {
                self.bytes.splice(..self.start, bytes.iter().copied());
                self.start = 0;
            }
        }
    }

    /// The memory, for another payload.
    pub(crate) fn into_memory(self) -> Vec<u8> {
        self.bytes
    }

    /// Bytes of memory.
    pub(crate) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }
}

impl From<Vec<u8>> for Payload {
    fn from(bytes: Vec<u8>) -> Payload {
        Payload { bytes, start: 0 }
    }
}

impl Deref for Payload {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_goes_before_the_rest_whether_there_is_room_or_not() {
        for room in [0, 2, 3, 4, 100] {
            let mut payload = Payload::with_room(b"of another one".to_vec(), room);
            payload.add(b"the ");
            payload.add(b"rest");
            assert_eq!(&payload[..], b"the rest");
            payload.begin_with(b"and");
            assert_eq!(&payload[..], b"andthe rest", "{room}");
            assert!(payload.into_memory().ends_with(b"andthe rest"));
        }
    }
}
