//! The answer of a bisect, for people and for programs.

use crate::bisect::call::Call;
use crate::bisect::journal::Run;
use crate::bisect::search::{Found, Verdict};
use crate::bisect::slower::Culprits;
use crate::bisect::symptom::Symptom;
use crate::divergence::Comparison;
use crate::divergence::report::word;
use crate::terminal::output::plural;
use crate::trial::candidate::Candidate;
use serde_json::{Value as Json, json};
use std::path::Path;

/// The first thing that differs.
#[derive(Debug)]
pub(crate) enum First {
    NotAsked,
    /// Why there is none.
    NotFound(String),
    Call(Call),
    Diverged(Box<Comparison>),
    Slower(Culprits),
}

/// The answer.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    candidates: &'a [Candidate],
    runs: &'a [Run],
    found: Found,
    symptom: Option<Symptom>,
    first: First,
}

impl<'a> Answer<'a> {
    pub(crate) fn new(
        candidates: &'a [Candidate],
        runs: &'a [Run],
        found: Found,
        symptom: Option<Symptom>,
        first: First,
    ) -> Answer<'a> {
        Answer { candidates, runs, found, symptom, first }
    }

    /// Whether it is one candidate, and not one of several.
    pub(crate) fn is_one(&self) -> bool {
        self.found.between.is_empty()
    }

    /// The last run of a candidate, in words.
    fn said(&self, at: usize) -> String {
        let run = self.runs.iter().rev().find(|run| run.candidate == at);
        run.map_or_else(|| "never run".into(), |run| run.outcome.to_string())
    }

    /// Candidates that could not be judged, whether or not they stand in the way.
    fn skipped(&self) -> Vec<&Run> {
        self.runs.iter().filter(|run| run.verdict() == Verdict::Skip).collect()
    }

    pub(crate) fn lines(&self, trace: &Path) -> Vec<String> {
        let Found { last_good, first_bad, between, sure, shown } = &self.found;
        let label = |at: &usize| self.candidates[*at].label.as_str();
        let mut lines = Vec::new();
        if between.is_empty() {
            lines.push(format!("first bad: {}", label(first_bad)));
        } else {
            lines.push(format!("the first bad one is one of {}:", between.len() + 1));
            lines.extend(between.iter().map(|at| format!("  {} (skipped: {})", label(at), self.said(*at))));
            lines.push(format!("  {}", label(first_bad)));
        }
        if let Some(commit) = &self.candidates[*first_bad].commit {
            lines.push(format!("  commit {commit}"));
        }
        let bad = self.runs.iter().find(|run| run.candidate == *first_bad && run.verdict() == Verdict::Bad);
        lines.extend(bad.map(|run| format!("  {}", run.outcome)));
        lines.push(format!("last good: {}", label(last_good)));
        lines.push(self.how_sure(*sure, *shown));
        let others = self.skipped().into_iter().filter(|run| !between.contains(&run.candidate));
        lines.extend(others.map(|run| format!("skipped: {}: {}", run.label, run.outcome)));
        match &self.first {
            First::NotAsked => {}
            First::NotFound(why) => lines.push(format!("no first call: {why}")),
            First::Call(call) => {
                lines.push(format!("first call: {} in frame {}, {}", call.number, call.frame, call.method));
                lines.push(format!("  {}", call.why));
                lines.push(format!("  reprise state {} {}", word(&trace.to_string_lossy()), call.number));
            }
            First::Diverged(comparison) => lines.extend(comparison.lines(false, false)),
            First::Slower(culprits) => lines.extend(culprits.lines()),
        }
        lines
    }

    fn how_sure(&self, sure: Option<f64>, (bad, all): (u64, u64)) -> String {
        let runs = plural(self.runs.len() as u64, "run");
        let looked_for = self.symptom.map_or_else(String::new, |symptom| format!(", looked for: {symptom}"));
        let sure = match sure {
            Some(sure) => format!("sure by {:.1} %: bad candidates showed it in {bad} of {all} runs", sure * 100.0),
            None => "each candidate ran once: --repeat N says how sure it is".into(),
        };
        format!("{runs}{looked_for}; {sure}")
    }

    pub(crate) fn json(&self) -> Json {
        let Found { last_good, first_bad, between, sure, shown } = &self.found;
        let candidate = |at: usize| {
            let Candidate { label, runtime, variables, commit } = &self.candidates[at];
            let variables: serde_json::Map<_, _> =
                variables.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
            json!({ "number": at + 1, "label": label, "commit": commit, "runtime": runtime, "env": variables, "outcome": self.said(at) })
        };
        let first = match &self.first {
            First::NotAsked => Json::Null,
            First::NotFound(why) => json!({ "why": why }),
            First::Call(call) => {
                json!({ "call": call.number, "frame": call.frame, "method": call.method, "why": call.why })
            }
            First::Diverged(comparison) => comparison.json(),
            First::Slower(culprits) => culprits.json(),
        };
        let skipped = self.skipped();
        json!({
            "found": true, "one": self.is_one(), "first_bad": candidate(*first_bad), "last_good": candidate(*last_good),
            "between": between.iter().map(|at| candidate(*at)).collect::<Json>(),
            "sure": sure, "shown": shown.0, "bad_runs": shown.1, "symptom": self.symptom, "runs": self.runs.len(),
            "skipped": skipped.iter().map(|run| json!({ "label": run.label, "why": run.outcome.to_string() })).collect::<Json>(),
            "first": first,
        })
    }
}
