//! All tests of a list, several at a time, with repetition where a driver may be to blame.

use super::cut::{Came, Cut};
use super::danger;
use super::detail::detail;
use super::options::Options;
use super::process::{End, Ended};
use super::replay::{Outcome, Replay};
use super::report::Test;
use super::suite::{Suite, Traces};
use super::verdict::Verdict;
use anyhow::Result;
use reprise_testing::crash::Crash;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// A test that crashes in the driver is run so often again. lavapipe has a data race between its queue's thread and others
/// that ends up to 70 % of the runs of some tests on every runtime. Any other crash is the result at once.
const REPETITIONS: usize = 4;

/// What is done with each test.
#[derive(Debug, Clone, Copy)]
pub(super) enum Way<'a> {
    /// It is run.
    Plain,
    /// It is run under capture, and its traces are replayed if it passes so.
    Captured {
        /// The program `reprise`.
        reprise: &'a Path,
        /// On which runtime, if at all.
        replay: Option<On<'a>>,
        /// Whether they are cut at a submission, too, and the parts replayed.
        trim: bool,
    },
}

/// Where traces are replayed.
#[derive(Debug, Clone, Copy)]
pub(super) enum On<'a> {
    /// On the runtime that the test ran on.
    Same,
    /// On another: what `reprise --runtime` takes.
    Other(&'a str),
}

impl<'a> On<'a> {
    /// What `reprise --runtime` takes; none for that of the capture.
    fn runtime(self) -> Option<&'a str> {
        match self {
            On::Same => None,
            On::Other(runtime) => Some(runtime),
        }
    }
}

/// Runs tests, calls `done` for each as it ends, and gives all in the order of `names`. Those that have stopped a GPU before run
/// alone and last. When the GPU stops, no further test is begun.
///
/// # Errors
/// When a process cannot be started or `done` fails; no further test is begun then.
pub(super) fn all(
    suite: &Suite,
    names: &[String],
    options: &Options,
    base: u64,
    way: Way<'_>,
    mut done: impl FnMut(Test) -> Result<()>,
) -> Result<Vec<Test>> {
    let (together, alone) = danger::split(names);
    let mut tests: Vec<Test> = Vec::with_capacity(names.len());
    let stopped = AtomicBool::new(false);
    let mut ended = |test: Test| -> Result<()> {
        println!("conformance: {}/{} {}", tests.len() + 1, names.len(), test.line());
        done(test.clone())?;
        tests.push(test);
        Ok(())
    };
    for (names, jobs) in [(&together, options.jobs), (&alone, 1)] {
        let next = AtomicUsize::new(0);
        let (sender, results) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..jobs.min(names.len()) {
                let (next, sender, stopped) = (&next, sender.clone(), &stopped);
                scope.spawn(move || {
                    while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let test = match stopped.load(Ordering::Relaxed) {
                            true => Ok(Test::not_run(name)),
                            false => one(suite, name, options.timeout, base, way),
                        };
                        let wedged = test.as_ref().is_ok_and(|test| test.verdict > Verdict::Timeout);
                        stopped.fetch_or(wedged, Ordering::Relaxed);
                        if sender.send(test).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            // Leaving this loop early drops the receiver, which ends the threads after what they are at.
            results.into_iter().try_for_each(|test| ended(test?))
        })?;
    }
    tests.sort_by_key(|test| names.iter().position(|name| *name == test.name));
    Ok(tests)
}

fn one(suite: &Suite, name: &str, timeout: Duration, base: u64, way: Way<'_>) -> Result<Test> {
    let mut seconds = 0.0;
    let mut repeated = Vec::new();
    loop {
        let (ended, traces) = match way {
            Way::Plain => (suite.run(name, timeout)?, None),
            Way::Captured { reprise, replay, trim } => {
                let (ended, traces) = suite.capture(name, timeout, reprise)?;
                (ended, replay.map(|on| (reprise, on, trim, traces)))
            }
        };
        seconds += ended.seconds;
        let (verdict, counts) = Verdict::of(&ended, base);
        // A failed check is the runtime's, whatever came before.
        if verdict == Verdict::Crash
            && repeated.len() < REPETITIONS
            && let Some(frame) = drivers_crash(&ended)
        {
            repeated.push(frame);
            continue;
        }
        if verdict == Verdict::Pass {
            let captured = matches!(way, Way::Captured { .. });
            let log = if captured { format!("{name}-captured") } else { name.to_owned() };
            let _ = std::fs::remove_file(suite.log(&log));
        }
        let detail = match (verdict, danger::reason(name)) {
            (Verdict::Pass, _) => String::new(),
            (Verdict::Wedge, Some(reason)) => format!("known to: {reason}"),
            _ => detail(&ended),
        };
        let replay = match traces {
            Some((reprise, on, trim, traces)) if verdict == Verdict::Pass => {
                let mut replay = replayed(suite, name, timeout, reprise, on, &traces)?;
                // Of a whole that is not the same, a part says nothing.
                if trim && replay.outcome == Outcome::Same {
                    for trace in traces.files()? {
                        replay.cuts.extend(cut(suite, name, timeout, reprise, on, &trace)?);
                    }
                }
                Some(replay)
            }
            _ => None,
        };
        return Ok(Test { name: name.to_owned(), verdict, counts, repeated, seconds, detail, replay });
    }
}

/// Replays what a test left, each trace again where a driver may be to blame.
fn replayed(
    suite: &Suite,
    name: &str,
    timeout: Duration,
    reprise: &Path,
    on: On<'_>,
    traces: &Traces,
) -> Result<Replay> {
    let mut replay = Replay::none();
    let runtime = on.runtime();
    for trace in traces.files()? {
        let mut repeated = Vec::new();
        let ended = loop {
            let ended = suite.replay(name, timeout, reprise, runtime, &trace)?;
            match drivers_crash(&ended) {
                Some(frame) if repeated.len() < REPETITIONS => repeated.push(frame),
                _ => break ended,
            }
        };
        replay.repeated.extend(repeated);
        replay.add(&ended, std::fs::metadata(&trace).map_or(0, |metadata| metadata.len()));
    }
    if replay.outcome == Outcome::Same {
        let _ = std::fs::remove_file(suite.log(&format!("{name}-replayed")));
    }
    Ok(replay)
}

/// Cuts a trace at the submission in its middle, and replays the part; nothing of a trace with fewer than two.
fn cut(suite: &Suite, name: &str, timeout: Duration, reprise: &Path, on: On<'_>, trace: &Path) -> Result<Option<Cut>> {
    let submissions = suite.submissions(name, timeout, reprise, trace)?;
    if submissions < 2 {
        return Ok(None);
    }
    let submission = submissions / 2 + 1;
    let part = trace.with_extension("part");
    let runtime = on.runtime();
    let ended = suite.trim(name, timeout, reprise, runtime, (submission, submissions), [trace, &part])?;
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let mut cut = Cut {
        came: Came::Equal,
        submission,
        submissions,
        whole: size(trace),
        part: size(&part),
        compared: 0,
        detail: String::new(),
    };
    (cut.came, cut.detail) = match Cut::refused(&ended) {
        Some(refused) => refused,
        None => {
            let mut replay = Replay::none();
            replay.add(&suite.replay(name, timeout, reprise, runtime, &part)?, cut.part);
            cut.compared = replay.compared;
            let why = format!("{}: {}", replay.outcome.name(), replay.detail);
            Cut::played(replay.outcome == Outcome::Same, replay.compared, why)
        }
    };
    let _ = std::fs::remove_file(&part);
    Ok(Some(cut))
}

/// The frame in which a process crashed, where that is the driver's.
fn drivers_crash(ended: &Ended) -> Option<String> {
    let crash = matches!(ended.end, End::Signal(_)).then(|| Crash::find(&ended.output)).flatten()?;
    crash.driver.then_some(crash.frame)
}
