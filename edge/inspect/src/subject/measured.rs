//! What was measured of a trace, and what questions ask of it again and again, each put together once.
//!
//! Invariant: what stands for several operations is a sum within each replay, and its time is the median of such sums.

use super::flame::{Flame, Order};
use reprise_times::{Cost, Costs, Missing, Operation, Pipeline, Samples, Sum, Tally, Times};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// See the module.
#[derive(Debug)]
pub(crate) struct Measured {
    /// The file.
    pub(crate) file: PathBuf,
    costs: Costs,
    /// Calls that were not counted, by reason.
    pub(crate) uncounted: Missing,
    /// What it is compared with.
    pub(crate) against: Option<Box<Measured>>,
    flames: [OnceLock<Flame>; 2],
    pipelines: OnceLock<Vec<OfPipeline>>,
    compared: [OnceLock<Vec<Compared>>; 2],
}

impl Deref for Measured {
    type Target = Costs;

    fn deref(&self) -> &Costs {
        &self.costs
    }
}

/// A pipeline with all that it ran.
#[derive(Debug)]
pub(crate) struct OfPipeline {
    /// `None`: copies, clears and what else runs none.
    pub(crate) pipeline: Option<Pipeline>,
    /// In nanoseconds; `None` where it was only counted.
    pub(crate) duration: Option<f64>,
    pub(crate) operations: u64,
    /// So many of them were not counted.
    pub(crate) uncounted: u64,
    /// What was counted, and the bytes that its calls name.
    pub(crate) tally: Tally,
    /// What the driver counted, in the order of [`Costs::counters`].
    pub(crate) driver: Vec<Sum>,
}

/// What one row of a comparison stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Operation,
    Pipeline,
}

/// A row of a comparison.
#[derive(Debug)]
pub(crate) struct Compared {
    /// The operation, or the first of its pipeline.
    pub(crate) cost: Cost,
    /// Of rows that stand for one.
    pub(crate) pipeline: Option<Pipeline>,
    /// Of a replay.
    pub(crate) operations: u64,
    pub(crate) samples: [Samples; 2],
    /// The second takes surely longer than the first, or shorter.
    pub(crate) sure: Option<Sure>,
}

impl Compared {
    fn new(cost: Cost, pipeline: Option<Pipeline>) -> Compared {
        Compared { cost, pipeline, operations: 0, samples: Default::default(), sure: None }
    }

    /// Adds what a replay took.
    fn add(&mut self, side: usize, duration: f64, operations: u64) {
        self.operations = self.operations.max(operations);
        self.samples[side].add(duration);
    }
}

/// That a difference is no chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sure {
    Longer,
    Shorter,
}

impl Sure {
    /// Of two things, where so many are compared.
    pub(crate) fn of([a, b]: [&Samples; 2], compared: usize) -> Option<Sure> {
        match (b.are_told_longer_than(a, compared), a.are_told_longer_than(b, compared)) {
            (true, _) => Some(Sure::Longer),
            (_, true) => Some(Sure::Shorter),
            _ => None,
        }
    }

    /// As JSON names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Sure::Longer => "longer",
            Sure::Shorter => "shorter",
        }
    }
}

impl Measured {
    fn new(file: PathBuf, costs: Costs, against: Option<Box<Measured>>) -> Measured {
        let (flames, pipelines, compared) = Default::default();
        let uncounted = costs.times.missing_counts();
        Measured { file, costs, uncounted, against, flames, pipelines, compared }
    }

    /// Why an operation of a submission was not counted; `None` where it was, or where nobody asked.
    pub(crate) fn why_uncounted(&self, call: u64, submission: u64) -> Option<&str> {
        let is_of = |calls: &BTreeSet<u64>| calls.contains(&call) || calls.contains(&submission);
        self.uncounted.iter().find(|(_, calls)| is_of(calls)).map(|(reason, _)| reason.as_str())
    }

    /// What lies beside a trace; `None` where nothing was measured.
    ///
    /// # Errors
    /// In words: the file is damaged, or of another trace.
    pub(crate) fn beside(trace: &Path) -> Result<Option<Measured>, String> {
        let costs = Costs::beside(trace)?;
        Ok(costs.map(|costs| Measured::new(reprise_times::beside(trace), costs, None)))
    }

    /// Of the first file, compared with the second where there is one.
    ///
    /// # Errors
    /// In words: a file cannot be read, is damaged, or of another trace.
    pub(crate) fn of(trace: &Path, files: &[PathBuf]) -> Result<Option<Measured>, String> {
        let mut made = None;
        for file in files.iter().rev() {
            made = Some(Measured::new(file.clone(), Costs::open(file, trace)?, made.map(Box::new)));
        }
        Ok(made)
    }

    /// As boxes.
    pub(crate) fn flame(&self, order: Order) -> &Flame {
        self.flames[usize::from(order == Order::Cost)].get_or_init(|| Flame::new(&self.costs, order))
    }

    /// By pipelines, the longest first.
    pub(crate) fn pipelines(&self) -> &[OfPipeline] {
        self.pipelines.get_or_init(|| {
            let mut all = by_pipeline(&self.times);
            if !self.uncounted.is_empty() {
                let of = |cost: &Cost| self.times.operations.get(&cost.call).and_then(Operation::ran);
                let mut uncounted: BTreeMap<Option<Pipeline>, u64> = BTreeMap::new();
                let missing = |cost: &&Cost| self.why_uncounted(cost.call, cost.submission).is_some();
                self.operations.iter().filter(missing).for_each(|cost| *uncounted.entry(of(cost)).or_default() += 1);
                all.iter_mut().for_each(|one| one.uncounted = uncounted.get(&one.pipeline).copied().unwrap_or(0));
            }
            all
        })
    }

    /// Of all that was timed, in each replay.
    pub(crate) fn totals(&self) -> Samples {
        self.times.runs.iter().map(reprise_times::Run::duration).collect()
    }

    /// The rows of the comparison; `None` where there is nothing to compare with.
    pub(crate) fn compared(&self, by: By) -> Option<&[Compared]> {
        let other = self.against.as_ref()?;
        let rows = || compare(by, [&self.times, &other.times]);
        Some(self.compared[usize::from(by == By::Pipeline)].get_or_init(rows))
    }
}

/// What the operations of a trace ran, by their calls.
fn pipelines(times: &Times) -> HashMap<u64, Option<Pipeline>> {
    times.operations.iter().map(|(call, operation)| (*call, operation.ran())).collect()
}

fn by_pipeline(times: &Times) -> Vec<OfPipeline> {
    let pipeline = |call: u64| times.operations.get(&call).and_then(Operation::ran);
    let mut all: BTreeMap<Option<Pipeline>, (Samples, u64, Tally)> = BTreeMap::new();
    for run in &times.runs {
        let mut sums: BTreeMap<Option<Pipeline>, (f64, u64)> = BTreeMap::new();
        let operations = run.submissions.iter().flat_map(|one| &one.lists).flat_map(|list| &list.operations);
        for (call, duration) in operations {
            let sum = sums.entry(pipeline(*call)).or_default();
            *sum = (sum.0 + duration, sum.1 + 1);
        }
        for (pipeline, (sum, operations)) in sums {
            let own = all.entry(pipeline).or_default();
            own.0.add(sum);
            own.1 = own.1.max(operations);
        }
    }
    let counted = times.counted.iter().flat_map(|counted| &counted.submissions).flat_map(|one| &one.lists);
    let mut tallies: BTreeMap<Option<Pipeline>, (Tally, u64)> = BTreeMap::new();
    for (call, counts) in counted.flat_map(|(_, operations)| operations) {
        let sum = tallies.entry(pipeline(*call)).or_default();
        sum.0 += Tally::of(*counts, times.operations.get(call));
        sum.1 += 1;
    }
    for (pipeline, (tally, operations)) in tallies {
        let own = all.entry(pipeline).or_default();
        (own.1, own.2) = (own.1.max(operations), tally);
    }
    let mut first = 0;
    let mut driven: BTreeMap<Option<Pipeline>, Vec<Sum>> = BTreeMap::new();
    let counters: usize = times.driver.iter().map(|replay| replay.counters.len()).sum();
    for replay in &times.driver {
        let mut counts: BTreeMap<Option<Pipeline>, u64> = BTreeMap::new();
        let lists = replay.submissions.iter().flat_map(|one| &one.lists);
        for (call, amounts) in lists.flat_map(|(_, operations)| operations) {
            let pipeline = pipeline(*call);
            *counts.entry(pipeline).or_default() += 1;
            let sums = driven.entry(pipeline).or_insert_with(|| vec![Sum::None; counters]);
            let own = sums.iter_mut().skip(first).zip(&replay.counters).zip(amounts);
            own.for_each(|((sum, counter), amount)| *sum = sum.with(Sum::One(*amount), counter.adds));
        }
        for (pipeline, operations) in counts {
            let own = all.entry(pipeline).or_default();
            own.1 = own.1.max(operations);
        }
        first += replay.counters.len();
    }
    let row = |(pipeline, (samples, operations, tally)): (Option<Pipeline>, (Samples, u64, Tally))| OfPipeline {
        driver: driven.get(&pipeline).cloned().unwrap_or_default(),
        pipeline,
        duration: (!samples.is_empty()).then(|| samples.median()),
        operations,
        uncounted: 0,
        tally,
    };
    let mut rows: Vec<OfPipeline> = all.into_iter().map(row).collect();
    rows.sort_by(|one, other| other.duration.unwrap_or(-1.0).total_cmp(&one.duration.unwrap_or(-1.0)));
    rows
}

/// The rows of two measurements of one trace, in the order of the submissions. Operations are the same where they stand at the same place of the
/// same list of the same submission, and the same call recorded them.
fn compare(by: By, all: [&Times; 2]) -> Vec<Compared> {
    /// What makes a row: a pipeline; or submission, list, place and call.
    type Key = (Option<Option<Pipeline>>, u64, usize, usize, u64);
    let mut rows: BTreeMap<Key, Compared> = BTreeMap::new();
    for (side, times) in all.into_iter().enumerate() {
        let of = pipelines(times);
        for run in &times.runs {
            let mut sums: BTreeMap<Key, (Cost, f64, u64)> = BTreeMap::new();
            for submission in &run.submissions {
                for (place, list) in submission.lists.iter().enumerate() {
                    for (at, (call, duration)) in list.operations.iter().enumerate() {
                        let key = match by {
                            By::Operation => (None, submission.call, place, at, *call),
                            By::Pipeline => (Some(of.get(call).copied().flatten()), 0, 0, 0, 0),
                        };
                        let cost = || Cost {
                            place: (submission.call, place, at),
                            submission: submission.call,
                            frame: submission.frame,
                            queue: submission.queue,
                            list: list.list,
                            call: *call,
                            duration: None,
                            counts: None,
                        };
                        match by {
                            // Each stands for itself: there is nothing to add up.
                            By::Operation => {
                                rows.entry(key).or_insert_with(|| Compared::new(cost(), None)).add(side, *duration, 1)
                            }
                            By::Pipeline => {
                                let sum = sums.entry(key).or_insert_with(|| (cost(), 0.0, 0));
                                (sum.1, sum.2) = (sum.1 + duration, sum.2 + 1);
                            }
                        }
                    }
                }
            }
            for (key, (cost, sum, operations)) in sums {
                rows.entry(key).or_insert_with(|| Compared::new(cost, key.0.flatten())).add(side, sum, operations);
            }
        }
    }
    let count = rows.len();
    let mut rows: Vec<Compared> = rows.into_values().collect();
    for row in &mut rows {
        let [a, b] = &row.samples;
        row.sure = Sure::of([a, b], count);
    }
    rows
}
