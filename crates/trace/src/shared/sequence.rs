//! The counter of sequence numbers: one order for all threads of a session.
//!
//! A thread takes a number after it reserved room for the record. A record without a number says instead which numbers come
//! before it, so that no reader moves it before what its thread depends on.

use std::sync::atomic::Ordering;

use crate::shared::word::Word;

/// Takes the next number. Numbers are dense, and none is given out twice.
#[inline(always)]
pub(crate) fn take<W: Word>(counter: &W) -> u64 {
    counter.add(1, Ordering::AcqRel)
}

/// The number that the next record gets. All numbers below it come before whatever the calling thread writes from now on.
#[inline(always)]
pub(crate) fn next<W: Word>(counter: &W) -> u64 {
    counter.load(Ordering::Acquire)
}
