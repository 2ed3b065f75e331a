//! A lock that the thread which holds it may take again.
//!
//! The runtime may call the program back inside a call made under one of our locks (a message callback during a
//! submission), and the program may call us again from there: that must not hang. Invariant: `owner` names the thread that
//! holds the mutex, from just after it took it until just before it gives it back.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

/// See the module.
#[derive(Default)]
pub(crate) struct Reentrant {
    /// Address that stands for the owning thread; 0 for none. Only its own thread can find its own address here.
    owner: AtomicUsize,
    mutex: Mutex<()>,
}

impl Reentrant {
    /// A free lock.
    pub(crate) const fn new() -> Reentrant {
        Reentrant { owner: AtomicUsize::new(0), mutex: Mutex::new(()) }
    }

    /// Waits until no other thread holds the lock, and holds it until the guard goes. A thread's guards of one lock go in
    /// the reverse order of their making, as the calls do that make them.
    pub(crate) fn hold(&self) -> Held<'_> {
        // Unique among living threads.
        let here = core::ptr::from_ref(crate::tls::words()) as usize;
        if self.owner.load(Ordering::Relaxed) == here {
            return Held { lock: self, outermost: None };
        }
        let guard = self.mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        self.owner.store(here, Ordering::Relaxed);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::UnsafeCell;

    struct Counter(Reentrant, UnsafeCell<u64>);
    // SAFETY: the counter is touched only under the lock.
    unsafe impl Sync for Counter {}

    #[test]
    fn one_thread_again_and_again_others_one_by_one() {
        static COUNTER: Counter = Counter(Reentrant::new(), UnsafeCell::new(0));
        let add = || {
            let _outer = COUNTER.0.hold();
            let _inner = COUNTER.0.hold();
            // SAFETY: under the lock.
            unsafe { *COUNTER.1.get() += 1 };
            drop(_inner);
            let _again = COUNTER.0.hold();
            // SAFETY: under the lock.
            unsafe { *COUNTER.1.get() += 1 };
        };
        let rounds = if cfg!(miri) { 20 } else { 10_000 };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..rounds).for_each(|_| add()));
            }
        });
        let _held = COUNTER.0.hold();
        // SAFETY: under the lock.
        assert_eq!(unsafe { *COUNTER.1.get() }, 8 * rounds);
    }
}
