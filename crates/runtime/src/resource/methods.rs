//! Methods of resources, and those of the device that make or ask about them.

use reprise_com::Slots;

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = &[];

/// Methods of `ID3D12Resource`.
pub(super) const RESOURCE_METHODS: &Slots = &[];
