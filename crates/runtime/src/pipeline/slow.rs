//! Which pipeline state is the slow one of `REPRISE_SLOW`.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::environment::settings;

/// Pipeline states made so far.
static MADE: AtomicU64 = AtomicU64::new(0);

/// A pipeline state is made: steps behind each of its operations, 0 for all but one.
pub(super) fn steps_of_next() -> u32 {
    let Some(slow) = settings().slow else { return 0 };
    let number = MADE.fetch_add(1, Ordering::Relaxed) + 1;
    if number == slow.pipeline { slow.steps } else { 0 }
}
