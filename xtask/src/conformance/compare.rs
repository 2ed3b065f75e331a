//! Two runs side by side.

use super::report::{Test, count};
use super::verdict::Verdict;
use std::collections::BTreeMap;
use std::fmt;

/// A test whose result differs.
#[derive(Debug)]
struct Difference<'a> {
    name: &'a str,
    first: Option<&'a Test>,
    second: Option<&'a Test>,
}

/// What differs between two runs.
#[derive(Debug)]
pub(super) struct Comparison<'a> {
    /// Tests in each run, and with each verdict.
    totals: [(usize, [usize; Verdict::ALL.len()]); 2],
    differences: Vec<Difference<'a>>,
    same: usize,
}

impl<'a> Comparison<'a> {
    /// Compares results by the tests' names.
    pub(super) fn new(first: &'a [Test], second: &'a [Test]) -> Comparison<'a> {
        let mut all: BTreeMap<&str, (Option<&Test>, Option<&Test>)> = BTreeMap::new();
        for test in first {
            all.entry(&test.name).or_default().0 = Some(test);
        }
        for test in second {
            all.entry(&test.name).or_default().1 = Some(test);
        }
        let verdict = |test: Option<&Test>| test.map(|test| test.verdict);
        let (same, different): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(_, (first, second))| verdict(*first) == verdict(*second));
        let totals = [first, second].map(|tests| (tests.len(), Verdict::ALL.map(|verdict| count(tests, verdict))));
        let differences =
            different.into_iter().map(|(name, (first, second))| Difference { name, first, second }).collect();
        Comparison { totals, differences, same: same.len() }
    }

    /// Tests that passed in the first run and went wrong in the second; what is only skipped, not run or absent there did not.
    pub(super) fn lost(&self) -> usize {
        self.differences.iter().filter(|difference| difference.is_loss()).count()
    }
}

impl Difference<'_> {
    fn is_loss(&self) -> bool {
        let wrong = |test: &Test| !matches!(test.verdict, Verdict::Pass | Verdict::Skip | Verdict::NotRun);
        self.first.is_some_and(|test| test.verdict == Verdict::Pass) && self.second.is_some_and(wrong)
    }
}

impl fmt::Display for Comparison<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:8}{:>8}", "", "tests")?;
        for verdict in Verdict::ALL {
            write!(f, "{:>8}", verdict.name())?;
        }
        for (name, (tests, verdicts)) in ["first", "second"].iter().zip(&self.totals) {
            write!(f, "\n{name:8}{tests:>8}")?;
            for verdict in verdicts {
                write!(f, "{verdict:>8}")?;
            }
        }
        writeln!(f, "\n{} tests have the same result in both", self.same)?;
        let word = |test: Option<&Test>| test.map_or("absent", |test| test.verdict.name());
        for difference in &self.differences {
            let mark = if difference.is_loss() { "LOST" } else { "" };
            let detail = difference.second.or(difference.first).map_or("", |test| test.detail.as_str());
            let line = format!(
                "{mark:4} {:7} -> {:7} {} {detail}",
                word(difference.first),
                word(difference.second),
                difference.name
            );
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
