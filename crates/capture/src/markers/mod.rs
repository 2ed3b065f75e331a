//! How far the GPU is in lists, on any runtime: `capture --markers`.
//!
//! Each operation of a direct, compute or copy list stands between two `WriteBufferImmediate` of ours. MARKER_IN writes the operation's
//! number once the GPU comes to it, MARKER_OUT once it is done. A bundle is one operation of the list that runs it.
//!
//! - `words`: the memory that the GPU writes; `probe`: whether a runtime lets it; `devices`: which way each one goes; `end`: no memory
//! - `list`: a list's markers, and those of what is recorded in it just now
//! - `execute`: the lists of a submission; `submissions`: the submissions of each queue that are not done, and facts about them
//! - `still`: a thread that notices when nothing moves any more
//!
//! Invariants: nothing of this is recorded, but for facts. Without the option nothing here runs: lists have vtables without markers.

mod devices;
mod end;
mod execute;
mod list;
mod probe;
#[cfg(unix)]
mod still;
mod submissions;
mod words;

pub(crate) use execute::submitted;
pub(crate) use list::{after, before, begin, gone};
pub(crate) use submissions::removed;

use crate::session::{active, environment, record};
use reprise_environment::capture::MARKERS;
use reprise_trace::fact;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Whether lists are to have markers.
pub(crate) fn wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| environment::get(MARKERS).is_some_and(|value| value != "0"))
}

/// Says in the trace, once for each session, what the option changed.
fn note_policy(policy: &str) {
    static NOTED: AtomicU32 = AtomicU32::new(0);
    let Some(active) = active::current() else { return };
    if NOTED.swap(active.number, Ordering::Relaxed) != active.number {
        record::fact(0, fact::META, format!("{{\"markers_policy\":\"{policy}\"}}").as_bytes());
    }
}
