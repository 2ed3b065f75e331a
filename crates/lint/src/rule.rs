//! Rules by name: what each says, how sure it is, and where the API's documents say it.

use std::fmt;

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rule {
    /// Stable; for machines.
    pub name: &'static str,
    /// What must hold, in a sentence.
    pub says: &'static str,
    /// The section or page of the documentation that says it.
    pub source: &'static str,
}

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The recording proves it.
    Error,
    /// Wrong unless a shader leaves out an access that it is made for, or something outside the recording helps.
    Likely,
    /// Allowed, and hardly meant.
    Hint,
}

impl Severity {
    /// For machines.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Likely => "likely",
            Severity::Hint => "hint",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
