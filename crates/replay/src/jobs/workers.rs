//! A pool of threads for the jobs of the walk.
//!
//! Jobs go through a channel of the standard library to whichever thread is free; each result comes back through a channel of its
//! own. Invariant: every job that was handed over is done before the pool is gone, also where nothing waits for its result.

use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

type Task = Box<dyn FnOnce() + Send>;

/// Threads that wait for jobs; they end when this is dropped, once all jobs are done.
pub(crate) struct Workers {
    /// Gone when the threads are to end.
    tasks: Option<Sender<Task>>,
    threads: Vec<JoinHandle<()>>,
}

/// A job that was handed over.
pub(crate) struct Job<R>(Receiver<R>);

impl Workers {
    /// Starts so many threads, or as many of them as the system allows.
    pub(crate) fn new(count: usize) -> Self {
        let (tasks, queue) = channel::<Task>();
        let queue = Arc::new(Mutex::new(queue));
        let start = |number| {
            let queue = Arc::clone(&queue);
            let work = move || loop {
                let task = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                match task {
                    Ok(task) => task(),
                    Err(_) => return,
                }
            };
            Builder::new().name(format!("reprise-replay-{number}")).spawn(work).ok()
        };
        Self { threads: (1..=count).filter_map(start).collect(), tasks: Some(tasks) }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.threads.len()
    }

    /// Hands a job over; without threads it is done here and now.
    pub(crate) fn start<R: Send + 'static>(&self, job: impl FnOnce() -> R + Send + 'static) -> Job<R> {
        let (result, receiver) = sync_channel(1);
        let task: Task = Box::new(move || {
            // The walk may have given the job up.
            let _ = result.send(job());
        });
        match &self.tasks {
            Some(tasks) if self.count() > 0 => {
                if let Err(unsent) = tasks.send(task) {
                    (unsent.0)();
                }
            }
            _ => task(),
        }
        Job(receiver)
    }
}

impl<R> Job<R> {
    /// Waits for the result; `None` if the job panicked.
    pub(crate) fn wait(self) -> Option<R> {
        self.0.recv().ok()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        drop(self.tasks.take());
        for thread in self.threads.drain(..) {
            // A panic of a job showed where its result was waited for.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn all_jobs_are_done_and_give_their_own_results() {
        for count in [0, 1, 3] {
            let workers = Workers::new(count);
            let jobs: Vec<Job<u32>> = (0..200).map(|number| workers.start(move || number * 7)).collect();
            let results: Vec<u32> = jobs.into_iter().rev().map(|job| job.wait().unwrap()).collect();
            assert_eq!(results, (0..200).rev().map(|number| number * 7).collect::<Vec<_>>());
        }
    }

    #[test]
    fn jobs_that_nobody_waits_for_are_done_before_the_end() {
        let done = Arc::new(AtomicU32::new(0));
        let workers = Workers::new(2);
        for _ in 0..100 {
            let done = Arc::clone(&done);
            workers.start(move || done.fetch_add(1, Ordering::Relaxed));
        }
        drop(workers);
        assert_eq!(done.load(Ordering::Relaxed), 100);
    }

    #[test]
    fn a_panic_costs_one_job() {
        let workers = Workers::new(2);
        let lost = workers.start(|| -> u32 { panic!("on purpose") });
        assert_eq!(lost.wait(), None);
        assert_eq!(workers.start(|| 3).wait(), Some(3));
    }
}
