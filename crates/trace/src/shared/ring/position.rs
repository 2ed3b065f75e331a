//! Positions in a ring: how its two sides hand bytes to each other.
//!
//! Positions only rise; the byte at a position lies at the position modulo the capacity. The producer writes at
//! `head..tail + capacity` and then raises the head; the consumer reads `tail..head` and then raises the tail. Both raise
//! with Release and look at the other's word with Acquire: whoever sees a position sees the bytes that it hands over.

use std::sync::atomic::Ordering;

use crate::shared::word::Word;

/// The producer's side.
#[derive(Debug)]
pub(crate) struct Writing {
    head: u64,
    /// A record fits without a look at the tail while it ends at or before this position: the end of the free space or of the
    /// ring, whichever comes first. One comparison covers both.
    limit: u64,
    /// The capacity, a power of two, less one: kept so that each record costs no subtraction.
    mask: u64,
}

/// What a look at the tail found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Room {
    /// There is room at the head.
    Here,
    /// So many bytes are left up to the end of the ring, too few: a pad must fill them.
    Behind(u64),
    /// The consumer must raise the tail first.
    Full,
    /// The tail is no position that a consumer of ours can have.
    Broken,
}

impl Writing {
    /// At a head; the capacity is a power of two.
    pub(crate) fn at(head: u64, capacity: u64) -> Writing {
        Writing { head, limit: head, mask: capacity - 1 }
    }

    #[inline(always)]
    pub(crate) fn head(&self) -> u64 {
        self.head
    }

    /// Where the head lies in the ring.
    #[inline(always)]
    pub(crate) fn place(&self) -> usize {
        (self.head & self.mask) as usize
    }

    /// Whether so many bytes surely fit at the head, in one piece.
    #[inline(always)]
    pub(crate) fn fits(&self, size: u64) -> bool {
        self.head + size <= self.limit
    }

    /// Looks at the tail for room for `size` bytes, in one piece.
    pub(crate) fn look<W: Word>(&mut self, tail: &W, size: u64) -> Room {
        let capacity = self.mask + 1;
        let free = tail.load(Ordering::Acquire).wrapping_add(capacity).wrapping_sub(self.head);
        let lap = capacity - self.place() as u64;
        if free > capacity {
            Room::Broken
        } else if size > lap && free >= lap {
            Room::Behind(lap)
        } else if size <= lap && free >= size {
            self.limit = self.head + free.min(lap);
            Room::Here
        } else {
            Room::Full
        }
    }

    /// Hands `size` bytes over that were written at the head.
    #[inline(always)]
    pub(crate) fn publish<W: Word>(&mut self, head: &W, size: u64) {
        self.head += size;
        head.store(self.head, Ordering::Release);
    }

    /// Nothing fits any more.
    pub(crate) fn stop(&mut self) {
        self.limit = 0;
    }
}

/// The end of what is published. What was written before it is visible afterwards.
#[inline(always)]
pub(crate) fn published<W: Word>(head: &W) -> u64 {
    head.load(Ordering::Acquire)
}

/// Gives everything before `position` back to the producer.
#[inline(always)]
pub(crate) fn release<W: Word>(tail: &W, position: u64) {
    tail.store(position, Ordering::Release);
}
