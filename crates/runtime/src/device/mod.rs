//! The device: what all objects share.
//!
//! One device per adapter and process: a program that creates it again gets the same object. The Vulkan device dies with
//! the last reference of any kind.

mod child;
mod create;
mod features;
mod formats;
mod interop;
mod levels;
mod methods;
mod object;

pub use child::{Child, give};
pub use create::create;
pub(crate) use features::{answer, feature_level};
pub use object::{Device, this};
