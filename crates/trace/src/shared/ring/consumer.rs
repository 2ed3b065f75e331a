//! The reading end of a ring.

use std::ops::Deref;
use std::sync::Arc;

use crate::shared::ring::position;
use crate::shared::ring::view::Ring;

/// Reads published bytes and gives them back.
///
/// The producer is another process, of which nothing is certain. So bytes are copied out through a pointer first, and the copy
/// is checked afterwards. Two consumers of one ring would make each other miss records, and harm no memory.
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
        let (place, size) = ((position & (self.capacity() - 1)) as usize, (end - position) as usize);
        let lap = size.min(self.capacity() as usize - place);
        let (data, start) = (self.ring.data().cast_const(), to.len());
        to.reserve(size);
        // SAFETY: the ring has `capacity` bytes of data, so `lap` bytes lie behind `place` and at least `size - lap` before it;
        // `to` has room for `size` bytes, outside the ring. Our producer writes none of them before they are released. Stores of
        // a program that overruns its own memory come from another process and at most change which bytes are copied: no
        // reference to the ring's bytes is made.
        unsafe {
            let room = to.as_mut_ptr().add(start);
            room.copy_from_nonoverlapping(data.add(place), lap);
            room.add(lap).copy_from_nonoverlapping(data, size - lap);
            to.set_len(start + size);
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
