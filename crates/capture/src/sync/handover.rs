//! A thread's own object that another thread may take away for good, while the owner may be using it.
//!
//! The owner looks before each use; the other thread moves the pointer from `current` to `retired`. The owner frees the
//! object once it finds it retired and is past every use. Invariant: only the owner uses or frees the object.

use super::atomic::{AtomicPtr, Ordering, constant};
use core::ptr::null_mut;

/// See the module. All zeros are one without an object.
#[repr(C)]
pub(crate) struct Handover<T> {
    current: AtomicPtr<T>,
    retired: AtomicPtr<T>,
}

impl<T> Handover<T> {
    constant! {
        /// Without an object. Where the thread's words are in a section of zeros, nobody calls it.
        #[allow(dead_code)]
        pub(crate) fn new() -> Handover<T> {
            Handover { current: AtomicPtr::new(null_mut()), retired: AtomicPtr::new(null_mut()) }
        }
    }

    /// The owner's object; null where there is none, or none any more.
    #[inline(always)]
    pub(crate) fn current(&self) -> *mut T {
        self.current.load(Ordering::Relaxed)
    }

    /// The owner has an object from now on.
    pub(crate) fn set(&self, object: *mut T) {
        self.current.store(object, Ordering::Relaxed);
    }

    /// Whether the object was taken away and waits for the owner to free it.
    #[inline(always)]
    pub(crate) fn is_retired(&self) -> bool {
        !self.retired.load(Ordering::Acquire).is_null()
    }

    /// Takes the object away from the owner. Called by any thread, under the lock that the owner takes before
    /// [`Handover::clear`].
    pub(crate) fn retire(&self) {
        let object = self.current.swap(null_mut(), Ordering::Relaxed);
        if !object.is_null() {
            self.retired.store(object, Ordering::Release);
        }
    }

    /// The owner has no object any more, and none that waits.
    pub(crate) fn clear(&self) {
        self.current.store(null_mut(), Ordering::Relaxed);
        self.retired.store(null_mut(), Ordering::Relaxed);
    }
}
