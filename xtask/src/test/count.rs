//! Counts of tests, as the test programs report them.

use std::fmt;

/// How many checks ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) passed: u64,
    pub(super) failed: u64,
    pub(super) skipped: u64,
}

impl Count {
    pub(super) const FAILED: Count = Count { passed: 0, failed: 1, skipped: 0 };

    pub(super) fn add(&mut self, other: Count) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// Adds what a summary line says: `test result: ok. 3 passed; 0 failed; 1 ignored; …`; other lines say nothing.
    pub(super) fn line(&mut self, line: &str) {
        let Some(summary) = line.strip_prefix("test result: ") else { return };
        let number = |word: &str| {
            let part = summary.split([';', '.']).find(|part| part.trim().ends_with(word));
            part.and_then(|part| part.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0)
        };
        let (passed, failed, skipped) = (number("passed"), number("failed"), number("ignored"));
        self.add(Count { passed, failed, skipped });
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
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
}
