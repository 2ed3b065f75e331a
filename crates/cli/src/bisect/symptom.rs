//! How a bad candidate differs from a good one, and whether another candidate differs in the same way.

use crate::bisect::search::Verdict;
use crate::trial::outcome::{Ending, Outcome};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How a bad candidate differs from a good one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Symptom {
    /// Pictures, or what is read back.
    Results,
    /// The replay does not come to its end: it fails, crashes or hangs.
    Failed,
    Crashed,
    Hung,
    /// Vulkan's validation reports errors that it does not report on the good one.
    Validation,
    /// The user's command says so.
    Command,
    /// The GPU works longer.
    Slower,
}

impl Symptom {
    /// In what it is unlike the good candidate. What ends a replay comes first, because nothing behind it can be compared.
    pub(crate) fn of(outcome: &Outcome) -> Option<Symptom> {
        match outcome.ending {
            Ending::Failed => Some(Symptom::Failed),
            Ending::Crashed => Some(Symptom::Crashed),
            Ending::Hung => Some(Symptom::Hung),
            Ending::Completed | Ending::Absent if outcome.difference.is_some() => Some(Symptom::Results),
            Ending::Completed if !outcome.errors.is_empty() => Some(Symptom::Validation),
            Ending::Completed | Ending::Absent => None,
        }
    }
}

/// The verdict, where the bad candidate shows a symptom; `None`: this is the bad one, and everything counts.
///
/// A candidate that does not come to its end in another way than the bad one says nothing of the fault that is looked for, and is
/// skipped. One that comes to its end does not have a fault that ends replays, whatever else differs.
pub(crate) fn verdict(outcome: &Outcome, looked_for: Option<Symptom>) -> Verdict {
    if outcome.ending == Ending::Absent {
        return Verdict::Skip;
    }
    let Some(wanted) = looked_for else {
        return if Symptom::of(outcome).is_some() { Verdict::Bad } else { Verdict::Good };
    };
    let shows = match wanted {
        Symptom::Results | Symptom::Slower => outcome.difference.is_some(),
        Symptom::Validation => !outcome.errors.is_empty(),
        wanted => Symptom::of(outcome) == Some(wanted),
    };
    match (shows, outcome.ending) {
        (true, _) => Verdict::Bad,
        (false, Ending::Completed) => Verdict::Good,
        (false, _) => Verdict::Skip,
    }
}

impl fmt::Display for Symptom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Symptom::Results => "results differ",
            Symptom::Failed => "the replay fails",
            Symptom::Crashed => "the replay crashes",
            Symptom::Hung => "the replay hangs",
            Symptom::Validation => "Vulkan's validation reports errors",
            Symptom::Command => "the command says so",
            Symptom::Slower => "it is slower",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::outcome::Difference;

    #[test]
    fn another_fault_is_neither_good_nor_bad() {
        let outcome = |ending, differs: bool, errors: &[&str]| Outcome {
            ending,
            said: String::new(),
            difference: differs.then(|| Difference { frame: 1, what: String::new() }),
            errors: errors.iter().map(|&error| error.to_owned()).collect(),
        };
        let (good, other) = (outcome(Ending::Completed, false, &[]), outcome(Ending::Completed, true, &[]));
        let crash = outcome(Ending::Crashed, false, &[]);
        let invalid = outcome(Ending::Completed, false, &["SYNC-HAZARD"]);
        for (outcome, wanted, verdict) in [
            (&good, None, Verdict::Good),
            (&other, None, Verdict::Bad),
            (&crash, None, Verdict::Bad),
            (&invalid, None, Verdict::Bad),
            (&crash, Some(Symptom::Results), Verdict::Skip),
            (&outcome(Ending::Crashed, true, &[]), Some(Symptom::Results), Verdict::Bad),
            (&other, Some(Symptom::Crashed), Verdict::Good),
            (&outcome(Ending::Hung, false, &[]), Some(Symptom::Crashed), Verdict::Skip),
            (&invalid, Some(Symptom::Results), Verdict::Good),
            (&invalid, Some(Symptom::Validation), Verdict::Bad),
            (&Outcome::absent("gone"), Some(Symptom::Crashed), Verdict::Skip),
        ] {
            assert_eq!(super::verdict(outcome, wanted), verdict, "{outcome:?} {wanted:?}");
        }
        assert_eq!((Symptom::of(&other), Symptom::of(&crash)), (Some(Symptom::Results), Some(Symptom::Crashed)));
    }
}
