//! Device memory: allocations, each with one buffer and one address over the whole.
//!
//! Resources are [`Slice`]s. Small ones share chunks; a chunk goes with its last slice. Memory that the process can see is
//! mapped for its whole life, plainly, so that a capture of this process can watch it. Every slice that a program can see is
//! zero before the program can look ([`zero`]).
//!
//! Where a capture asks for it, a slice that a program knows the address of says how a later process gets the same address
//! ([`Slice::place`]), and that process asks for it ([`Addressing::At`]).

mod allocation;
mod allocator;
mod area;
pub(crate) mod chunk;
mod create;
mod exchange;
mod micromaps;
mod nowhere;
pub mod outside;
pub mod pages;
pub mod place;
mod placed;
mod pools;
mod repeatable;
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
pub use micromaps::{Extent, Micromap, Micromaps};
pub use nowhere::Nowhere;
pub use pools::Memory;
pub use request::{Addressing, CpuAccess, Purpose, Request};
pub use structures::Structure;

/// Says that something is not where it was in an earlier process.
fn lies_elsewhere(place: &place::Place, why: &crate::Error) {
    let (bytes, address) = (place.size, place.address());
    reprise_log::debug(|| format!("{bytes} bytes that lay at {address:#x} lie elsewhere: {why}"));
}
