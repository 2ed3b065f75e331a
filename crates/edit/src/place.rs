//! Where an edit stands in its text, and what is no edit there.

use std::fmt;

/// Where an edit stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The file, or `-e`.
    pub source: String,
    /// From 1.
    pub line: usize,
}

/// An edit that is no sentence of the language.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}, column {column}: {what}")]
pub struct SyntaxError {
    /// The line.
    pub place: Place,
    /// From 1, in characters.
    pub column: usize,
    /// What is expected and found, as a sentence.
    pub what: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}", self.source, self.line)
    }
}
