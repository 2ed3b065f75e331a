//! The link of a list that only grows: readers walk it without a lock, writers add at its front one at a time.
//!
//! Invariant: what a link leads to was complete before the link was stored, and neither moves nor changes while the list lives.

use super::atomic::{AtomicPtr, Ordering, constant};
use core::ptr::null_mut;

/// Leads to the next element; null at the end.
pub(crate) struct Link<T>(AtomicPtr<T>);

impl<T> Link<T> {
    constant! {
        /// The end of a list.
        pub(crate) fn end() -> Link<T> {
            Link(AtomicPtr::new(null_mut()))
        }
    }

    /// The next element.
    pub(crate) fn next(&self) -> *mut T {
        self.0.load(Ordering::Acquire)
    }

    /// Puts `element`, made by `Box::into_raw`, behind this link; `own` is the element's link. The caller holds the lock of all
    /// writers.
    pub(crate) fn insert(&self, element: *mut T, own: &Link<T>) {
        own.0.store(self.0.load(Ordering::Relaxed), Ordering::Relaxed);
        self.0.store(element, Ordering::Release);
    }

    /// Cuts the list off behind this link, for the one thread that still knows it.
    pub(crate) fn cut(&mut self) -> *mut T {
        let next = self.next();
        self.0.store(null_mut(), Ordering::Relaxed);
        next
    }
}
