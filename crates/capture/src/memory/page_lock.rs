//! The lock over the table of protected pages, for threads and for the signal handler.
//!
//! Invariant: a thread that holds it has all signals blocked and stores to no memory of the program. Otherwise a fault of
//! that thread would make the handler wait for its own thread.

use super::signals;
use crate::host::kernel;
use std::sync::atomic::{AtomicBool, Ordering};

static LOCKED: AtomicBool = AtomicBool::new(false);

/// The lock, held until this goes. Signals are the holder's to block.
struct Lock;

impl Lock {
    fn take() -> Self {
        while LOCKED.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            // The holder is in a system call, or waits for a processor.
            kernel::yield_now();
        }
        Self
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        LOCKED.store(false, Ordering::Release);
    }
}

/// Runs with the lock held and all signals blocked: a handler of the program that interrupts must not wait for us. `run` must
/// not touch memory that may be armed.
pub(super) fn locked<T>(run: impl FnOnce() -> T) -> T {
    // Dropped in reverse: the lock goes first.
    let _quiet = signals::Quiet::begin();
    let _lock = Lock::take();
    run()
}

/// As [`locked`], in the signal handler, which runs with all signals blocked.
pub(super) fn locked_in_handler<T>(run: impl FnOnce() -> T) -> T {
    let _lock = Lock::take();
    run()
}

/// A forked child has one thread, and the lock may have been another's.
#[cfg(unix)]
pub(super) fn after_fork() {
    LOCKED.store(false, Ordering::Release);
}
