//! Where an edit stands in its text, and what is no edit there.

use std::borrow::Cow;
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

/// Most characters of an edit that a message repeats.
const MOST: usize = 160;

/// What a message repeats of a text that somebody wrote: its beginning, where it is long.
pub fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MOST) {
        Some((end, _)) => Cow::Owned(format!("{} …", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}", self.source, self.line)
    }
}
