//! What certain calls need around them: locks that decide an order, flushes, observed fences, arguments of our own.
//!
//! Locks are taken in one order: the submission's, then a queue's or a fence's. Invariant: no lock is held across a call
//! that waits for another call of the program ([`unblock`]).

use crate::api::Special;
use crate::callback::{self, Callback};
use crate::heavy::{Call, MAX_WORDS};
use crate::identity::NOTICE_GUID;
use crate::lock::{Held, Reentrant};
use crate::memory::{self, Written};
use crate::{fences, raw, session, thread, tls};
use reprise_d3d12::model::Guid;
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
    SUBMISSION.hold()
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
    let submission = submits.then(|| SUBMISSION.hold());
    let order = call.chain.filter(|_| ordered).map(|chain| {
        let identity = chain.identity();
        // SAFETY: null, or the queue that a swap chain keeps alive.
        let queue = unsafe { identity.queue.load(Ordering::Relaxed).as_ref() };
        queue.unwrap_or(identity).order.hold()
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

/// Records what must stand before the call's own record.
pub(crate) fn before(call: &Call<'_>, special: Special) {
    match special {
        Special::Submit if flush() => fences::observe(),
        Special::QueueSignal => {
            // SAFETY: the arguments are the program's: a fence, and a value.
            unsafe { fences::signalled_by_queue(call.words) };
            before_signal();
        }
        Special::FenceSignal => {
            if let (Some(chain), Some(value)) = (call.chain, call.words.first()) {
                fences::signalled(chain.identity(), *value);
            }
            before_signal();
        }
        // SAFETY: the arguments are the program's: a fence, and a value.
        Special::QueueWait => unsafe { fences::awaited(call.words) },
        Special::Unmap => {
            if let Some(tracker) = memory::tracker().filter(|_| session::records()) {
                let mut any = false;
                let subresource = call.words.first().map_or(0, |word| *word as u32);
                tracker.on_unmap(call.object(), subresource, &mut |written| {
                    any = true;
                    store(written);
                });
                if any {
                    fences::observe();
                }
            }
        }
        Special::Reset | Special::Map => fences::observe(),
        _ => {}
    }
}

/// What is stored after a submission is read by what is submitted later, which flushes, unless something that is submitted
/// already waits.
fn before_signal() {
    if fences::is_any_awaited() && flush() {
        fences::observe();
    }
}

/// Records what the program stored to mapped memory since the last flush; the submission's lock is held. Returns whether
/// there was anything.
fn flush() -> bool {
    let Some(tracker) = memory::tracker() else { return false };
    if !session::records() {
        // After the end nobody tells the tracker what is unmapped.
        tracker.on_end();
        return false;
    }
    let mut any = false;
    tracker.flush(&mut |written| {
        any = true;
        store(written);
    });
    any
}

/// As for a submission that the model does not know (Vulkan's own): runs `submit` in the critical section, after a flush.
pub(crate) fn submit<T>(submit: impl FnOnce() -> T) -> T {
    let _held = SUBMISSION.hold();
    if flush() {
        fences::observe();
    }
    submit()
}

/// Records a run of bytes, which are readable now; the submission's lock is held.
pub(crate) fn store(written: &Written) {
    let recorder = thread::recorder(tls::words());
    if recorder.is_null() || written.len == 0 {
        return;
    }
    // SAFETY: the tracker gives bytes that are readable now; they are copied at once into this thread's ring.
    unsafe {
        let bytes = core::slice::from_raw_parts(written.bytes, written.len);
        let producer = &mut (*recorder).producer;
        if written.observed {
            producer.observed(written.object, written.subresource, written.offset, bytes);
        } else {
            producer.memory(written.object, written.subresource, written.offset, bytes);
        }
    }
}

/// Replaces arguments of the runtime's call by ours.
pub(crate) fn arguments(call: &Call<'_>, special: Special, words: &mut [u64; MAX_WORDS]) -> Option<Callback> {
    match special {
        Special::SetPrivateDataInterface => {
            // The object stored must come back as the program knows it, so the wrapper itself is stored.
            words[1] = *call.words.get(1)?;
            None
        }
        Special::MessageCallback => callback::replace(call.convention, words, 0, 2, callback::Kind::Message),
        Special::DestructionCallback => callback::replace(call.convention, words, 0, 1, callback::Kind::Destruction),
        _ => None,
    }
}

/// Keeps or forgets a callback of ours after the call that registered it.
pub(crate) fn settle(callback: Option<Callback>, _call: &Call<'_>, result: u64) {
    if let Some(callback) = callback {
        callback.settle(result as i32 >= 0);
    }
}

/// The result of a call that must not reach the runtime.
pub(crate) fn answer(call: &Call<'_>, special: Special) -> Option<u64> {
    if special != Special::GetPrivateData {
        return None;
    }
    let guid = *call.words.first()? as *const Guid;
    // SAFETY: the program passes a GUID; size, in argument 1, is a pointer to 32 bits or null.
    unsafe {
        if guid.is_null() || *guid != NOTICE_GUID {
            return None;
        }
        let size = *call.words.get(1)? as *mut u32;
        if !size.is_null() {
            *size = 0;
        }
    }
    Some(u64::from(raw::NOT_FOUND as u32))
}
