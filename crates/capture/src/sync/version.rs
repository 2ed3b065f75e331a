//! A pointer that may be replaced by one of a newer version, and how much the pointer is known to have.
//!
//! Invariant: whoever finds the version reached (`has`) finds a pointer of at least that version afterwards.

use super::atomic::{AtomicPtr, AtomicU16, Mutex, Ordering};

/// See the module. The pointer is the first word.
#[repr(C)]
pub(crate) struct Versioned<T> {
    pointer: AtomicPtr<T>,
    version: AtomicU16,
}

impl<T> Versioned<T> {
    /// A pointer that is known to have `version`.
    pub(crate) fn new(pointer: *mut T, version: u16) -> Versioned<T> {
        Versioned { pointer: AtomicPtr::new(pointer), version: AtomicU16::new(version) }
    }

    /// The newest pointer that is known.
    #[inline(always)]
    pub(crate) fn get(&self) -> *mut T {
        self.pointer.load(Ordering::Relaxed)
    }

    /// Whether the pointer is known to have `version`.
    pub(crate) fn has(&self, version: u16) -> bool {
        self.version.load(Ordering::Acquire) >= version
    }

    /// Replaces the pointer where `version` is newer. `lock` is the same for all writers of one pointer: the newest version
    /// wins, and its pointer is there before anybody relies on it.
    pub(crate) fn learn(&self, version: u16, pointer: *mut T, lock: &Mutex<()>) {
        if self.has(version) {
            return;
        }
        let _one_at_a_time = lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if version > self.version.load(Ordering::Relaxed) {
            self.pointer.store(pointer, Ordering::Relaxed);
            self.version.store(version, Ordering::Release);
        }
    }

    /// States the version anew, before any other thread knows the pointer.
    pub(crate) fn restate(&mut self, version: u16) {
        self.version.store(version, Ordering::Relaxed);
    }
}
