//! `d3d12.dll` for Wine: lies beside a program, loads Wine's own by its full path and forwards to it.
//!
//! A spike, kept as a test (`tests/wine.rs`). It owns the answers to three questions on which the design stands, on the Wine
//! of Debian 12: does a Rust DLL start there without a stand-in for `bcryptprimitives.dll` (yes, [`random`]); do rings in
//! files work between code under Wine and a native process (yes: the same pages, both ways, while both run); can stores to
//! mapped upload memory be detected exactly (yes, by raw Linux system calls, [`watch`]; `VirtualProtect` fails there).
//!
//! Invariant: the program sees what it would see without us; what fails here only ends the recording.
#![cfg(windows)]

mod exports;
mod forward;
mod kernel;
mod random;
mod recorder;
mod watch;
