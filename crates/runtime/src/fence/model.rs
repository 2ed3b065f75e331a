//! The state of a fence, without threads, clocks or Vulkan: those are the caller's.
//!
//! A fence of the API may fall, may be signalled by the CPU, and may be waited for before any signal exists; a timeline
//! semaphore can none of this. So the value lives here. A GPU signal is first a *promise*: a value, and the point of a
//! queue's own timeline at which it comes true.
//!
//! Invariants: a promise is kept after every promise that happened before it on the GPU, also those of other queues; what
//! waits for a value is let go when the fence has reached it once, even if the fence falls again before anyone looks.

/// State of a fence. `P` is a point of a queue's timeline; `W` wakes somebody on the CPU.
#[derive(Debug)]
pub struct Model<P, W> {
    value: u64,
    /// In the order of their making, which is in accord with the GPU's: a queue that waits for a promise makes its own
    /// later.
    promises: Vec<Promise<P>>,
    watchers: Vec<(u64, W)>,
    /// Waits that no value has satisfied.
    tickets: Vec<(Ticket, u64)>,
    next: u64,
    removed: bool,
}

#[derive(Debug)]
struct Promise<P> {
    value: u64,
    point: P,
    kept: bool,
}

/// A wait that remembers whether the fence has reached its value since it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(u64);

/// What a queue that waits has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait<P> {
    /// Nothing: the value was reached.
    Passed,
    /// Wait on the GPU for a point.
    On(P),
    /// Ask again after the next change: nobody has promised the value.
    Blocked,
}

impl<P: Clone, W> Model<P, W> {
    /// A fence with a first value.
    pub fn new(value: u64) -> Model<P, W> {
        Model { value, promises: Vec::new(), watchers: Vec::new(), tickets: Vec::new(), next: 0, removed: false }
    }

    /// The value as of the last [`Model::advance`] or [`Model::set`].
    pub fn value(&self) -> u64 {
        self.value
    }

    /// Whether GPU signals are on their way.
    pub fn pending(&self) -> bool {
        !self.promises.is_empty()
    }

    /// The CPU signals. Call [`Model::advance`] before, so that what the GPU has done already comes first.
    pub fn set(&mut self, value: u64, fired: &mut Vec<W>) {
        if self.removed {
            return;
        }
        self.value = value;
        self.tickets.retain(|&(_, wanted)| wanted > value);
        let mut at = 0;
        while at < self.watchers.len() {
            if self.watchers[at].0 <= value {
                fired.push(self.watchers.swap_remove(at).1);
            } else {
                at += 1;
            }
        }
    }

    /// A queue has handed a signal to the GPU; it comes true at `point`.
    pub fn promise(&mut self, value: u64, point: P) {
        if !self.removed {
            self.promises.push(Promise { value, point, kept: false });
        }
    }

    /// Takes over what the GPU has done: `reached` says whether a point is reached now.
    ///
    /// Points are asked from the newest to the oldest: if a promise was kept, what happened before it on the GPU is seen
    /// as kept too, because it is asked later. They are then taken over from the oldest to the newest.
    pub fn advance(&mut self, mut reached: impl FnMut(&P) -> bool, fired: &mut Vec<W>) {
        let mut any = false;
        for promise in self.promises.iter_mut().rev() {
            promise.kept = reached(&promise.point);
            any |= promise.kept;
        }
        if !any {
            return;
        }
        let promises = core::mem::take(&mut self.promises);
        for promise in promises {
            if promise.kept {
                self.set(promise.value, fired);
            } else {
                self.promises.push(promise);
            }
        }
    }

    /// Wakes `waker` once the value is reached; gives it back when it is already.
    pub fn watch(&mut self, value: u64, waker: W) -> Option<W> {
        if self.value >= value {
            return Some(waker);
        }
        self.watchers.push((value, waker));
        None
    }

    /// Begins a wait.
    pub fn arm(&mut self, value: u64) -> Ticket {
        let ticket = Ticket(self.next);
        self.next += 1;
        if self.value < value {
            self.tickets.push((ticket, value));
        }
        ticket
    }

    /// Whether the fence has reached a wait's value since the wait began.
    pub fn passed(&self, ticket: Ticket) -> bool {
        self.tickets.iter().all(|&(known, _)| known != ticket)
    }

    /// What a queue has to do for a wait. Unless it is blocked, the wait is over.
    pub fn resolve(&mut self, ticket: Ticket) -> Wait<P> {
        let Some(at) = self.tickets.iter().position(|&(known, _)| known == ticket) else { return Wait::Passed };
        let wanted = self.tickets[at].1;
        let Some(promise) = self.promises.iter().find(|promise| promise.value >= wanted) else { return Wait::Blocked };
        let point = promise.point.clone();
        self.tickets.swap_remove(at);
        Wait::On(point)
    }

    /// Ends a wait that nobody is interested in any more.
    pub fn disarm(&mut self, ticket: Ticket) {
        self.tickets.retain(|&(known, _)| known != ticket);
    }

    /// The device is gone: the fence has the highest value for ever, and nobody waits.
    pub fn remove(&mut self, fired: &mut Vec<W>) {
        self.promises.clear();
        self.set(u64::MAX, fired);
        self.removed = true;
    }
}
