//! A lock that the thread which holds it may take again.
//!
//! The runtime may call the program back inside a call made under one of our locks (a message callback during a
//! submission), and the program may call us again from there: that must not hang. Invariant: `owner` names the thread that
//! holds the mutex, from just after it took it until just before it gives it back.

use super::atomic::{AtomicUsize, Mutex, MutexGuard, Ordering, constant};
use core::num::NonZeroUsize;

/// Names a thread: a number that no other living thread has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Owner(pub(crate) NonZeroUsize);

/// See the module.
pub(crate) struct Reentrant {
    /// The owning thread's number; 0 for none. Only its own thread can find its own number here.
    owner: AtomicUsize,
    mutex: Mutex<()>,
}

impl Reentrant {
    constant! {
        /// A free lock.
        pub(crate) fn new() -> Reentrant {
            Reentrant { owner: AtomicUsize::new(0), mutex: Mutex::new(()) }
        }
    }

    /// Waits until no other thread holds the lock, and holds it for the calling thread `here` until the guard goes. A thread's
    /// guards of one lock go in the reverse order of their making, as the calls do that make them.
    pub(crate) fn hold(&self, here: Owner) -> Held<'_> {
        if self.owner.load(Ordering::Relaxed) == here.0.get() {
            return Held { lock: self, outermost: None };
        }
        let guard = self.mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        self.owner.store(here.0.get(), Ordering::Relaxed);
        Held { lock: self, outermost: Some(guard) }
    }
}

/// The lock is held while this lives.
pub(crate) struct Held<'a> {
    lock: &'a Reentrant,
    outermost: Option<MutexGuard<'a, ()>>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if self.outermost.is_some() {
            self.lock.owner.store(0, Ordering::Relaxed);
        }
    }
}
