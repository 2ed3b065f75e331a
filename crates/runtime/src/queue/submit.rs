//! What a queue takes of a closed command list.

use core::any::Any;

use ash::vk;

/// A closed list, ready for any number of submissions. The list makes it at `Close` and keeps it in an `Arc`; a queue takes
/// another reference at `ExecuteCommandLists` and lets it go once the GPU is done. So an allocator whose lists have
/// `Arc::strong_count` above one is in use, and what `keep` holds lives as long as the GPU needs it.
pub struct Recorded {
    /// Command buffers in order; recorded with `SIMULTANEOUS_USE`.
    pub buffers: Vec<vk::CommandBuffer>,
    /// Images whose first use may be in this list.
    pub first_uses: Vec<FirstUse>,
    /// Whatever must outlive the submission: the command pool, transient views, resources of the runtime's own.
    pub keep: Vec<Box<dyn Any + Send + Sync>>,
}

/// Gives the transition of an image out of `UNDEFINED` to the one submission that asks first, and `None` afterwards.
pub trait Begin: Send + Sync {
    /// Called on a submission thread, in the order of submissions.
    fn begin(&self) -> Option<vk::ImageMemoryBarrier2<'static>>;
}

/// A resource, seen as [`Begin`].
pub type FirstUse = Box<dyn Begin>;

impl core::fmt::Debug for Recorded {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Recorded").field("buffers", &self.buffers).finish_non_exhaustive()
    }
}
