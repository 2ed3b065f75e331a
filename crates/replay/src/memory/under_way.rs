//! Which submitted work the program could not know to have ended, as of a point of the trace.
//!
//! A program may map memory while the GPU still writes it, and read it once a fence says that the GPU is done, as Dawn does. What the
//! capture found there at the map is then no answer of the GPU. Invariant: work counts as ended once the program saw a fence reach a value
//! that only a signal behind the work, or behind a wait for the work, could give it.

use std::collections::HashMap;
use std::ops::Range;

use reprise_timeline::state::queues::Happening;

/// Follows queues and fences, and what work writes until it is known to have ended.
#[derive(Default)]
pub(super) struct UnderWay {
    queues: HashMap<u32, Queue>,
    fences: HashMap<u32, Fence>,
    writes: Vec<Write>,
}

#[derive(Default)]
struct Queue {
    /// Submissions so far.
    submitted: u64,
    /// Of these, how many are known to have ended.
    ended: u64,
    /// Waits for fences: the submissions before them, the fence, the value.
    waits: Vec<(u64, u32, u64)>,
}

#[derive(Default)]
struct Fence {
    /// Signals that are not known to have come: the value, the queue, the submissions before them.
    signals: Vec<(u64, u32, u64)>,
}

/// What the submission of this number on a queue writes, or may write.
struct Write {
    queue: u32,
    number: u64,
    memory: u32,
    bytes: Range<u64>,
}

impl UnderWay {
    /// A queue is given lists.
    pub(super) fn submits(&mut self, queue: u32) {
        self.queues.entry(queue).or_default().submitted += 1;
    }

    /// The last submission of the queue writes these bytes of a memory.
    pub(super) fn writes(&mut self, queue: u32, memory: u32, bytes: Range<u64>) {
        let number = self.queues.entry(queue).or_default().submitted;
        self.writes.push(Write { queue, number, memory, bytes });
    }

    /// Something happens to a fence.
    pub(super) fn happens(&mut self, fence: u32, value: u64, happening: Happening) {
        match happening {
            Happening::Signalled { queue } => {
                let before = self.queues.entry(queue).or_default().submitted;
                self.fences.entry(fence).or_default().signals.push((value, queue, before));
            }
            Happening::QueueWaits { queue } => {
                let queue = self.queues.entry(queue).or_default();
                queue.waits.push((queue.submitted, fence, value));
            }
            Happening::Seen => self.saw(fence, value),
            Happening::Made | Happening::Set | Happening::ProgramWaits => {}
        }
    }

    /// The program knows that the fence reached the value: so it knows what is before the signals of it, and before waits of theirs.
    pub(super) fn saw(&mut self, fence: u32, value: u64) {
        let mut known = vec![(fence, value)];
        while let Some((fence, value)) = known.pop() {
            let Some(signals) = self.fences.get_mut(&fence).map(|fence| &mut fence.signals) else { continue };
            let reached: Vec<(u64, u32, u64)> = signals.extract_if(.., |(signal, ..)| *signal <= value).collect();
            for (_, queue, before) in reached {
                let queue = self.queues.entry(queue).or_default();
                queue.ended = queue.ended.max(before);
                let (ended, waits) = (queue.ended, &mut queue.waits);
                known.extend(waits.extract_if(.., |(at, ..)| *at < ended).map(|(_, fence, value)| (fence, value)));
            }
        }
        let queues = &self.queues;
        let has_ended = |write: &Write| queues.get(&write.queue).is_some_and(|queue| queue.ended >= write.number);
        self.writes.retain(|write| !has_ended(write));
    }

    /// Whether work that is not known to have ended writes one of these bytes, or may write it.
    ///
    /// Work counts only where a signal stands behind it that the program has not seen yet. Without a signal the program may know in a way
    /// that no trace shows that the work has ended.
    pub(super) fn is_writing(&self, memory: u32, bytes: &Range<u64>) -> bool {
        let overlaps = |write: &&Write| write.bytes.start < bytes.end && bytes.start < write.bytes.end;
        let mut writes = self.writes.iter().filter(|write| write.memory == memory).filter(overlaps);
        writes.any(|write| self.is_signalled(write.queue, write.number))
    }

    /// Whether a signal that was not seen stands behind a submission.
    fn is_signalled(&self, queue: u32, number: u64) -> bool {
        let mut signals = self.fences.values().flat_map(|fence| &fence.signals);
        signals.any(|(_, of, before)| *of == queue && *before >= number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COPY: u32 = 1;
    const DIRECT: u32 = 2;
    const FENCE: u32 = 3;
    const OTHER: u32 = 4;
    const MEMORY: u32 = 5;

    fn signal(work: &mut UnderWay, fence: u32, value: u64, queue: u32) {
        work.happens(fence, value, Happening::Signalled { queue });
    }

    #[test]
    fn work_ends_with_a_signal_behind_it() {
        let mut work = UnderWay::default();
        signal(&mut work, FENCE, 1, DIRECT);
        work.submits(DIRECT);
        work.writes(DIRECT, MEMORY, 64..128);
        assert!(!work.is_writing(MEMORY, &(64..128)), "no fence will tell");
        signal(&mut work, FENCE, 2, DIRECT);
        work.saw(FENCE, 1);
        assert!(work.is_writing(MEMORY, &(0..65)), "the signal was before the work");
        assert!(!work.is_writing(MEMORY, &(0..64)) && !work.is_writing(MEMORY, &(128..129)), "other bytes");
        assert!(!work.is_writing(MEMORY + 1, &(64..128)), "another memory");
        work.saw(FENCE, 2);
        assert!(!work.is_writing(MEMORY, &(0..256)));
    }

    #[test]
    fn work_ends_where_another_queue_waited_for_it() {
        let mut work = UnderWay::default();
        work.submits(COPY);
        work.writes(COPY, MEMORY, 0..64);
        signal(&mut work, FENCE, 7, COPY);
        work.submits(DIRECT);
        signal(&mut work, OTHER, 1, DIRECT);
        work.happens(FENCE, 7, Happening::QueueWaits { queue: DIRECT });
        work.submits(DIRECT);
        signal(&mut work, OTHER, 2, DIRECT);
        work.saw(OTHER, 1);
        assert!(work.is_writing(MEMORY, &(0..64)), "this was before the wait");
        work.saw(OTHER, 2);
        assert!(!work.is_writing(MEMORY, &(0..64)));
    }
}
