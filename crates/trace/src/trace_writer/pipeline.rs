//! Work that threads do beside the one that hands it over, and whose results are put in the order of the handing over.
//!
//! Owns the threads, what is under way, and where results are put. Invariants: results are put in order, each once, by whichever thread is
//! free, and nothing is put behind one that failed. The thread that waits for a result does work that nobody has begun itself, so it
//! waits only for work that another thread is doing. Without threads it does everything, in the same way. Threads sleep while there
//! is nothing to do.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// A piece of work.
pub(super) trait Job: Send + 'static {
    /// What a thread keeps from job to job.
    type Tool;
    /// What comes of it.
    type Done: Send + 'static;

    /// Makes a thread's tool.
    fn tool() -> io::Result<Self::Tool>;

    /// Bytes that it holds.
    fn bytes(&self) -> usize;

    /// Does the work.
    fn run(self, tool: &mut Self::Tool) -> io::Result<Self::Done>;
}

/// Where results are put, one after the other.
pub(super) trait Sink<Done>: Send + 'static {
    /// What is told of a result that was put.
    type Put: Send + 'static;

    /// Puts a result.
    fn put(&mut self, done: Done) -> io::Result<Self::Put>;
}

/// Bytes that may be under way.
const MOST_BYTES: usize = 16 << 20;
/// The first bytes need no threads. Most programs' traces have many times as much, and the smallest have less.
const ALONE: usize = 1 << 20;

/// Where a job stands.
enum Step<J: Job, P> {
    Waiting(J),
    Begun,
    Done(io::Result<J::Done>),
    /// A thread is putting its result.
    Putting,
    Put(io::Result<P>),
}

/// What all threads see.
struct State<J: Job, P> {
    /// Jobs in order, with their bytes.
    jobs: VecDeque<(usize, Step<J, P>)>,
    /// Number of the first one.
    first: u64,
    /// The threads are to end.
    ended: bool,
    /// A thread is putting a result.
    putting: bool,
    /// A result could not be put, and the thread that hands over has not gone on since.
    stopped: bool,
}

impl<J: Job, P> State<J, P> {
    /// Takes the first job that nobody has begun; gives its number, too.
    fn begin(&mut self) -> Option<(u64, J)> {
        let at = self.jobs.iter().position(|(_, step)| matches!(step, Step::Waiting(_)))?;
        match std::mem::replace(&mut self.jobs[at].1, Step::Begun) {
            Step::Waiting(job) => Some((self.first + at as u64, job)),
            _ => None,
        }
    }

    /// Notes where a job stands, if anybody still wants it.
    fn note(&mut self, number: u64, now: Step<J, P>) {
        let job = number.checked_sub(self.first).and_then(|at| self.jobs.get_mut(at as usize));
        if let Some((_, step)) = job {
            *step = now;
        }
    }

    /// Takes the next result that is to be put, if it is there and nobody puts one; gives its number, too.
    fn begin_to_put(&mut self) -> Option<(u64, io::Result<J::Done>)> {
        if self.putting || self.stopped {
            return None;
        }
        let at = self.jobs.iter().position(|(_, step)| !matches!(step, Step::Put(_)))?;
        if !matches!(self.jobs[at].1, Step::Done(_)) {
            return None;
        }
        match std::mem::replace(&mut self.jobs[at].1, Step::Putting) {
            Step::Done(done) => {
                self.putting = true;
                Some((self.first + at as u64, done))
            }
            _ => None,
        }
    }

    fn is_first_put(&self) -> bool {
        matches!(self.jobs.front(), Some((_, Step::Put(_))))
    }

    /// Whoever asks for the next result goes on behind one that failed, once that was taken.
    fn go_on(&mut self) {
        self.stopped = self.jobs.iter().any(|(_, step)| matches!(step, Step::Put(Err(_))));
    }

    fn take_first(&mut self) -> Option<io::Result<P>> {
        match self.jobs.pop_front()?.1 {
            Step::Put(put) => {
                self.first += 1;
                Some(put)
            }
            _ => None,
        }
    }
}

struct Shared<J: Job, S: Sink<J::Done>> {
    state: Mutex<State<J, S::Put>>,
    /// Locked by the thread that puts, and by nobody while `state` is.
    sink: Mutex<S>,
    /// A job waits, or the threads are to end.
    waiting: Condvar,
    /// A job is done, or its result was put.
    done: Condvar,
}

impl<J: Job, S: Sink<J::Done>> Shared<J, S> {
    /// A thread that panics does not hold the lock.
    fn lock(&self) -> MutexGuard<'_, State<J, S::Put>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sink(&self) -> MutexGuard<'_, S> {
        self.sink.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a thread does.
    fn work(&self) {
        let mut tool = None;
        let mut state = self.lock();
        while !state.ended {
            let Some((number, job)) = state.begin() else {
                state = self.waiting.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(state);
            let done = run(job, &mut tool);
            state = self.lock();
            state.note(number, Step::Done(done));
            self.done.notify_one();
            state = self.put_all(state);
        }
    }

    /// Puts the results that are there, in order.
    fn put_all<'s>(&'s self, mut state: MutexGuard<'s, State<J, S::Put>>) -> MutexGuard<'s, State<J, S::Put>> {
        while let Some((number, done)) = state.begin_to_put() {
            drop(state);
            let put = || done.and_then(|done| self.sink().put(done));
            let panicked = |_| Err(io::Error::other("appending a chunk ended with a panic"));
            let put = catch_unwind(AssertUnwindSafe(put)).unwrap_or_else(panicked);
            state = self.lock();
            (state.putting, state.stopped) = (false, put.is_err());
            state.note(number, Step::Put(put));
            self.done.notify_one();
        }
        state
    }
}

/// Does a job, with a new tool if there is none. A panic is an error.
fn run<J: Job>(job: J, tool: &mut Option<J::Tool>) -> io::Result<J::Done> {
    // Of a tool that was used when something failed nothing is known, so it goes.
    let kept = tool.take();
    let work = move || {
        let mut kept = match kept {
            Some(kept) => kept,
            None => J::tool()?,
        };
        Ok((job.run(&mut kept)?, kept))
    };
    let panicked = |_| Err(io::Error::other("compressing a chunk ended with a panic"));
    let (done, kept) = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked)?;
    *tool = Some(kept);
    Ok(done)
}

/// The threads, what is under way, and where it goes.
pub(super) struct Pipeline<J: Job, S: Sink<J::Done>> {
    shared: Arc<Shared<J, S>>,
    threads: Vec<JoinHandle<()>>,
    /// Most threads.
    most: usize,
    /// Bytes handed over so far, up to [`ALONE`].
    so_far: usize,
    /// The tool of the thread that hands over.
    tool: Option<J::Tool>,
}

impl<J: Job, S: Sink<J::Done>> Pipeline<J, S> {
    /// With no threads.
    ///
    /// # Errors
    /// There is no tool.
    pub(super) fn new(sink: S) -> io::Result<Pipeline<J, S>> {
        let tool = Some(J::tool()?);
        let state = State { jobs: VecDeque::new(), first: 0, ended: false, putting: false, stopped: false };
        let (state, sink) = (Mutex::new(state), Mutex::new(sink));
        let shared = Shared { state, sink, waiting: Condvar::new(), done: Condvar::new() };
        Ok(Pipeline { shared: Arc::new(shared), threads: Vec::new(), most: 0, so_far: 0, tool })
    }

    /// Lets it start so many threads.
    pub(super) fn set_threads(&mut self, most: usize) {
        self.most = most;
    }

    /// Takes a job. There is always room: see [`Pipeline::is_full`].
    pub(super) fn submit(&mut self, job: J) {
        let bytes = job.bytes();
        let mut state = self.shared.lock();
        state.jobs.push_back((bytes, Step::Waiting(job)));
        let undone = state.jobs.iter().filter(|(_, step)| matches!(step, Step::Waiting(_) | Step::Begun)).count();
        drop(state);
        self.so_far = self.so_far.saturating_add(bytes).min(ALONE);
        if self.so_far == ALONE && self.threads.len() < self.most.min(undone) {
            self.start();
        }
        self.shared.waiting.notify_one();
    }

    fn start(&mut self) {
        let shared = Arc::clone(&self.shared);
        let thread = std::thread::Builder::new().name("compress".into()).spawn(move || shared.work());
        match thread {
            Ok(thread) => self.threads.push(thread),
            // Those that there are do it, or the one that hands over.
            Err(_) => self.most = self.threads.len(),
        }
    }

    /// Whether there is so much under way that the first result is to be waited for.
    pub(super) fn is_full(&self) -> bool {
        let jobs = &self.shared.lock().jobs;
        // While each thread does one job, another one may wait.
        let many = match self.threads.len() {
            0 => 0,
            threads => threads + 1,
        };
        jobs.len() > many || jobs.iter().map(|(bytes, _)| bytes).sum::<usize>() > MOST_BYTES
    }

    /// Whether nothing is under way.
    pub(super) fn is_empty(&self) -> bool {
        self.shared.lock().jobs.is_empty()
    }

    /// What came of the first job, if its result was put.
    pub(super) fn take(&mut self) -> Option<io::Result<S::Put>> {
        let mut state = self.shared.lock();
        state.go_on();
        // What was behind one that failed.
        state = self.shared.put_all(state);
        if state.is_first_put() { state.take_first() } else { None }
    }

    /// What came of the first job, once its result was put; `None` if nothing is under way.
    pub(super) fn wait(&mut self) -> Option<io::Result<S::Put>> {
        let mut state = self.shared.lock();
        state.go_on();
        while !state.jobs.is_empty() && !state.is_first_put() {
            state = self.shared.put_all(state);
            if state.is_first_put() {
                break;
            }
            if let Some((number, job)) = state.begin() {
                drop(state);
                let done = run(job, &mut self.tool);
                state = self.shared.lock();
                state.note(number, Step::Done(done));
            } else {
                state = self.shared.done.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
        state.take_first()
    }

    /// Sleeps so long, or until the first result was put.
    pub(super) fn sleep(&self, time: Duration) {
        let state = self.shared.lock();
        if state.jobs.is_empty() {
            drop(state);
            std::thread::sleep(time);
        } else {
            let done = self.shared.done.wait_timeout_while(state, time, |state| !state.is_first_put());
            drop(done);
        }
    }

    /// Forgets what is under way. What is being put is put before.
    pub(super) fn clear(&mut self) {
        let mut state = self.shared.lock();
        while state.putting {
            state = self.shared.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.first += state.jobs.len() as u64;
        state.jobs.clear();
        state.stopped = false;
    }

    /// Where results go. Nothing is under way.
    pub(super) fn with_sink<T>(&self, look: impl FnOnce(&mut S) -> T) -> T {
        look(&mut self.shared.sink())
    }
}

impl<J: Job, S: Sink<J::Done>> Drop for Pipeline<J, S> {
    fn drop(&mut self) {
        self.clear();
        self.shared.lock().ended = true;
        self.shared.waiting.notify_all();
        for thread in self.threads.drain(..) {
            // A panic there was printed, and was an error before.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread::ThreadId;

    use super::*;

    /// Gives its number back, once it may.
    struct Numbered {
        number: u32,
        bytes: usize,
        /// Tells that it was begun.
        begun: Option<Sender<u32>>,
        /// Ends when the other side goes.
        may_end: Option<Receiver<()>>,
        panics: bool,
    }

    impl Numbered {
        fn new(number: u32) -> Numbered {
            Numbered { number, bytes: ALONE, begun: None, may_end: None, panics: false }
        }
    }

    impl Job for Numbered {
        /// Jobs done with it.
        type Tool = u32;
        type Done = (u32, u32, ThreadId);

        fn tool() -> io::Result<u32> {
            Ok(0)
        }

        fn bytes(&self) -> usize {
            self.bytes
        }

        fn run(self, done: &mut u32) -> io::Result<(u32, u32, ThreadId)> {
            *done += 1;
            self.begun.into_iter().for_each(|begun| begun.send(self.number).unwrap());
            // The sender never sends; it goes.
            self.may_end.into_iter().for_each(|may_end| assert!(may_end.recv().is_err()));
            assert!(!self.panics, "as the test wants it");
            Ok((self.number, *done, std::thread::current().id()))
        }
    }

    /// Fails at these numbers; notes what it took.
    #[derive(Default)]
    struct Kept {
        fails: Vec<u32>,
        all: Vec<u32>,
    }

    impl Sink<(u32, u32, ThreadId)> for Kept {
        type Put = (u32, u32, ThreadId);

        fn put(&mut self, done: Self::Put) -> io::Result<Self::Put> {
            if self.fails.contains(&done.0) {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.all.push(done.0);
            Ok(done)
        }
    }

    fn pipeline(threads: usize) -> Pipeline<Numbered, Kept> {
        let mut pipeline = Pipeline::new(Kept::default()).unwrap();
        pipeline.set_threads(threads);
        pipeline
    }

    #[test]
    fn results_come_in_order_and_threads_do_the_work() {
        for threads in [0, 1, 3] {
            let mut pipeline = pipeline(threads);
            let (mut results, mut by) = (Vec::new(), BTreeSet::new());
            let mut take = |result: io::Result<(u32, u32, ThreadId)>| {
                let (number, _, thread) = result.unwrap();
                results.push(number);
                by.insert(format!("{thread:?}"));
            };
            for number in 0..500 {
                pipeline.submit(Numbered::new(number));
                while pipeline.is_full() {
                    take(pipeline.wait().unwrap());
                }
                while let Some(result) = pipeline.take() {
                    take(result);
                }
            }
            while let Some(result) = pipeline.wait() {
                take(result);
            }
            assert_eq!(results, (0..500).collect::<Vec<_>>());
            assert!(pipeline.is_empty());
            assert!(pipeline.threads.len() <= threads && by.len() <= threads + 1, "{by:?}");
            assert_eq!(pipeline.threads.is_empty(), threads == 0);
        }
    }

    #[test]
    fn a_result_waits_for_those_before_it() {
        let mut pipeline = pipeline(2);
        let (begun, begins) = channel();
        let (goes, may_end) = channel();
        pipeline.submit(Numbered { begun: Some(begun.clone()), may_end: Some(may_end), ..Numbered::new(0) });
        pipeline.submit(Numbered { begun: Some(begun), ..Numbered::new(1) });
        // Both are with the threads, and the second one cannot come before the first.
        assert_eq!(BTreeSet::from([begins.recv().unwrap(), begins.recv().unwrap()]), BTreeSet::from([0, 1]));
        assert!(pipeline.take().is_none());
        drop(goes);
        assert_eq!([pipeline.wait(), pipeline.wait()].map(|result| result.unwrap().unwrap().0), [0, 1]);
        assert!(pipeline.wait().is_none() && pipeline.take().is_none());
    }

    #[test]
    fn what_is_under_way_is_bounded_and_the_waiting_thread_helps() {
        let mut pipeline = pipeline(1);
        let (begun, begins) = channel();
        let (goes, may_end) = channel();
        pipeline.submit(Numbered { begun: Some(begun), may_end: Some(may_end), ..Numbered::new(0) });
        begins.recv().unwrap();
        pipeline.submit(Numbered::new(1));
        assert!(!pipeline.is_full(), "one is done, one waits");
        let (begun, begins) = channel();
        pipeline.submit(Numbered { begun: Some(begun), ..Numbered::new(2) });
        assert!(pipeline.is_full());
        // The only thread does the first job until this one has begun the last one.
        let ends = std::thread::spawn(move || {
            begins.recv().unwrap();
            drop(goes);
        });
        let here = std::thread::current().id();
        let results = [pipeline.wait(), pipeline.wait(), pipeline.wait()].map(|result| result.unwrap().unwrap());
        assert_eq!(results.map(|(number, ..)| number), [0, 1, 2]);
        assert_eq!(results.map(|(.., thread)| thread == here), [false, true, true]);
        ends.join().unwrap();
        // Few, but large.
        pipeline.submit(Numbered { bytes: MOST_BYTES + 1, ..Numbered::new(3) });
        assert!(pipeline.is_full());
    }

    #[test]
    fn small_amounts_start_no_thread() {
        let mut pipeline = pipeline(2);
        for number in 0..3 {
            pipeline.submit(Numbered { bytes: ALONE / 4, ..Numbered::new(number) });
            assert!(pipeline.is_full() && pipeline.threads.is_empty());
            assert_eq!(pipeline.wait().unwrap().unwrap(), (number, number + 1, std::thread::current().id()));
        }
        pipeline.submit(Numbered { bytes: ALONE / 4, ..Numbered::new(3) });
        assert_eq!(pipeline.threads.len(), 1);
    }

    #[test]
    fn a_panic_is_an_error_at_its_place_and_costs_the_tool() {
        for threads in [0, 2] {
            let mut pipeline = pipeline(threads);
            for number in 0..6 {
                pipeline.submit(Numbered { panics: number % 3 == 1, ..Numbered::new(number) });
            }
            let results: Vec<_> = std::iter::from_fn(|| pipeline.wait()).collect();
            let failed: Vec<bool> = results.iter().map(Result::is_err).collect();
            assert_eq!(failed, [false, true, false, false, true, false]);
            assert!(results[1].as_ref().unwrap_err().to_string().contains("panic"));
            if threads == 0 {
                let tools: Vec<u32> = results.into_iter().flatten().map(|(_, done, _)| done).collect();
                assert_eq!(tools, [1, 1, 2, 1], "a new one after each panic");
            }
        }
    }

    #[test]
    fn what_is_forgotten_never_comes() {
        let mut pipeline = pipeline(1);
        let (begun, begins) = channel();
        let (goes, may_end) = channel();
        pipeline.submit(Numbered { begun: Some(begun), may_end: Some(may_end), ..Numbered::new(0) });
        pipeline.submit(Numbered::new(1));
        begins.recv().unwrap();
        pipeline.clear();
        assert!(pipeline.is_empty() && pipeline.wait().is_none());
        pipeline.submit(Numbered::new(2));
        drop(goes);
        assert_eq!(pipeline.wait().unwrap().unwrap().0, 2);
        assert!(pipeline.wait().is_none());
        // Ends the thread, whether it sleeps or works.
        pipeline.submit(Numbered::new(3));
        drop(pipeline);
    }

    #[test]
    fn sleep_ends_with_the_first_result() {
        let mut pipeline = pipeline(1);
        let (goes, may_end) = channel();
        pipeline.submit(Numbered { may_end: Some(may_end), ..Numbered::new(0) });
        pipeline.sleep(Duration::from_millis(1));
        assert!(pipeline.take().is_none());
        drop(goes);
        // Were it not so, the test would not end.
        pipeline.sleep(Duration::MAX);
        assert_eq!(pipeline.take().unwrap().unwrap().0, 0);
    }

    #[test]
    fn nothing_is_put_behind_what_could_not_be() {
        for threads in [0, 1, 3] {
            let mut pipeline = pipeline(threads);
            pipeline.with_sink(|sink| sink.fails = vec![3]);
            for number in 0..8 {
                pipeline.submit(Numbered::new(number));
            }
            for number in 0..3 {
                assert_eq!(pipeline.wait().unwrap().unwrap().0, number);
            }
            assert!(pipeline.wait().unwrap().is_err());
            // However long the threads have: the one that hands over has not said that it goes on.
            std::thread::sleep(Duration::from_millis(20));
            pipeline.clear();
            assert_eq!(pipeline.with_sink(|sink| sink.all.clone()), [0, 1, 2], "{threads} threads");
            pipeline.submit(Numbered::new(9));
            assert_eq!(pipeline.wait().unwrap().unwrap().0, 9);
        }
    }

    /// What was put before a failure is taken after it, and says nothing about what comes behind.
    #[test]
    fn results_before_a_failure_are_taken_and_nothing_is_put_behind_it() {
        for threads in [1, 3] {
            let mut pipeline = pipeline(threads);
            pipeline.with_sink(|sink| sink.fails = vec![3]);
            for number in 0..8 {
                pipeline.submit(Numbered::new(number));
            }
            // All are done, and three are put.
            std::thread::sleep(Duration::from_millis(50));
            for number in 0..3 {
                let taken = std::iter::from_fn(|| Some(pipeline.take())).find_map(|taken| taken);
                assert_eq!(taken.unwrap().unwrap().0, number);
            }
            let taken = std::iter::from_fn(|| Some(pipeline.take())).find_map(|taken| taken);
            assert!(taken.unwrap().is_err());
            pipeline.clear();
            assert_eq!(pipeline.with_sink(|sink| sink.all.clone()), [0, 1, 2], "{threads} threads");
        }
    }
}
