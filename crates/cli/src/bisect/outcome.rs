//! What a run of a candidate showed, and what that says.

use crate::bisect::search::Verdict;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How a replay ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Ending {
    /// It came to the end of the trace.
    Completed,
    /// It said why it cannot go on.
    Failed,
    /// A signal ended its process.
    Crashed,
    /// It was ended when its time was over.
    Hung,
    /// The candidate could not be built, loaded or started.
    Absent,
}

/// In what a bad candidate is unlike a good one.
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
}

/// The first thing that differs from the good candidate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Difference {
    /// Frames count from 1.
    pub(crate) frame: u64,
    pub(crate) what: String,
}

/// What one run showed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) ending: Ending,
    /// More about the ending: a signal, an exit code, the last that was said.
    pub(crate) said: String,
    pub(crate) difference: Option<Difference>,
    /// Kinds of validation errors that the good candidate does not have.
    pub(crate) errors: Vec<String>,
}

impl Outcome {
    /// A candidate that cannot be run.
    pub(crate) fn absent(said: impl Into<String>) -> Outcome {
        Outcome { ending: Ending::Absent, said: said.into(), difference: None, errors: Vec::new() }
    }

    /// In what it is unlike the good candidate. What ends a replay comes first, because nothing behind it can be compared.
    pub(crate) fn symptom(&self) -> Option<Symptom> {
        match self.ending {
            Ending::Failed => Some(Symptom::Failed),
            Ending::Crashed => Some(Symptom::Crashed),
            Ending::Hung => Some(Symptom::Hung),
            Ending::Completed | Ending::Absent if self.difference.is_some() => Some(Symptom::Results),
            Ending::Completed if !self.errors.is_empty() => Some(Symptom::Validation),
            Ending::Completed | Ending::Absent => None,
        }
    }

    /// The verdict, where the bad candidate shows a symptom; `None`: this is the bad one, and everything counts.
    ///
    /// A candidate that does not come to its end in another way than the bad one says nothing of the fault that is looked for, and is
    /// skipped. One that comes to its end does not have a fault that ends replays, whatever else differs.
    pub(crate) fn verdict(&self, looked_for: Option<Symptom>) -> Verdict {
        if self.ending == Ending::Absent {
            return Verdict::Skip;
        }
        let Some(wanted) = looked_for else {
            return if self.symptom().is_some() { Verdict::Bad } else { Verdict::Good };
        };
        let shows = match wanted {
            Symptom::Results => self.difference.is_some(),
            Symptom::Validation => !self.errors.is_empty(),
            wanted => self.symptom() == Some(wanted),
        };
        match (shows, self.ending) {
            (true, _) => Verdict::Bad,
            (false, Ending::Completed) => Verdict::Good,
            (false, _) => Verdict::Skip,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        match self.ending {
            Ending::Completed => {}
            Ending::Failed => parts.push(format!("the replay fails: {}", self.said)),
            Ending::Crashed => parts.push(format!("the replay crashes: {}", self.said)),
            Ending::Hung => parts.push(format!("the replay hangs: {}", self.said)),
            Ending::Absent => parts.push(self.said.clone()),
        }
        if let Some(difference) = &self.difference {
            parts.push(format!("frame {}: {}", difference.frame, difference.what));
        }
        if let Some(first) = self.errors.first() {
            let more = self.errors.len() - 1;
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            parts.push(format!("validation errors: {first}{more}"));
        }
        if parts.is_empty() {
            parts.push("plays the same".into());
        }
        f.write_str(&parts.join("; "))
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
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(outcome.verdict(wanted), verdict, "{outcome:?} {wanted:?}");
        }
        assert_eq!((other.symptom(), crash.symptom()), (Some(Symptom::Results), Some(Symptom::Crashed)));
    }
}
