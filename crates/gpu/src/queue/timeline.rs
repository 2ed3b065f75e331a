//! A queue's timeline: one semaphore whose value rises with every submission.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Context, Error, Result};
use crate::logical::Logical;
use ash::vk;

/// The number of a queue in the process.
pub type QueueId = u64;

/// The timeline semaphore of one command queue.
#[derive(Debug)]
pub struct Timeline {
    /// The queue's number in the process.
    pub queue: QueueId,
    logical: Arc<Logical>,
    /// The semaphore.
    pub semaphore: vk::Semaphore,
    /// The highest value seen.
    seen: AtomicU64,
}

impl Timeline {
    /// A timeline at 0.
    ///
    /// # Errors
    /// Vulkan cannot make the semaphore.
    pub fn new(logical: &Arc<Logical>) -> Result<Timeline> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: the device lives; the chain lives until the call returns.
        let semaphore = unsafe { logical.vk.create_semaphore(&info, None) }.call("vkCreateSemaphore")?;
        let queue = NEXT.fetch_add(1, Ordering::Relaxed);
        Ok(Timeline { queue, logical: logical.clone(), semaphore, seen: AtomicU64::new(0) })
    }

    /// Whether the GPU has come to `value`. `false` when the device is lost.
    pub fn reached(&self, value: u64) -> bool {
        self.seen.load(Ordering::Acquire) >= value || self.value() >= value
    }

    /// How far the GPU is; as far as it was seen when the device is lost.
    pub fn value(&self) -> u64 {
        // SAFETY: the semaphore lives as long as this.
        let now = unsafe { self.logical.vk.get_semaphore_counter_value(self.semaphore) }.unwrap_or(0);
        self.seen.fetch_max(now, Ordering::AcqRel).max(now)
    }

    /// Blocks until the GPU has come to `value`, which is submitted.
    ///
    /// # Errors
    /// The device is lost or out of memory.
    pub fn wait(&self, value: u64) -> Result<()> {
        if self.seen.load(Ordering::Acquire) >= value {
            return Ok(());
        }
        let (semaphores, values) = ([self.semaphore], [value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        loop {
            // SAFETY: the semaphore lives as long as this.
            match unsafe { self.logical.vk.wait_semaphores(&info, u64::MAX) } {
                Ok(()) => break,
                // A driver may end a long wait early.
                Err(vk::Result::TIMEOUT) => {}
                Err(error) => return Err(Error::Vulkan("vkWaitSemaphores", error)),
            }
        }
        self.seen.fetch_max(value, Ordering::AcqRel);
        Ok(())
    }
}

impl Drop for Timeline {
    fn drop(&mut self) {
        // SAFETY: every submission that signals or waits for it is done: workers hold it until then.
        unsafe { self.logical.vk.destroy_semaphore(self.semaphore, None) }
    }
}

/// A value of a queue's timeline.
#[derive(Clone, Debug)]
pub struct Point {
    /// The queue's timeline.
    pub timeline: Arc<Timeline>,
    /// The value.
    pub value: u64,
}
