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

    /// Lets the GPU through all gates; `false` where there was none.
    pub(crate) fn open_all(&self, vk: &ash::Device) -> bool {
        let mut gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let any = !gates.is_empty();
        for event in gates.drain(..) {
            // SAFETY: events of gates live as long as the device.
            let _ = unsafe { vk.set_event(event) };
        }
        any
    }
}
