//! How long the GPU worked, by what a timeline shows: medians of the replays that were measured.
//!
//! Invariant: a median is one of sums that were made within a replay, so a list's time is no sum of medians.

use crate::{Amount, Counts, DriverCounter, Run, Samples, Times};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, ErrorKind};
use std::path::Path;

/// What was measured of a trace.
#[derive(Debug)]
pub struct Costs {
    /// What was measured.
    pub times: Times,
    /// Of all that was timed, in nanoseconds.
    pub total: f64,
    /// The same of frames, from 1.
    pub frames: BTreeMap<u64, f64>,
    /// The same of submissions, by their calls.
    pub submissions: BTreeMap<u64, f64>,
    /// Of lists, by the calls of their submissions and their ids.
    pub lists: HashMap<(u64, u32), f64>,
    /// Operations in the order of their submissions.
    pub operations: Vec<Cost>,
    /// What the driver counted of operations that it was asked of, in the order of [`Costs::counters`]; `None` where it was not counted.
    driver: HashMap<Place, Vec<Option<Amount>>>,
    /// Where the operations of a submission stand.
    of: HashMap<u64, (usize, usize)>,
    /// Of frames that several queues work at: the frame of a submission, and how long after the frame's first one it began.
    offsets: HashMap<u64, (u64, f64)>,
}

/// An operation of a submission: the call that submitted it, and the places of its list in the submission and of itself in the list.
pub type Place = (u64, usize, usize);

/// An operation of a submission.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Where it stands.
    pub place: Place,
    /// The call that submitted it.
    pub submission: u64,
    /// From 1.
    pub frame: u64,
    /// The queue.
    pub queue: u32,
    /// The list.
    pub list: u32,
    /// The call that recorded it.
    pub call: u64,
    /// In nanoseconds; `None` where it was only counted.
    pub duration: Option<f64>,
    /// What was counted.
    pub counts: Option<Counts>,
}

/// A submission on a timeline.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The call.
    pub call: u64,
    /// The queue.
    pub queue: u32,
    /// In nanoseconds since the recording began.
    pub begin: f64,
    /// Likewise.
    pub end: f64,
}

impl Cost {
    /// An operation of which nothing was measured yet, recorded by a call; of a frame, a queue and a list.
    fn unmeasured(place: Place, (frame, queue, list): (u64, u32, u32), call: u64) -> Cost {
        Cost { place, submission: place.0, frame, queue, list, call, duration: None, counts: None }
    }
}

impl Costs {
    /// What lies beside a trace; `None` where nothing was measured.
    ///
    /// # Errors
    /// In words: the file is damaged, or of another trace.
    pub fn beside(trace: &Path) -> Result<Option<Costs>, String> {
        let path = crate::beside(trace);
        match Times::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            times => Costs::read(times, &path, trace).map(Some),
        }
    }

    /// What a file has, of this trace.
    ///
    /// # Errors
    /// In words: there is none, or it is damaged, or of another trace.
    pub fn open(path: &Path, trace: &Path) -> Result<Costs, String> {
        Costs::read(Times::open(path), path, trace)
    }

    fn read(times: io::Result<Times>, path: &Path, trace: &Path) -> Result<Costs, String> {
        let times = times.map_err(|error| {
            let is_damaged = error.kind() == io::ErrorKind::InvalidData;
            let advice = if is_damaged { "; `reprise time --save` measures it anew" } else { "" };
            format!("{}: {error}{advice}", path.display())
        })?;
        times.is_of(trace).map_err(|wrong| format!("{}: {wrong}", path.display()))?;
        Ok(Costs::new(times))
    }

    /// The medians of these times.
    #[must_use]
    pub fn new(times: Times) -> Costs {
        let mut frames: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        let mut submissions: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        let mut lists: HashMap<(u64, u32), Vec<f64>> = HashMap::new();
        let mut operations: BTreeMap<(u64, usize, usize), (Cost, Vec<f64>)> = BTreeMap::new();
        for run in &times.runs {
            let mut of_frames: BTreeMap<u64, f64> = BTreeMap::new();
            for submission in &run.submissions {
                let (call, frame, queue) = (submission.call, submission.frame, submission.queue);
                *of_frames.entry(frame).or_default() += submission.duration();
                submissions.entry(call).or_default().push(submission.duration());
                for (place, list) in submission.lists.iter().enumerate() {
                    lists.entry((call, list.list)).or_default().push(list.duration);
                    for (at, (operation, duration)) in list.operations.iter().enumerate() {
                        let cost = || Cost::unmeasured((call, place, at), (frame, queue, list.list), *operation);
                        let own = operations.entry((call, place, at)).or_insert_with(|| (cost(), Vec::new()));
                        own.1.push(*duration);
                    }
                }
            }
            of_frames.into_iter().for_each(|(frame, sum)| frames.entry(frame).or_default().push(sum));
        }
        for submission in times.counted.iter().flat_map(|counted| &counted.submissions) {
            for (place, (list, all)) in submission.lists.iter().enumerate() {
                for (at, (call, counts)) in all.iter().enumerate() {
                    let of = (submission.frame, submission.queue, *list);
                    let cost = || Cost::unmeasured((submission.call, place, at), of, *call);
                    let own = operations.entry((submission.call, place, at)).or_insert_with(|| (cost(), Vec::new()));
                    // Both replays recorded the same operations; where not, counts are left out.
                    if own.0.call == *call {
                        own.0.counts = Some(*counts);
                    }
                }
            }
        }
        let driver = driver(&times, &mut operations);
        let total = median(times.runs.iter().map(Run::duration).collect());
        let operations: Vec<Cost> = operations
            .into_values()
            .map(|(cost, all)| Cost { duration: (!all.is_empty()).then(|| median(all)), ..cost })
            .collect();
        let mut of: HashMap<u64, (usize, usize)> = HashMap::new();
        for (at, cost) in operations.iter().enumerate() {
            of.entry(cost.submission).or_insert((at, at)).1 = at + 1;
        }
        Costs {
            total,
            frames: frames.into_iter().map(|(frame, all)| (frame, median(all))).collect(),
            submissions: submissions.into_iter().map(|(call, all)| (call, median(all))).collect(),
            lists: lists.into_iter().map(|(list, all)| (list, median(all))).collect(),
            operations,
            driver,
            of,
            offsets: offsets(&times.runs),
            times,
        }
    }

    /// Submissions that were timed, on the timeline of a recording. Each is given with its call, its queue, and when the call ended there, in
    /// nanoseconds, in the order of calls; it begins then, or when the one before it on its queue ends. Where several queues work at a frame, and the
    /// clocks of all are known beside each other, it does not begin sooner after the frame's first one than in the replays. So durations are measured,
    /// and places are not, but for those of queues beside each other.
    #[must_use]
    pub fn placed(&self, submissions: impl IntoIterator<Item = (u64, u32, u64)>) -> Vec<Placed> {
        let mut free: HashMap<u32, f64> = HashMap::new();
        let mut first: HashMap<u64, f64> = HashMap::new();
        let place = |(call, queue, ended): (u64, u32, u64)| {
            let duration = self.submissions.get(&call)?;
            let free = free.entry(queue).or_default();
            let mut begin = free.max(ended as f64);
            if let Some((frame, offset)) = self.offsets.get(&call) {
                let first = first.entry(*frame).or_insert(begin - offset);
                begin = begin.max(*first + offset);
            }
            *free = begin + duration;
            Some(Placed { call, queue, begin, end: *free })
        };
        submissions.into_iter().filter_map(place).collect()
    }

    /// The operations of a placed submission that were timed, one behind the other: their calls, beginnings and ends. None ends behind its
    /// submission: medians of operations may sum to more than the median of sums.
    pub fn operations_of(&self, placed: &Placed) -> impl Iterator<Item = (u64, f64, f64)> + '_ {
        let timed = self.of(placed.call).iter().filter_map(|cost| Some((cost.call, cost.duration?)));
        let last = placed.end;
        timed.scan(placed.begin, move |at, (call, duration)| {
            let begin = *at;
            *at = (begin + duration).min(last);
            Some((call, begin, *at))
        })
    }

    /// The operations of a submission, by its call.
    #[must_use]
    pub fn of(&self, submission: u64) -> &[Cost] {
        let (first, end) = self.of.get(&submission).copied().unwrap_or_default();
        self.operations.get(first..end).unwrap_or_default()
    }

    /// The counters of the driver, of all replays in which it counted.
    pub fn counters(&self) -> impl Iterator<Item = &DriverCounter> {
        self.times.driver.iter().flat_map(|replay| &replay.counters)
    }

    /// What the driver counted of an operation, in the order of [`Costs::counters`]; nothing where it was asked of none of them.
    #[must_use]
    pub fn driver_counts(&self, cost: &Cost) -> &[Option<Amount>] {
        self.driver.get(&cost.place).map_or(&[], Vec::as_slice)
    }

    /// How long the operations of these calls took in a list of a submission, in nanoseconds; `None` where none was timed.
    #[must_use]
    pub fn between(&self, (submission, list): (u64, u32), calls: (u64, u64)) -> Option<f64> {
        let within = |cost: &&Cost| cost.list == list && (calls.0..=calls.1).contains(&cost.call);
        let mut timed = self.of(submission).iter().filter(within).filter_map(|cost| cost.duration).peekable();
        timed.peek()?;
        Some(timed.sum())
    }
}

/// How long after the first submission of its frame each one began: the median of the replays, of frames that several queues work at.
fn offsets(runs: &[Run]) -> HashMap<u64, (u64, f64)> {
    let mut all: HashMap<u64, (u64, Vec<f64>)> = HashMap::new();
    for run in runs {
        let mut frames: BTreeMap<u64, Vec<(u64, u32, f64)>> = BTreeMap::new();
        let mut unknown: BTreeSet<u64> = BTreeSet::new();
        for submission in &run.submissions {
            let Some(list) = submission.lists.first() else { continue };
            match list.at {
                Some(at) => frames.entry(submission.frame).or_default().push((submission.call, submission.queue, at)),
                None => _ = unknown.insert(submission.frame),
            }
        }
        for (frame, began) in frames {
            let queues: BTreeSet<u32> = began.iter().map(|one| one.1).collect();
            if queues.len() < 2 || unknown.contains(&frame) {
                continue;
            }
            let first = began.iter().map(|one| one.2).fold(f64::INFINITY, f64::min);
            for (call, _, at) in began {
                all.entry(call).or_insert_with(|| (frame, Vec::new())).1.push(at - first);
            }
        }
    }
    all.into_iter().map(|(call, (frame, offsets))| (call, (frame, median(offsets)))).collect()
}

/// What several replays took: the median, and 0 of none.
fn median(all: Vec<f64>) -> f64 {
    if all.is_empty() { 0.0 } else { all.into_iter().collect::<Samples>().median() }
}

/// What the driver counted, by operation. Operations that nothing timed or counted before are added.
fn driver(times: &Times, operations: &mut BTreeMap<Place, (Cost, Vec<f64>)>) -> HashMap<Place, Vec<Option<Amount>>> {
    let all: usize = times.driver.iter().map(|replay| replay.counters.len()).sum();
    let mut driver: HashMap<Place, Vec<Option<Amount>>> = HashMap::new();
    let mut first = 0;
    for replay in &times.driver {
        for submission in &replay.submissions {
            for (place, (list, counted)) in submission.lists.iter().enumerate() {
                for (at, (call, amounts)) in counted.iter().enumerate() {
                    let place = (submission.call, place, at);
                    let of = (submission.frame, submission.queue, *list);
                    let cost = || Cost::unmeasured(place, of, *call);
                    let (own, _) = operations.entry(place).or_insert_with(|| (cost(), Vec::new()));
                    // Every replay recorded the same operations; where not, counts are left out.
                    if own.call == *call {
                        let row = driver.entry(place).or_insert_with(|| vec![None; all]);
                        let row = row.iter_mut().skip(first).take(replay.counters.len());
                        row.zip(amounts).for_each(|(own, amount)| *own = Some(*amount));
                    }
                }
            }
        }
        first += replay.counters.len();
    }
    driver
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DriverCounted, DriverCounts, List, Submission};

    /// Two replays, of a counter each; the second one recorded another operation at the second place.
    #[test]
    fn counters_of_several_replays_stand_beside_each_other() {
        let replay = |name: &str, all: &[(u64, u64)]| DriverCounted {
            counters: vec![DriverCounter { name: name.into(), category: "All".into(), ..DriverCounter::default() }],
            submissions: vec![DriverCounts {
                call: 9,
                frame: 1,
                queue: 1,
                lists: vec![(5, all.iter().map(|(call, count)| (*call, vec![Amount::Whole(*count)])).collect())],
            }],
            uncounted: BTreeMap::new(),
        };
        let driver = vec![replay("A", &[(3, 10), (4, 20)]), replay("B", &[(3, 1), (7, 2)])];
        let costs = Costs::new(Times { driver, ..Times::default() });
        let names: Vec<_> = costs.counters().map(DriverCounter::full_name).collect();
        assert_eq!(names, ["All/A", "All/B"]);
        let told: Vec<_> = costs.operations.iter().map(|cost| (cost.call, costs.driver_counts(cost))).collect();
        let (ten, twenty, one) = (Some(Amount::Whole(10)), Some(Amount::Whole(20)), Some(Amount::Whole(1)));
        assert_eq!(told, [(3, &[ten, one][..]), (4, &[twenty, None])]);
        // A replay counts the operation of the other at none of its places.
        assert!(costs.operations.iter().all(|cost| cost.duration.is_none() && cost.call != 7));
    }

    #[test]
    fn sums_are_made_within_a_replay() {
        let run = |one: f64, two: f64| Run {
            submissions: vec![Submission {
                call: 9,
                frame: 2,
                queue: 1,
                lists: vec![List {
                    list: 5,
                    at: None,
                    duration: one + two,
                    operations: vec![(3, one), (4, two)],
                    passes: vec![],
                }],
            }],
            untimed: BTreeMap::new(),
            cpu: None,
        };
        // The medians of the operations are 2 and 2, that of the sums is 5.
        let times = Times { runs: vec![run(1.0, 4.0), run(2.0, 2.0), run(5.0, 1.0)], ..Times::default() };
        let measured = Costs::new(times);
        assert_eq!(
            (measured.total, measured.frames[&2], measured.submissions[&9], measured.lists[&(9, 5)]),
            (5.0, 5.0, 5.0, 5.0)
        );
        let durations: Vec<_> = measured.of(9).iter().map(|cost| (cost.call, cost.duration)).collect();
        assert_eq!(durations, [(3, Some(2.0)), (4, Some(2.0))]);
        assert_eq!(measured.between((9, 5), (4, 8)), Some(2.0));
        assert_eq!((measured.between((9, 6), (0, 9)), measured.between((9, 5), (5, 8))), (None, None));
        assert!(measured.of(8).is_empty());
    }

    #[test]
    fn operations_end_with_their_submission() {
        let run = |durations: [f64; 3]| Run {
            submissions: vec![Submission {
                call: 9,
                frame: 1,
                queue: 1,
                lists: vec![List {
                    list: 5,
                    at: None,
                    duration: durations.iter().sum(),
                    operations: (3..).zip(durations).collect(),
                    passes: vec![],
                }],
            }],
            untimed: BTreeMap::new(),
            cpu: None,
        };
        // Each median is 4, and that of the sums 9.
        let runs = vec![run([1.0, 4.0, 4.0]), run([4.0, 1.0, 4.0]), run([4.0, 4.0, 1.0])];
        let costs = Costs::new(Times { runs, ..Times::default() });
        let placed = costs.placed([(9, 1, 100)]);
        let of: Vec<_> = costs.operations_of(&placed[0]).collect();
        assert_eq!(of, [(3, 100.0, 104.0), (4, 104.0, 108.0), (5, 108.0, 109.0)]);
    }

    #[test]
    fn submissions_follow_each_other_on_their_queue() {
        let submission = |call, queue, duration| Submission {
            call,
            frame: 1,
            queue,
            lists: vec![List {
                list: 5,
                at: None,
                duration,
                operations: vec![(call - 1, duration / 2.0); 2],
                passes: vec![],
            }],
        };
        let run = Run {
            submissions: vec![submission(10, 1, 100.0), submission(20, 1, 50.0), submission(30, 2, 10.0)],
            untimed: BTreeMap::new(),
            cpu: None,
        };
        let costs = Costs::new(Times { runs: vec![run], ..Times::default() });
        let placed = costs.placed([(10, 1, 1000), (15, 1, 1010), (20, 1, 1020), (30, 2, 1030)]);
        let told: Vec<_> = placed.iter().map(|one| (one.call, one.begin, one.end)).collect();
        assert_eq!(told, [(10, 1000.0, 1100.0), (20, 1100.0, 1150.0), (30, 1030.0, 1040.0)]);
        let of: Vec<_> = costs.operations_of(&placed[1]).collect();
        assert_eq!(of, [(19, 1100.0, 1125.0), (19, 1125.0, 1150.0)]);
    }

    #[test]
    fn queues_lie_beside_each_other_as_in_the_replays() {
        let run = |at: [Option<f64>; 3]| {
            let submission = |(call, queue, at)| Submission {
                call,
                frame: 1,
                queue,
                lists: vec![List { at, duration: 100.0, ..List::default() }],
            };
            let all = [(10, 1, at[0]), (20, 2, at[1]), (30, 2, at[2])];
            Run { submissions: all.into_iter().map(submission).collect(), ..Run::default() }
        };
        let placed = |runs: Vec<Run>| {
            let costs = Costs::new(Times { runs, ..Times::default() });
            let placed = costs.placed([(10, 1, 1000), (20, 2, 1010), (30, 2, 1500)]);
            placed.iter().map(|one| one.begin).collect::<Vec<_>>()
        };
        // The second queue begins 60 after the first one in the middle replay. The third submission is made too late to begin as early as there.
        let known = [5e9, 7e9, 9e9].into_iter().zip([20.0, 60.0, 80.0]);
        let runs = known.map(|(first, after)| run([Some(first), Some(first + after), Some(first + after + 100.0)]));
        assert_eq!(placed(runs.collect()), [1000.0, 1060.0, 1500.0]);
        // Where the clock of one is its own, calls alone say where submissions begin.
        assert_eq!(placed(vec![run([Some(5.0), None, None])]), [1000.0, 1010.0, 1500.0]);
    }
}
