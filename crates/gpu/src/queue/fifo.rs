//! The work of a queue that its submission thread has not done yet.

use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::graveyard::Hold;
use crate::queue::fence::{Fence, Wait};
use crate::queue::frame::Frame;
use crate::queue::recorded::Recorded;
use crate::sparse::Change;

/// One thing to do.
#[derive(Debug)]
pub(super) enum Item {
    /// Run lists. The hold is from the time when they were given.
    Execute(Vec<Arc<Recorded>>, Hold),
    /// Signal a fence.
    Signal(Arc<dyn Fence>, u64),
    /// Wait for a fence.
    Wait(Box<dyn Wait>),
    /// Change what memory a sparse resource has.
    Bind(Box<dyn Change>),
    /// Show a frame.
    Show(Box<dyn Frame>),
    /// Answer when Vulkan has everything before.
    HandOver(Sender<()>),
    /// Wait until the GPU has done everything before, then answer.
    Drain(Sender<()>),
    /// End the thread.
    Stop,
}

/// The fifo between the program's threads and the submission thread.
#[derive(Debug, Default)]
pub(super) struct Fifo {
    state: Mutex<Items>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Items {
    items: VecDeque<Item>,
    /// The submission thread waits: to wake it takes a system call, which is spared while it works.
    waiting: bool,
}

impl Fifo {
    fn lock(&self) -> MutexGuard<'_, Items> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an item.
    pub(super) fn push(&self, item: Item) {
        let mut state = self.lock();
        state.items.push_back(item);
        let wake = core::mem::take(&mut state.waiting);
        drop(state);
        if wake {
            self.changed.notify_one();
        }
    }

    /// The next item. Blocks until there is one; only the submission thread asks.
    pub(super) fn next(&self) -> Item {
        let mut state = self.lock();
        loop {
            if let Some(item) = state.items.pop_front() {
                state.waiting = false;
                return item;
            }
            state.waiting = true;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Fifo {
    /// The next item where it is a change of mappings; does not block.
    pub(super) fn next_bind(&self) -> Option<Box<dyn Change>> {
        let mut state = self.lock();
        match state.items.pop_front() {
            Some(Item::Bind(change)) => Some(change),
            Some(other) => {
                state.items.push_front(other);
                None
            }
            None => None,
        }
    }
}

/// The state of a queue's thread, for the thread that wants to end it.
#[derive(Debug, Default)]
pub(super) struct Life {
    state: Mutex<(bool, bool)>,
    changed: Condvar,
}

impl Life {
    /// The thread begins or ends to wait for a value that nobody has promised.
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
