//! Recorded work: what a queue takes of a closed command list.

use core::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use crate::image::Image;
use crate::queue::timeline::Point;
use ash::vk;

/// A closed list, ready for any number of submissions. The list makes it at `Close` and keeps it in an `Arc`; a queue takes
/// another reference at `ExecuteCommandLists` and lets it go once the GPU is done. So an allocator whose lists have
/// `Arc::strong_count` above one is in use, and what `keep` holds lives as long as the GPU needs it.
pub struct Recorded<Keep: ?Sized = dyn Any + Send + Sync> {
    /// The command buffer, in one unfinished submission at a time; null where there are no commands.
    pub buffer: vk::CommandBuffer,
    /// Images that this list names and that had no submission yet when it was recorded.
    pub first_uses: Vec<Arc<Image>>,
    /// Where a queue's timeline stands at the end of the last submission.
    submitted: Mutex<Option<Point>>,
    /// Whatever must outlive the submission: the command pool, the device, resources of the recording's own. It lies in here, so
    /// that `Close` allocates once.
    pub keep: Keep,
}

impl<Keep: Any + Send + Sync> Recorded<Keep> {
    /// A list that no queue has.
    pub fn new(buffer: vk::CommandBuffer, first_uses: Vec<Arc<Image>>, keep: Keep) -> Recorded<Keep> {
        Recorded { buffer, first_uses, submitted: Mutex::default(), keep }
    }
}

impl Recorded {
    /// A queue has given it to the GPU, which is done with it at this point.
    pub(super) fn submitted(&self, until: Point) {
        *self.submitted.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }

    /// Whether the GPU is done with the last submission: a queue that still holds the list is about to let it go.
    pub fn is_done(&self) -> bool {
        let until = self.submitted.lock().unwrap_or_else(PoisonError::into_inner);
        until.as_ref().is_some_and(|point| point.timeline.reached(point.value))
    }
}

impl core::fmt::Debug for Recorded {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Recorded").field("buffer", &self.buffer).finish_non_exhaustive()
    }
}
