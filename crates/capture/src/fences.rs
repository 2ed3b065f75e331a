//! Fences as they were seen: before a call that tells that the program has waited for the GPU (a reset, a read back, a
//! final release), the completed value of each fence that moved is recorded. Replay waits for these values.
//!
//! Invariant: a fence is asked only while it is alive: it leaves the list under the same lock under which its last
//! reference goes.

use crate::identity::{FENCE, Identity};
use crate::lock::Reentrant;
use crate::{raw, record};
use core::cell::RefCell;
use std::sync::atomic::Ordering;

/// Slot of `ID3D12Fence::GetCompletedValue`.
const COMPLETED: usize = 8;
const _: () = assert!(reprise_d3d12::method("ID3D12Fence", "GetCompletedValue").get().slot as usize == COMPLETED);

struct Live(Reentrant, RefCell<Vec<*const Identity>>);
// SAFETY: the list is touched only under the lock.
unsafe impl Sync for Live {}

static LIVE: Live = Live(Reentrant::new(), RefCell::new(Vec::new()));

/// A fence exists from now on.
pub(crate) fn add(identity: &Identity) {
    identity.flags.fetch_or(FENCE, Ordering::Relaxed);
    let _held = LIVE.0.hold();
    if let Ok(mut list) = LIVE.1.try_borrow_mut() {
        list.push(identity);
    }
}

/// Runs a release of a fence, which reports 0 when it was the last.
pub(crate) fn release(identity: &Identity, release: impl FnOnce() -> u32) -> u32 {
    let _held = LIVE.0.hold();
    let left = release();
    // The identity may be gone now; its address still tells the entry.
    if left == 0
        && let Ok(mut list) = LIVE.1.try_borrow_mut()
    {
        list.retain(|entry| !core::ptr::eq(*entry, identity));
    }
    left
}

/// Records each fence that moved since it was last recorded.
pub(crate) fn observe() {
    let _held = LIVE.0.hold();
    // Borrowed already: a callback of the program out of the loop below.
    let Ok(list) = LIVE.1.try_borrow() else { return };
    for fence in list.iter() {
        // SAFETY: a fence in the list is alive, and stays so while the lock is held.
        let identity = unsafe { &**fence };
        let real = identity.primary.real();
        // SAFETY: the slot is the method's by the assertion above.
        let function = unsafe { raw::slot(real, COMPLETED) };
        let value = raw::call!(identity.convention, function, (*mut core::ffi::c_void) -> u64, (real));
        note(identity, value);
    }
}

fn note(identity: &Identity, value: u64) {
    if identity.observed.swap(value, Ordering::Relaxed) != value {
        record::observe(identity.id, value);
    }
}
