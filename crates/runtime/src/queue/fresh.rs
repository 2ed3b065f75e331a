//! Images that are still in `UNDEFINED`.
//!
//! A new image waits here for the next submission with lists, of any queue, which takes it into the one layout of all images in
//! front of its lists; so images that only descriptors name are ready, too. Targets placed in heaps do not wait here: other
//! resources may live in their memory, and programs have to clear, discard or copy to a target first, so the first list that
//! names one takes it along.
//!
//! Invariant: whatever may use an image is behind its transition: on the same queue by the order of submissions, on others by
//! the queue's timeline. Submissions take a lock only when there are images, or another queue took some since.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use reprise_com::{Object, Ref};

use crate::queue::{Point, Timeline};
use crate::resource::Resource;

/// The device's new images.
#[derive(Debug, Default)]
pub struct Fresh {
    /// There are images in the state.
    waiting: AtomicBool,
    /// Submissions with transitions so far.
    turn: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    images: Vec<Ref<Resource>>,
    /// The last submission with transitions, and by its own waits all before. A queue that is gone has finished its work.
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

    /// Whether a queue that has seen `turn` may submit without asking any further.
    pub(super) fn is_calm(&self, turn: u64) -> bool {
        !self.waiting.load(Ordering::Acquire) && self.turn.load(Ordering::Acquire) == turn
    }

    /// Begins a submission that may have transitions. Others wait until it is made.
    pub(super) fn enter(&self) -> Turn<'_> {
        Turn { fresh: self, state: self.lock() }
    }
}

/// A submission that may have transitions.
pub(super) struct Turn<'a> {
    fresh: &'a Fresh,
    state: MutexGuard<'a, State>,
}

impl Turn<'_> {
    /// The images to be taken along.
    pub(super) fn take(&mut self) -> Vec<Ref<Resource>> {
        self.fresh.waiting.store(false, Ordering::Release);
        core::mem::take(&mut self.state.images)
    }

    /// What the submission has to wait for.
    pub(super) fn after(&self) -> Option<Point> {
        let (timeline, value) = self.state.last.as_ref()?;
        Some(Point { timeline: timeline.upgrade()?, value: *value })
    }

    /// The submission is made; `transitions` says where it stands when it had some. Gives the turn that its queue has seen.
    pub(super) fn end(mut self, transitions: Option<(&Arc<Timeline>, u64)>) -> u64 {
        if let Some((timeline, value)) = transitions {
            self.state.last = Some((Arc::downgrade(timeline), value));
            return self.fresh.turn.fetch_add(1, Ordering::AcqRel) + 1;
        }
        self.fresh.turn.load(Ordering::Acquire)
    }
}
