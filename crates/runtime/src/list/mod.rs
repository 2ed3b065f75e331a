//! Command lists and their allocators.

use reprise_com::Slots;

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = &[];
