//! The device: what all objects share, what it can do, and what it answers about that.
//!
//! One device per adapter and process: a program that creates it again gets the same object ([`crate::entry::device`]). The
//! Vulkan device dies with the last reference of any kind.

pub mod adapter;
mod child;
pub(crate) mod features;
mod formats;
pub(crate) mod levels;
pub(crate) mod lines;
pub mod object;
pub mod tiles;

pub use child::{Child, give};
pub(crate) use features::{answer, feature_level, has_views};
pub use object::{Device, Facets, this};
