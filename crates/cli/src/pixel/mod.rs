//! The history of a pixel, put together from what replays bring, and told.
//!
//! Invariant: a value is of the texel's very bits, or there is a reason why there is none. What no listed call explains is said.

pub(crate) mod contradictions;
pub(crate) mod link;
pub(crate) mod rays;
pub(crate) mod seen;
pub(crate) mod strip;
pub(crate) mod threads;
pub(crate) mod told;
pub(crate) mod why;
