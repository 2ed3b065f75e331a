//! Command queues and the Vulkan queues behind them.
//!
//! A command queue is a list of things to do, a thread that hands them to Vulkan in order, and a thread that waits for the
//! GPU and then tells fences. Invariants: only what can run is given to Vulkan (a wait for a value that nobody has promised
//! blocks the submission thread, never a Vulkan queue, which others may share); what a submission uses lives until it is
//! done; a submission that fails removes the device and lets everybody go.

mod fifo;
mod fresh;
mod methods;
mod submit;
mod timeline;
mod worker;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ash::vk;
use reprise_com::Slots;
use reprise_d3d12::types::D3D12_COMMAND_LIST_TYPE;

pub use fresh::Fresh;
pub use methods::CommandQueue;
pub use submit::Recorded;
pub use timeline::{Point, Timeline};

use crate::device::{Family, Parts};
use crate::fence;
use crate::{Error, Result};

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = methods::DEVICE_METHODS;

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
    direct: Vec<Arc<Hardware>>,
    compute: Vec<Arc<Hardware>>,
    copy: Vec<Arc<Hardware>>,
    /// Spreads command queues over Vulkan queues.
    next: AtomicUsize,
    /// All fences, so that a removal can let everybody go.
    fences: Mutex<Vec<Weak<fence::State>>>,
}

impl Queues {
    /// Gets the queues of the families.
    pub fn new(parts: &Parts<'_>) -> Result<Queues> {
        let family = |family: Family| -> Vec<Arc<Hardware>> {
            let get = |index| {
                // SAFETY: the device was made with these queues.
                let queue = unsafe { parts.vk.get_device_queue(family.index, index) };
                Arc::new(Hardware { family, queue: Mutex::new(queue) })
            };
            (0..family.count).map(get).collect()
        };
        let families = parts.families;
        let direct = family(families.graphics);
        let compute =
            if families.compute.index == families.graphics.index { direct.clone() } else { family(families.compute) };
        let copy = match families.copy.index {
            index if index == families.graphics.index => direct.clone(),
            index if index == families.compute.index => compute.clone(),
            _ => family(families.copy),
        };
        Ok(Queues { direct, compute, copy, next: AtomicUsize::new(0), fences: Mutex::default() })
    }

    /// The Vulkan queue for a new command queue.
    pub fn pick(&self, kind: D3D12_COMMAND_LIST_TYPE) -> Result<Arc<Hardware>> {
        let all = match kind {
            D3D12_COMMAND_LIST_TYPE::DIRECT => &self.direct,
            D3D12_COMMAND_LIST_TYPE::COMPUTE => &self.compute,
            D3D12_COMMAND_LIST_TYPE::COPY => &self.copy,
            _ => return Err(Error::Invalid("there are no command queues of this type")),
        };
        Ok(all[self.next.fetch_add(1, Ordering::Relaxed) % all.len()].clone())
    }

    /// A new fence, to be told of a removal.
    pub fn know(&self, fence: &Arc<fence::State>) {
        let mut fences = self.fences.lock().unwrap_or_else(PoisonError::into_inner);
        if fences.len() == fences.capacity() {
            fences.retain(|known| known.strong_count() != 0);
        }
        fences.push(Arc::downgrade(fence));
    }

    /// The device is removed: every fence gets its highest value. Call without a fence's lock.
    pub fn removed(&self) {
        let fences = core::mem::take(&mut *self.fences.lock().unwrap_or_else(PoisonError::into_inner));
        fences.iter().filter_map(Weak::upgrade).for_each(|fence| fence.remove());
    }

    /// Destroys what belongs to the queues; they are idle.
    pub fn destroy(&mut self, _vk: &ash::Device) {
        // Vulkan's queues belong to its device; each command queue has destroyed its own objects.
    }
}
