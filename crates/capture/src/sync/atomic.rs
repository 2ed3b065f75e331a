//! The standard library's atomics and mutexes. `tests/loom` includes the files beside this one with those of `loom` in its place.

pub(crate) use std::sync::atomic::{AtomicPtr, AtomicU16, AtomicUsize, Ordering};
pub(crate) use std::sync::{Mutex, MutexGuard};

/// Defines a `const fn`, which `loom` has none of.
macro_rules! constant {
    ($(#[$attribute:meta])* $visibility:vis fn $($rest:tt)*) => {
        $(#[$attribute])* $visibility const fn $($rest)*
    };
}
pub(crate) use constant;
