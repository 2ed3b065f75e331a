//! The open session of this process, and its end.
//!
//! Invariant: an open session is never freed, since threads may hold it for as long as they live.

use crate::session::plan::Progress;
use crate::session::threads::Threads;
use crate::tracking;
use reprise_trace::session::Session;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

/// An open session.
pub(crate) struct Active {
    pub(crate) session: Session,
    /// Tells this session from an earlier one of the same process image; from 1.
    pub(crate) number: u32,
    /// Who records.
    pub(crate) threads: Threads,
    /// Where the plan of wanted frames stands.
    pub(crate) frames: Mutex<Progress>,
    stopped: AtomicBool,
}

impl Active {
    /// Whether the recording has ended by [`stop`].
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// Whether it has ended, or will as soon as somebody looks.
    pub(crate) fn is_over(&self) -> bool {
        self.is_stopped() || self.session.is_finished()
    }
}

/// Whether there is a recording that has not ended.
pub(crate) fn records() -> bool {
    current().is_some_and(|active| !active.is_stopped())
}

/// Ends the recording for all threads of this process; the program goes on. A trace that a writer has not finished yet
/// must have been told where it ends.
pub(crate) fn stop(active: &Active) {
    let unwatch = || {
        if let Some(tracker) = tracking::tracker() {
            tracker.on_end();
        }
    };
    // While the tracker is still told of what is unmapped; and what another thread mapped meanwhile.
    unwatch();
    active.stopped.store(true, Ordering::Release);
    active.threads.retire();
    unwatch();
}

static CURRENT: AtomicPtr<Active> = AtomicPtr::new(core::ptr::null_mut());

/// The session, if one is open.
#[inline]
pub(crate) fn current() -> Option<&'static Active> {
    // SAFETY: null, or what `publish` leaked, which nothing frees.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }
}

/// Makes a session the one of this process.
pub(crate) fn publish(session: Session) -> &'static Active {
    static OPENED: AtomicU32 = AtomicU32::new(0);
    let number = OPENED.fetch_add(1, Ordering::Relaxed) + 1;
    let (threads, frames, stopped) = (Threads::default(), Mutex::default(), AtomicBool::new(false));
    let active = Box::leak(Box::new(Active { session, number, threads, frames, stopped }));
    CURRENT.store(active, Ordering::Release);
    active
}

#[cfg(unix)]
/// This process has no session: it was forked off by one that has. Only stores to atomics.
pub(crate) fn forget() {
    CURRENT.store(core::ptr::null_mut(), Ordering::Release);
}
