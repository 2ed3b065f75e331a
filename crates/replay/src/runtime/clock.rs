//! How long this thread was in the runtime's calls.
//!
//! Invariant: what other threads call at the same time is not counted, and a replay that asks for nothing pays one test for each call.

use std::cell::Cell;
use std::time::{Duration, Instant};

thread_local! {
    static SPENT: Cell<Option<Duration>> = const { Cell::new(None) };
}

/// Begins to count on this thread.
pub(crate) fn begin() {
    SPENT.set(Some(Duration::ZERO));
}

/// Ends counting on this thread.
pub(crate) fn end() {
    SPENT.set(None);
}

/// How long since [`begin`].
pub(crate) fn spent() -> Duration {
    SPENT.get().unwrap_or_default()
}

/// Makes a call, which counts where it is asked for.
#[inline]
pub(super) fn counted<T>(call: impl FnOnce() -> T) -> T {
    let Some(before) = SPENT.get() else { return call() };
    let began = Instant::now();
    let result = call();
    // Calls within it are part of it.
    SPENT.set(Some(before + began.elapsed()));
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_asked_for_is_counted_and_nothing_twice() {
        let sleep = || std::thread::sleep(Duration::from_millis(5));
        counted(sleep);
        assert_eq!(spent(), Duration::ZERO);
        begin();
        counted(|| counted(sleep));
        sleep();
        let one = spent();
        assert!(one >= Duration::from_millis(5), "{one:?}");
        std::thread::spawn(move || counted(sleep)).join().unwrap();
        assert_eq!(spent(), one);
        end();
        counted(sleep);
        assert_eq!(spent(), Duration::ZERO);
    }
}
