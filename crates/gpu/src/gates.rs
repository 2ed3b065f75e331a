//! The gates of a device that are closed: see [`crate::gate`].

use std::sync::{Mutex, PoisonError};

use ash::vk;

/// The closed gates, by the event that opens each.
#[derive(Debug, Default)]
pub struct Gates(Mutex<Vec<vk::Event>>);

impl Gates {
    /// One more gate is closed.
    pub(crate) fn add(&self, event: vk::Event) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }

    /// Whether a gate is closed.
    pub(crate) fn contains(&self, event: vk::Event) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&event)
    }

    /// Lets the GPU through all gates.
    pub(crate) fn open_all(&self, vk: &ash::Device) {
        for event in self.0.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // SAFETY: events of gates live as long as the device.
            let _ = unsafe { vk.set_event(event) };
        }
    }
}
