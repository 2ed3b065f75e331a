//! What the GPU did in several replays, put together as a person asks for it: durations and counts.
//!
//! Invariant: what is added up is added up within one replay; medians are taken of such sums, never sums of medians.

#[cfg(unix)]
pub(crate) mod apart;
pub(crate) mod counters;
pub(crate) mod executables;
pub(crate) mod group;
pub(crate) mod keep;
#[cfg(unix)]
pub(crate) mod kept;
pub(crate) mod left_out;
pub(crate) mod measured;
pub(crate) mod program;
pub(crate) mod row;
pub(crate) mod selection;
pub(crate) mod shaders;
pub(crate) mod slower;
pub(crate) mod what_if;
