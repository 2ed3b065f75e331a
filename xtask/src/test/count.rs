//! Counts of tests, as the test programs report them.
//!
//! Two things pass or are ignored that are no tests that ran. A function whose name begins with [`NO_TEST`] is the body of a
//! process that a test starts, or a tool: it is not counted at all. A test that cannot run here returns early, and says so in a
//! file (`reprise_testing::missing::SKIPS`): it is counted as skipped.

use std::collections::BTreeMap;
use std::fmt;

/// How the names begin of functions that are run as tests and are none.
const NO_TEST: &str = "no_test_";

/// How many checks ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) passed: u64,
    pub(super) failed: u64,
    pub(super) skipped: u64,
    /// Of the test program under way: what its summary will count as passed, and as ignored, and is no test.
    no_tests: (u64, u64),
}

impl Count {
    pub(super) const PASSED: Count = Count { passed: 1, failed: 0, skipped: 0, no_tests: (0, 0) };
    pub(super) const FAILED: Count = Count { passed: 0, failed: 1, skipped: 0, no_tests: (0, 0) };

    pub(super) fn add(&mut self, other: Count) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// Adds what a summary line says: `test result: ok. 3 passed; 0 failed; 1 ignored; …`; leaves out what a line of a function
    /// that is no test adds there: `test tests::no_test_process ... ok`. Other lines say nothing.
    pub(super) fn line(&mut self, line: &str) {
        if let Some((name, end)) = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... ")) {
            let is_test = !name.rsplit("::").next().is_some_and(|name| name.starts_with(NO_TEST));
            // One that fails stays a failure.
            match end {
                _ if is_test => {}
                "ok" => self.no_tests.0 += 1,
                end if end.starts_with("ignored") => self.no_tests.1 += 1,
                _ => {}
            }
        }
        let Some(summary) = line.strip_prefix("test result: ") else { return };
        let number = |word: &str| {
            let part = summary.split([';', '.']).find(|part| part.trim().ends_with(word));
            part.and_then(|part| part.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0)
        };
        let no_tests = std::mem::take(&mut self.no_tests);
        self.passed += number("passed").saturating_sub(no_tests.0);
        self.failed += number("failed");
        self.skipped += number("ignored").saturating_sub(no_tests.1);
    }

    /// Counts tests as skipped that returned early.
    pub(super) fn skip(&mut self, skips: &Skips) {
        let tests = (skips.0.len() as u64).min(self.passed);
        self.passed -= tests;
        self.skipped += tests;
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// Tests that returned early, with their reasons.
#[derive(Debug, Default)]
pub(super) struct Skips(BTreeMap<String, Vec<String>>);

impl Skips {
    /// From lines of test and reason, divided by a tab. A test that lacks several things is one test.
    pub(super) fn read(text: &str) -> Skips {
        let mut skips = Skips::default();
        for (test, reason) in text.lines().filter_map(|line| line.split_once('\t')) {
            let reasons = skips.0.entry(test.to_owned()).or_default();
            if !reasons.iter().any(|other| other == reason) {
                reasons.push(reason.to_owned());
            }
        }
        skips
    }
}

impl fmt::Display for Skips {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(test, reasons)| writeln!(f, "test: skipped: {test}: {}", reasons.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_added_up_and_nothing_else() {
        let mut count = Count::default();
        count.line("running 5 tests");
        count.line("test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.01s");
        count.line("test result: FAILED. 2 passed; 4 failed; 0 ignored; 0 measured; 0 filtered out; finished in 2.50s");
        count.line("test a::b ... ok");
        assert_eq!(count.to_string(), "5 passed, 4 failed, 1 skipped");
    }

    #[test]
    fn what_is_no_test_is_not_counted() {
        let mut count = Count::default();
        count.line("test no_test_process ... ok");
        count.line("test signals::tests::no_test_process ... ignored, started by the other test");
        count.line("test no_test_process ... FAILED");
        count.line("test tells_of_no_test_process ... ok");
        count.line("test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s");
        assert_eq!(count.to_string(), "1 passed, 1 failed, 0 skipped");
    }

    #[test]
    fn a_test_that_returned_early_is_skipped_once() {
        let mut count = Count { passed: 3, skipped: 1, ..Count::default() };
        let skips = Skips::read("suite a::b\tno kernel\nsuite a::b\tno kernel\nsuite a::b\tno root\nother c\tno gcc\n");
        count.skip(&skips);
        assert_eq!(count.to_string(), "1 passed, 0 failed, 3 skipped");
        assert_eq!(
            skips.to_string(),
            "test: skipped: other c: no gcc\ntest: skipped: suite a::b: no kernel; no root\n"
        );
    }
}
