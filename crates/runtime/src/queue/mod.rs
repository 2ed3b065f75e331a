//! Command queues and the Vulkan queues behind them.

mod submit;

pub use submit::{Begin, FirstUse, Recorded};

use reprise_com::Slots;

use crate::Result;
use crate::device::Parts;

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = &[];

/// The device's Vulkan queues; several command queues may share one.
#[derive(Debug)]
pub struct Queues {}

impl Queues {
    /// Gets the queues of the families.
    pub fn new(_parts: &Parts<'_>) -> Result<Queues> {
        Ok(Queues {})
    }

    /// Destroys what belongs to the queues; they are idle.
    pub fn destroy(&mut self, _vk: &ash::Device) {}
}
