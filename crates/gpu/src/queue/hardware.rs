//! The Vulkan queues of a device.

use core::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use ash::vk;

use crate::families::{Family, Role};
use crate::logical::Logical;

/// A Vulkan queue, which one user at a time may submit to.
#[derive(Debug)]
pub struct Hardware {
    /// Its family.
    pub family: Family,
    /// Its number in the family.
    pub index: u32,
    queue: vk::Queue,
    /// Whether the program has it.
    lent: Mutex<bool>,
    returned: Condvar,
}

/// The right to submit to a queue.
#[derive(Debug)]
pub struct Held<'a> {
    queue: vk::Queue,
    _lent: MutexGuard<'a, bool>,
}

impl Deref for Held<'_> {
    type Target = vk::Queue;

    fn deref(&self) -> &vk::Queue {
        &self.queue
    }
}

impl Hardware {
    fn new(family: Family, index: u32, queue: vk::Queue) -> Hardware {
        Hardware { family, index, queue, lent: Mutex::new(false), returned: Condvar::new() }
    }

    /// The queue's name, for whoever does not submit.
    pub fn name(&self) -> vk::Queue {
        self.queue
    }

    /// The queue, for a submission. Waits while the program or another thread has it.
    pub fn lock(&self) -> Held<'_> {
        Held { queue: self.queue, _lent: self.free() }
    }

    /// Gives the queue to the program, until [`Hardware::take_back`]. Waits while somebody has it.
    pub fn lend(&self) {
        *self.free() = true;
    }

    /// The program gives the queue back, on any thread. Whether it had it.
    pub fn take_back(&self) -> bool {
        let mut lent = self.lent.lock().unwrap_or_else(PoisonError::into_inner);
        let had = core::mem::take(&mut *lent);
        drop(lent);
        if had {
            self.returned.notify_all();
        }
        had
    }

    fn free(&self) -> MutexGuard<'_, bool> {
        let mut lent = self.lent.lock().unwrap_or_else(PoisonError::into_inner);
        while *lent {
            lent = self.returned.wait(lent).unwrap_or_else(PoisonError::into_inner);
        }
        lent
    }
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
                Arc::new(Hardware::new(family, index, queue))
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn nobody_submits_while_the_program_has_the_queue() {
        let family = Family { index: 0, count: 1, timestamp_bits: 0 };
        let queue = Hardware::new(family, 0, vk::Queue::null());
        assert!(!queue.take_back(), "nobody had it");
        queue.lend();
        std::thread::scope(|scope| {
            let (locked, told) = mpsc::channel();
            let other = &queue;
            scope.spawn(move || {
                drop(other.lock());
                let _ = locked.send(());
            });
            assert!(told.recv_timeout(Duration::from_millis(50)).is_err());
            assert!(queue.take_back());
            assert!(told.recv_timeout(Duration::from_secs(20)).is_ok());
        });
        queue.lend();
        assert!(queue.take_back() && !queue.take_back());
    }
}
