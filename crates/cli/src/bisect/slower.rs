//! `bisect --slower`: whether a candidate takes longer than the good one, and what accounts for the difference.
//!
//! The replays of both sides take turns. A process of its own plays all replays of a side in one measurement; the next measurement has new processes.
//! `reprise time --slower` decides in the same way, here by pipelines: the whole counts, or a pipeline that has at least a hundredth of it.
//!
//! Invariant: a candidate is bad only if the same thing is slower in each measurement, by the ranks of all replays. Pipelines account for the
//! difference only if they are slower in each measurement, too; their times are those of the last one.

use crate::terminal::exit::Failure;
use crate::timing::apart::Apart;
use crate::timing::group::{By, Table};
use crate::timing::keep;
use crate::timing::kept::Kept;
use crate::timing::left_out::unlike_work;
use crate::timing::measured::WARM_UP;
use crate::timing::row::Row;
use crate::timing::shaders::Shaders;
use crate::timing::slower::{self, Decided, Slower};
use crate::trial::candidate::Candidate;
use crate::trial::outcome::{Difference, Ending, Outcome};
use reprise_replay::{TimeKind, TimeWish};
use reprise_times::{Pipeline, Times};
use reprise_trace::read::Trace;
use serde_json::{Value as Json, json};

/// Pipelines that are told.
const TOLD: usize = 5;

/// How candidates are measured.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    pub(crate) apart: Apart,
    /// First and last.
    pub(crate) frames: (u64, u64),
    /// So much longer is slower, as a share.
    pub(crate) least: f64,
    /// Replays of each side.
    pub(crate) runs: u32,
}

/// Times of two sides, whose replays took turns.
#[derive(Debug)]
pub(crate) struct Compared {
    here: Times,
    there: Times,
    /// In every measurement; the times are those of the last one.
    slower: Slower,
}

impl Stopwatch {
    /// Measures a candidate beside the good one; or how a replay of one of them ended. What is slower is measured again, by new processes, as in
    /// `reprise time --slower`.
    ///
    /// # Errors
    /// No process can be started, or the trace cannot be read.
    pub(crate) fn compare(
        &self,
        candidate: &Candidate,
        good: &Candidate,
    ) -> Result<Result<Compared, Outcome>, Failure> {
        let decided = slower::decide(
            |_| self.compare_once(candidate, good),
            |measured| match measured {
                // What cannot be judged is not measured again.
                Ok([here, there]) if unjudged(here, there).is_none() => {
                    let table = Table::of(By::Pipeline, None, here, Some(there));
                    Slower::of(&table, &table.rows(true), self.least)
                }
                _ => Slower::default(),
            },
        )?;
        let Decided { measured, slower, .. } = decided;
        Ok(measured.map(|[here, there]| Compared { here, there, slower }))
    }

    /// Times of both, whose replays take turns.
    fn compare_once(&self, candidate: &Candidate, good: &Candidate) -> Result<Result<[Times; 2], Outcome>, Failure> {
        let wish = TimeWish { frames: self.frames, what: TimeKind::Operations, serial: false };
        let mut compared = [Times::default(), Times::default()];
        // Also the good one begins anew: both sides are then as old.
        let mut sides = [candidate, good].map(|side| Kept::new(self.apart.clone(), side.clone(), WARM_UP));
        for _ in 0..self.runs {
            for (side, times) in sides.iter_mut().zip(&mut compared) {
                match side.measure(wish)? {
                    Ok(measured) => keep::merge(times, measured),
                    Err(outcome) => return Ok(Err(outcome)),
                }
            }
        }
        Ok(Ok(compared))
    }
}

impl Compared {
    fn table(&self, by: By) -> (Table, Vec<Row>) {
        let table = Table::of(by, None, &self.here, Some(&self.there));
        let rows = table.rows(true);
        (table, rows)
    }

    /// As what comes of a candidate.
    pub(crate) fn outcome(&self) -> Outcome {
        let (table, rows) = self.table(By::Pipeline);
        let [here, there] = table.total.each_ref().map(|total| total.median() / 1e6);
        if let Some(why) = unjudged(&self.here, &self.there) {
            return Outcome::absent(why);
        }
        let what = if self.slower.is_whole() {
            Some(format!(
                "takes {:.1} % longer: {here:.3} ms of work on the GPU against {there:.3} ms",
                percent(here / there)
            ))
        } else {
            let mut slower = rows.iter().filter(|row| self.slower.has(row));
            slower
                .next()
                .map(|row| format!("{} takes {:.1} % longer", row.label(), percent(row.ratio().unwrap_or(f64::NAN))))
        };
        let difference = what.map(|what| Difference { frame: self.first_frame().unwrap_or(1), what });
        let said = match difference {
            Some(_) => String::new(),
            None => format!("is not slower: {here:.3} ms of work on the GPU against {there:.3} ms"),
        };
        Outcome { ending: Ending::Completed, said, difference, errors: Vec::new() }
    }

    fn first_frame(&self) -> Option<u64> {
        let (_, rows) = self.table(By::Frame);
        rows.iter().filter(|row| row.is_slower()).map(Row::frame).min()
    }

    /// What accounts for the difference.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub(crate) fn culprits(&self, trace: &Trace) -> Result<Culprits, Failure> {
        let frame = self.first_frame();
        // The first in the order of the trace, in that frame where there is one.
        let first = |by: By| {
            let (_, rows) = self.table(by);
            let in_frame = rows.into_iter().filter(|row| row.is_slower() && frame.is_none_or(|at| at == row.frame()));
            in_frame.min_by_key(|row| row.calls().0)
        };
        let submission = first(By::Submission).map(|row| row.calls().0);
        let operation = first(By::Draw).map(|row| (row.calls().0, row.label()));
        let (table, rows) = self.table(By::Pipeline);
        let totals = table.total.each_ref().map(|total| total.median() / 1e6);
        let difference = (totals[0] - totals[1]) * 1e6;
        let shaders = Shaders::of(trace)?;
        let culprit = |row: &Row| Culprit {
            label: row.label(),
            calls: row.calls(),
            pipeline: row.pipeline(),
            added: row.added() / 1e6,
            share: row.added() / difference,
            ratio: row.ratio().unwrap_or(f64::NAN),
            shaders: row.pipeline().map(|pipeline| shaders.of_pipeline(pipeline).to_vec()).unwrap_or_default(),
        };
        let slower = rows.iter().filter(|row| self.slower.has_by_any(row));
        let mut pipelines: Vec<Culprit> = slower.map(culprit).collect();
        pipelines.sort_by(|one, other| other.added.total_cmp(&one.added));
        pipelines.truncate(TOLD);
        Ok(Culprits { totals, runs: self.here.runs.len(), frame, submission, operation, pipelines })
    }
}

/// Why times of two sides say nothing about which is slower.
fn unjudged(here: &Times, there: &Times) -> Option<String> {
    let unlike = || unlike_work(here, there).map(|what| format!("times are not comparable: {what}"));
    here.untimed().or_else(|| there.untimed()).or_else(unlike)
}

fn percent(ratio: f64) -> f64 {
    (ratio - 1.0) * 100.0
}

/// What accounts for a difference.
#[derive(Debug)]
pub(crate) struct Culprits {
    /// In milliseconds, of the bad candidate and of the good one.
    totals: [f64; 2],
    runs: usize,
    /// The first that is slower.
    frame: Option<u64>,
    /// The first of it that is.
    submission: Option<u64>,
    /// The first operation that is, by its call, and in words.
    operation: Option<(u64, String)>,
    /// Most time first.
    pipelines: Vec<Culprit>,
}

/// A pipeline that is slower.
#[derive(Debug)]
struct Culprit {
    label: String,
    calls: (u64, u64),
    pipeline: Option<Pipeline>,
    /// In milliseconds.
    added: f64,
    /// Of the whole difference.
    share: f64,
    ratio: f64,
    shaders: Vec<(&'static str, String)>,
}

impl Culprits {
    pub(crate) fn lines(&self) -> Vec<String> {
        let [here, there] = self.totals;
        let mut lines = vec![format!(
            "{here:.3} ms of work on the GPU against {there:.3} ms, {:.1} % {}: medians of {} replays of each",
            percent(here / there).abs(),
            if here < there { "less" } else { "more" },
            self.runs
        )];
        lines.extend(self.frame.map(|frame| format!("  the first frame that is slower: {frame}")));
        lines.extend(self.submission.map(|call| format!("  its first submission that is: call {call}")));
        lines.extend(self.operation.iter().map(|(_, label)| format!("  its first operation that is: {label}")));
        for one in &self.pipelines {
            let Culprit { label, added, share, ratio, shaders, .. } = one;
            // Where something else became faster, a row may add more than the whole does.
            let share = match (0.0..=1.0).contains(share) {
                true => format!(", {:.0} % of the difference", share * 100.0),
                false => String::new(),
            };
            lines.push(format!("  {label}: {ratio:.2} times as long, {added:.3} ms more{share}"));
            lines.extend(shaders.iter().map(|(stage, hash)| format!("    {stage} {hash}")));
        }
        if self.pipelines.is_empty() {
            lines.push("  no pipeline of a hundredth of the whole or more is slower by itself".into());
        }
        lines
    }

    pub(crate) fn json(&self) -> Json {
        let pipeline = |one: &Culprit| {
            let (kind, id) = match one.pipeline {
                Some(Pipeline::State(id)) => ("pipeline_state", Some(id)),
                Some(Pipeline::StateObject(id)) => ("state_object", Some(id)),
                // A trace has no ids of programs: those of one type stand together.
                Some(Pipeline::Program(_)) => ("program", None),
                None => ("none", None),
            };
            let shaders = one.shaders.iter().map(|(stage, hash)| json!({ "stage": stage, "hash": hash }));
            json!({
                "kind": kind, "id": id, "what": one.label, "calls": [one.calls.0, one.calls.1], "added_ms": one.added,
                "share": one.share, "ratio": one.ratio, "shaders": shaders.collect::<Json>(),
            })
        };
        json!({ "slower": {
            "total_ms": self.totals[0], "against_total_ms": self.totals[1], "runs": self.runs, "frame": self.frame,
            "submission": self.submission, "operation": self.operation.as_ref().map(|(call, _)| call),
            "pipelines": self.pipelines.iter().map(pipeline).collect::<Json>(),
        } })
    }
}
