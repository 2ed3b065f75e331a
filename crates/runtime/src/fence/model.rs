//! The state of a fence, without threads, clocks or Vulkan: those are the caller's.
//!
//! A fence of the API may fall, may be signalled by the CPU, and may be waited for before any signal exists; a timeline
//! semaphore can none of this. So the value lives here. A GPU signal is first a *promise*: a value, and the point of a
//! queue's own timeline at which it comes true.
//!
//! Invariants: a promise is kept after every promise that happened before it on the GPU, also those of other queues; what
//! waits for a value is let go when the fence has reached it once, even if the fence falls again before anyone looks; who
//! waits for a fence that the program has given back goes on when no signal on its way can help.

use reprise_gpu::queue::QueueId;

/// State of a fence. `P` is a point of a queue's timeline; `W` wakes somebody on the CPU.
#[derive(Debug)]
pub struct Model<P, W> {
    value: u64,
    /// In the order of their making, which is in accord with the GPU's: a queue that waits for a promise makes its own
    /// later.
    promises: Vec<Promise<P>>,
    /// The oldest promise of each queue that has any: where nothing is new here, nothing is new at all.
    fronts: Vec<(QueueId, P)>,
    watchers: Vec<(u64, W)>,
    /// Waits that no value has satisfied since they began.
    tickets: Vec<OpenWait>,
    next: u64,
    /// GPU signals that the program has asked for and that are not promises yet: queue and value, in order.
    expected: Vec<(QueueId, u64)>,
    released: bool,
    removed: bool,
    /// Values since they were taken last, where others want to know them.
    changes: Option<Vec<u64>>,
}

#[derive(Debug)]
struct Promise<P> {
    queue: QueueId,
    value: u64,
    point: P,
    kept: bool,
}

#[derive(Debug)]
struct OpenWait {
    ticket: Ticket,
    queue: QueueId,
    wanted: u64,
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
        Model {
            value,
            promises: Vec::new(),
            fronts: Vec::new(),
            watchers: Vec::new(),
            tickets: Vec::new(),
            next: 0,
            expected: Vec::new(),
            released: false,
            removed: false,
            changes: None,
        }
    }

    /// From now on all values are kept for others; see [`Model::changes`].
    pub fn tell(&mut self) {
        self.changes = Some(Vec::new());
    }

    /// Takes the values that the fence has had here since the last time.
    pub fn changes(&mut self) -> Vec<u64> {
        self.changes.as_mut().map(core::mem::take).unwrap_or_default()
    }

    /// Another process has given the fence a value.
    pub fn learn(&mut self, value: u64, fired: &mut Vec<W>) {
        if !self.removed {
            self.reach(value, None, fired);
        }
    }

    /// The value that counts, of those that this process and others gave: one of its own, again.
    pub fn settle(&mut self, value: u64) {
        if !self.removed {
            self.value = value;
        }
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
        self.change(value, None, fired);
    }

    fn change(&mut self, value: u64, by: Option<QueueId>, fired: &mut Vec<W>) {
        if let Some(changes) = &mut self.changes {
            changes.push(value);
        }
        self.reach(value, by, fired);
    }

    fn reach(&mut self, value: u64, by: Option<QueueId>, fired: &mut Vec<W>) {
        self.value = value;
        // A queue's own signals were before its wait: they cannot be what it waits for.
        self.tickets.retain(|open| open.wanted > value || by == Some(open.queue));
        self.fire(|wanted| wanted <= value, fired);
    }

    fn fire(&mut self, ends: impl Fn(u64) -> bool, fired: &mut Vec<W>) {
        let mut at = 0;
        while at < self.watchers.len() {
            if ends(self.watchers[at].0) {
                fired.push(self.watchers.swap_remove(at).1);
            } else {
                at += 1;
            }
        }
    }

    /// The program has asked a queue for a signal, which will become a promise.
    pub fn expect(&mut self, queue: QueueId, value: u64) {
        self.expected.push((queue, value));
    }

    /// A queue has handed a signal to the GPU; it comes true at `point`.
    pub fn promise(&mut self, queue: QueueId, value: u64, point: P) {
        if let Some(at) = self.expected.iter().position(|&expected| expected == (queue, value)) {
            self.expected.remove(at);
        }
        if !self.removed {
            self.front(queue, &point);
            self.promises.push(Promise { queue, value, point, kept: false });
        }
    }

    fn front(&mut self, queue: QueueId, point: &P) {
        if !self.fronts.iter().any(|front| front.0 == queue) {
            self.fronts.push((queue, point.clone()));
        }
    }

    /// Takes over what the GPU has done: `reached` says whether a point is reached now.
    ///
    /// Points are asked from the newest to the oldest: if a promise was kept, what happened before it on the GPU is seen
    /// as kept too, because it is asked later. They are then taken over from the oldest to the newest.
    pub fn advance(&mut self, mut reached: impl FnMut(&P) -> bool, fired: &mut Vec<W>) {
        if !self.fronts.iter().any(|front| reached(&front.1)) {
            return;
        }
        for promise in self.promises.iter_mut().rev() {
            promise.kept = reached(&promise.point);
        }
        self.fronts.clear();
        let promises = core::mem::take(&mut self.promises);
        for promise in promises {
            if promise.kept {
                self.change(promise.value, Some(promise.queue), fired);
            } else {
                self.front(promise.queue, &promise.point);
                self.promises.push(promise);
            }
        }
        self.forsake(fired);
    }

    /// Wakes `waker` once the value is reached; gives it back when it is already.
    pub fn watch(&mut self, value: u64, waker: W) -> Option<W> {
        if self.value >= value {
            return Some(waker);
        }
        self.watchers.push((value, waker));
        None
    }

    /// Begins a queue's wait, when the program asks for it. The queue may come to it much later: until then every value
    /// counts, and so does the one that the fence has now. Where the queue itself signals the fence before the wait, its
    /// last signal takes the place of the value.
    pub fn arm(&mut self, queue: QueueId, wanted: u64) -> Ticket {
        let ticket = Ticket(self.next);
        self.next += 1;
        let last = self.expected.iter().rev().find(|&&(by, _)| by == queue).map(|&(_, value)| value);
        if last.unwrap_or_else(|| self.level(queue)) < wanted {
            self.tickets.push(OpenWait { ticket, queue, wanted });
        }
        ticket
    }

    /// The value after what a queue has promised.
    fn level(&self, queue: QueueId) -> u64 {
        self.promises.iter().rev().find(|promise| promise.queue == queue).map_or(self.value, |promise| promise.value)
    }

    /// What the queue has to do for a wait that it has come to. Unless it is blocked, the wait is over.
    pub fn resolve(&mut self, ticket: Ticket) -> Wait<P> {
        let Some(at) = self.tickets.iter().position(|open| open.ticket == ticket) else { return Wait::Passed };
        let OpenWait { queue, wanted, .. } = self.tickets[at];
        let other = self.promises.iter().find(|promise| promise.queue != queue && promise.value >= wanted);
        let end = if self.level(queue) >= wanted {
            Wait::Passed
        } else if let Some(promise) = other {
            Wait::On(promise.point.clone())
        } else if self.released && !self.hope(wanted) {
            Wait::Passed
        } else {
            return Wait::Blocked;
        };
        self.tickets.swap_remove(at);
        end
    }

    /// Whether a signal on its way reaches a value.
    fn hope(&self, wanted: u64) -> bool {
        self.on_their_way().any(|value| value >= wanted)
    }

    fn on_their_way(&self) -> impl Iterator<Item = u64> + '_ {
        self.promises.iter().map(|promise| promise.value).chain(self.expected.iter().map(|&(_, value)| value))
    }

    /// The program has given the fence back: nobody but queues can signal it any more.
    pub fn release(&mut self, fired: &mut Vec<W>) {
        self.released = true;
        self.forsake(fired);
    }

    /// Lets those go whom nobody can help any more.
    fn forsake(&mut self, fired: &mut Vec<W>) {
        if self.released {
            let highest = self.on_their_way().max();
            self.fire(|wanted| highest.is_none_or(|highest| highest < wanted), fired);
        }
    }

    /// The device is gone: the fence has the highest value for ever, and nobody waits.
    pub fn remove(&mut self, fired: &mut Vec<W>) {
        self.promises.clear();
        self.fronts.clear();
        self.expected.clear();
        // What becomes of this device is no value for others.
        self.changes = None;
        self.set(u64::MAX, fired);
        self.removed = true;
    }
}
