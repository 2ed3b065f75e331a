//! One look at how far queues' timelines are, that asks the driver as seldom as it may.
//!
//! A fence may have thousands of promises on their way, and asking for each would cost a call of the driver each. But an answer
//! of earlier in the look may not simply be used again: a promise that was kept since then may have made it old.
//!
//! Invariant: asked from the newest promise to the oldest, what a look says is closed under "happened before". A promise
//! that is not kept is one whose timeline was asked after everything that the look says is kept.

use reprise_gpu::queue::QueueId;

/// Timelines that a look remembers; those beyond are asked each time.
const REMEMBERED: usize = 8;

/// Answers of one look. Moments count the driver's answers, from 1.
#[derive(Debug, Default)]
pub(super) struct Look {
    now: u64,
    /// The moment by which all that is said to be kept was done.
    kept: u64,
    /// QueueId, its value, and when it was asked.
    answers: [(QueueId, u64, u64); REMEMBERED],
    used: usize,
}

impl Look {
    /// Whether a queue's timeline has come to `value`; `ask` gets its value from the driver.
    pub(super) fn reached(&mut self, queue: QueueId, value: u64, ask: impl FnOnce() -> u64) -> bool {
        let known = self.answers[..self.used].iter().position(|answer| answer.0 == queue);
        if let Some(at) = known {
            let (_, seen, moment) = self.answers[at];
            if seen >= value {
                self.kept = self.kept.max(moment);
                return true;
            }
            if moment > self.kept {
                return false;
            }
        }
        let seen = ask();
        self.now += 1;
        let reached = seen >= value;
        if reached {
            self.kept = self.now;
        }
        let answer = (queue, seen, self.now);
        match known {
            Some(at) => self.answers[at] = answer,
            None if self.used < REMEMBERED => {
                self.answers[self.used] = answer;
                self.used += 1;
            }
            None => {}
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against GPU queues that go on between any two answers. Promises of a queue come true in order, and one may wait
        /// for another queue's.
        #[test]
        fn nothing_is_kept_before_what_it_waited_for(
            made in prop::collection::vec((1u64..12, any::<prop::sample::Index>(), any::<bool>()), 1..60),
            pace in prop::collection::vec(0usize..4, 60),
        ) {
            // Each promise: queue, value, the promises that happened before it.
            let mut promises: Vec<(u64, u64, Vec<usize>)> = Vec::new();
            for (queue, other, waits) in made {
                let own = promises.iter().rposition(|promise| promise.0 == queue);
                let other = (waits && !promises.is_empty()).then(|| other.index(promises.len()));
                let value = own.map_or(0, |at| promises[at].1) + 1;
                promises.push((queue, value, own.into_iter().chain(other).collect()));
            }
            // The GPU does one promise after the other, in the order of their making.
            let (mut done, mut asked) = (0, 0);
            let (mut look, mut kept) = (Look::default(), vec![false; promises.len()]);
            for at in (0..promises.len()).rev() {
                let (queue, value, _) = promises[at];
                kept[at] = look.reached(queue, value, || {
                    done = (done + pace[asked % pace.len()]).min(promises.len());
                    asked += 1;
                    promises[..done].iter().filter(|promise| promise.0 == queue).map(|promise| promise.1).max().unwrap_or(0)
                });
                prop_assert!(!kept[at] || at < done, "a promise that was not kept");
            }
            for (at, (_, _, before)) in promises.iter().enumerate() {
                prop_assert!(!kept[at] || before.iter().all(|&earlier| kept[earlier]));
            }
        }
    }

    #[test]
    fn two_queues_that_stand_still_are_asked_once_each() {
        let (mut look, mut asked) = (Look::default(), 0);
        for value in (1..=4000).rev() {
            for queue in [1, 2] {
                let reached = look.reached(queue, value, || {
                    asked += 1;
                    10
                });
                assert_eq!(reached, value <= 10);
            }
        }
        assert_eq!(asked, 2);
    }
}
