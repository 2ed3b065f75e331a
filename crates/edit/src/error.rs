//! Why a trace is not edited.

use crate::language::Edit;
use crate::place::{Place, shortened};
use reprise_trace::rewriter::RewriteError;
use std::fmt;

/// Why there is no edited trace.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The trace cannot be read, or is damaged or cut.
    #[error("{0}")]
    Trace(String),
    /// An edit cannot be done.
    #[error("{0}")]
    Refused(Refusal),
    /// An edit cannot be undone.
    #[error("{0}")]
    Undo(String),
    /// The new trace cannot be written.
    #[error("the new trace cannot be written: {0}")]
    Output(#[from] std::io::Error),
}

/// An edit that cannot be done: which, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The edit.
    pub place: Place,
    /// Its text.
    pub edit: String,
    /// The call that is the reason; 0 where it is about no single one.
    pub call: u64,
    /// The reason, as a sentence.
    pub what: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): ", self.place, shortened(&self.edit))?;
        match self.call {
            0 => f.write_str(&self.what),
            call => write!(f, "call {call}: {}", self.what),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<reprise_timeline::Damaged> for Error {
    fn from(damaged: reprise_timeline::Damaged) -> Error {
        Error::Trace(damaged.to_string())
    }
}

impl From<RewriteError> for Error {
    fn from(error: RewriteError) -> Error {
        match error {
            RewriteError::Trace(what) => Error::Trace(what),
            RewriteError::Output(error) => Error::Output(error),
        }
    }
}

/// The refusal of an edit.
pub(crate) fn refused(edit: &Edit, call: u64, what: impl Into<String>) -> Error {
    Error::Refused(Refusal { place: edit.place.clone(), edit: edit.text.clone(), call, what: what.into() })
}
