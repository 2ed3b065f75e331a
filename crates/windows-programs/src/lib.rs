//! Small Windows programs for tests of `reprise capture`: each does one thing that a launcher or a game does around Direct3D 12.
//!
//! `windows_late` is not linked with Direct3D 12, `windows_linked` is, and `windows_sdk` exports what programs with the Agility SDK do;
//! otherwise all three are this library. The first words of the command
//! line are steps. The program does them in their order; the first that fails ends it with that step's exit code. On other systems
//! than Windows this crate is empty.
//!
//! Invariant: the exit code says which step failed: 101 none of this name, 102 a library, 103 a device, 104 a fence, 105 a child,
//! 106 the folder, 107 stores, 108 a filter, 109 a system call, 110 what overlays do, 111 work, 112 shared handles,
//! 113 frames in a window, 114 work that is left behind.
#![cfg(windows)]

// The programs start on Wine before 8.13.
use reprise_windows_start as _;

mod com;
mod device;
mod drawing;
mod filter;
mod hostile;
mod kernel;
mod memory;
mod object;
mod shared;
mod show;
pub mod steps;
mod window;
mod work;
