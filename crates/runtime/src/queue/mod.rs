//! Command queues.
//!
//! The queue's threads and its submissions are `reprise_gpu`'s; here are the interface, and what the API says of lists and
//! fences that a queue takes.

mod debug;
mod ext;
mod methods;
pub mod object;
pub mod swap_chain;
mod tile_methods;
mod tile_range;
mod tile_update;

pub use methods::facets;
pub use object::{CommandQueue, Facets};

pub(crate) use methods::DEVICE_METHODS;
