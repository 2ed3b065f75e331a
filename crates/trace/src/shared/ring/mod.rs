//! A ring of records from one thread of the program to the writer, in a file that both have mapped.
//!
//! The thread has the [`Producer`], the writer the [`Consumer`]; [`Ring`] is what both see. Records never straddle the end: a
//! pad record fills it. Positions only rise; see [`position`] for how the two sides hand bytes to each other.

mod consumer;
mod control;
pub(crate) mod position;
mod producer;
mod view;

pub use consumer::Consumer;
pub use control::{CONTROL, DEFAULT_CAPACITY, MAGIC, MAX_CAPACITY, MIN_CAPACITY, NAME, Reading, RingError, VERSION};
pub use producer::Producer;
pub use view::Ring;
