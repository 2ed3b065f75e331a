//! What the program has asked of a queue and the submission thread has not done yet.

use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::fence;
use crate::fence::model::Ticket;
use crate::queue::Recorded;

/// One thing to do.
#[derive(Debug)]
pub(super) enum Item {
    /// Run lists.
    Execute(Vec<Arc<Recorded>>),
    /// Signal a fence.
    Signal(Arc<fence::State>, u64),
    /// Wait for a fence; with a ticket when the wait began at the call.
    Wait(Arc<fence::State>, u64, Option<Ticket>),
    /// Wait until the GPU has done everything before, then answer.
    Drain(Sender<()>),
    /// End the thread.
    Stop,
}

/// The items, and whether the thread is at work on one that is not among them any more.
#[derive(Debug, Default)]
struct Items {
    items: VecDeque<Item>,
    busy: bool,
}

/// The fifo between the program's threads and the submission thread.
#[derive(Debug, Default)]
pub(super) struct Fifo {
    state: Mutex<Items>,
    changed: Condvar,
}

impl Fifo {
    fn lock(&self) -> MutexGuard<'_, Items> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an item.
    pub(super) fn push(&self, item: Item) {
        self.lock().items.push_back(item);
        self.changed.notify_one();
    }

    /// Adds a wait. It begins at once when nothing is before it, as it would on hardware that is idle: so the fence may
    /// reach the value and fall again before the thread looks.
    pub(super) fn push_wait(&self, fence: Arc<fence::State>, value: u64) {
        let mut state = self.lock();
        let ticket = (state.items.is_empty() && !state.busy).then(|| fence.arm(value));
        state.items.push_back(Item::Wait(fence, value, ticket));
        drop(state);
        self.changed.notify_one();
    }

    /// The next item; ends the work on the last one. Blocks until there is one.
    pub(super) fn next(&self) -> Item {
        let mut state = self.lock();
        loop {
            if let Some(item) = state.items.pop_front() {
                state.busy = true;
                return item;
            }
            state.busy = false;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// How a queue's thread is doing, for whoever wants to end it.
#[derive(Debug, Default)]
pub(super) struct Life {
    state: Mutex<(bool, bool)>,
    changed: Condvar,
}

impl Life {
    /// The thread waits for a value that nobody has promised, or not any more.
    pub(super) fn blocked(&self, blocked: bool) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).0 = blocked;
        self.changed.notify_all();
    }

    /// The thread is at its end.
    pub(super) fn end(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1 = true;
        self.changed.notify_all();
    }

    /// Waits until the thread is at its end (`true`) or blocked.
    pub(super) fn settled(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while !state.0 && !state.1 {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.1
    }
}
