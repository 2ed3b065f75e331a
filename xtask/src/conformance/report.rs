//! Results as a table and as JSON.

use super::counts::Counts;
use super::cut::{Came, Cut};
use super::detail::words;
use super::replay::{Outcome, Replay};
use super::verdict::Verdict;
use anyhow::{Context, Result};
use reprise_testing::crash::repetitions;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// What came of one test.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Test {
    pub(super) name: String,
    pub(super) verdict: Verdict,
    /// Of the last attempt; zero where it did not get so far.
    pub(super) counts: Counts,
    /// Of each run before that crashed in the driver: the frame that shows it.
    pub(super) repeated: Vec<String>,
    /// Wall time of all attempts.
    pub(super) seconds: f64,
    /// Why it did not pass, as one line of its output.
    pub(super) detail: String,
    /// What came of its traces, where they were replayed.
    pub(super) replay: Option<Replay>,
}

impl Test {
    /// A test that was not begun.
    pub(super) fn not_run(name: &str) -> Test {
        Test {
            name: name.to_owned(),
            verdict: Verdict::NotRun,
            counts: Counts::default(),
            repeated: Vec::new(),
            seconds: 0.0,
            detail: String::new(),
            replay: None,
        }
    }

    /// For people.
    pub(super) fn line(&self) -> String {
        let counts = &self.counts;
        let again = match self.repeated.len() {
            0 => String::new(),
            times => format!(", crashed in the driver and repeated: {times}"),
        };
        let replay = self.replay.as_ref().map(Replay::line).unwrap_or_default();
        format!(
            "{:7} {} ({} checks, {} failed, {} skipped{again}, {:.1} s) {}{replay}",
            self.verdict.name(),
            self.name,
            counts.executed,
            counts.failures,
            counts.skipped,
            self.seconds,
            self.detail
        )
        .trim_end()
        .to_owned()
    }

    fn json(&self) -> Value {
        let counts = &self.counts;
        let mut value = json!({
            "name": self.name,
            "result": self.verdict.name(),
            "executed": counts.executed,
            "failures": counts.failures,
            "skipped": counts.skipped,
            "todo": counts.todo,
            "todo_succeeded": counts.todo_succeeded,
            "bugs": counts.bugs,
            "repeated": self.repeated,
            "seconds": (self.seconds * 1000.0).round() / 1000.0,
            "detail": self.detail,
        });
        if let Some(replay) = &self.replay {
            value["replay"] = replay.json();
        }
        value
    }

    fn from_json(value: &Value) -> Option<Test> {
        let number = |name: &str| value.get(name).and_then(Value::as_u64);
        let counts = Counts {
            executed: number("executed")?,
            failures: number("failures")?,
            skipped: number("skipped")?,
            todo: number("todo")?,
            todo_succeeded: number("todo_succeeded")?,
            bugs: number("bugs")?,
        };
        Some(Test {
            name: value.get("name")?.as_str()?.to_owned(),
            verdict: Verdict::named(value.get("result")?.as_str()?)?,
            counts,
            // Older files count attempts, without a reason.
            repeated: words(value.get("repeated")),
            seconds: value.get("seconds")?.as_f64()?,
            detail: value.get("detail")?.as_str()?.to_owned(),
            replay: value.get("replay").map(Replay::from_json).transpose().ok()?,
        })
    }
}

/// A run.
#[derive(Debug, PartialEq)]
pub(super) struct Report {
    suite: String,
    library: String,
    /// False while the run goes on, and for good if it was broken off.
    pub(super) complete: bool,
    pub(super) tests: Vec<Test>,
    /// The same tests under capture.
    pub(super) captured: Option<Vec<Test>>,
}

impl Report {
    pub(super) fn new(suite: &Path, library: &Path) -> Report {
        Report {
            suite: suite.display().to_string(),
            library: library.display().to_string(),
            complete: false,
            tests: Vec::new(),
            captured: None,
        }
    }

    /// Writes the JSON file, if there is to be one, with the tests in the order of `names`. It is replaced as a whole, after
    /// each test, so that a run that is broken off leaves what it has learnt.
    pub(super) fn save(&self, path: Option<&Path>, names: &[String]) -> Result<()> {
        let Some(path) = path else { return Ok(()) };
        let mut tests: Vec<&Test> = self.tests.iter().collect();
        tests.sort_by_key(|test| names.iter().position(|name| *name == test.name));
        let mut value = json!({
            "suite": self.suite,
            "library": self.library,
            "complete": self.complete,
            "totals": totals(&self.tests),
            "tests": tests.iter().map(|test| test.json()).collect::<Vec<_>>(),
        });
        if let Some(captured) = &self.captured {
            value["captured"] = captured.iter().map(Test::json).collect();
        }
        let text = serde_json::to_string_pretty(&value).context("cannot write JSON")?;
        let mut new = path.as_os_str().to_owned();
        new.push(".new");
        std::fs::write(&new, text + "\n").with_context(|| format!("cannot write {}", path.display()))?;
        std::fs::rename(&new, path).with_context(|| format!("cannot replace {}", path.display()))
    }

    /// Reads what [`Report::save`] wrote.
    ///
    /// # Errors
    /// When a field is missing or a result has no such name: the number of the test is in the message.
    pub(super) fn read(path: &Path) -> Result<Report> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let value: Value = serde_json::from_str(&text).with_context(|| format!("{} is no JSON", path.display()))?;
        let tests = |field: &str| -> Result<Option<Vec<Test>>> {
            let Some(list) = value.get(field) else { return Ok(None) };
            let list = list.as_array().with_context(|| format!("{}: {field:?} is no list", path.display()))?;
            let test = |(index, value)| {
                Test::from_json(value)
                    .with_context(|| format!("{}: {field}[{index}] is no result of a test", path.display()))
            };
            list.iter().enumerate().map(test).collect::<Result<Vec<_>>>().map(Some)
        };
        let word = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Report {
            suite: word("suite"),
            library: word("library"),
            complete: value.get("complete").and_then(Value::as_bool).unwrap_or_default(),
            tests: tests("tests")?.with_context(|| format!("{} has no list \"tests\"", path.display()))?,
            captured: tests("captured")?,
        })
    }

    /// What there is to say where the GPU stopped: which tests ran then, and what became of the others.
    pub(super) fn wedge(&self) -> Option<String> {
        let of = |verdict: Verdict| -> Vec<&str> {
            self.tests.iter().filter(|test| test.verdict == verdict).map(|test| test.name.as_str()).collect()
        };
        let [ran, waited, left] = [Verdict::Wedge, Verdict::Waited, Verdict::NotRun].map(of);
        if ran.is_empty() && waited.is_empty() {
            return None;
        }
        let ended = self.tests.len() - ran.len() - waited.len() - left.len();
        Some(format!(
            "the GPU has stopped: {ended} tests had ended before, {} ran then ({}), {} were begun after ({}), {} were not run",
            ran.len(),
            ran.join(", "),
            waited.len(),
            waited.join(", "),
            left.len()
        ))
    }

    /// All that did not pass, and the totals.
    pub(super) fn table(&self) -> String {
        let mut table = String::new();
        let mut tests: Vec<&Test> = self.tests.iter().filter(|test| test.verdict != Verdict::Pass).collect();
        tests.sort_by_key(|test| test.verdict);
        for test in tests {
            let _ = writeln!(table, "{}", test.line());
        }
        let counts: Vec<String> =
            Verdict::ALL.iter().map(|verdict| format!("{} {}", count(&self.tests, *verdict), verdict.name())).collect();
        let checks: u64 = self.tests.iter().map(|test| test.counts.executed).sum();
        let failed: u64 = self.tests.iter().map(|test| test.counts.failures).sum();
        let _ = writeln!(table, "{} tests: {}", self.tests.len(), counts.join(", "));
        let _ = writeln!(table, "{checks} checks, {failed} failed");
        table + &repetitions(self.tests.iter().flat_map(|test| &test.repeated))
    }
}

/// How the replays of captured tests went: totals, and each that is not the same.
pub(super) fn replays(tests: &[Test]) -> String {
    let replays: Vec<(&Test, &Replay)> = tests.iter().filter_map(|test| Some((test, test.replay.as_ref()?))).collect();
    let mut table = String::new();
    for (test, replay) in replays.iter().filter(|(_, replay)| replay.outcome != Outcome::Same) {
        let _ = writeln!(table, "{} {}", test.name, replay.line());
    }
    let count = |outcome: Outcome| replays.iter().filter(|(_, replay)| replay.outcome == outcome).count();
    let counts: Vec<String> =
        Outcome::ALL.iter().map(|outcome| format!("{} {}", count(*outcome), outcome.name())).collect();
    let sum = |number: fn(&Replay) -> u64| replays.iter().map(|(_, replay)| number(replay)).sum::<u64>();
    let _ = writeln!(
        table,
        "traces of {} tests replayed: {}; {} calls, {} bytes compared",
        replays.len(),
        counts.join(", "),
        sum(|replay| replay.calls),
        sum(|replay| replay.compared)
    );
    table += &cuts(&replays);
    table + &repetitions(replays.iter().flat_map(|(_, replay)| &replay.repeated))
}

/// How the cuts went: each that is not equal, and totals; nothing where nothing was cut.
fn cuts(replays: &[(&Test, &Replay)]) -> String {
    let all: Vec<(&Test, &Cut)> =
        replays.iter().flat_map(|(test, replay)| replay.cuts.iter().map(move |cut| (*test, cut))).collect();
    if all.is_empty() {
        return String::new();
    }
    let mut table = String::new();
    for (test, cut) in all.iter().filter(|(_, cut)| cut.came != Came::Equal) {
        let _ = writeln!(table, "{} {}", test.name, cut.line());
    }
    let count = |came: Came| all.iter().filter(|(_, cut)| cut.came == came).count();
    let counts: Vec<String> = Came::ALL.iter().map(|came| format!("{} {}", count(*came), came.name())).collect();
    let equal = || all.iter().map(|(_, cut)| cut).filter(|cut| cut.came == Came::Equal);
    let _ = writeln!(
        table,
        "{} traces cut at a submission: {}; of those that are equal the parts have {} of {} bytes, {} bytes compared",
        all.len(),
        counts.join(", "),
        equal().map(|cut| cut.part).sum::<u64>(),
        equal().map(|cut| cut.whole).sum::<u64>(),
        equal().map(|cut| cut.compared).sum::<u64>()
    );
    table
}

/// How many tests have that verdict.
pub(super) fn count(tests: &[Test], verdict: Verdict) -> usize {
    tests.iter().filter(|test| test.verdict == verdict).count()
}

fn totals(tests: &[Test]) -> Value {
    Verdict::ALL.iter().map(|verdict| (verdict.name().to_owned(), Value::from(count(tests, *verdict)))).collect()
}
