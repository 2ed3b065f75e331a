//! What a run of a candidate showed.

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
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        match self.ending {
            // What is said more stands alone, below.
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
            parts.push(if self.said.is_empty() { "plays the same".into() } else { self.said.clone() });
        }
        f.write_str(&parts.join("; "))
    }
}
