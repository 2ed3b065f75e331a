//! The Vulkan queues of a device.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ash::vk;

use crate::families::{Family, Role};
use crate::logical::Logical;

/// A Vulkan queue; its lock is held while something is submitted.
#[derive(Debug)]
pub struct Hardware {
    /// Its family.
    pub family: Family,
    /// The queue.
    pub queue: Mutex<vk::Queue>,
}

/// The device's Vulkan queues; several command queues may share one.
#[derive(Debug)]
pub struct Queues {
    graphics: Vec<Arc<Hardware>>,
    compute: Vec<Arc<Hardware>>,
    copy: Vec<Arc<Hardware>>,
    /// Spreads command queues over Vulkan queues.
    next: AtomicUsize,
}

impl Queues {
    /// Gets the queues of the families.
    pub(crate) fn new(logical: &Logical) -> Queues {
        let family = |family: Family| -> Vec<Arc<Hardware>> {
            let get = |index| {
                // SAFETY: the device was made with these queues.
                let queue = unsafe { logical.vk.get_device_queue(family.index, index) };
                Arc::new(Hardware { family, queue: Mutex::new(queue) })
            };
            (0..family.count).map(get).collect()
        };
        let families = &logical.families;
        let graphics = family(families.graphics);
        let compute =
            if families.compute.index == families.graphics.index { graphics.clone() } else { family(families.compute) };
        let copy = match families.copy.index {
            index if index == families.graphics.index => graphics.clone(),
            index if index == families.compute.index => compute.clone(),
            _ => family(families.copy),
        };
        Queues { graphics, compute, copy, next: AtomicUsize::new(0) }
    }

    /// The Vulkan queue for a new command queue. Command queues of a role are spread over its Vulkan queues.
    pub fn pick(&self, role: Role) -> Arc<Hardware> {
        let all = match role {
            Role::Graphics => &self.graphics,
            Role::Compute => &self.compute,
            Role::Copy => &self.copy,
        };
        all[self.next.fetch_add(1, Ordering::Relaxed) % all.len()].clone()
    }
}
