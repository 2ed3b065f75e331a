//! When queues worked: at all, several at one time, and not at all.
//!
//! Invariant: instants of one replay are compared, on the clock that its queues share; where one list has no place on it, nothing is told of the replay.

use crate::{Run, Samples};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// What one replay says of it, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Occupancy {
    /// From the beginning of the first list to the end of the last one.
    pub span: f64,
    /// In which at least one queue worked.
    pub busy: f64,
    /// In which two or more did.
    pub together: f64,
    /// How long each queue did, by its id.
    pub queues: BTreeMap<u32, f64>,
    /// The durations of all lists, added up. Passes and operations divide the time of their list among them, so theirs add up to the same.
    pub sum: f64,
}

impl Occupancy {
    /// How much of the sum is time that was counted already, because lists of several queues, or of one, lay over each other.
    #[must_use]
    pub fn overlap(&self) -> f64 {
        self.sum - self.busy
    }

    /// Of a replay; `None` where nothing was timed, or a queue's clock is its own.
    #[must_use]
    pub fn of(run: &Run) -> Option<Occupancy> {
        let mut spans: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
        for submission in &run.submissions {
            for list in &submission.lists {
                let at = list.at?;
                spans.entry(submission.queue).or_default().push((at, at + list.duration));
            }
        }
        let mut edges: Vec<(f64, i32)> = Vec::new();
        let mut queues = BTreeMap::new();
        for (queue, spans) in spans {
            // Lists of one queue may begin before the last one's stamp is written.
            let joined = join(spans);
            queues.insert(queue, joined.iter().map(|(begin, end)| end - begin).sum());
            edges.extend(joined.into_iter().flat_map(|(begin, end)| [(begin, 1), (end, -1)]));
        }
        edges.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (first, last) = (edges.first()?.0, edges.last()?.0);
        let mut all = Occupancy { span: last - first, queues, sum: run.duration(), ..Occupancy::default() };
        let (mut working, mut from) = (0, first);
        for (at, change) in edges {
            all.busy += if working > 0 { at - from } else { 0.0 };
            all.together += if working > 1 { at - from } else { 0.0 };
            (working, from) = (working + change, at);
        }
        Some(all)
    }
}

/// Spans that touch or overlap become one.
fn join(mut spans: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    spans.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut joined: Vec<(f64, f64)> = Vec::new();
    for (begin, end) in spans {
        match joined.last_mut() {
            Some(last) if begin <= last.1 => last.1 = last.1.max(end),
            _ => joined.push((begin, end)),
        }
    }
    joined
}

/// The same of several replays.
#[derive(Clone, Debug, Default)]
pub struct Occupancies {
    /// See [`Occupancy`].
    pub span: Samples,
    /// See [`Occupancy`].
    pub busy: Samples,
    /// See [`Occupancy`].
    pub together: Samples,
    /// See [`Occupancy`].
    pub queues: BTreeMap<u32, Samples>,
    /// See [`Occupancy`].
    pub sum: Samples,
    /// See [`Occupancy::overlap`].
    pub overlap: Samples,
}

impl Occupancies {
    /// Of all of these; `None` where one says nothing of it.
    #[must_use]
    pub fn of(runs: &[Run]) -> Option<Occupancies> {
        let mut all = Occupancies::default();
        for run in runs {
            let one = Occupancy::of(run)?;
            all.span.add(one.span);
            all.busy.add(one.busy);
            all.together.add(one.together);
            all.sum.add(one.sum);
            all.overlap.add(one.overlap());
            one.queues.into_iter().for_each(|(queue, duration)| all.queues.entry(queue).or_default().add(duration));
        }
        (!all.span.is_empty()).then_some(all)
    }

    /// As `reprise time --json` prints it.
    #[must_use]
    pub fn json(&self) -> Json {
        let queue = |(queue, duration): (&u32, &Samples)| json!({ "queue": queue, "ms": duration.json() });
        json!({
            "span_ms": self.span.json(),
            "busy_ms": self.busy.json(),
            "together_ms": self.together.json(),
            "sum_ms": self.sum.json(),
            "overlap_ms": self.overlap.json(),
            "queues": self.queues.iter().map(queue).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{List, Submission};
    use proptest::prelude::*;

    fn run(lists: &[(u32, u32, u32)]) -> Run {
        let submission = |(queue, at, duration): &(u32, u32, u32)| Submission {
            queue: *queue,
            lists: vec![List { at: Some(f64::from(*at)), duration: f64::from(*duration), ..List::default() }],
            ..Submission::default()
        };
        Run { submissions: lists.iter().map(submission).collect(), ..Run::default() }
    }

    #[test]
    fn a_queue_whose_clock_is_its_own_makes_the_replay_say_nothing() {
        let mut two = run(&[(1, 0, 10), (2, 5, 10)]);
        assert!(Occupancy::of(&two).is_some());
        two.submissions[1].lists[0].at = None;
        assert_eq!(Occupancy::of(&two), None);
        assert_eq!(Occupancy::of(&Run::default()), None);
        assert!(Occupancies::of(&[run(&[(1, 0, 10)]), two]).is_none());
    }

    proptest! {
        /// Against a model that counts each nanosecond by itself.
        #[test]
        fn what_overlaps_is_counted_once(lists in proptest::collection::vec((1u32..4, 0u32..60, 0u32..20), 1..12)) {
            let mut working = vec![std::collections::BTreeSet::new(); 100];
            for (queue, at, duration) in &lists {
                (*at..at + duration).for_each(|time| _ = working[time as usize].insert(*queue));
            }
            let count = |what: &dyn Fn(&std::collections::BTreeSet<u32>) -> bool| {
                working.iter().filter(|queues| what(queues)).count() as f64
            };
            let said = Occupancy::of(&run(&lists)).unwrap();
            prop_assert_eq!(said.busy, count(&|queues| !queues.is_empty()));
            prop_assert_eq!(said.together, count(&|queues| queues.len() > 1));
            for (queue, duration) in &said.queues {
                prop_assert_eq!(*duration, count(&|queues| queues.contains(queue)));
            }
            let first = lists.iter().map(|list| list.1).min().unwrap();
            let last = lists.iter().map(|list| list.1 + list.2).max().unwrap();
            prop_assert_eq!(said.span, f64::from(last - first));
            // Of each nanosecond the lists beyond the first one that work in it.
            let over = (0..100).map(|time| lists.iter().filter(|list| (list.1..list.1 + list.2).contains(&time)).count());
            prop_assert_eq!(said.overlap(), over.map(|lists| lists.saturating_sub(1) as f64).sum::<f64>());
        }
    }
}
