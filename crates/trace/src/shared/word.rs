//! The 64-bit words through which threads and processes speak to each other.
//!
//! The algorithms of this folder that need an order of memory accesses are written over this trait. Programs run them over
//! [`AtomicU64`], in files that two processes have mapped; tests run the same code over `loom`'s words, which try every order
//! that the memory model allows.

use std::sync::atomic::{AtomicU64, Ordering};

/// A word that is only ever accessed atomically.
pub(crate) trait Word {
    fn load(&self, order: Ordering) -> u64;
    fn store(&self, value: u64, order: Ordering);
    /// Adds; gives what was there before.
    fn add(&self, value: u64, order: Ordering) -> u64;
    /// Puts `new` where `current` is; false where something else is. Acquires and releases.
    fn replace(&self, current: u64, new: u64) -> bool;
}

impl Word for AtomicU64 {
    #[inline(always)]
    fn load(&self, order: Ordering) -> u64 {
        AtomicU64::load(self, order)
    }

    #[inline(always)]
    fn store(&self, value: u64, order: Ordering) {
        AtomicU64::store(self, value, order);
    }

    #[inline(always)]
    fn add(&self, value: u64, order: Ordering) -> u64 {
        self.fetch_add(value, order)
    }

    #[inline(always)]
    fn replace(&self, current: u64, new: u64) -> bool {
        self.compare_exchange(current, new, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}
