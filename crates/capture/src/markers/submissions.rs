//! What queues were given, which of it is not done by the markers, and the facts that say so.
//!
//! Invariant: submissions are counted as they are recorded, so that a reader counts the same; what is done is forgotten.

use super::end::is_over;
use super::words::Recording;
use crate::session::{active, record};
use reprise_d3d12::markers::{Marked, Markers, Why};
use reprise_trace::fact;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Submissions of a queue that are remembered. Where there are more, markers say nothing of this queue.
const MOST: usize = 65_536;

/// What the queues of a session were given.
#[derive(Default)]
pub(super) struct Given {
    session: u32,
    queues: BTreeMap<u32, Queue>,
}

#[derive(Default)]
struct Queue {
    submissions: u32,
    /// Those that are not known to be done.
    pending: VecDeque<Submission>,
    /// There were too many.
    lost: bool,
}

struct Submission {
    number: u32,
    lists: Vec<Run>,
}

/// A list in a submission.
pub(super) struct Run {
    /// Its id in the trace.
    pub(super) list: u32,
    /// Its place in the submission.
    pub(super) index: u32,
    pub(super) operations: u32,
    pub(super) recording: Arc<Recording>,
}

impl Run {
    fn is_done(&self) -> bool {
        self.recording.pair.read().1 >= self.operations
    }
}

/// What was given, of the session that is open.
pub(super) fn given() -> MutexGuard<'static, Given> {
    static GIVEN: Mutex<Given> = Mutex::new(Given { session: 0, queues: BTreeMap::new() });
    let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
    let session = active::current().map_or(0, |active| active.number);
    if given.session != session {
        *given = Given { session, queues: BTreeMap::new() };
    }
    given
}

/// Lists are given to a queue next, by a call that was recorded.
pub(super) fn add(id: u32, lists: Vec<Run>) {
    let mut given = given();
    given.look();
    let queue = given.queues.entry(id).or_default();
    queue.submissions += 1;
    if queue.pending.len() >= MOST {
        queue.lost = true;
        // The GPU may still write their words.
        queue.pending.drain(..).for_each(core::mem::forget);
    }
    if !lists.is_empty() {
        queue.pending.push_back(Submission { number: queue.submissions, lists });
    }
}

/// Forgets what is done.
pub(super) fn look() {
    given().look();
}

/// A device was removed, as its real `IUnknown`: tells how far its queues came, and forgets what it was given.
pub(crate) fn removed(device: usize) {
    let mut given = given();
    given.tell(Why::Removed, 0);
    for queue in given.queues.values_mut() {
        queue.pending.retain(|submission| submission.lists.iter().all(|run| run.recording.device.key != device));
    }
}

impl Given {
    /// Forgets what is done.
    pub(super) fn look(&mut self) {
        for queue in self.queues.values_mut() {
            // A queue works in order.
            while queue.pending.front().is_some_and(|submission| submission.lists.iter().all(Run::is_done)) {
                queue.pending.pop_front();
            }
        }
    }

    /// Where each list is that is not done: whose words, and their values.
    #[cfg(unix)]
    pub(super) fn words(&self) -> BTreeMap<u64, (u32, u32)> {
        self.runs().map(|(_, _, run)| (run.recording.pair.address, run.recording.pair.read())).collect()
    }

    /// Whether markers are known to work on the devices that have something to do.
    #[cfg(unix)]
    pub(super) fn is_proven(&self) -> bool {
        let mut any = false;
        for (_, _, run) in self.runs() {
            if !run.recording.device.is_proven(run.recording.pair.read().0) {
                return false;
            }
            any = true;
        }
        any
    }

    /// Submissions so far.
    #[cfg(unix)]
    pub(super) fn count(&self) -> u64 {
        self.queues.values().map(|queue| u64::from(queue.submissions)).sum()
    }

    fn runs(&self) -> impl Iterator<Item = (u32, u32, &Run)> {
        let queues = self.queues.iter().filter(|(_, queue)| !queue.lost);
        queues.flat_map(|(id, queue)| {
            let submissions = queue.pending.iter();
            submissions.flat_map(move |given| given.lists.iter().map(move |run| (*id, given.number, run)))
        })
    }

    /// Records what the markers say.
    pub(super) fn tell(&self, why: Why, milliseconds: u32) {
        if is_over() {
            return;
        }
        let queues = self.queues.iter().filter(|(_, queue)| !queue.lost);
        let marked = |(queue, submission, run): (u32, u32, &Run)| {
            let (reached, completed) = run.recording.pair.read();
            let (list, index, operations) = (run.list, run.index, run.operations);
            Marked { list, queue, submission, index, reached, completed, operations }
        };
        let markers = Markers {
            why,
            milliseconds,
            queues: queues.map(|(id, queue)| (*id, queue.submissions)).collect(),
            lists: self.runs().map(marked).collect(),
        };
        record::fact(0, fact::MARKERS, &markers.to_bytes());
    }
}
