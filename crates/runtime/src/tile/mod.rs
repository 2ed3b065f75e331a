//! Tiles: reserved resources, whose memory a program maps piece by piece.
//!
//! A reserved resource is sparse in Vulkan. Its [`Tiles`] say how it is cut and what is mapped where; queues change mappings
//! in their own order (`queue::worker`), so that lists before a change see the old ones. Tier 1 of the API: buffers and
//! textures of two dimensions; what is not mapped must not be used.

mod methods;
mod range;
mod support;
pub mod table;
pub mod tiling;
mod update;

pub use range::Source;
pub use support::{shape, tier};
pub use table::{Tail, Tiles};
pub use tiling::{Place, TILE, Tiling};
pub use update::Update;

pub(crate) use methods::{DEVICE_METHODS, QUEUE_METHODS};
