//! What can still be had of a trace that was not finished, or whose tables are damaged.
//!
//! Invariant: nothing that is sound is left out, and nothing is included twice: each chunk of events says how far each ring is
//! stored.

mod count;
mod open;
mod repair;
mod rings;

pub use repair::{Describe, repair};
