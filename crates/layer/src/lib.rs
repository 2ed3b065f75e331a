//! What Vulkan layers for tests have in common: how the loader calls a layer ([`interface`]), and the functions below it ([`next`]).
//!
//! A layer is a `cdylib` with `vkNegotiateLoaderLayerInterfaceVersion`, which hands its functions to [`interface::negotiate`]. Invariant: what a layer
//! has no function for goes to the next one.

pub mod interface;
pub mod next;

pub use interface::{Layer, Negotiation, negotiate};
