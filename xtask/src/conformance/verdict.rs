//! What one process's end says about its test.
//!
//! Invariant: a test passes only when its process ended clean, counted no failure, and checked something that the program
//! does not check for every test anyway.

use super::counts::Counts;
use super::process::{End, Ended};

/// A test that left something out and checked no more than this only set itself up. The program's common set-up makes
/// about a dozen checks.
pub(super) const SET_UP: u64 = 14;
/// As above, for each of the parts that a test leaves out one by one, each with a device of its own.
const SET_UP_OF_PART: u64 = 5;

/// The result of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// Ended clean and checked something.
    Pass,
    /// Ended clean, and checked nothing to speak of.
    Skip,
    /// Ended by itself with failed checks, or with an exit code that says so.
    Fail,
    /// Ended by a signal, or without saying how its checks came out.
    Crash,
    /// Had to be ended.
    Timeout,
    /// Was running when the GPU stopped: it stopped the GPU, or ran beside the test that did.
    Wedge,
    /// Was begun after the GPU had stopped, before that was known.
    Waited,
    /// Was not begun, because the GPU had stopped.
    NotRun,
}

impl Verdict {
    /// All, from best to worst.
    pub(super) const ALL: [Verdict; 8] = [
        Verdict::Pass,
        Verdict::Skip,
        Verdict::Fail,
        Verdict::Crash,
        Verdict::Timeout,
        Verdict::Wedge,
        Verdict::Waited,
        Verdict::NotRun,
    ];

    /// The word in tables and JSON.
    pub(super) fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Skip => "skip",
            Verdict::Fail => "fail",
            Verdict::Crash => "crash",
            Verdict::Timeout => "timeout",
            Verdict::Wedge => "wedge",
            Verdict::Waited => "waited",
            Verdict::NotRun => "not run",
        }
    }

    /// The verdict of that name.
    pub(super) fn named(name: &str) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|verdict| verdict.name() == name)
    }

    /// Judges a process, given how many checks the program makes when no test is selected.
    pub(super) fn of(ended: &Ended, base: u64) -> (Verdict, Counts) {
        let found = Counts::find(&ended.output);
        let counts = found.unwrap_or_default();
        let verdict = match (ended.end, found) {
            (End::TimedOut, _) => Verdict::Timeout,
            (End::Wedged, _) => Verdict::Wedge,
            (End::Waited, _) => Verdict::Waited,
            (End::Signal(_), _) | (End::Code(_), None) => Verdict::Crash,
            (End::Code(code), Some(_)) if code != 0 || counts.failures > 0 => Verdict::Fail,
            (End::Code(_), Some(_)) => {
                let checked = counts.executed.saturating_sub(counts.todo).saturating_sub(base);
                let set_up = SET_UP.max(SET_UP_OF_PART.saturating_mul(counts.skipped));
                let only_set_up = counts.skipped > 0 && checked <= set_up;
                if checked == 0 || only_set_up { Verdict::Skip } else { Verdict::Pass }
            }
        };
        (verdict, counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(end: End, executed: u64, failures: u64, skipped: u64, todo: u64) -> Verdict {
        let output = format!(
            "x: {executed} tests executed ({failures} failures, 0 successful todo, {skipped} skipped, {todo} todo, 0 bugs)."
        );
        Verdict::of(&Ended { end, output, seconds: 0.0 }, 1).0
    }

    #[test]
    fn a_pass_needs_a_clean_end_and_a_check_of_its_own() {
        assert_eq!(judged(End::Code(0), 2, 0, 0, 0), Verdict::Pass);
        assert_eq!(judged(End::Code(0), 1, 0, 0, 0), Verdict::Skip);
        assert_eq!(judged(End::Code(0), 4, 0, 0, 3), Verdict::Skip);
        assert_eq!(judged(End::Code(0), SET_UP + 1, 0, 1, 0), Verdict::Skip);
        assert_eq!(judged(End::Code(0), SET_UP + 2, 0, 1, 0), Verdict::Pass);
        assert_eq!(judged(End::Code(0), 46, 0, 9, 0), Verdict::Skip, "nine parts, each of which only made its device");
        assert_eq!(judged(End::Code(0), 47, 0, 9, 0), Verdict::Pass);
        assert_eq!(judged(End::Code(1), 20, 1, 0, 0), Verdict::Fail);
        assert_eq!(judged(End::Code(0), 20, 1, 0, 0), Verdict::Fail);
        assert_eq!(judged(End::Code(3), 20, 0, 0, 0), Verdict::Fail);
        assert_eq!(judged(End::Signal(11), 20, 0, 0, 0), Verdict::Crash);
        assert_eq!(judged(End::TimedOut, 20, 0, 0, 0), Verdict::Timeout);
        let silent = Ended { end: End::Code(0), output: String::new(), seconds: 0.0 };
        assert_eq!(Verdict::of(&silent, 1).0, Verdict::Crash);
    }

    #[test]
    fn names_lead_back() {
        for verdict in Verdict::ALL {
            assert_eq!(Verdict::named(verdict.name()), Some(verdict));
        }
        assert_eq!(Verdict::named("passed"), None);
    }
}
