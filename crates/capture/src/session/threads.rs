//! The list of threads that record into a session. The end of the session takes the recorders of all of them away.

use crate::session::words::Words;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The list. It belongs to the session, which a forked child does not share.
#[derive(Default)]
pub(crate) struct Threads(Mutex<Vec<Recording>>);

/// A thread on the list.
pub(crate) struct Recording(*const Words);

// SAFETY: a thread's words live as long as the thread, which leaves the list before it ends; other threads use only the words'
// `Handover`, which is made of atomics.
unsafe impl Send for Recording {}

impl Recording {
    /// The calling thread, by its words.
    pub(crate) fn new(words: &Words) -> Recording {
        Recording(words)
    }
}

impl Threads {
    /// The list, locked.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Vec<Recording>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a thread off the list.
    pub(crate) fn remove(&self, words: &Words) {
        self.lock().retain(|thread| !core::ptr::eq(thread.0, words));
    }

    /// Takes every thread's recorder away: calls that begin from now on are passed on.
    pub(crate) fn retire(&self) {
        for Recording(words) in self.lock().iter() {
            // SAFETY: the thread is on the list, so it lives, and its words with it.
            unsafe { &**words }.recorder.retire();
        }
    }
}
