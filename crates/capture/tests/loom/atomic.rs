//! What `src/sync/atomic.rs` is to the capture library: here the atomics and mutexes of `loom`.

pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU16, AtomicUsize, Ordering};
pub(crate) use loom::sync::{Mutex, MutexGuard};

/// Those of `loom` have state to set up, so no function that makes them is `const`.
macro_rules! constant {
    ($(#[$attribute:meta])* $visibility:vis fn $($rest:tt)*) => {
        $(#[$attribute])* $visibility fn $($rest)*
    };
}
pub(crate) use constant;
