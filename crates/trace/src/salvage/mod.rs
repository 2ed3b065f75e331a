//! Reading and repair of traces that are unfinished, or whose tables are damaged.
//!
//! Invariant: every sound record is included exactly once. It is known which records of a ring the file already has, because
//! each chunk of events says how far each ring is stored.

mod count;
mod open;
mod repair;
mod rings;

pub use repair::{Describe, repair};
