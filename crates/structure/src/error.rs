//! Why a declaration or bytes are refused.

use std::fmt;

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Line and column of the declaration, from 1; `None` where the bytes are wrong.
    pub place: Option<(usize, usize)>,
    /// What is wrong, and what would be right.
    pub reason: String,
}

impl Error {
    pub(crate) fn at(place: (usize, usize), reason: impl Into<String>) -> Self {
        Self { place: Some(place), reason: reason.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.place {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Error {}
