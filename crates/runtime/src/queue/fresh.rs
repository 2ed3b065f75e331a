//! What the GPU has to do before anything new is used: fills of memory that must be zero, and images' first transitions.
//!
//! Both wait here for the next submission with lists, of any queue, which does them in front of its lists; so memory and images
//! that only descriptors name are ready, too. Targets placed in heaps do not wait here: other resources may live in their memory,
//! and programs have to clear, discard or copy to a target first, so the first list that names one takes it along.
//!
//! Invariant: whatever may use memory or an image is behind its fill or transition: on the same queue by the order of
//! submissions, on others by the queue's timeline. Something waits until the submission that does it is made, not only until it
//! is taken: neither another queue nor the next user of the memory comes in between. Submissions take a lock only when something
//! waits, or another queue took something since.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use reprise_com::{Object, Ref};

use crate::memory::Allocation;
use crate::memory::zero::{Fill, Waiting};
use crate::queue::{Point, Timeline};
use crate::resource::Resource;

/// The device's new memory and images.
#[derive(Debug, Default)]
pub struct Fresh {
    /// Something is in the state, or on its way to Vulkan.
    waiting: AtomicBool,
    /// Submissions that took something so far.
    turn: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    images: Vec<Ref<Resource>>,
    fills: Vec<Waiting>,
    /// The last submission that took something, and by its own waits all before. A queue that is gone has finished its work.
    last: Option<(Weak<Timeline>, u64)>,
}

impl Fresh {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new image, which the program holds.
    pub fn add(&self, image: &Object<Resource>) {
        let mut state = self.lock();
        state.images.push(image.keep());
        self.waiting.store(true, Ordering::Release);
    }

    /// Memory that must be zero.
    pub fn add_fill(&self, fill: Waiting) {
        let mut state = self.lock();
        state.fills.push(fill);
        self.waiting.store(true, Ordering::Release);
    }

    /// The program has let an image go: nobody may use it any more.
    pub fn forget(&self, image: &Object<Resource>) {
        if !self.waiting.load(Ordering::Acquire) {
            return;
        }
        let mut state = self.lock();
        let found = state.images.iter().rposition(|other| core::ptr::eq(&**other, image));
        let gone = found.map(|at| state.images.swap_remove(at));
        drop(state);
        // The caller holds a reference, so this is not the last one, and no destructor runs in here.
        drop(gone);
    }

    /// The slice that begins here is gone: its bytes may be another's, who need not wait for a fill.
    pub fn forget_fill(&self, memory: &Arc<Allocation>, offset: u64) {
        if !self.waiting.load(Ordering::Acquire) {
            return;
        }
        let mut state = self.lock();
        if let Some(at) = state.fills.iter().rposition(|fill| fill.is_at(memory, offset)) {
            state.fills.swap_remove(at);
        }
    }

    /// Whether a queue that has seen `turn` may submit without asking any further.
    pub(super) fn is_calm(&self, turn: u64) -> bool {
        !self.waiting.load(Ordering::Acquire) && self.turn.load(Ordering::Acquire) == turn
    }

    /// Begins a submission that may take something. Others wait until it is made.
    pub(super) fn enter(&self) -> Turn<'_> {
        Turn { fresh: self, state: self.lock() }
    }

    #[cfg(test)]
    pub(crate) fn take_fills(&self) -> Vec<Waiting> {
        core::mem::take(&mut self.lock().fills)
    }
}

/// What a submission takes along; held until the GPU is done.
#[derive(Debug, Default)]
pub(super) struct Taken {
    pub(super) images: Vec<Ref<Resource>>,
    pub(super) fills: Vec<Fill>,
}

/// A submission that may take something. What it has taken must not be let go before it ends: destructors come here.
pub(super) struct Turn<'a> {
    fresh: &'a Fresh,
    state: MutexGuard<'a, State>,
}

impl Turn<'_> {
    /// What is to be taken along.
    pub(super) fn take(&mut self) -> Taken {
        let images = core::mem::take(&mut self.state.images);
        Taken { images, fills: Fill::all(core::mem::take(&mut self.state.fills)) }
    }

    /// What the submission has to wait for.
    pub(super) fn after(&self) -> Option<Point> {
        let (timeline, value) = self.state.last.as_ref()?;
        Some(Point { timeline: timeline.upgrade()?, value: *value })
    }

    /// The submission is made; `place` says where it stands when it had anything to do in front. Gives the turn that its queue
    /// has seen.
    pub(super) fn end(mut self, place: Option<(&Arc<Timeline>, u64)>) -> u64 {
        if let Some((timeline, value)) = place {
            self.state.last = Some((Arc::downgrade(timeline), value));
            self.fresh.turn.fetch_add(1, Ordering::AcqRel);
        }
        // After the turn: who finds nothing waiting sees that there was one.
        self.fresh.waiting.store(false, Ordering::Release);
        self.fresh.turn.load(Ordering::Acquire)
    }
}
