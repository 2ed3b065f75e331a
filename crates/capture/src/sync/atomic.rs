//! Atomics and mutexes: the standard library's, or those of `loom` when `tests/loom.rs` includes these files.

#[cfg(all(loom, test))]
pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU16, AtomicUsize, Ordering};
#[cfg(all(loom, test))]
pub(crate) use loom::sync::{Mutex, MutexGuard};
#[cfg(not(all(loom, test)))]
pub(crate) use std::sync::atomic::{AtomicPtr, AtomicU16, AtomicUsize, Ordering};
#[cfg(not(all(loom, test)))]
pub(crate) use std::sync::{Mutex, MutexGuard};

/// Defines a `const fn` where the standard library's atomics allow it; those of `loom` have state to set up.
macro_rules! constant {
    ($(#[$attribute:meta])* $visibility:vis fn $($rest:tt)*) => {
        #[cfg(not(all(loom, test)))]
        $(#[$attribute])* $visibility const fn $($rest)*
        #[cfg(all(loom, test))]
        $(#[$attribute])* $visibility fn $($rest)*
    };
}
pub(crate) use constant;
