//! Completed values of fences, and the values that queues still wait for.
//!
//! Some calls tell that the program has waited for the GPU: a reset, a read back, a final release. Before these, the completed
//! value of each fence that moved is recorded. Replay waits for the same values.
//!
//! A queue that waits for a fence holds submitted work back. A signal may set that work off, and it reads what the program
//! stored after the submission. So signals flush, but only while a queue waits for a value that its fence has not reached.
//! A queue may reach its wait late: if the fence has gone back below the value by then, the queue waits after all. From the
//! first fence that goes back on, everything counts as awaited.
//!
//! Invariant: a fence is asked only while it is alive. It leaves the lists under the lock under which its last reference goes.

use crate::real;
use crate::session::{record, words};
use crate::sync::reentrant::Reentrant;
use crate::wrapper::object::{self, Chain, FENCE, Identity};
use core::cell::RefCell;
use core::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Slot of `ID3D12Fence::GetCompletedValue`.
const COMPLETED: usize = 8;
const _: () = assert!(reprise_d3d12::method("ID3D12Fence", "GetCompletedValue").get().slot as usize == COMPLETED);

/// A fence, and a value of it.
type Value = (*const Identity, u64);

struct Live {
    lock: Reentrant,
    /// Fences that live.
    fences: RefCell<Vec<*const Identity>>,
    /// Values that queues wait for, and fences have not reached.
    awaited: RefCell<Vec<Value>>,
    /// Queues that may be at work, by id, and the signal that follows all that was submitted, if there is one.
    busy: RefCell<Vec<(u32, Option<Value>)>>,
}

// SAFETY: the lists are read and changed only while the lock is held.
unsafe impl Sync for Live {}

/// The fences that live, and the values that queues wait for.
static LIVE: Live = Live {
    lock: Reentrant::new(),
    fences: RefCell::new(Vec::new()),
    awaited: RefCell::new(Vec::new()),
    busy: RefCell::new(Vec::new()),
};
/// Length of the list of awaited values, for threads that do not hold the lock.
static AWAITED: AtomicUsize = AtomicUsize::new(0);
/// A queue may wait for something that cannot be asked, or is not in the list: from then on everything may be awaited.
static UNKNOWN: AtomicBool = AtomicBool::new(false);
/// A program whose queues wait for more values at a time is taken to wait for ever.
const MOST: usize = 64;

/// A fence exists from now on.
pub(crate) fn add(identity: &Identity) {
    identity.flags.fetch_or(FENCE, Ordering::Relaxed);
    let _held = LIVE.lock.hold(words::owner());
    if let Ok(mut list) = LIVE.fences.try_borrow_mut() {
        list.push(identity);
    }
}

/// Runs a release of a fence, which reports 0 when it was the last.
///
/// The identity may be gone when `release` returns, so it comes as a pointer, which is only compared.
pub(crate) fn release(identity: *const Identity, release: impl FnOnce() -> u32) -> u32 {
    let _held = LIVE.lock.hold(words::owner());
    if AWAITED.load(Ordering::Relaxed) > 0 {
        forget_reached();
    }
    forget_idle();
    let left = release();
    if left == 0
        && let Ok(mut list) = LIVE.fences.try_borrow_mut()
    {
        list.retain(|entry| !core::ptr::eq(*entry, identity));
        // It cannot be asked any more, but still be signalled: by a submission that was told to already, and through another
        // object where it is shared.
        keep_awaited(|fence, _| {
            let other = !core::ptr::eq(fence, identity);
            UNKNOWN.fetch_or(!other, Ordering::Relaxed);
            other
        });
        if let Ok(mut busy) = LIVE.busy.try_borrow_mut() {
            for (_, signal) in busy.iter_mut() {
                _ = signal.take_if(|(fence, _)| core::ptr::eq(*fence, identity));
            }
        }
    }
    left
}

/// A queue is told to wait: `words` are the call's, a fence and a value.
///
/// # Safety
/// The fence is null, which the runtime refuses, or a live COM pointer.
pub(crate) unsafe fn awaited(words: &[u64]) {
    let &[fence, value, ..] = words else { return };
    if fence == 0 {
        return;
    }
    // SAFETY: the caller passes a live COM pointer; null was dealt with above.
    let Some(fence) = (unsafe { object::from_pointer(fence as *mut c_void) }).map(Chain::identity) else {
        UNKNOWN.store(true, Ordering::Relaxed);
        return;
    };
    let _held = LIVE.lock.hold(words::owner());
    let live = LIVE.fences.try_borrow().is_ok_and(|list| list.iter().any(|entry| core::ptr::eq(*entry, fence)));
    if live && is_reached(fence, value) {
        return;
    }
    if live && AWAITED.load(Ordering::Relaxed) >= MOST {
        forget_reached();
    }
    match LIVE.awaited.try_borrow_mut() {
        Ok(mut list) if live && list.len() < MOST => {
            list.push((fence, value));
            AWAITED.store(list.len(), Ordering::Relaxed);
        }
        _ => UNKNOWN.store(true, Ordering::Relaxed),
    }
}

/// A fence is about to be signalled by a queue: `words` are the call's, a fence and a value.
///
/// # Safety
/// The fence is null, which the runtime refuses, or a live COM pointer.
pub(crate) unsafe fn signalled_by_queue(queue: u32, words: &[u64]) {
    let &[fence, value, ..] = words else { return };
    // SAFETY: the caller passes null or a live COM pointer.
    if let Some(chain) = unsafe { object::from_pointer(fence as *mut c_void) } {
        let fence = chain.identity();
        signalled(fence, value);
        let _held = LIVE.lock.hold(words::owner());
        let is_live = LIVE.fences.try_borrow().is_ok_and(|list| list.iter().any(|entry| core::ptr::eq(*entry, fence)));
        set_busy(queue, is_live.then_some((core::ptr::from_ref(fence), value)));
    }
}

/// A queue gets work.
pub(crate) fn submitted(queue: u32) {
    let _held = LIVE.lock.hold(words::owner());
    set_busy(queue, None);
}

/// Whether all that was submitted is known to be done: each queue was told to signal a fence after it, which has happened.
pub(crate) fn is_idle() -> bool {
    let _held = LIVE.lock.hold(words::owner());
    forget_idle();
    // A fence that goes back says nothing.
    !UNKNOWN.load(Ordering::Relaxed) && LIVE.busy.try_borrow().is_ok_and(|busy| busy.is_empty())
}

/// A queue may be at work until this signal; the lock is held.
fn set_busy(queue: u32, signal: Option<Value>) {
    if let Ok(mut busy) = LIVE.busy.try_borrow_mut() {
        match busy.iter_mut().find(|(known, _)| *known == queue) {
            Some((_, last)) => *last = signal,
            None => busy.push((queue, signal)),
        }
    }
}

/// Drops the queues whose last signal has happened; the lock is held.
fn forget_idle() {
    if let Ok(mut busy) = LIVE.busy.try_borrow_mut() {
        // SAFETY: a fence that dies leaves the list, under the lock.
        busy.retain(|(_, signal)| signal.is_none_or(|(fence, value)| completed(unsafe { &*fence }) < value));
    }
}

/// A fence is about to be signalled.
pub(crate) fn signalled(fence: &Identity, value: u64) {
    if value < fence.passed.load(Ordering::Relaxed) {
        UNKNOWN.store(true, Ordering::Relaxed);
    }
}

/// Whether some queue may still wait for a fence. The thread that stored after a waiting submission, and signals now, has made
/// the wait before: relaxed loads see it.
pub(crate) fn is_any_awaited() -> bool {
    if UNKNOWN.load(Ordering::Relaxed) {
        return true;
    }
    if AWAITED.load(Ordering::Relaxed) == 0 {
        return false;
    }
    let _held = LIVE.lock.hold(words::owner());
    forget_reached();
    AWAITED.load(Ordering::Relaxed) > 0
}

/// Drops the awaited values that are reached; the lock is held.
fn forget_reached() {
    // SAFETY: a fence in the list is alive, and stays so while the lock is held.
    keep_awaited(|fence, value| !is_reached(unsafe { &*fence }, value));
}

/// Whether a fence, which is alive, has reached a value that a queue waits for: noted, for the queue may not be there yet.
fn is_reached(fence: &Identity, value: u64) -> bool {
    let reached = completed(fence) >= value;
    if reached {
        fence.passed.fetch_max(value, Ordering::Relaxed);
    }
    reached
}

/// Drops the awaited values that `keep` does not want; the lock is held.
fn keep_awaited(mut keep: impl FnMut(*const Identity, u64) -> bool) {
    // Borrowed already: a callback of the program out of a runtime that is asked for a value.
    if let Ok(mut list) = LIVE.awaited.try_borrow_mut() {
        list.retain(|&(fence, value)| keep(fence, value));
        AWAITED.store(list.len(), Ordering::Relaxed);
    }
}

/// Asks the runtime for a fence's completed value; the fence is alive.
fn completed(fence: &Identity) -> u64 {
    let real = fence.primary.real();
    // SAFETY: the slot is the method's by the assertion above.
    let function = unsafe { real::slot(real, COMPLETED) };
    real::call!(fence.convention, function, (*mut c_void) -> u64, (real))
}

/// Records each fence that moved since it was last recorded.
pub(crate) fn observe() {
    let _held = LIVE.lock.hold(words::owner());
    // Borrowed already: a callback of the program out of the loop below.
    let Ok(list) = LIVE.fences.try_borrow() else { return };
    for fence in list.iter() {
        // SAFETY: a fence in the list is alive, and stays so while the lock is held.
        let identity = unsafe { &**fence };
        note(identity, completed(identity));
    }
}

fn note(identity: &Identity, value: u64) {
    if identity.observed.swap(value, Ordering::Relaxed) != value {
        record::observe(identity.id, value);
    }
}
