//! Device memory: allocations, each with one buffer and one address over the whole.
//!
//! Resources are [`Slice`]s. Small ones share chunks; a chunk goes with its last slice. Memory that the process can see is
//! mapped for its whole life, plainly, so that a capture of this process can watch it. Every slice that a program can see is
//! zero before the program can look ([`zero`]).

mod allocation;
mod allocator;
pub(crate) mod chunk;
mod create;
pub mod pages;
mod pools;
mod request;
mod reserve;
mod shared;
mod structures;
#[cfg(test)]
mod tests;
pub mod types;
mod upload;
pub mod zero;

pub use allocation::{Allocation, Slice};
pub use pools::Memory;
pub use request::{CpuAccess, Purpose, Request};
pub use structures::Structure;
