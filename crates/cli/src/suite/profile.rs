//! How long the GPU works at a trace of a suite: recorded once, and compared with what later drivers and runtimes take.
//!
//! A profile is a file of times (`reprise time -o`) for a name: that of the adapter, or one that `--profile` gives. Invariant: what is
//! called slower is so by the ranks of all replays ([`Table`]), and by so many percent.

use crate::suite::manifest::{Entry, Profile};
use crate::suite::play::{self, Setting};
use crate::suite::timed::{Slower, Timed, Untimed, Watch};
use crate::timing::apart::Apart;
use crate::timing::group::{By, Table};
use crate::timing::keep;
use crate::timing::kept::Kept;
use crate::timing::left_out::unlike_work;
use crate::timing::measured::WARM_UP;
use crate::timing::row::Row;
use crate::trace::boundary::Boundary;
use crate::trial::candidate::Candidate;
use reprise_replay::{Options, TimeKind, TimeWish};
use reprise_times::{Samples, Times};

/// Pipelines that are named.
const TOLD: usize = 3;
/// Operations that are named.
const OPERATIONS: usize = 10;

impl Setting {
    /// Measures a trace: replays with a stamp at each operation, in a process of their own.
    ///
    /// # Errors
    /// A replay does not come to its end, or there was nothing to time.
    pub(crate) fn measure(&self, entry: &Entry, runs: u32) -> Result<Times, String> {
        let apart = Apart {
            trace: self.suite.join(&entry.file),
            rings: None,
            boundary: Boundary::default(),
            runtime: self.runtime.clone(),
            gpu: self.gpu.clone(),
            fence_timeout: Options::<'_>::FENCE_TIMEOUT.as_secs_f64(),
            patience: Some(self.patience),
            cpu: false,
            fresh: false,
        };
        let candidate = Candidate { variables: self.variables.clone(), ..Candidate::default() };
        let frames = play::frames(entry)?.hull().unwrap_or((1, u64::MAX));
        let wish = TimeWish { frames: (frames.0.max(1), frames.1), what: TimeKind::Operations, serial: false };
        let mut times = Times::default();
        let mut replays = Kept::new(apart, candidate, WARM_UP);
        for _ in 0..runs {
            let measured = replays.measure(wish).map_err(|failure| failure.to_string())?;
            let measured = measured.map_err(|outcome| outcome.to_string())?;
            keep::merge(&mut times, measured);
        }
        times.untimed().map_or(Ok(times), Err)
    }

    /// Measures a trace beside its profile for a device, which is given in words.
    ///
    /// # Errors
    /// There is no such profile, it is of another trace, or a replay does not come to its end.
    pub(crate) fn timed(&self, entry: &Entry, device: &str, watch: &Watch) -> Result<Timed, Untimed> {
        let name = watch.name.clone().unwrap_or_else(|| of_adapter(device));
        let Some(profile) = entry.profiles.iter().find(|profile| profile.name == name) else {
            return Err(Untimed::NoProfile(format!("no profile for {name}: reprise suite time records one")));
        };
        let path = self.suite.join(&profile.file);
        let then = Times::open(&path).map_err(|error| {
            Untimed::Failed(format!("{}: {error}; `reprise suite time` records the profile anew", path.display()))
        })?;
        // Of nothing no median is slower, and of lists alone no pipeline is; of fewer replays chance decides.
        let lacks = match () {
            () if !then.about.by_operation || then.untimed().is_some() => Some("no times of operations"),
            () if then.about.serial => Some("times of operations one after the other (--serial)"),
            () if then.runs.len() < Samples::FEWEST => Some("fewer than five replays"),
            () => None,
        };
        if let Some(lacks) = lacks {
            let told = format!("{} has {lacks}: reprise suite time records what can be compared", path.display());
            return Err(Untimed::Failed(told));
        }
        let now = self.measure(entry, watch.runs).map_err(Untimed::Failed)?;
        if (then.about.trace_bytes, then.about.frames) != (now.about.trace_bytes, now.about.frames) {
            let told = format!("{} has times of another trace, or of other frames", path.display());
            return Err(Untimed::Failed(told));
        }
        if let Some(what) = unlike_work(&now, &then) {
            let told = format!(
                "the times are not comparable with {}: {what}, or did not when the profile was recorded: `reprise suite time` records it anew",
                path.display()
            );
            return Err(Untimed::Unlike(told));
        }
        let least = f64::from(watch.slower.unwrap_or(profile.slower)) / 100.0;
        Ok(compare(profile, &now, &then, least))
    }
}

fn compare(profile: &Profile, now: &Times, then: &Times, least: f64) -> Timed {
    let table = Table::of(By::Pipeline, None, now, Some(then));
    let rows = table.rows(true);
    let totals = table.total.each_ref().map(|total| total.median() / 1e6);
    let slower = longest_first(&table, &rows, least);
    let whole = table.is_wholly_slower(least).then(|| Slower { what: "the whole".into(), times: totals });
    let told = |row: &Row| {
        let now = row.samples.median();
        Slower { what: row.label(), times: [now, now - row.added()].map(|time| time / 1e6) }
    };
    let pipelines = slower.into_iter().take(TOLD).map(told);
    let by_draw = Table::of(By::Draw, None, now, Some(then));
    let draws = by_draw.rows(true);
    let operations = longest_first(&by_draw, &draws, least).into_iter().take(OPERATIONS).map(told).collect();
    let [here, there] = &table.total;
    Timed {
        profile: profile.name.clone(),
        totals,
        is_slower: table.is_slower(&rows, least),
        is_faster: there.are_longer_by(least, here, 1),
        slower: whole.into_iter().chain(pipelines).collect(),
        operations,
    }
}

/// Rows that are slower, those that add most first.
fn longest_first<'r>(table: &'r Table, rows: &'r [Row], least: f64) -> Vec<&'r Row> {
    let mut slower: Vec<&Row> = table.slower(rows, least).collect();
    slower.sort_by(|one, other| other.added().total_cmp(&one.added()));
    slower
}

/// Milliseconds of all that was timed: the median of the replays.
pub(crate) fn total(times: &Times) -> f64 {
    Table::of(By::Frame, None, times, None).total[0].median() / 1e6
}

/// The name of a device's profile, of the words for the device: its adapter's, with what no name has made a dash.
pub(crate) fn of_adapter(device: &str) -> String {
    let adapter = device.split_once(", driver ").map_or(device, |(adapter, _)| adapter);
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._".contains(letter);
    let words = adapter.split(|letter| !plain(letter)).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("-");
    if name.is_empty() { "any".into() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_times::{List, Operation, Pipeline, Run, Submission};

    /// Runs of two pipeline states of 8 and 2 ms, scaled.
    fn times(scales: [f64; 2]) -> Times {
        let draw =
            |id| Operation { method: "Dispatch".into(), pipeline: Some(Pipeline::State(id)), ..Operation::default() };
        let run = |noise: f64| {
            let operations = vec![(10, 8e6 * scales[0] * noise), (11, 2e6 * scales[1] * noise)];
            let duration = operations.iter().map(|one| one.1).sum();
            let list = List { list: 3, duration, operations, ..List::default() };
            let submission = Submission { call: 20, frame: 1, queue: 1, lists: vec![list] };
            Run { submissions: vec![submission], ..Run::default() }
        };
        let runs = (0..10).map(|at| run(1.0 + f64::from(at) * 0.002)).collect();
        Times { operations: [(10, draw(7)), (11, draw(8))].into(), runs, ..Times::default() }
    }

    fn profile() -> Profile {
        let text = String::new;
        Profile { name: "gpu".into(), slower: 10, reason: text(), recorded_on: text(), file: text().into() }
    }

    #[test]
    fn what_is_slower_is_named_and_equal_times_are_not() {
        let then = times([1.0, 1.0]);
        let compare = |scales, least| compare(&profile(), &times(scales), &then, least);
        let same = compare([1.0, 1.0], 0.1);
        assert!(!same.is_slower && !same.is_faster && same.slower.is_empty(), "{same:?}");
        let slower = compare([1.0, 1.2], 0.1);
        assert!(slower.is_slower && !slower.is_faster, "{slower:?}");
        assert_eq!(slower.slower.len(), 1, "the whole takes 4 % longer: {slower:?}");
        assert!(slower.in_words().starts_with("11 pipeline state 8 takes 20.0 % longer"), "{}", slower.in_words());
        let operations: Vec<&str> = slower.operations.iter().map(|one| one.what.as_str()).collect();
        assert_eq!((operations.len(), operations[0].starts_with("11 Dispatch")), (1, true), "{operations:?}");
        assert!(same.operations.is_empty(), "{same:?}");
        assert!(!compare([1.0, 1.2], 0.3).is_slower);
        let whole = compare([1.5, 1.0], 0.1);
        assert_eq!(whole.slower[0].what, "the whole");
        assert!(compare([0.5, 1.0], 0.1).in_words().ends_with("less than its profile"));
    }

    #[test]
    fn profiles_are_named_after_adapters() {
        let of = |device| of_adapter(device);
        assert_eq!(
            of("llvmpipe (LLVM 15.0.6, 256 bits), driver llvmpipe Mesa 25.0.7"),
            "llvmpipe-LLVM-15.0.6-256-bits"
        );
        assert_eq!(of("NVIDIA H200, driver NVIDIA 580.159.04"), "NVIDIA-H200");
        assert_eq!(of(""), "any");
    }
}
