//! `bcryptprimitives.dll` for Wine before 8.13, which lacks it: programs that Rust built import `ProcessPrng` from it.
//!
//! The function is that of `reprise-windows-start`; a DLL exports the unmangled functions of the crates in it. Invariant: placed
//! only in prefixes of tests, and only where Wine has no such file.
#![cfg(windows)]

use reprise_windows_start as _;
