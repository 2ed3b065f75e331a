//! Descriptors: handles, heaps, bindless set layouts, writes and copies.

use reprise_com::Slots;

use crate::Result;
use crate::device::Parts;

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = &[];

/// The set layouts that all root signatures share, and null descriptors.
#[derive(Debug)]
pub struct Layouts {}

impl Layouts {
    /// Makes the layouts.
    pub fn new(_parts: &Parts<'_>) -> Result<Layouts> {
        Ok(Layouts {})
    }

    /// Destroys the layouts; nothing uses them any more.
    pub fn destroy(&mut self, _vk: &ash::Device) {}
}
