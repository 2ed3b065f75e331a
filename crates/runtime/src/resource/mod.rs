//! Resources: buffers as slices of allocations, textures as images.
//!
//! Invariants: a resource's description is complete (mip levels counted, alignment filled in) and allowed by the rules of
//! [`desc`]; its memory lives as long as it does, also when the heap it was placed in goes first.

pub mod allocation;
pub mod backing;
pub mod create;
pub mod desc;
mod device;
pub mod feedback;
pub mod footprint;
pub mod heap;
pub mod heap_type;
pub mod inflate;
pub mod map;
mod methods;
pub mod object;
pub mod pieces;
pub mod place;
pub mod plan;
#[cfg(windows)]
mod region;
mod reserved;
pub mod room;
mod sizes;
pub mod tile_methods;
pub mod tiles;
pub mod tiling;

pub use heap::Heap;
pub use object::Resource;

pub(crate) use device::DEVICE_METHODS;
pub(crate) use reserved::RESERVED_METHODS;
pub(crate) use sizes::SIZE_METHODS;
pub(crate) use tile_methods::TILE_METHODS;
