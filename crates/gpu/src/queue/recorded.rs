//! Recorded work: what a queue takes of a closed command list.

use core::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::graveyard::{Graveyard, Hold};
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
    submissions: Mutex<Submissions>,
    /// Whatever must outlive the submission: the command pool, the device, resources of the recording's own. It lies in here, so
    /// that `Close` allocates once.
    pub keep: Keep,
}

/// The submissions of a list.
#[derive(Debug, Default)]
struct Submissions {
    /// Where a queue's timeline stands at the end of the last one.
    until: Option<Point>,
    /// Those that queues have and the GPU is not done with.
    pending: u32,
    /// Keeps what the list may reach from the time when it began, as long as it may be given to a queue.
    hold: Option<Hold>,
    /// Nobody gives it to a queue any more.
    left: bool,
    /// The GPU was done with all of its submissions once.
    executed: bool,
}

impl<Keep: Any + Send + Sync> Recorded<Keep> {
    /// A list that no queue has. `hold` is from the time when it began.
    pub fn new(
        buffer: vk::CommandBuffer,
        first_uses: Vec<Arc<Image>>,
        hold: Option<Hold>,
        keep: Keep,
    ) -> Recorded<Keep> {
        let submissions = Mutex::new(Submissions { hold, ..Submissions::default() });
        Recorded { buffer, first_uses, submissions, keep }
    }
}

impl Recorded {
    fn submissions(&self) -> MutexGuard<'_, Submissions> {
        self.submissions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A queue takes it.
    pub(super) fn taken(&self) {
        self.submissions().pending += 1;
    }

    /// A queue has given it to the GPU, which is done with it at this point.
    pub(super) fn submitted(&self, until: Point) {
        self.submissions().until = Some(until);
    }

    /// Nobody gives it to a queue any more: gives the hold, where none has it.
    pub fn leave(&self) -> Option<Hold> {
        let mut submissions = self.submissions();
        submissions.left = true;
        if submissions.pending == 0 { submissions.hold.take() } else { None }
    }

    /// The GPU is done with a submission. Gives the hold with the last one that there can be.
    pub(super) fn done(&self, graveyard: &Graveyard) -> Option<Hold> {
        let mut submissions = self.submissions();
        submissions.pending = submissions.pending.saturating_sub(1);
        if submissions.pending != 0 {
            return None;
        }
        if submissions.left {
            return submissions.hold.take();
        }
        if !core::mem::replace(&mut submissions.executed, true)
            && let Some(hold) = &submissions.hold
        {
            graveyard.executed(hold);
        }
        None
    }

    /// Whether the GPU is done with the last submission: a queue that still holds the list is about to let it go.
    pub fn is_done(&self) -> bool {
        self.submissions().until.as_ref().is_some_and(|point| point.timeline.reached(point.value))
    }
}

impl core::fmt::Debug for Recorded {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Recorded").field("buffer", &self.buffer).finish_non_exhaustive()
    }
}
