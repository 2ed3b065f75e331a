//! The locks that decide an order among calls: one for all submissions, and one for each queue and fence.
//!
//! They are taken in this order. Invariant: no lock is held across a call that waits for another call of the program
//! ([`unblock`]).

use crate::call::Call;
use crate::model::special::Special;
use crate::session::words;
use crate::sync::reentrant::{Held, Reentrant};
use std::sync::atomic::Ordering;

/// One critical section of the process: flush, its records, the sequence, and the submission.
static SUBMISSION: Reentrant = Reentrant::new();

/// The locks of a call, in the order in which they go.
#[derive(Default)]
pub(crate) struct Guards<'a> {
    _order: Option<Held<'a>>,
    _submission: Option<Held<'static>>,
}

/// Holds the lock of all submissions, for code that reads mapped memory or must not run beside a flush.
pub(crate) fn submission() -> Held<'static> {
    SUBMISSION.hold(words::owner())
}

/// Takes the locks that a call needs. One that is not `recorded` has no place in the order; it must only not take memory away
/// that another thread's flush reads.
pub(crate) fn enter<'a>(call: &Call<'a>, special: Special, recorded: bool) -> Guards<'a> {
    if !recorded && !matches!(special, Special::Map | Special::Unmap) {
        return Guards::default();
    }
    let submits = matches!(
        special,
        Special::Submit | Special::QueueSignal | Special::FenceSignal | Special::Map | Special::Unmap
    );
    let ordered = matches!(
        special,
        Special::Submit
            | Special::QueueSignal
            | Special::QueueWait
            | Special::Queue
            | Special::Present
            | Special::FenceSignal
            | Special::Fence
            | Special::FenceWait
    );
    if !submits && !ordered {
        return Guards::default();
    }
    let submission = submits.then(|| SUBMISSION.hold(words::owner()));
    let order = call.chain.filter(|_| ordered).map(|chain| {
        let identity = chain.identity();
        // SAFETY: null, or the queue that a swap chain keeps alive.
        let queue = unsafe { identity.queue.load(Ordering::Relaxed).as_ref() };
        queue.unwrap_or(identity).order.hold(words::owner())
    });
    Guards { _order: order, _submission: submission }
}

/// Gives up the locks of a call that blocks until another call of the program comes.
pub(crate) fn unblock<'a>(guards: Guards<'a>, call: &Call<'_>, special: Special) -> Guards<'a> {
    if special == Special::FenceWait && call.words.get(1) == Some(&0) {
        return Guards::default();
    }
    guards
}
