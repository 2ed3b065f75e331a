//! What private data of a device asks of the creation that comes next on the same thread.
//!
//! Invariant: a wish serves one creation of the thread that has it, on the device that it was told to, whether that succeeds or not.

use core::cell::Cell;
use core::sync::atomic::{AtomicBool, Ordering};
use std::thread::LocalKey;

use crate::Device;

/// A thread's wish: the device, by the address of its memory, and what its next creation is to have.
pub(crate) type Next<T> = Cell<Option<(usize, T)>>;

/// Wishes of one kind.
pub(crate) struct Wish<T: 'static> {
    /// Whether any thread ever had one: most processes never do, and their creations look no further.
    was_asked: AtomicBool,
    next: &'static LocalKey<Next<T>>,
}

impl<T> Wish<T> {
    pub(crate) const fn new(next: &'static LocalKey<Next<T>>) -> Wish<T> {
        Wish { was_asked: AtomicBool::new(false), next }
    }

    /// Asks the next creation for something, or for nothing in particular.
    pub(crate) fn set(&self, device: &Device, what: Option<T>) {
        self.was_asked.fetch_or(what.is_some(), Ordering::Relaxed);
        self.next.set(what.map(|what| (key(device), what)));
    }

    /// What the creation that begins now is to have.
    #[inline]
    pub(crate) fn take(&self, device: &Device) -> Option<T> {
        if !self.was_asked() {
            return None;
        }
        self.next.take().filter(|(asked, _)| *asked == key(device)).map(|(_, what)| what)
    }

    /// Whether any thread ever had one.
    #[inline]
    pub(crate) fn was_asked(&self) -> bool {
        self.was_asked.load(Ordering::Relaxed)
    }
}

fn key(device: &Device) -> usize {
    std::sync::Arc::as_ptr(&device.memory) as usize
}
