//! Threads that make the calls of lanes, and the walk's own part in it.
//!
//! A batch is handed over for its lane. A free thread takes the lane and makes its batches in turn. Where the walk waits for a
//! lane, it makes the lane's batches itself, unless a thread is at them. Invariants: one thread at most is at a lane, and its
//! batches are made in the order in which they were handed over. All that is handed over is made, also where nothing waits for
//! it. The number of batches under way is bounded.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

use crate::lists::batch::{Batch, Closed, Directs};
use crate::lists::lanes::Lane;
use crate::runtime::Runtime;

/// Batches under way at most, for each thread: more than it takes to keep all of them at work.
const MOST: usize = 16;

/// The threads, which start when there is something to do.
pub(crate) struct Recorders {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// How many there may be.
    count: usize,
}

struct Shared {
    runtime: Arc<Runtime>,
    directs: Box<Directs>,
    state: Mutex<RecorderState>,
    /// There is something to do, or the end has come.
    work: Condvar,
    /// A thread has done something while the walk waits.
    done: Condvar,
}

#[derive(Default)]
struct RecorderState {
    lanes: Vec<LaneQueue>,
    /// Lanes with batches that no thread is at, in the order in which these came.
    ready: VecDeque<usize>,
    /// Batches that are handed over and not made.
    under_way: usize,
    /// Empty batches.
    spare: Vec<Batch>,
    closed: Vec<Closed>,
    sleeping: usize,
    walk_waits: bool,
    ends: bool,
}

#[derive(Default)]
struct LaneQueue {
    batches: VecDeque<Batch>,
    /// A thread is at it.
    taken: bool,
}

impl RecorderState {
    fn row(&mut self, Lane(at): Lane) -> &mut LaneQueue {
        if self.lanes.len() <= at {
            self.lanes.resize_with(at + 1, LaneQueue::default);
        }
        &mut self.lanes[at]
    }

    /// Takes the oldest batch of a lane that no thread is at.
    fn take(&mut self, lane: usize) -> Option<Batch> {
        let row = self.lanes.get_mut(lane).filter(|row| !row.taken)?;
        let batch = row.batches.pop_front()?;
        row.taken = true;
        self.ready.retain(|ready| *ready != lane);
        Some(batch)
    }

    /// Takes the lane that has waited for longest.
    fn take_any(&mut self) -> Option<(usize, Batch)> {
        let lane = *self.ready.front()?;
        self.take(lane).map(|batch| (lane, batch))
    }

    /// A batch was made, and is empty.
    fn give_back(&mut self, lane: usize, mut batch: Batch) {
        self.closed.append(&mut batch.closed);
        self.spare.push(batch);
        self.under_way -= 1;
        let row = &mut self.lanes[lane];
        row.taken = false;
        if !row.batches.is_empty() {
            // The thread that was at it goes on with it, unless an older one waits.
            self.ready.push_back(lane);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, RecorderState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the calls of a batch that was taken.
    fn make(&self, lane: usize, mut batch: Batch) -> MutexGuard<'_, RecorderState> {
        // SAFETY: the walk waits for the lane before an object goes, and before it uses the list itself; this thread took it.
        let run = AssertUnwindSafe(|| unsafe { batch.run(&self.runtime, &self.directs) });
        if catch_unwind(run).is_err() {
            // The walk misses the results of these calls, and reports that.
            batch = Batch::default();
        }
        let mut state = self.lock();
        state.give_back(lane, batch);
        state
    }

    /// The loop of each thread.
    fn work(&self) {
        let mut state = self.lock();
        loop {
            if let Some((lane, batch)) = state.take_any() {
                drop(state);
                state = self.make(lane, batch);
                if state.walk_waits {
                    self.done.notify_one();
                }
            } else if state.ends {
                return;
            } else {
                state.sleeping += 1;
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.sleeping -= 1;
            }
        }
    }
}

impl Recorders {
    /// So many threads; with none of them the walk makes each batch when it hands it over.
    pub(crate) fn new(count: usize, runtime: Arc<Runtime>, directs: Box<Directs>) -> Self {
        let (work, done) = (Condvar::new(), Condvar::new());
        let shared = Arc::new(Shared { runtime, directs, state: Mutex::default(), work, done });
        Self { shared, threads: Vec::new(), count }
    }

    fn start(&mut self) {
        let start = |number| {
            let shared = Arc::clone(&self.shared);
            Builder::new().name(format!("reprise-list-{number}")).spawn(move || shared.work()).ok()
        };
        self.threads = (1..=self.count).map_while(start).collect();
        // Threads that the system refuses are not asked for again.
        self.count = self.threads.len();
    }

    /// Hands a batch over, and gives an empty one for it. Makes one itself where too many are under way.
    pub(crate) fn hand_over(&mut self, lane: Lane, batch: Batch) -> Batch {
        if self.threads.is_empty() && self.count > 0 {
            self.start();
        }
        let mut state = self.shared.lock();
        let row = state.row(lane);
        let begins = !row.taken && row.batches.is_empty();
        row.batches.push_back(batch);
        state.under_way += 1;
        if begins {
            state.ready.push_back(lane.0);
        }
        if begins && state.sleeping > 0 {
            self.shared.work.notify_one();
        }
        while state.under_way > MOST * self.count.max(1) || self.count == 0 && state.under_way > 0 {
            state = self.help(state, None);
        }
        state.spare.pop().unwrap_or_default()
    }

    /// Makes a batch of a free lane, of this one where it has one, or waits until a thread has made a batch.
    fn help<'s>(
        &'s self,
        mut state: MutexGuard<'s, RecorderState>,
        lane: Option<Lane>,
    ) -> MutexGuard<'s, RecorderState> {
        let own = lane.and_then(|lane| state.take(lane.0).map(|batch| (lane.0, batch)));
        match own.or_else(|| state.take_any()) {
            Some((lane, batch)) => {
                drop(state);
                state = self.shared.make(lane, batch);
                if state.sleeping > 0 && !state.ready.is_empty() {
                    self.shared.work.notify_one();
                }
                state
            }
            None => {
                state.walk_waits = true;
                state = self.shared.done.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.walk_waits = false;
                state
            }
        }
    }

    /// Makes a batch of a lane of which nothing is handed over.
    pub(crate) fn make_here(&self, batch: &mut Batch) {
        // SAFETY: nothing of the lane is handed over, so no thread is at it; the walk itself makes the calls, before any object goes.
        unsafe { batch.run(&self.shared.runtime, &self.shared.directs) };
    }

    /// Waits until all is made that was handed over for a lane.
    pub(crate) fn finish(&self, lane: Lane) {
        let mut state = self.shared.lock();
        loop {
            let row = state.row(lane);
            if !row.taken && row.batches.is_empty() {
                return;
            }
            state = self.help(state, Some(lane));
        }
    }

    /// Takes the results of `Close` calls that are made.
    pub(crate) fn take_closed(&self, into: &mut Vec<Closed>) {
        into.append(&mut self.shared.lock().closed);
    }
}

impl Drop for Recorders {
    fn drop(&mut self) {
        self.shared.lock().ends = true;
        self.shared.work.notify_all();
        for thread in self.threads.drain(..) {
            // It catches panics of calls, and has none of its own.
            let _ = thread.join();
        }
    }
}
