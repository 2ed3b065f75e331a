//! Mapped memory on Linux: which bytes the program stored through pointers that it got from `Map`.
//!
//! `process_tracker` is the one tracker of the process, `tracker` the list of mappings. What is watched by pages is `armed`: by `userfault`
//! (the kernel tells) or by `protection` (a `fault` tells; `pages` holds what is known, under `page_lock`). `system_calls` and
//! `signal_calls` stand in front of functions of the C library, so that protected pages and our handler do not show.
//!
//! Invariant: memory that the program's threads write is read through pointers, never through a slice.

pub(crate) mod armed;
pub(crate) mod beyond;
pub(crate) mod fault;
pub mod mapping;
pub(crate) mod page_lock;
pub(crate) mod pages;
pub(crate) mod process_tracker;
pub(crate) mod protection;
pub(crate) mod runs;
pub(crate) mod signal_calls;
pub(crate) mod signals;
pub(crate) mod system_calls;
pub mod tracker;
pub mod userfault;
pub(crate) mod watch;
