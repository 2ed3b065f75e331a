//! Mapped memory: which bytes the program stored through pointers that it got from `Map`.
//!
//! `process_tracker` is the one tracker of the process, `tracker` a list of mappings, `second` the program's own mappings of memory that
//! the GPU writes, too. What is watched by pages is `armed`: by `userfault`
//! (Linux tells, also under Wine), by `write_watch` (Windows tells), or by `protection` (a fault tells; `pages` holds what is known,
//! under `page_lock`). `linux` and `windows` take the faults; `linux` also stands in front of functions of the C library, so that protected
//! pages and our handler do not show.
//!
//! Invariant: memory that the program's threads write is read through pointers, never through a slice.

pub(crate) mod armed;
pub mod mapping;
pub(crate) mod page_lock;
pub(crate) mod pages;
pub(crate) mod process_tracker;
pub(crate) mod protection;
pub(crate) mod runs;
pub(crate) mod second;
pub mod tracker;
pub mod userfault;
pub(crate) mod watch;
#[cfg(windows)]
pub(crate) mod write_watch;

#[cfg(target_os = "linux")]
pub(crate) mod linux;
#[cfg(windows)]
pub(crate) mod windows;

#[cfg(target_os = "linux")]
use linux::{fault, signals};
#[cfg(windows)]
use windows::{fault, signals};
