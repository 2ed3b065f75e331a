//! The line with which the test program ends: how many checks it made and how they came out.

/// What the program counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Checks made, whatever their outcome; those it skipped or knows as bugs are not among them.
    pub(super) executed: u64,
    /// Checks that failed.
    pub(super) failures: u64,
    /// Checks that failed as the program expected of every runtime of this kind.
    pub(super) todo: u64,
    /// Checks of that sort which held.
    pub(super) todo_succeeded: u64,
    /// Places where the program left something out.
    pub(super) skipped: u64,
    /// Checks that it does not count because of a driver's known bug.
    pub(super) bugs: u64,
}

impl Counts {
    /// The counts in the last summary line of an output; `None` if there is none, or not all of it.
    pub(super) fn find(output: &str) -> Option<Counts> {
        output.lines().rev().find_map(Counts::line)
    }

    /// `PROGRAM: 17 tests executed (1 failures, 0 successful todo, 0 skipped, 0 todo, 0 bugs).`
    fn line(line: &str) -> Option<Counts> {
        let (_, rest) = line.split_once(": ")?;
        let (executed, rest) = rest.split_once(" tests executed (")?;
        let mut counts = Counts { executed: executed.parse().ok()?, ..Counts::default() };
        let mut failures = None;
        for part in rest.strip_suffix(").")?.split(", ") {
            let (number, what) = part.split_once(' ')?;
            let number = number.parse().ok()?;
            match what {
                "failures" => failures = Some(number),
                "successful todo" => counts.todo_succeeded = number,
                "skipped" => counts.skipped = number,
                "todo" => counts.todo = number,
                "bugs" => counts.bugs = number,
                // A count of a later version of the program; what is known says enough.
                _ => {}
            }
        }
        counts.failures = failures?;
        Some(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_found_in_the_last_summary() {
        let output = "x: 9 tests executed (9 failures).\n\
                      x: 17 tests executed (1 failures, 2 successful todo, 3 skipped, 4 todo, 5 bugs, 6 moons).\nbye\n";
        let expected = Counts { executed: 17, failures: 1, todo: 4, todo_succeeded: 2, skipped: 3, bugs: 5 };
        assert_eq!(Counts::find(output), Some(expected));
    }

    #[test]
    fn a_line_that_is_cut_or_no_summary_counts_nothing() {
        let whole = "x: 17 tests executed (1 failures, 0 skipped).";
        assert!(Counts::find(whole).is_some());
        for end in 0..whole.len() {
            assert_eq!(Counts::find(&whole[..end]), None, "{}", &whole[..end]);
        }
        for other in ["", "x: many tests executed (1 failures).", "x: 3 tests executed (2 skipped)."] {
            assert_eq!(Counts::find(other), None, "{other}");
        }
    }
}
