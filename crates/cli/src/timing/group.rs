//! Durations by what people ask for: draw calls, passes, markers, pipelines, lists, submissions, frames.

use super::left_out::{LeftOut, unlike_work};
use super::program::Program;
use super::row::{About, Row};
use super::shaders::Shaders;
use crate::terminal::output::plural;
use reprise_d3d12::operation::of_name;
use reprise_times::{
    Amount, Counted, Counts, Cpu, DriverCounted, DriverCounter, List, Operation, PassKind, Passes, Pipeline, Run,
    Samples, Sum, Tally, TimedPass, Times,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::AddAssign;

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
    /// The shaders of what runs: a pipeline counts for each of its shaders, so that shares may be more than the whole
    Shader,
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
        matches!(self, By::Draw | By::Pass | By::Marker | By::Pipeline | By::Shader)
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
    /// Hash and stage; empty: of what has none.
    Shader(String),
    Frame(u64),
}

/// What belongs to a row.
#[derive(Debug)]
struct Cells {
    about: About,
    /// Of this runtime, and of the other one.
    samples: [Samples; 2],
    tally: Tally,
    /// What counters of the driver counted.
    driver: Vec<Sum>,
    /// How long the CPU of replays was in the runtime.
    cpu: Samples,
    /// How long the captured program took.
    program: Option<f64>,
    /// What is left out, of each runtime.
    left_out: [LeftOut; 2],
}

/// Durations of several replays, and what was counted.
pub(crate) struct Table {
    by: By,
    rows: BTreeMap<Key, Cells>,
    /// Of all that was timed.
    pub(crate) total: [Samples; 2],
    /// Of all that was counted.
    pub(crate) tally: Option<Tally>,
    /// Counters of the driver, and what they counted of all.
    pub(crate) driver: Vec<(DriverCounter, Sum)>,
    /// What pipelines were made of, where rows stand for shaders.
    shaders: Shaders,
    /// How long the CPU of replays was in the runtime, and of the program, where that was measured.
    has_cpu: bool,
    /// Both runtimes ran the same.
    pub(crate) is_comparable: bool,
}

/// What is known of operations, by the numbers of their calls.
pub(crate) type Operations = BTreeMap<u64, Operation>;

/// A list of a submission, with what was measured of it and of each of its operations.
struct Part<'a, T> {
    list: u32,
    whole: T,
    operations: &'a [(u64, T)],
    /// Where each pass was measured as one; without what was measured.
    passes: &'a [(TimedPass, T)],
}

/// Where a submission stands.
#[derive(Clone, Copy)]
struct Submitted {
    call: u64,
    frame: u64,
    queue: u32,
}

impl Table {
    pub(crate) fn new(by: By) -> Self {
        let (rows, shaders) = (BTreeMap::new(), Shaders::default());
        Self {
            by,
            rows,
            total: Default::default(),
            tally: None,
            driver: Vec::new(),
            shaders,
            has_cpu: false,
            is_comparable: true,
        }
    }

    /// All replays on this runtime, and on another one where they are compared; with what was counted here.
    pub(crate) fn of<'t>(by: By, shaders: Option<Shaders>, times: &'t Times, others: Option<&'t Times>) -> Self {
        let is_comparable = others.is_none_or(|others| unlike_work(times, others).is_none());
        let mut table = Self { shaders: shaders.unwrap_or_default(), is_comparable, ..Self::new(by) };
        for (side, times) in [Some(times), others].into_iter().enumerate() {
            for (times, run) in times.into_iter().flat_map(|times| times.runs.iter().map(move |run| (times, run))) {
                table.add(&times.operations, run, side);
            }
        }
        let none = BTreeSet::new();
        let left_out = |times: Option<&'t Times>| times.map_or(&none, |times| &times.about.left_out_calls);
        for (side, (times, other)) in [(Some(times), others), (others, Some(times))].into_iter().enumerate() {
            if let Some((times, run)) = times.and_then(|times| Some((times, times.runs.last()?))) {
                let other = match other {
                    // Calls of another trace have other numbers.
                    Some(other) if other.about.trace_bytes != times.about.trace_bytes => &none,
                    Some(_) => left_out(other),
                    None => &times.about.left_out_calls,
                };
                table.leave_out(&times.operations, run, (side, left_out(Some(times)), other));
            }
        }
        if let Some(counted) = &times.counted {
            table.count(&times.operations, counted);
        }
        times.driver.iter().for_each(|counted| table.count_driver(&times.operations, counted));
        table
    }

    /// Whether the whole, or a row that matters, surely takes so much longer than on the other runtime, as a share. For suites, which Windows has not.
    #[cfg(not(windows))]
    pub(crate) fn is_slower(&self, rows: &[Row], least: f64) -> bool {
        self.is_wholly_slower(least) || self.slower(rows, least).next().is_some()
    }

    /// Whether the whole takes so much longer.
    pub(crate) fn is_wholly_slower(&self, least: f64) -> bool {
        let [here, there] = &self.total;
        self.is_comparable && here.are_longer_by(least, there, 1)
    }

    /// Rows that surely take so much longer, and matter.
    pub(crate) fn slower<'r>(&'r self, rows: &'r [Row], least: f64) -> impl Iterator<Item = &'r Row> {
        rows.iter().filter(move |row| self.matters(row) && row.is_slower_by(least))
    }

    /// Whether a row is at least a hundredth of the whole.
    fn matters(&self, row: &Row) -> bool {
        row.samples.median() >= self.total[0].median() / 100.0
    }

    /// Adds a replay, on the first runtime or the second.
    pub(crate) fn add(&mut self, operations: &Operations, run: &Run, side: usize) {
        let mut sums = Sums::default();
        for submission in &run.submissions {
            let lists = submission.lists.iter();
            let lists = lists.map(|list| (list, list.passes.iter().map(|pass| (*pass, pass.duration)).collect()));
            let lists: Vec<(&List, Vec<(TimedPass, f64)>)> = lists.collect();
            let lists: Vec<Part<'_, f64>> = lists
                .iter()
                .map(|(list, passes)| Part {
                    list: list.list,
                    whole: list.duration,
                    operations: &list.operations,
                    passes,
                })
                .collect();
            let place = Submitted { call: submission.call, frame: submission.frame, queue: submission.queue };
            sums.add(self.parts(operations, place, &lists));
        }
        for (key, (about, sum)) in sums.0 {
            self.cells(key, about).samples[side].add(sum);
        }
        self.total[side].add(run.duration());
        if let (0, Some(cpu)) = (side, &run.cpu) {
            self.has_cpu = true;
            for (key, (about, sum)) in self.cpu_sums(operations, run, cpu).0 {
                self.cells(key, about).cpu.add(sum);
            }
        }
    }

    /// Notes what a runtime left out. Of lists and passes that were timed as a whole nobody knows which of their operations that are: all that the
    /// trace leaves out counts for a list, and what lies between a pass's first call and its last one for that.
    fn leave_out(
        &mut self,
        operations: &Operations,
        run: &Run,
        (side, calls, others): (usize, &BTreeSet<u64>, &BTreeSet<u64>),
    ) {
        if calls.is_empty() {
            return;
        }
        let of = |calls: &mut dyn Iterator<Item = u64>| {
            calls.fold(LeftOut::default(), |so_far, call| LeftOut {
                count: so_far.count + 1,
                bundles: so_far.bundles + u64::from(operations.get(&call).is_some_and(Operation::is_bundle)),
                only: so_far.only + u64::from(!others.contains(&call)),
            })
        };
        let all = of(&mut calls.iter().copied());
        for submission in &run.submissions {
            let mut lists = Vec::new();
            for list in &submission.lists {
                let one = |(call, _): &(u64, f64)| (*call, of(&mut calls.get(call).copied().into_iter()));
                let own: Vec<(u64, LeftOut)> = list.operations.iter().map(one).collect();
                let within = |pass: &TimedPass| of(&mut calls.range(pass.first..=pass.last).copied());
                let passes: Vec<(TimedPass, LeftOut)> = list.passes.iter().map(|pass| (*pass, within(pass))).collect();
                let whole = match (own.is_empty(), passes.is_empty()) {
                    (true, true) => all,
                    (true, false) => sum(&passes),
                    (false, _) => sum(&own),
                };
                lists.push((list.list, whole, own, passes));
            }
            let parts: Vec<Part<'_, LeftOut>> = lists
                .iter()
                .map(|(list, whole, own, passes)| Part { list: *list, whole: *whole, operations: own, passes })
                .collect();
            let place = Submitted { call: submission.call, frame: submission.frame, queue: submission.queue };
            let mut sums = Sums::default();
            sums.add(self.parts(operations, place, &parts));
            for (key, (about, left_out)) in sums.0 {
                self.cells(key, about).left_out[side] += left_out;
            }
        }
    }

    /// How long the CPU was in the runtime, by rows. What a list recorded counts once, however often it is submitted.
    fn cpu_sums(&self, operations: &Operations, run: &Run, cpu: &Cpu) -> Sums<f64> {
        let of_list: HashMap<(u64, u32), f64> =
            cpu.lists.iter().map(|(call, list, spent)| ((*call, *list), *spent)).collect();
        let mut sums = Sums::default();
        let mut seen = HashSet::new();
        let mut frames = HashSet::new();
        for submission in &run.submissions {
            let of_call = |call: &u64| cpu.calls.get(call).copied().unwrap_or(0.0);
            let mut lists = Vec::new();
            for list in &submission.lists {
                let of_operation =
                    |(call, _): &(u64, f64)| (*call, if seen.insert(*call) { of_call(call) } else { 0.0 });
                let own: Vec<(u64, f64)> = list.operations.iter().map(of_operation).collect();
                let whole = of_list.get(&(submission.call, list.list)).copied().unwrap_or(0.0);
                lists.push((list.list, whole, own));
            }
            let place = Submitted { call: submission.call, frame: submission.frame, queue: submission.queue };
            let parts: Vec<Part<'_, f64>> = lists
                .iter()
                .map(|(list, whole, own)| Part { list: *list, whole: *whole, operations: own, passes: &[] })
                .collect();
            let mut parts = self.parts(operations, place, &parts);
            match (self.by, parts.first_mut()) {
                (By::Submission, Some(part)) => part.2 += of_call(&submission.call),
                (By::Frame, Some(part)) => {
                    let all = cpu.frames.get(&submission.frame).copied().unwrap_or(0.0);
                    part.2 = if frames.insert(submission.frame) { all } else { 0.0 };
                }
                _ => {}
            }
            sums.add(parts);
        }
        sums
    }

    /// Adds how long the captured program took, where the trace says it: its lists and frames.
    pub(crate) fn add_program(&mut self, program: &Program, run: &Run) {
        for submission in &run.submissions {
            match self.by {
                By::Frame => {
                    let own = program.frames.get(&submission.frame).copied();
                    if let Some(cells) = self.rows.get_mut(&Key::Frame(submission.frame)) {
                        cells.program = own;
                    }
                }
                By::List => {
                    for (at, list) in submission.lists.iter().enumerate() {
                        let own = program.lists.get(&(submission.call, list.list)).copied();
                        if let Some(cells) = self.rows.get_mut(&Key::Place(submission.call, at, 0)) {
                            cells.program = own;
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether the CPU was measured, too.
    pub(crate) fn has_cpu(&self) -> bool {
        self.has_cpu
    }

    /// Adds what was counted.
    pub(crate) fn count(&mut self, operations: &Operations, counted: &Counted) {
        let mut sums = Sums::default();
        let mut total = Tally::default();
        for submission in &counted.submissions {
            let tally = |(call, counts): &(u64, Counts)| (*call, Tally::of(*counts, operations.get(call)));
            let lists = submission.lists.iter().map(|(list, all)| (*list, all.iter().map(tally).collect()));
            let lists: Vec<(u32, Vec<(u64, Tally)>)> = lists.collect();
            let parts: Vec<Part<'_, Tally>> = lists
                .iter()
                .map(|(list, operations)| Part { list: *list, whole: sum(operations), operations, passes: &[] })
                .collect();
            parts.iter().for_each(|part| total += part.whole);
            let place = Submitted { call: submission.call, frame: submission.frame, queue: submission.queue };
            sums.add(self.parts(operations, place, &parts));
        }
        for (key, (about, sum)) in sums.0 {
            self.cells(key, about).tally = sum;
        }
        self.tally = Some(total);
    }

    /// Adds what the driver counted in a replay.
    fn count_driver(&mut self, operations: &Operations, counted: &DriverCounted) {
        for (at, counter) in counted.counters.iter().enumerate() {
            let place = self.driver.len();
            let mut sums = Sums::default();
            let mut total = Driven::default();
            for submission in &counted.submissions {
                let driven = |(call, amounts): &(u64, Vec<Amount>)| {
                    let sum = amounts.get(at).map_or(Sum::None, |amount| Sum::One(*amount));
                    (*call, Driven { sum, adds: counter.adds })
                };
                let lists = submission.lists.iter().map(|(list, all)| (*list, all.iter().map(driven).collect()));
                let lists: Vec<(u32, Vec<(u64, Driven)>)> = lists.collect();
                let parts: Vec<Part<'_, Driven>> = lists
                    .iter()
                    .map(|(list, operations)| Part { list: *list, whole: sum(operations), operations, passes: &[] })
                    .collect();
                parts.iter().for_each(|part| total += part.whole);
                let place = Submitted { call: submission.call, frame: submission.frame, queue: submission.queue };
                sums.add(self.parts(operations, place, &parts));
            }
            for (key, (about, driven)) in sums.0 {
                let cells = self.cells(key, about);
                cells.driver.resize(place, Sum::None);
                cells.driver.push(driven.sum);
            }
            self.driver.push((counter.clone(), total.sum));
        }
    }

    fn cells(&mut self, key: Key, about: About) -> &mut Cells {
        let (samples, tally, cpu) = (Default::default(), Tally::default(), Samples::default());
        self.rows.entry(key).or_insert_with(|| Cells {
            about,
            samples,
            tally,
            driver: Vec::new(),
            cpu,
            program: None,
            left_out: Default::default(),
        })
    }

    /// The parts of a submission that rows are made of.
    fn parts<T: Copy + Default + AddAssign>(
        &self,
        operations: &Operations,
        submission: Submitted,
        lists: &[Part<'_, T>],
    ) -> Vec<(Key, About, T)> {
        let Submitted { call, frame, queue } = submission;
        let about = |label: String, calls, operations| About { label, calls, operations, frame, pipeline: None };
        let whole = |label: String, lists: &[Part<'_, T>]| {
            about(label, (call, call), lists.iter().map(|list| list.operations.len() as u64).sum())
        };
        let all = |lists: &[Part<'_, T>]| {
            lists.iter().fold(T::default(), |mut sum, list| {
                sum += list.whole;
                sum
            })
        };
        match self.by {
            By::Frame => vec![(Key::Frame(frame), whole(format!("frame {frame}"), lists), all(lists))],
            By::Submission => {
                let label = format!("submission to queue {queue}, {}", plural(lists.len() as u64, "timed list"));
                vec![(Key::Place(call, 0, 0), whole(label, lists), all(lists))]
            }
            By::List => {
                let row = |(at, list): (usize, &Part<'_, T>)| {
                    let label = format!("list {} on queue {queue}", list.list);
                    (Key::Place(call, at, 0), whole(label, core::slice::from_ref(list)), list.whole)
                };
                lists.iter().enumerate().map(row).collect()
            }
            By::Pass if lists.iter().any(|list| !list.passes.is_empty()) => {
                let row = |(at, list): (usize, &Part<'_, T>)| {
                    let passes = list.passes.iter().map(move |(pass, measured)| {
                        let label = operations.get(&pass.first).map_or_else(String::new, |first| {
                            let kind = of_name(&first.method).and_then(|kind| PassKind::of(kind, first.targets));
                            of_pass(kind.unwrap_or(PassKind::Other), first)
                        });
                        let about = about(label, (pass.first, pass.last), pass.operations);
                        (Key::Place(call, at, pass.first), about, *measured)
                    });
                    passes.collect::<Vec<_>>()
                };
                lists.iter().enumerate().flat_map(row).collect()
            }
            _ => {
                let lists = lists.iter().enumerate();
                lists.flat_map(|(at, list)| self.operations(operations, (call, at), list, &about)).collect()
            }
        }
    }

    fn operations<T: Copy>(
        &self,
        operations: &Operations,
        (submission, at): (u64, usize),
        list: &Part<'_, T>,
        about: &dyn Fn(String, (u64, u64), u64) -> About,
    ) -> Vec<(Key, About, T)> {
        let mut parts = Vec::new();
        let (mut pass, mut open, mut passes) = (0, PassKind::Other, Passes::default());
        for &(call, measured) in list.operations {
            let Some(operation) = operations.get(&call) else { continue };
            let one = |label: String| about(label, (call, call), 1);
            match self.by {
                By::Pass => {
                    if let Some(kind) = passes.begins(of_name(&operation.method), operation.targets) {
                        (pass, open) = (call, kind);
                    }
                    let label = of_pass(open, operation);
                    parts.push((Key::Place(submission, at, pass), one(label), measured));
                }
                By::Marker => {
                    let texts = &operation.markers;
                    if texts.is_empty() {
                        parts.push((Key::Markers(vec![]), one("(in no marker)".into()), measured));
                    }
                    for depth in 1..=texts.len() {
                        let label = texts[depth - 1].clone();
                        parts.push((Key::Markers(texts[..depth].to_vec()), one(label), measured));
                    }
                }
                By::Shader => {
                    let own = operation.ran();
                    let shaders = own.map(|pipeline| self.shaders.of_pipeline(pipeline)).unwrap_or_default();
                    if shaders.is_empty() {
                        let label = match own {
                            Some(_) => "(what runs has no shaders that are known)",
                            None => "(copies, clears and what else runs no shader)",
                        };
                        parts.push((Key::Shader(label.into()), one(label.into()), measured));
                    }
                    for (stage, hash) in shaders {
                        parts.push((
                            Key::Shader(format!("{hash} {stage}")),
                            one(format!("{stage} shader {hash}")),
                            measured,
                        ));
                    }
                }
                By::Pipeline => {
                    let (key, label) = match operation.ran() {
                        Some(Pipeline::State(id)) => ((1, id), format!("pipeline state {id}")),
                        Some(Pipeline::StateObject(id)) => ((2, id), format!("state object {id}")),
                        Some(Pipeline::Program(kind)) => ((3, kind), format!("program of type {kind}")),
                        None => ((0, 0), "(copies, clears and what else runs no pipeline)".into()),
                    };
                    let about = About { pipeline: operation.ran(), ..one(label) };
                    parts.push((Key::Pipeline(key.0, key.1), about, measured));
                }
                _ => {
                    let label = in_words(operation);
                    parts.push((Key::Place(submission, at, call), one(label), measured));
                }
            }
        }
        parts
    }

    /// The rows, the longest first; those below others stand behind these.
    pub(crate) fn rows(&self, compared: bool) -> Vec<Row> {
        let row = |(key, cells): (&Key, &Cells)| {
            let depth = match key {
                Key::Markers(texts) => texts.len().saturating_sub(1),
                _ => 0,
            };
            let [samples, others] = cells.samples.clone();
            let (others, tally) = (compared.then_some(others), self.tally.map(|_| cells.tally));
            let (about, driver) = (cells.about.clone(), cells.driver.clone());
            let (cpu, program) = (self.has_cpu.then(|| cells.cpu.clone()), cells.program);
            let (compared, left_out) = (self.rows.len(), cells.left_out);
            let row = Row { about, depth, samples, others, tally, driver, cpu, program, compared, left_out };
            (key.clone(), row)
        };
        let mut rows: Vec<(Key, Row)> = self.rows.iter().map(row).collect();
        // Of what was only counted, the order of the trace is kept.
        let cost = |cells: &Cells| Some(cells.samples[0].median()).filter(|cost| !cost.is_nan()).unwrap_or(0.0);
        let of: BTreeMap<&Key, f64> = self.rows.iter().map(|(key, cells)| (key, cost(cells))).collect();
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

/// Sums by what rows stand for.
struct Sums<T>(BTreeMap<Key, (About, T)>);

impl<T> Default for Sums<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Default + AddAssign> Sums<T> {
    fn add(&mut self, parts: Vec<(Key, About, T)>) {
        for (key, about, measured) in parts {
            let (own, sum) =
                self.0.entry(key).or_insert_with(|| (About { operations: 0, ..about.clone() }, T::default()));
            own.calls = (own.calls.0.min(about.calls.0), own.calls.1.max(about.calls.1));
            own.operations += about.operations;
            *sum += measured;
        }
    }
}

/// What a counter of the driver counted.
#[derive(Clone, Copy, Debug, Default)]
struct Driven {
    sum: Sum,
    adds: bool,
}

impl AddAssign for Driven {
    fn add_assign(&mut self, other: Driven) {
        self.adds = self.adds || other.adds;
        self.sum = self.sum.with(other.sum, self.adds);
    }
}

fn sum<K, T: Copy + Default + AddAssign>(operations: &[(K, T)]) -> T {
    operations.iter().fold(T::default(), |mut sum, (_, one)| {
        sum += *one;
        sum
    })
}

/// A pass in words, by its first operation.
fn of_pass(kind: PassKind, operation: &Operation) -> String {
    match kind {
        PassKind::Targets(_) if !operation.resources.is_empty() => {
            let ids: Vec<String> = operation.resources.iter().map(u32::to_string).collect();
            format!("pass to resource {}", ids.join(", "))
        }
        PassKind::Targets(_) => "pass".into(),
        PassKind::Compute => "compute".into(),
        PassKind::Copies => "copies".into(),
        PassKind::Builds => "builds of acceleration structures".into(),
        PassKind::Other => "other operations".into(),
    }
}

/// An operation in words.
fn in_words(operation: &Operation) -> String {
    let mut label = operation.method.clone();
    match operation.ran() {
        Some(Pipeline::State(id)) => label += &format!(", pipeline state {id}"),
        Some(Pipeline::StateObject(id)) => label += &format!(", state object {id}"),
        Some(Pipeline::Program(_)) | None => {}
    }
    if !operation.markers.is_empty() {
        label += &format!(" ({})", operation.markers.join(" > "));
    }
    label
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use reprise_times::{CountedSubmission, Submission};
    use serde_json::json;

    fn operation(name: &str, pipeline: u32, targets: u64, markers: &[&str]) -> Operation {
        Operation {
            method: name.into(),
            pipeline: Some(Pipeline::State(pipeline)),
            markers: markers.iter().map(|&text| text.to_owned()).collect(),
            targets,
            copied: (name == "CopyResource").then_some(100),
            ..Operation::default()
        }
    }

    fn operations() -> Operations {
        Operations::from([
            (10, operation("DrawInstanced", 7, 9, &["frame", "sky"])),
            (11, operation("DrawInstanced", 8, 9, &["frame"])),
            (12, operation("ResourceBarrier", 8, 9, &[])),
            (13, operation("Dispatch", 7, 9, &["frame", "sky"])),
            (14, operation("CopyResource", 7, 9, &[])),
        ])
    }

    /// Two submissions of one list each; the draws of pipeline state 7 take so many times as long.
    fn run(scale: f64) -> Run {
        let submission = |call, frame, operations: &[(u64, f64)]| Submission {
            call,
            frame,
            queue: 1,
            lists: vec![List {
                list: 3,
                at: None,
                duration: operations.iter().map(|one| one.1).sum(),
                operations: operations.to_vec(),
                passes: vec![],
            }],
        };
        Run {
            submissions: vec![
                submission(20, 1, &[(10, 8e6 * scale), (11, 4e6), (12, 1e6), (13, 2e6 * scale)]),
                submission(30, 2, &[(14, 1e6)]),
            ],
            untimed: BTreeMap::new(),
            cpu: None,
        }
    }

    fn rows(by: By) -> Vec<(usize, String, f64)> {
        let mut table = Table::new(by);
        table.add(&operations(), &run(1.0), 0);
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
        assert_eq!(rows(By::Draw).iter().map(|row| row.2).sum::<f64>(), run(1.0).duration() / 1e6);
    }

    #[test]
    fn what_is_slower_in_every_replay_is_named_and_the_rest_is_not() {
        let mut table = Table::new(By::Pipeline);
        for noise in [1.0, 1.02, 0.98, 1.01, 1.03] {
            table.add(&operations(), &run(1.2 * noise), 0);
            table.add(&operations(), &run(noise), 1);
        }
        let rows = table.rows(true);
        let told: Vec<(String, bool, bool)> =
            rows.iter().map(|row| (row.label(), row.is_slower(), row.is_faster())).collect();
        assert_eq!(told[0], ("10-13 pipeline state 7, 2 operations".into(), true, false));
        assert!(told[1..].iter().all(|row| !row.1 && !row.2), "{told:?}");
        assert!((rows[0].ratio().unwrap() - 1.2).abs() < 1e-9);
    }

    /// Of so few replays all of one side are longer than all of the other too often.
    #[test]
    fn fewer_than_five_replays_name_nothing() {
        let marked = |counts: [usize; 2]| {
            let rows = |scales: [f64; 2]| {
                let mut table = Table::new(By::Pipeline);
                for side in 0..2 {
                    (0..counts[side]).for_each(|_| table.add(&operations(), &run(scales[side]), side));
                }
                let rows = table.rows(true);
                let deciding = table.slower(&rows, 0.5).count();
                (rows.iter().any(Row::is_slower), rows.iter().any(Row::is_faster), deciding)
            };
            [rows([3.0, 1.0]), rows([1.0, 3.0])]
        };
        assert_eq!(marked([5, 5]), [(true, false, 1), (false, true, 0)]);
        assert_eq!(marked([4, 9]), [(false, false, 0); 2]);
        assert_eq!(marked([9, 4]), [(false, false, 0); 2]);
    }

    /// Two sides of the same operations, five replays each, which leave out these calls.
    fn compared(by: By, bytes: [u64; 2], calls: [&[u64]; 2]) -> Table {
        let [here, there] = [0, 1].map(|side| Times {
            about: reprise_times::About {
                trace_bytes: bytes[side],
                left_out_calls: calls[side].iter().copied().collect(),
                ..reprise_times::About::default()
            },
            operations: operations(),
            runs: (0..5).map(|_| run(if side == 0 { 3.0 } else { 1.0 })).collect(),
            ..Times::default()
        });
        Table::of(by, None, &here, Some(&there))
    }

    /// Rows whose work differs have no ratio. Calls of two traces have other numbers, so what is left out of both is compared with nothing.
    #[test]
    fn rows_of_other_work_are_not_compared() {
        let ratios = |table: &Table| -> Vec<(u64, bool)> {
            let mut rows: Vec<_> = table.rows(true).iter().map(|row| (row.calls().0, row.ratio().is_some())).collect();
            rows.sort_unstable();
            rows
        };
        let all = |comparable: [bool; 5]| (10..15).zip(comparable).collect::<Vec<(u64, bool)>>();
        let same = compared(By::Draw, [9, 9], [&[10, 13], &[10, 13]]);
        assert_eq!((same.is_comparable, ratios(&same)), (true, all([true; 5])));
        let less = compared(By::Draw, [9, 9], [&[10], &[10, 13]]);
        assert_eq!((less.is_comparable, ratios(&less)), (false, all([true, true, true, false, true])));
        let others = compared(By::Draw, [9, 8], [&[10, 13], &[10, 13]]);
        assert_eq!((others.is_comparable, ratios(&others)), (false, all([false, true, true, false, true])));
        assert!(!others.is_wholly_slower(0.1) && same.is_wholly_slower(0.1));
        // The draw of the other frame is there: that frame is compared.
        let frames = compared(By::Frame, [9, 9], [&[10], &[]]);
        let told: Vec<_> = frames.rows(true).iter().map(|row| (row.frame(), row.ratio().is_some())).collect();
        assert_eq!((frames.is_comparable, told), (false, vec![(1, false), (2, true)]));
    }

    #[test]
    fn counts_are_added_up_by_the_same_groups() {
        let counts = |vertices| {
            let mut counts = Counts::default();
            counts.0[0] = Some(vertices);
            counts
        };
        let none = Counts::default();
        let submission = |call, frame, lists: &[(u64, Counts)]| CountedSubmission {
            call,
            frame,
            queue: 1,
            lists: vec![(3, lists.to_vec())],
        };
        let counted = Counted {
            submissions: vec![
                submission(20, 1, &[(10, counts(3)), (11, counts(4)), (12, none), (13, none)]),
                submission(30, 2, &[(14, none)]),
            ],
            uncounted: BTreeMap::new(),
        };
        let rows = |by| {
            let mut table = Table::new(by);
            table.add(&operations(), &run(1.0), 0);
            table.count(&operations(), &counted);
            assert_eq!(table.tally.unwrap().json(), json!({ "vertices": 7, "bytes_copied": 100 }));
            table.rows(false).iter().map(|row| row.tally.unwrap().json()).collect::<Vec<_>>()
        };
        let (three, four, copied) =
            (json!({ "vertices": 3 }), json!({ "vertices": 4 }), json!({ "bytes_copied": 100 }));
        assert_eq!(rows(By::Pipeline), [three, four, copied.clone()]);
        assert_eq!(rows(By::Frame), [json!({ "vertices": 7 }), copied]);
    }
}
