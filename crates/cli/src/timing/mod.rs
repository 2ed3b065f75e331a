//! Durations on the GPU, of several replays, put together as a person asks for them.
//!
//! Invariant: what is added up is added up within one replay; medians are taken of such sums, never sums of medians.

pub(crate) mod group;
pub(crate) mod sample;
