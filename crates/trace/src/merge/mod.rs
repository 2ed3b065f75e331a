//! One order out of many streams of records.
//!
//! [`order`] owns the rules; nothing here does input or output.

mod item;
mod order;
mod ordinals;

pub use item::{Gap, Item, Resolved, Streams};
pub use order::Merge;
