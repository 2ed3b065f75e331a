//! Fences: virtual values that may rise, fall and be waited for before they are signalled.

pub mod model;
#[cfg(test)]
mod tests;

use reprise_com::Slots;

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = &[];
