//! What the GPU must do to new images and memory before their first use: transitions out of `UNDEFINED`, and fills with zeros.
//!
//! Both wait for the next submission with lists, of any queue, which does them in front of its lists. So memory and images that
//! only descriptors name are ready, too. Targets placed in heaps do not wait here, because other resources may live in their
//! memory, and programs have to clear, discard or copy to a target first: the first list that names one takes it along.
//!
//! Invariant: whatever may use memory or an image is behind its fill or transition: on the same queue by the order of
//! submissions, on other queues by a wait for the queue's timeline. Something waits until the submission that does it is made,
//! not only until it is taken: neither another queue nor the next owner of the memory gets in between. Submissions take a lock
//! only when something waits, or when another queue took something since.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::image::Image;
use crate::memory::zero::{self, Fill};
use crate::memory::{Allocation, Memory};
use crate::queue::timeline::{Point, Timeline};

/// The device's new images and memory.
#[derive(Debug)]
pub struct Initialisation {
    memory: Arc<Memory>,
    /// An image waits, or one is on its way to Vulkan.
    waiting: AtomicBool,
    /// Submissions that took something so far.
    turn: AtomicU64,
    state: Mutex<NewImages>,
}

#[derive(Debug, Default)]
struct NewImages {
    images: Vec<Arc<Image>>,
    /// Where what the last submission took is done, and by its own waits all before. A queue that is gone has finished its work.
    last: Option<(Weak<Timeline>, u64)>,
}

impl Initialisation {
    /// For the images of a device, and its memory.
    pub(crate) fn new(memory: &Arc<Memory>) -> Initialisation {
        let (waiting, turn) = (AtomicBool::new(false), AtomicU64::new(0));
        Initialisation { memory: memory.clone(), waiting, turn, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, NewImages> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a new image.
    pub fn add(&self, image: &Arc<Image>) {
        let mut state = self.lock();
        state.images.push(image.clone());
        self.waiting.store(true, Ordering::Release);
    }

    /// The owner has let an image go: nobody may use it any more.
    pub fn forget(&self, image: &Arc<Image>) {
        if !self.waiting.load(Ordering::Acquire) {
            return;
        }
        let mut state = self.lock();
        let found = state.images.iter().rposition(|other| Arc::ptr_eq(other, image));
        let gone = found.map(|at| state.images.swap_remove(at));
        drop(state);
        // The caller holds the image, so this is not the last reference, and no destructor runs in here.
        drop(gone);
    }

    /// Whether a queue that has seen `turn` may submit without asking any further.
    pub(super) fn is_calm(&self, turn: u64) -> bool {
        let waiting = self.waiting.load(Ordering::Acquire) || self.memory.fills().is_waiting();
        !waiting && self.turn.load(Ordering::Acquire) == turn
    }

    /// Begins a submission that may take something. Others wait until it is made.
    pub(super) fn enter(&self) -> Turn<'_> {
        // Always in this order: images, then memory.
        let state = self.lock();
        Turn { of: self, state, fills: self.memory.fills().enter() }
    }
}

/// What a submission takes along; held until the GPU is done.
#[derive(Debug, Default)]
pub(super) struct Taken {
    pub(super) images: Vec<Arc<Image>>,
    pub(super) fills: Vec<Fill<Allocation>>,
}

/// A submission that may take first uses. The caller drops taken objects only after the turn ends, because their destructors
/// take the same locks.
pub(super) struct Turn<'a> {
    of: &'a Initialisation,
    state: MutexGuard<'a, NewImages>,
    fills: zero::Turn<'a, Allocation>,
}

impl Turn<'_> {
    /// Takes everything that waits.
    pub(super) fn take(&mut self) -> Taken {
        Taken { images: core::mem::take(&mut self.state.images), fills: self.fills.take() }
    }

    /// What the submission has to wait for.
    pub(super) fn after(&self) -> Option<Point> {
        let (timeline, value) = self.state.last.as_ref()?;
        Some(Point { timeline: timeline.upgrade()?, value: *value })
    }

    /// The submission is made. `place` says where it stands when it had anything to do in front. Gives the turn that its queue
    /// has seen.
    pub(super) fn end(mut self, place: Option<(&Arc<Timeline>, u64)>) -> u64 {
        if let Some((timeline, value)) = place {
            self.state.last = Some((Arc::downgrade(timeline), value));
            self.of.turn.fetch_add(1, Ordering::AcqRel);
        }
        // After the turn, so that a queue that finds nothing waiting sees that there was a turn.
        self.fills.end();
        self.of.waiting.store(false, Ordering::Release);
        self.of.turn.load(Ordering::Acquire)
    }
}
