//! Queues and fences as they run: which submission comes before which, and what the program knows to have ended.
//!
//! Queues take their work in the order of the calls; a wait holds a queue until a signal, in the order in which they run, reaches its
//! value. Invariant: an order that is stated here follows from fences, or from what the program saw before it submitted; two submissions
//! without such an order may run at the same time.

use crate::standing::{Held, HeldWhat};
use std::collections::{BTreeMap, VecDeque};

/// For each queue, how many of its submissions have ended before.
pub(crate) type Clock = BTreeMap<u32, u64>;

fn join(clock: &mut Clock, other: &Clock) {
    for (queue, count) in other {
        let own = clock.entry(*queue).or_default();
        *own = (*own).max(*count);
    }
}

/// Something that a queue does.
#[derive(Debug)]
enum Pending<S> {
    /// A submission, its number on the queue, and what the program knew when it made it.
    Run(S, u64, Clock),
    Signal(Operation),
    Wait(Operation),
}

/// A wait or signal of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    pub(crate) fence: u32,
    pub(crate) value: u64,
    pub(crate) call: u64,
}

#[derive(Debug)]
struct Queue<S> {
    pending: VecDeque<Pending<S>>,
    clock: Clock,
    submitted: u64,
    /// Everything that was put into it.
    put: u64,
    /// Waits by their place among all that was put into the queue.
    waits: Vec<(u64, Operation)>,
    gone: bool,
}

impl<S> Default for Queue<S> {
    fn default() -> Self {
        Queue { pending: VecDeque::new(), clock: Clock::new(), submitted: 0, put: 0, waits: Vec::new(), gone: false }
    }
}

#[derive(Debug, Default)]
struct Fence {
    value: u64,
    /// The last value came from a queue, by this call.
    by_queue: Option<u64>,
    /// Values that were reached, each with what had ended before.
    signals: Vec<(u64, Clock)>,
    /// Signals that were put into queues, with what is before them: value, queue, submissions, place.
    promised: Vec<(u64, u32, u64, u64)>,
    /// Others may signal it: another process, another API.
    shared: bool,
    gone: bool,
}

/// Most signals of a fence that are kept: older ones are reached by every wait that matters.
const MOST: usize = 256;

impl Fence {
    fn reach(&mut self, value: u64, clock: Clock) {
        self.value = value;
        if self.signals.len() >= MOST {
            self.signals.remove(0);
        }
        self.signals.push((value, clock));
    }
}

/// What a step of the simulation did.
#[derive(Debug)]
pub(crate) enum Step<S> {
    /// A submission runs: the queue, its number there, and what has ended before.
    Run { queue: u32, number: u64, submission: S, before: Clock },
    /// A queue set a fence to a lower value than a queue had set before, by that call.
    Backwards { queue: u32, signal: Operation, from: u64, by: u64 },
}

/// A wait that nothing ends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stuck {
    pub(crate) queue: u32,
    pub(crate) wait: Operation,
    /// The signal that would end it, which its own queue cannot get to.
    pub(crate) behind: Option<(u32, Operation)>,
    /// Nobody can signal it any more: the fence or the queue is gone.
    pub(crate) certain: bool,
}

/// All queues and fences.
#[derive(Debug)]
pub(crate) struct Queues<S> {
    queues: BTreeMap<u32, Queue<S>>,
    fences: BTreeMap<u32, Fence>,
    /// What the program knows to have ended.
    known: Clock,
    /// What ran so far.
    ran: Clock,
}

impl<S> Default for Queues<S> {
    fn default() -> Self {
        Queues { queues: BTreeMap::new(), fences: BTreeMap::new(), known: Clock::new(), ran: Clock::new() }
    }
}

impl<S> Queues<S> {
    /// A submission; gives its number on the queue, from 1.
    pub(crate) fn submit(&mut self, queue: u32, submission: impl FnOnce(u64) -> S) -> u64 {
        let known = self.known.clone();
        let queue = self.queues.entry(queue).or_default();
        queue.submitted += 1;
        queue.put += 1;
        queue.pending.push_back(Pending::Run(submission(queue.submitted), queue.submitted, known));
        queue.submitted
    }

    /// How many submissions a queue was given.
    pub(crate) fn submitted(&self, queue: u32) -> u64 {
        self.queues.get(&queue).map_or(0, |queue| queue.submitted)
    }

    /// `ID3D12CommandQueue::Signal`.
    pub(crate) fn signal(&mut self, queue: u32, signal: Operation) {
        let own = self.queues.entry(queue).or_default();
        own.pending.push_back(Pending::Signal(signal));
        own.put += 1;
        let promised = &mut self.fences.entry(signal.fence).or_default().promised;
        promised.push((signal.value, queue, own.submitted, own.put));
    }

    /// `ID3D12CommandQueue::Wait`.
    pub(crate) fn wait(&mut self, queue: u32, wait: Operation) {
        let own = self.queues.entry(queue).or_default();
        own.pending.push_back(Pending::Wait(wait));
        own.put += 1;
        own.waits.push((own.put, wait));
    }

    /// A fence is made.
    pub(crate) fn made(&mut self, fence: u32, value: u64, shared: bool) {
        self.fences.insert(fence, Fence { value, shared, ..Fence::default() });
    }

    /// Others may signal a fence.
    pub(crate) fn shared(&mut self, fence: u32) {
        self.fences.entry(fence).or_default().shared = true;
    }

    /// `ID3D12Fence::Signal`.
    pub(crate) fn set(&mut self, fence: u32, value: u64) {
        let known = self.known.clone();
        let fence = self.fences.entry(fence).or_default();
        fence.reach(value, known);
        fence.by_queue = None;
    }

    /// The program saw a fence at a value, or may have waited until it was.
    pub(crate) fn saw(&mut self, fence: u32, value: u64) {
        let mut work = vec![(fence, value)];
        while let Some((id, value)) = work.pop() {
            let Some(fence) = self.fences.get_mut(&id) else { continue };
            let ended: Vec<_> = fence.promised.extract_if(.., |(own, ..)| *own <= value).collect();
            for (_, queue, submissions, place) in ended {
                let known = self.known.entry(queue).or_default();
                *known = (*known).max(submissions);
                let Some(queue) = self.queues.get_mut(&queue) else { continue };
                let waits = queue.waits.extract_if(.., |(own, _)| *own < place);
                work.extend(waits.map(|(_, wait)| (wait.fence, wait.value)));
            }
        }
    }

    /// The program certainly saw a fence at a value. Where no recorded signal explains it, somebody else's did.
    pub(crate) fn observed(&mut self, fence: u32, value: u64) {
        self.saw(fence, value);
        // All bits set say that the device is gone.
        if self.fences.get(&fence).is_some_and(|fence| fence.value < value) && value != u64::MAX {
            let all: Clock = self.queues.iter().map(|(id, queue)| (*id, queue.submitted)).collect();
            self.fences.entry(fence).or_default().reach(value, all);
        }
    }

    /// Whether the program knows that a submission has ended.
    pub(crate) fn has_ended(&self, queue: u32, number: u64) -> bool {
        self.known.get(&queue).is_some_and(|known| *known >= number)
    }

    /// An object is gone.
    pub(crate) fn gone(&mut self, object: u32) {
        if let Some(queue) = self.queues.get_mut(&object) {
            queue.gone = true;
        }
        if let Some(fence) = self.fences.get_mut(&object) {
            fence.gone = true;
        }
    }

    /// Lets the queues go on as far as they can.
    pub(crate) fn run(&mut self, mut give: impl FnMut(Step<S>)) {
        loop {
            let mut moved = false;
            let Queues { queues, fences, ran, .. } = self;
            for (id, queue) in queues.iter_mut() {
                while let Some(next) = queue.pending.front() {
                    if let Pending::Wait(wait) = next {
                        let fence = fences.entry(wait.fence).or_default();
                        if fence.value < wait.value && !fence.shared {
                            break;
                        }
                        match fence.signals.iter().find(|(value, _)| *value >= wait.value) {
                            Some((_, clock)) => join(&mut queue.clock, clock),
                            // Reached by others, or so long ago that it is not kept: whatever ran may have ended before.
                            None => join(&mut queue.clock, ran),
                        }
                    }
                    moved = true;
                    match queue.pending.pop_front() {
                        Some(Pending::Run(submission, number, known)) => {
                            join(&mut queue.clock, &known);
                            let mut before = queue.clock.clone();
                            before.insert(*id, number - 1);
                            queue.clock.insert(*id, number);
                            ran.insert(*id, number);
                            give(Step::Run { queue: *id, number, submission, before });
                        }
                        Some(Pending::Signal(signal)) => {
                            let fence = fences.entry(signal.fence).or_default();
                            let falls = signal.value < fence.value && !fence.shared;
                            if let Some(by) = fence.by_queue.filter(|_| falls) {
                                give(Step::Backwards { queue: *id, signal, from: fence.value, by });
                            }
                            fence.reach(signal.value, queue.clock.clone());
                            fence.by_queue = Some(signal.call);
                        }
                        Some(Pending::Wait(_)) | None => {}
                    }
                }
            }
            if !moved {
                return;
            }
        }
    }

    /// Takes out the submissions that no fence lets run, with their queues, numbers and what has ended before, in the order of each queue.
    pub(crate) fn rest(&mut self) -> Vec<(u32, u64, S, Clock)> {
        let mut all = Vec::new();
        for (id, queue) in &mut self.queues {
            for pending in queue.pending.drain(..) {
                if let Pending::Run(submission, number, known) = pending {
                    all.push((*id, number, submission, known));
                }
            }
        }
        all
    }

    /// The value of a fence, as far as the queues have run.
    pub(crate) fn value(&self, fence: u32) -> Option<u64> {
        self.fences.get(&fence).map(|fence| fence.value)
    }

    /// What queues were given and have not done, in the order of each; submissions with what they are.
    pub(crate) fn held(&self, call_of: impl Fn(&S) -> u64) -> Vec<Held> {
        let one = |queue: u32, pending: &Pending<S>| match pending {
            Pending::Run(submission, ..) => Held { queue, call: call_of(submission), what: HeldWhat::Submission },
            Pending::Wait(it) => Held { queue, call: it.call, what: HeldWhat::Wait(it.fence, it.value) },
            Pending::Signal(it) => Held { queue, call: it.call, what: HeldWhat::Signal(it.fence, it.value) },
        };
        self.queues.iter().flat_map(|(id, own)| own.pending.iter().map(|pending| one(*id, pending))).collect()
    }

    /// What still waits at the end.
    pub(crate) fn stuck(&self) -> Vec<Stuck> {
        let mut all = Vec::new();
        for (id, queue) in &self.queues {
            let Some(Pending::Wait(wait)) = queue.pending.front() else { continue };
            let behind = self.queues.iter().find_map(|(other, queue)| {
                queue.pending.iter().find_map(|pending| match pending {
                    Pending::Signal(signal) if signal.fence == wait.fence && signal.value >= wait.value => {
                        Some((*other, *signal))
                    }
                    _ => None,
                })
            });
            let fence_gone = self.fences.get(&wait.fence).is_some_and(|fence| fence.gone);
            all.push(Stuck { queue: *id, wait: *wait, behind, certain: fence_gone || queue.gone || behind.is_some() });
        }
        all
    }
}

#[cfg(test)]
mod tests;
