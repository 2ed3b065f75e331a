//! Durations by what people ask for: draw calls, passes, markers, pipelines, lists, submissions, frames.

use super::sample::Samples;
use reprise_d3d12::MODEL;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::operation::{Operation, of_number};
use reprise_replay::{TimedList, TimedOperation, TimedSubmission, TimingReport};
use reprise_timeline::state::lists::{Marker, Pipeline};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// What one row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum By {
    /// Each draw, dispatch, copy, clear and other operation of a list
    Draw,
    /// Operations that follow each other in a list with the same targets, or of the same kind where they have none
    Pass,
    /// The program's own markers (PIX events), with all that is in them
    Marker,
    /// What runs: pipeline states, state objects, programs
    Pipeline,
    /// Each list of each submission
    List,
    /// Each call of ExecuteCommandLists
    Submission,
    /// Each frame
    Frame,
}

impl By {
    /// Whether each operation has to be timed.
    pub(crate) fn needs_operations(self) -> bool {
        matches!(self, By::Draw | By::Pass | By::Marker | By::Pipeline)
    }
}

/// A row by what it stands for; in the order of the trace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// Submission, place of the list in it, and of the row in the list.
    Place(u64, usize, u64),
    /// Markers, outermost first.
    Markers(Vec<String>),
    /// Kind and id.
    Pipeline(u8, u32),
    Frame(u64),
}

/// What is the same in all replays.
#[derive(Clone, Debug)]
struct About {
    label: String,
    /// Calls, first and last.
    calls: (u64, u64),
    operations: u64,
    frame: u64,
}

/// One row.
#[derive(Debug)]
pub(crate) struct Row {
    about: About,
    /// How deep it stands below other rows, which have its time, too.
    pub(crate) depth: usize,
    pub(crate) samples: Samples,
    /// Of the other runtime.
    pub(crate) others: Option<Samples>,
}

/// Durations of several replays.
pub(crate) struct Table<'t> {
    by: By,
    /// The text of a marker.
    text: &'t dyn Fn(&Marker) -> String,
    /// With the samples of this runtime, and of the other one.
    rows: BTreeMap<Key, (About, [Samples; 2])>,
    /// Of all that was timed.
    pub(crate) total: [Samples; 2],
}

impl<'t> Table<'t> {
    pub(crate) fn new(by: By, text: &'t dyn Fn(&Marker) -> String) -> Self {
        Self { by, text, rows: BTreeMap::new(), total: Default::default() }
    }

    /// Adds a replay, on the first runtime or the second.
    pub(crate) fn add(&mut self, report: &TimingReport, side: usize) {
        let mut sums: BTreeMap<Key, (About, f64)> = BTreeMap::new();
        for submission in &report.submissions {
            for (key, about, duration) in self.parts(report, submission) {
                let (sum, all) = sums.entry(key).or_insert_with(|| (About { operations: 0, ..about.clone() }, 0.0));
                sum.calls = (sum.calls.0.min(about.calls.0), sum.calls.1.max(about.calls.1));
                sum.operations += about.operations;
                *all += duration;
            }
        }
        for (key, (about, sum)) in sums {
            let (_, samples) = self.rows.entry(key).or_insert_with(|| (about, Default::default()));
            samples[side].add(sum);
        }
        self.total[side].add(total(report));
    }

    /// The parts of a submission that rows are made of.
    fn parts(&self, report: &TimingReport, submission: &TimedSubmission) -> Vec<(Key, About, f64)> {
        let about = |label: String, calls, operations| About { label, calls, operations, frame: submission.frame };
        let whole = |label: String| {
            let count = submission.lists.iter().map(|list| list.operations.len() as u64).sum();
            about(label, (submission.call, submission.call), count)
        };
        match self.by {
            By::Frame => {
                let frame = submission.frame;
                vec![(Key::Frame(frame), whole(format!("frame {frame}")), of_submission(submission))]
            }
            By::Submission => {
                let lists = submission.lists.len();
                let label = format!("submission to queue {}, {lists} timed lists", submission.queue);
                vec![(Key::Place(submission.call, 0, 0), whole(label), of_submission(submission))]
            }
            By::List => {
                let row = |(at, list): (usize, &TimedList)| {
                    let label = format!("list {} on queue {}", list.list, submission.queue);
                    (Key::Place(submission.call, at, 0), whole(label), list.duration)
                };
                submission.lists.iter().enumerate().map(row).collect()
            }
            _ => {
                let lists = submission.lists.iter().enumerate();
                lists.flat_map(|(at, list)| self.operations(report, (submission.call, at), list, &about)).collect()
            }
        }
    }

    fn operations(
        &self,
        report: &TimingReport,
        (submission, at): (u64, usize),
        list: &TimedList,
        about: &dyn Fn(String, (u64, u64), u64) -> About,
    ) -> Vec<(Key, About, f64)> {
        let mut parts = Vec::new();
        let (mut pass, mut open) = (0, None);
        for &(call, duration) in &list.operations {
            let Some(operation) = report.operations.get(&call) else { continue };
            let one = |label: String| about(label, (call, call), 1);
            match self.by {
                By::Pass => {
                    if let Some(kind) = Kind::of(operation).filter(|kind| open.as_ref() != Some(kind)) {
                        (pass, open) = (call, Some(kind));
                    } else if open.is_none() {
                        (pass, open) = (call, Some(Kind::Other));
                    }
                    let label = open.as_ref().map_or_else(String::new, |kind| kind.label(operation));
                    parts.push((Key::Place(submission, at, pass), one(label), duration));
                }
                By::Marker => {
                    let texts = operation.markers.iter().map(self.text);
                    let texts: Vec<String> = texts.collect();
                    if texts.is_empty() {
                        parts.push((Key::Markers(vec![]), one("(in no marker)".into()), duration));
                    }
                    for depth in 1..=texts.len() {
                        let label = texts[depth - 1].clone();
                        parts.push((Key::Markers(texts[..depth].to_vec()), one(label), duration));
                    }
                }
                By::Pipeline => {
                    let (key, label) = match operation.pipeline.filter(|_| runs(operation)) {
                        Some(Pipeline::State(id)) => ((1, id), format!("pipeline state {id}")),
                        Some(Pipeline::StateObject(id)) => ((2, id), format!("state object {id}")),
                        Some(Pipeline::Program(kind)) => ((3, kind), format!("program of type {kind}")),
                        None => ((0, 0), "(copies, clears and what else runs no pipeline)".into()),
                    };
                    parts.push((Key::Pipeline(key.0, key.1), one(label), duration));
                }
                _ => {
                    let label = self.operation(operation);
                    parts.push((Key::Place(submission, at, call), one(label), duration));
                }
            }
        }
        parts
    }

    /// An operation in words.
    fn operation(&self, operation: &TimedOperation) -> String {
        let mut label = name(operation.method).to_owned();
        match operation.pipeline.filter(|_| runs(operation)) {
            Some(Pipeline::State(id)) => label += &format!(", pipeline state {id}"),
            Some(Pipeline::StateObject(id)) => label += &format!(", state object {id}"),
            Some(Pipeline::Program(_)) | None => {}
        }
        let markers = operation.markers.iter().map(self.text);
        let markers: Vec<String> = markers.collect();
        if !markers.is_empty() {
            label += &format!(" ({})", markers.join(" > "));
        }
        label
    }

    /// The rows, the longest first; those below others stand behind these.
    pub(crate) fn rows(&self, compared: bool) -> Vec<Row> {
        let row = |(key, (about, samples)): (&Key, &(About, [Samples; 2]))| {
            let depth = match key {
                Key::Markers(texts) => texts.len().saturating_sub(1),
                _ => 0,
            };
            let [samples, others] = samples.clone();
            (key.clone(), Row { about: about.clone(), depth, samples, others: compared.then_some(others) })
        };
        let mut rows: Vec<(Key, Row)> = self.rows.iter().map(row).collect();
        let of: BTreeMap<&Key, f64> = self.rows.iter().map(|(key, (_, samples))| (key, samples[0].median())).collect();
        let path = |key: &Key| match key {
            // Each marker's time, from the outermost one.
            Key::Markers(texts) => (1..=texts.len().max(1))
                .map(|depth| {
                    let outer = Key::Markers(texts[..depth.min(texts.len())].to_vec());
                    (of.get(&outer).copied().unwrap_or(0.0), outer)
                })
                .collect::<Vec<_>>(),
            other => vec![(of.get(other).copied().unwrap_or(0.0), other.clone())],
        };
        rows.sort_by(|(one, _), (other, _)| {
            let (one, other) = (path(one), path(other));
            let pairs = one.iter().zip(&other).map(|(a, b)| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            pairs.fold(std::cmp::Ordering::Equal, |so_far, next| so_far.then(next)).then(one.len().cmp(&other.len()))
        });
        rows.into_iter().map(|(_, row)| row).collect()
    }
}

impl Row {
    pub(crate) fn label(&self) -> String {
        let About { label, calls: (first, last), operations, .. } = &self.about;
        match (first == last, operations) {
            (true, _) => format!("{first} {label}"),
            (false, count) => format!("{first}-{last} {label}, {count} operations"),
        }
    }

    /// How many times as long it takes here as on the other runtime.
    pub(crate) fn ratio(&self) -> Option<f64> {
        self.others.as_ref().map(|others| self.samples.median() / others.median())
    }

    /// Whether it takes longer here than on the other runtime in every replay, and by enough to speak of.
    pub(crate) fn is_slower(&self) -> bool {
        self.others.as_ref().is_some_and(|others| longer(&self.samples, others))
    }

    /// Whether it takes longer there, likewise.
    pub(crate) fn is_faster(&self) -> bool {
        self.others.as_ref().is_some_and(|others| longer(others, &self.samples))
    }

    pub(crate) fn json(&self, total: f64) -> Json {
        let mut json = json!({
            "calls": [self.about.calls.0, self.about.calls.1],
            "what": self.about.label,
            "frame": self.about.frame,
            "depth": self.depth,
            "operations": self.about.operations,
            "ms": self.samples.json(),
            "share": self.samples.median() / total,
        });
        if let Some(others) = &self.others {
            json["against_ms"] = others.json();
            json["ratio"] = self.ratio().into();
            json["slower"] = self.is_slower().into();
            json["faster"] = self.is_faster().into();
        }
        json
    }
}

/// Clocks of GPUs are so exact that equal things differ by a thousandth in every replay: from this share on a difference is told.
const TOLD: f64 = 0.01;

fn longer(one: &Samples, other: &Samples) -> bool {
    one.are_all_longer_than(other) && one.median() >= other.median() * (1.0 + TOLD)
}

/// What stays the same within a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// The call that set the targets.
    Targets(u64),
    Compute,
    Copies,
    Builds,
    Other,
}

impl Kind {
    /// `None` for what belongs to whatever pass it stands in.
    fn of(operation: &TimedOperation) -> Option<Self> {
        Some(match of_number(operation.method.0)? {
            Operation::Draw | Operation::Clear | Operation::Bundle | Operation::PassEnd => {
                Self::Targets(operation.targets)
            }
            Operation::Dispatch | Operation::Rays | Operation::Graph | Operation::Meta => Self::Compute,
            Operation::Copy | Operation::Resolve => Self::Copies,
            Operation::Build => Self::Builds,
            Operation::Indirect | Operation::Barrier | Operation::Discard | Operation::Query | Operation::Write => {
                return None;
            }
        })
    }

    fn label(&self, operation: &TimedOperation) -> String {
        match self {
            Self::Targets(_) if !operation.resources.is_empty() => {
                let ids: Vec<String> = operation.resources.iter().map(u32::to_string).collect();
                format!("pass to resource {}", ids.join(", "))
            }
            Self::Targets(_) => "pass".into(),
            Self::Compute => "compute".into(),
            Self::Copies => "copies".into(),
            Self::Builds => "builds of acceleration structures".into(),
            Self::Other => "other operations".into(),
        }
    }
}

/// Whether an operation runs shaders of the program's.
fn runs(operation: &TimedOperation) -> bool {
    use Operation::{Bundle, Dispatch, Draw, Graph, Indirect, Rays};
    of_number(operation.method.0).is_some_and(|kind| matches!(kind, Draw | Dispatch | Rays | Graph | Indirect | Bundle))
}

fn name(method: MethodId) -> &'static str {
    MODEL.methods.get(usize::from(method.0)).map_or("an unknown method", |row| row.name)
}

/// All that was timed.
pub(crate) fn total(report: &TimingReport) -> f64 {
    report.submissions.iter().map(of_submission).fold(0.0, |sum, one| sum + one)
}

fn of_submission(submission: &TimedSubmission) -> f64 {
    submission.lists.iter().map(|list| list.duration).fold(0.0, |sum, one| sum + one)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use reprise_d3d12::method;

    const LIST: &str = "ID3D12GraphicsCommandList";

    fn operation(name: &str, pipeline: u32, targets: u64, markers: &[&str]) -> TimedOperation {
        let marker = |text: &&str| Marker { text: (*text).into(), colour: None, call: 0, stored: None };
        TimedOperation {
            method: method(LIST, name),
            pipeline: Some(Pipeline::State(pipeline)),
            markers: markers.iter().map(marker).collect(),
            targets,
            resources: vec![],
        }
    }

    /// Two submissions of one list each; the draws of pipeline state 7 take so many times as long.
    fn report(scale: f64) -> TimingReport {
        let operations = [
            (10, operation("DrawInstanced", 7, 9, &["frame", "sky"])),
            (11, operation("DrawInstanced", 8, 9, &["frame"])),
            (12, operation("ResourceBarrier", 8, 9, &[])),
            (13, operation("Dispatch", 7, 9, &["frame", "sky"])),
            (14, operation("CopyResource", 7, 9, &[])),
        ];
        let list = |begin: f64, operations: &[(u64, f64)]| TimedList {
            list: 3,
            begin,
            duration: operations.iter().map(|one| one.1).sum(),
            operations: operations.to_vec(),
        };
        let submission = |call, frame, operations: &[(u64, f64)]| TimedSubmission {
            call,
            frame,
            queue: 1,
            lists: vec![list(0.0, operations)],
        };
        TimingReport {
            submissions: vec![
                submission(20, 1, &[(10, 8e6 * scale), (11, 4e6), (12, 1e6), (13, 2e6 * scale)]),
                submission(30, 2, &[(14, 1e6)]),
            ],
            operations: operations.into_iter().collect(),
            untimed: BTreeMap::new(),
        }
    }

    fn rows(by: By) -> Vec<(usize, String, f64)> {
        let text = |marker: &Marker| marker.text.clone();
        let mut table = Table::new(by, &text);
        table.add(&report(1.0), 0);
        let rows = table.rows(false);
        rows.iter().map(|row| (row.depth, row.label(), row.samples.median() / 1e6)).collect()
    }

    #[test]
    fn what_belongs_together_is_added_up() {
        let row = |depth, label: &str, ms| (depth, label.to_owned(), ms);
        assert_eq!(
            rows(By::Pipeline),
            [
                row(0, "10-13 pipeline state 7, 2 operations", 10.0),
                row(0, "11 pipeline state 8", 4.0),
                row(0, "12-14 (copies, clears and what else runs no pipeline), 2 operations", 2.0),
            ]
        );
        // A marker has the time of those in it, and they stand below it.
        assert_eq!(
            rows(By::Marker),
            [
                row(0, "10-13 frame, 3 operations", 14.0),
                row(1, "10-13 sky, 2 operations", 10.0),
                row(0, "12-14 (in no marker), 2 operations", 2.0),
            ]
        );
        // The barrier belongs to the pass that it ends.
        assert_eq!(
            rows(By::Pass),
            [row(0, "10-12 pass, 3 operations", 13.0), row(0, "13 compute", 2.0), row(0, "14 copies", 1.0)]
        );
        assert_eq!(rows(By::Frame).iter().map(|row| row.2).collect::<Vec<_>>(), [15.0, 1.0]);
        assert_eq!(rows(By::Draw).iter().map(|row| row.2).sum::<f64>(), total(&report(1.0)) / 1e6);
    }

    #[test]
    fn what_is_slower_in_every_replay_is_named_and_the_rest_is_not() {
        let text = |marker: &Marker| marker.text.clone();
        let mut table = Table::new(By::Pipeline, &text);
        for noise in [1.0, 1.02, 0.98, 1.01, 1.03] {
            table.add(&report(1.2 * noise), 0);
            table.add(&report(noise), 1);
        }
        let rows = table.rows(true);
        let told: Vec<(String, bool, bool)> =
            rows.iter().map(|row| (row.label(), row.is_slower(), row.is_faster())).collect();
        assert_eq!(told[0], ("10-13 pipeline state 7, 2 operations".into(), true, false));
        assert!(told[1..].iter().all(|row| !row.1 && !row.2), "{told:?}");
        assert!((rows[0].ratio().unwrap() - 1.2).abs() < 1e-9);
    }
}
