//! What the layer did, which the process says at its end.

use std::io::Write;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

/// Commands that waited.
pub(crate) static WAITED: AtomicU64 = AtomicU64::new(0);
/// Commands that were recorded behind one that the program recorded later.
pub(crate) static MOVED: AtomicU64 = AtomicU64::new(0);
/// Barriers that were left out.
pub(crate) static DROPPED: AtomicU64 = AtomicU64::new(0);

pub(crate) fn add(to: &AtomicU64, count: u64) {
    to.fetch_add(count, Ordering::Relaxed);
}

/// Says it when the process ends, or the loader lets go of the layer.
pub(crate) fn at_exit() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the function lives as long as this library, whose handlers run before it goes.
        unsafe { libc::atexit(say) };
    });
}

extern "C" fn say() {
    let [moved, waited, dropped] = [&MOVED, &WAITED, &DROPPED].map(|count| count.load(Ordering::Relaxed));
    // Nobody is left to hear of an error.
    let _ = writeln!(std::io::stderr(), "reorder: {moved} of {waited} commands moved, {dropped} barriers left out");
}
