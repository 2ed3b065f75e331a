//! Markers that end before the recording does, because there is no memory for more.
//!
//! Invariant: the trace says so, once, and has no fact of markers from there on.

use crate::session::record;
use std::sync::atomic::{AtomicBool, Ordering};

static OVER: AtomicBool = AtomicBool::new(false);

/// Whether markers have ended.
pub(super) fn is_over() -> bool {
    OVER.load(Ordering::Relaxed)
}

/// No markers from here on, and no facts of them.
#[cold]
pub(super) fn give_up(reason: &str) {
    if !OVER.swap(true, Ordering::Relaxed) {
        record::gap(0, &format!("markers end here: {reason}"));
        reprise_log::warning(format_args!("--markers: {reason}"));
    }
}
