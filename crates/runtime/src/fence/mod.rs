//! Fences: virtual values that may rise, fall and be waited for before they are signalled.

mod look;
pub mod model;
mod object;
mod outside;
#[cfg(unix)]
pub(crate) mod page;
#[cfg(test)]
mod tests;

use reprise_com::Slots;

pub use object::{Armed, Fence, Group, SharedFence};

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = object::DEVICE_METHODS;
