//! Replays of hand-made traces on the null runtime, whose own log is the expectation.
//!
//! They are inside the crate because a hand-made trace is no file: it enters below the public functions.
#![allow(clippy::unwrap_used)]

pub(crate) mod addresses;
pub(crate) mod blobs;
pub(crate) mod calls;
pub(crate) mod clock;
pub(crate) mod control;
pub(crate) mod dxgi;
pub(crate) mod every;
pub(crate) mod experiments;
pub(crate) mod heaps;
pub(crate) mod indirect;
pub(crate) mod lists;
pub(crate) mod options;
pub(crate) mod portable;
pub(crate) mod present;
pub(crate) mod program;
pub(crate) mod real;
pub(crate) mod repeat;
pub(crate) mod script;
pub(crate) mod stale;
pub(crate) mod threads;
pub(crate) mod untold;
pub(crate) mod vk_swap_chain;
