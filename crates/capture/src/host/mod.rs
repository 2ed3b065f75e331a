//! The system below the captured program: what differs between Linux, Wine and Windows.
//!
//! Three hosts stand behind one set of names: `kernel` (system calls, memory protection) and `process` (who this process is).
//! `windows` serves the library built for Windows; where that runs under Wine it asks `wine`. Invariant: nothing here knows
//! Direct3D, and nothing here panics.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub(crate) use linux::{kernel, process};

#[cfg(windows)]
pub(crate) mod module;
#[cfg(windows)]
pub(crate) mod windows;
#[cfg(windows)]
pub(crate) mod wine;
#[cfg(windows)]
pub(crate) use windows::{kernel, process};
