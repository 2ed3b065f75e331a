//! What a queue takes of a closed command list.

use core::any::Any;

use ash::vk;
use reprise_com::Ref;

use crate::resource::Resource;

/// A closed list, ready for any number of submissions. The list makes it at `Close` and keeps it in an `Arc`; a queue takes
/// another reference at `ExecuteCommandLists` and lets it go once the GPU is done. So an allocator whose lists have
/// `Arc::strong_count` above one is in use, and what `keep` holds lives as long as the GPU needs it.
pub struct Recorded {
    /// Command buffers in order; in one unfinished submission at a time.
    pub buffers: Vec<vk::CommandBuffer>,
    /// Images that this list names and that had no submission yet when it was recorded.
    pub first_uses: Vec<Ref<Resource>>,
    /// Whatever must outlive the submission: the command pool, transient views, resources of the runtime's own.
    pub keep: Box<dyn Any + Send + Sync>,
}

impl core::fmt::Debug for Recorded {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Recorded").field("buffers", &self.buffers).finish_non_exhaustive()
    }
}
