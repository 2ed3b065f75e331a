//! The reading end of a ring.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::shared::ring::position;
use crate::shared::ring::view::Ring;

/// Reads published bytes and gives them back.
///
/// The producer is another process, of which nothing is certain: so bytes are copied out, word by word and atomically, and
/// what they say is checked afterwards. Two consumers of one ring would make each other miss records, and harm no memory.
#[derive(Debug)]
pub struct Consumer {
    ring: Arc<Ring>,
}

impl Consumer {
    /// The reading end of a ring.
    pub fn new(ring: Arc<Ring>) -> Consumer {
        Consumer { ring }
    }

    /// Appends the published bytes from `position` up to `end` to `to`; both are multiples of 8. `end` came from
    /// [`Ring::head`]. False, and nothing is appended, where the ring cannot have these bytes: before its tail, behind its head,
    /// or more than its capacity.
    pub fn copy(&self, position: u64, end: u64, to: &mut Vec<u8>) -> bool {
        let aligned = position.is_multiple_of(8) && end.is_multiple_of(8);
        if !aligned || position < self.tail() || end < position || end > self.head() || end - position > self.capacity()
        {
            return false;
        }
        let words = self.ring.words();
        let first = (position & (self.capacity() - 1)) as usize / 8;
        let count = (end - position) as usize / 8;
        let lap = count.min(words.len() - first);
        let start = to.len();
        to.resize(start + 8 * count, 0);
        let (copied, _) = to[start..].as_chunks_mut::<8>();
        let there = words[first..first + lap].iter().chain(&words[..count - lap]);
        for (copy, word) in copied.iter_mut().zip(there) {
            *copy = word.load(Ordering::Relaxed).to_le_bytes();
        }
        true
    }

    /// Gives everything before `position` back to the producer. A position before the tail or behind the head is ignored.
    pub fn release(&mut self, position: u64) {
        if (self.tail()..=self.head()).contains(&position) {
            position::release(&self.ring.consumer().tail, position);
        }
    }
}

impl Deref for Consumer {
    type Target = Ring;

    fn deref(&self) -> &Ring {
        &self.ring
    }
}
