//! All tests of a list, several at a time, with repetition where a driver may be to blame.

use super::options::Options;
use super::process::{End, Ended};
use super::report::Test;
use super::suite::Suite;
use super::verdict::Verdict;
use anyhow::Result;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// A test that crashes is run so often in all. lavapipe has a data race between its queue's thread and others that ends up to
/// 70 % of the runs of some tests on every runtime; a runtime's own crash comes each time.
const ATTEMPTS: u32 = 5;
/// As much of a message goes into reports.
const DETAIL: usize = 240;

/// Runs tests, calls `done` for each as it ends, and gives all in the order of `names`.
///
/// # Errors
/// When a process cannot be started or `done` fails; no further test is begun then.
pub(super) fn all(
    suite: &Suite,
    names: &[String],
    options: &Options,
    base: u64,
    reprise: Option<&Path>,
    mut done: impl FnMut(Test) -> Result<()>,
) -> Result<Vec<Test>> {
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.min(names.len()) {
            let (next, sender) = (&next, sender.clone());
            scope.spawn(move || {
                while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let test = one(suite, name, options.timeout, base, reprise);
                    if sender.send(test).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut tests = Vec::with_capacity(names.len());
        // Leaving this loop early drops the receiver, which ends the threads after what they are at.
        for test in results {
            let test = test?;
            println!("conformance: {}/{} {}", tests.len() + 1, names.len(), test.line());
            done(test.clone())?;
            tests.push(test);
        }
        tests.sort_by_key(|test| names.iter().position(|name| *name == test.name));
        Ok(tests)
    })
}

fn one(suite: &Suite, name: &str, timeout: Duration, base: u64, reprise: Option<&Path>) -> Result<Test> {
    let mut seconds = 0.0;
    let mut attempts = 0;
    loop {
        attempts += 1;
        let ended = suite.run(name, timeout, reprise)?;
        seconds += ended.seconds;
        let (verdict, counts) = Verdict::of(&ended, base);
        // A failed check is the runtime's, whatever came before.
        if verdict == Verdict::Crash && attempts < ATTEMPTS && matches!(ended.end, End::Signal(_)) {
            continue;
        }
        if verdict == Verdict::Pass {
            let _ = std::fs::remove_file(suite.log(name));
        }
        let detail = if verdict == Verdict::Pass { String::new() } else { detail(&ended) };
        return Ok(Test { name: name.to_owned(), verdict, counts, attempts, seconds, detail });
    }
}

/// The line of the output that says most about why a test did not pass.
fn detail(ended: &Ended) -> String {
    let output = &ended.output;
    let with = |text: &str| output.lines().find(|line| line.contains(text));
    let line = with("Test failed: ").or_else(|| with("panicked at"));
    let line = line.or_else(|| with("Test skipped: ")).or_else(|| output.lines().last()).unwrap_or_default();
    let line: String = line.chars().take(DETAIL).collect();
    match ended.end {
        End::Signal(signal) => format!("signal {signal}; {line}"),
        _ => line,
    }
}
