//! A replay on something that is tried: a runtime, a driver or an environment.
//!
//! A `candidate` says on what. `play` plays a trace on it, in a process of its own with a time limit; `reference` is what it is compared
//! with, `outcome` what that showed.

pub(crate) mod candidate;
pub(crate) mod outcome;
pub(crate) mod play;
pub(crate) mod reference;
