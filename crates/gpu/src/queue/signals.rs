//! Vulkan fences by which a queue's waiting thread learns that submissions are done.
//!
//! Every submission raises the queue's timeline, and the waiting thread could wait for that alone. On NVIDIA's driver a wait of the
//! CPU for a timeline semaphore takes more of its time than one for a fence (vkd3d-proton, pull request 2952). So there each
//! submission signals a fence as well. Invariant: a spare fence is unsignalled, and no submission has it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;

use crate::error::{Context, Error, Result};
use crate::logical::Logical;

/// The fences of one queue.
#[derive(Debug)]
pub(super) struct Signals {
    logical: Arc<Logical>,
    /// Whether submissions signal fences at all.
    used: bool,
    spare: Mutex<Vec<vk::Fence>>,
    /// Fences whose wait failed: a lost device may still have them.
    lost: Mutex<Vec<vk::Fence>>,
}

fn lock(fences: &Mutex<Vec<vk::Fence>>) -> MutexGuard<'_, Vec<vk::Fence>> {
    fences.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Signals {
    /// No fences yet. `used`: submissions signal fences; otherwise [`Signals::take`] gives none.
    pub(super) fn new(logical: &Arc<Logical>, used: bool) -> Signals {
        Signals { logical: logical.clone(), used, spare: Mutex::default(), lost: Mutex::default() }
    }

    /// An unsignalled fence for a submission; null where the timeline is waited for.
    ///
    /// # Errors
    /// Vulkan cannot make one more fence.
    pub(super) fn take(&self) -> Result<vk::Fence> {
        if !self.used {
            return Ok(vk::Fence::null());
        }
        if let Some(fence) = lock(&self.spare).pop() {
            return Ok(fence);
        }
        // SAFETY: the device lives; a plain structure.
        unsafe { self.logical.vk.create_fence(&vk::FenceCreateInfo::default(), None) }.call("vkCreateFence")
    }

    /// The submission that a fence was taken for was not made.
    pub(super) fn give(&self, fence: vk::Fence) {
        if fence != vk::Fence::null() {
            lock(&self.spare).push(fence);
        }
    }

    /// Blocks until a submission has signalled its fence, which is spare again.
    ///
    /// # Errors
    /// The device is lost or out of memory.
    pub(super) fn wait(&self, fence: vk::Fence) -> Result<()> {
        let fences = [fence];
        let waited = loop {
            // SAFETY: the fence is one of these, and no other thread has it.
            match unsafe { self.logical.vk.wait_for_fences(&fences, true, u64::MAX) } {
                // A driver may end a long wait early.
                Err(vk::Result::TIMEOUT) => {}
                other => break other.map_err(|error| Error::Vulkan("vkWaitForFences", error)),
            }
        };
        // SAFETY: the fence is signalled, so no submission has it any more.
        let reset = waited.and_then(|()| unsafe { self.logical.vk.reset_fences(&fences) }.call("vkResetFences"));
        lock(if reset.is_ok() { &self.spare } else { &self.lost }).push(fence);
        reset
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        let spare = core::mem::take(&mut *lock(&self.spare));
        for fence in spare.into_iter().chain(core::mem::take(&mut *lock(&self.lost))) {
            // SAFETY: no submission has it, or the device is lost, whose objects may be destroyed.
            unsafe { self.logical.vk.destroy_fence(fence, None) };
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::instance::Instance;
    use crate::queue::hardware::Queues;
    use crate::settings::Settings;

    fn logical() -> Arc<Logical> {
        let instance = Instance::shared(&Settings::default()).unwrap();
        let physical = crate::adapter::pick(&instance, None).unwrap();
        Logical::new(instance, physical).unwrap()
    }

    #[test]
    fn a_fence_that_was_waited_for_serves_again() {
        let logical = logical();
        let (queues, signals) = (Queues::new(&logical), Signals::new(&logical, true));
        let hardware = queues.pick(crate::families::Role::Graphics);
        let mut seen = Vec::new();
        for _ in 0..3 {
            let [first, second] = [(); 2].map(|()| signals.take().unwrap());
            assert_ne!(first, second);
            for fence in [first, second] {
                // SAFETY: a fence that no submission has; the queue is this thread's.
                let signalled = unsafe { logical.vk.get_fence_status(fence) }.unwrap();
                assert!(!signalled, "a spare fence is unsignalled");
                let queue = hardware.queue.lock().unwrap();
                // SAFETY: the queue is locked, and the fence is in no other submission.
                unsafe { logical.vk.queue_submit2(*queue, &[], fence) }.unwrap();
            }
            signals.wait(first).unwrap();
            signals.wait(second).unwrap();
            seen.extend([first, second]);
        }
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 2, "no more fences than submissions on their way");
    }

    #[test]
    fn without_use_there_are_none() {
        let signals = Signals::new(&logical(), false);
        assert_eq!(signals.take(), Ok(vk::Fence::null()));
        signals.give(vk::Fence::null());
        assert!(lock(&signals.spare).is_empty());
    }
}
