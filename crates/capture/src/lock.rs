//! A lock that the thread which holds it may take again.
//!
//! The runtime may call the program back inside a call made under one of our locks (a message callback during a
//! submission), and the program may call us again from there: that must not hang. Invariant: `depth` and the fields
//! behind the lock are touched by the owner only.

use core::cell::{Cell, UnsafeCell};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

/// See the module.
#[derive(Default)]
pub(crate) struct Reentrant {
    /// Address that stands for the owning thread; 0 for none.
    owner: AtomicUsize,
    depth: UnsafeCell<u32>,
    busy: Mutex<bool>,
    free: Condvar,
}

// SAFETY: `depth` is touched only by the thread that `owner` names.
unsafe impl Sync for Reentrant {}
// SAFETY: nothing in it belongs to a thread while it is not held, and a held one cannot be moved (the guard borrows it).
unsafe impl Send for Reentrant {}

thread_local! {
    /// Its address is unique among living threads.
    static HERE: Cell<u8> = const { Cell::new(0) };
}

fn here() -> usize {
    HERE.with(|cell| core::ptr::from_ref(cell) as usize)
}

impl Reentrant {
    /// A free lock.
    pub(crate) const fn new() -> Reentrant {
        Reentrant {
            owner: AtomicUsize::new(0),
            depth: UnsafeCell::new(0),
            busy: Mutex::new(false),
            free: Condvar::new(),
        }
    }

    /// Waits until no other thread holds the lock, and holds it until the guard goes.
    pub(crate) fn hold(&self) -> Held<'_> {
        let me = here();
        if self.owner.load(Ordering::Relaxed) != me {
            let mut busy = self.busy.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            while *busy {
                busy = self.free.wait(busy).unwrap_or_else(|poisoned| poisoned.into_inner());
            }
            *busy = true;
            self.owner.store(me, Ordering::Relaxed);
        }
        // SAFETY: this thread is the owner now.
        unsafe { *self.depth.get() += 1 };
        Held(self, core::marker::PhantomData)
    }
}

/// The lock is held while this lives.
pub(crate) struct Held<'a>(&'a Reentrant, core::marker::PhantomData<*const ()>);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // SAFETY: guards do not leave the thread that made them (they are `!Send`), so it is the owner.
        let depth = unsafe {
            *self.0.depth.get() -= 1;
            *self.0.depth.get()
        };
        if depth == 0 {
            self.0.owner.store(0, Ordering::Relaxed);
            *self.0.busy.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = false;
            self.0.free.notify_one();
        }
    }
}
