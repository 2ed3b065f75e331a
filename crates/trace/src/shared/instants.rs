//! An instant that one process notes again and again, and that another process reads, also after the death of the first.
//!
//! There are two slots and a count of the notes. A note goes into the slot that readers do not use; then the count makes that
//! slot the current one. So a process that dies within a note leaves the note before it intact. A reader that was overtaken by
//! two notes sees that the count has changed, and reads again.

use std::sync::atomic::Ordering;

use crate::clock::Instant3;
use crate::shared::word::Word;

/// Most attempts of a reader that is overtaken again and again. Notes are milliseconds apart, a read takes nanoseconds.
const ATTEMPTS: u32 = 64;

/// The words: how often an instant was noted, and two slots of ticks, nanoseconds since 1970, monotonic nanoseconds.
pub(crate) struct Instants<'a, W> {
    pub(crate) count: &'a W,
    pub(crate) slots: [&'a [W; 3]; 2],
}

impl<W: Word> Instants<'_, W> {
    /// Notes an instant. One thread at a time.
    pub(crate) fn note(&self, now: Instant3) {
        let count = self.count.load(Ordering::Relaxed).wrapping_add(1);
        let slot = self.slots[(count % 2) as usize];
        for (word, value) in slot.iter().zip([now.ticks, now.realtime_ns, now.monotonic_ns]) {
            // A reader that sees a word of this note sees the count of the note before it, at least.
            word.store(value, Ordering::Release);
        }
        self.count.store(count, Ordering::Release);
    }

    /// The last instant noted, whole; zeros when there was none. `None` for a reader that was overtaken too often.
    pub(crate) fn last(&self) -> Option<Instant3> {
        for _ in 0..ATTEMPTS {
            let count = self.count.load(Ordering::Acquire);
            let [ticks, realtime_ns, monotonic_ns] =
                self.slots[(count % 2) as usize].each_ref().map(|word| word.load(Ordering::Acquire));
            if self.count.load(Ordering::Relaxed) == count {
                return Some(Instant3 { ticks, realtime_ns, monotonic_ns });
            }
        }
        None
    }
}
