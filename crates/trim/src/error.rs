//! Why a trace cannot be cut.

use std::fmt;

/// Why there is no trimmed trace.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The trace cannot be read, or is damaged.
    #[error("{0}")]
    Trace(String),
    /// The frames that are asked for are not in the trace.
    #[error("{0}")]
    Frames(String),
    /// It cannot be cut here soundly. Another frame may do.
    #[error("{0}")]
    Refused(Refusal),
    /// What the replay up to the cut could not do.
    #[error("the replay up to the cut: {0}")]
    Replay(String),
    /// The new trace cannot be written.
    #[error("the new trace cannot be written: {0}")]
    Output(#[from] std::io::Error),
}

/// What keeps a trace from being cut here: a call and a reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The call; 0 where it is about no single one.
    pub call: u64,
    /// The reason, as a sentence.
    pub what: String,
}

impl Refusal {
    pub(crate) fn new(call: u64, what: impl Into<String>) -> Refusal {
        Refusal { call, what: what.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.call {
            0 => f.write_str(&self.what),
            call => write!(f, "call {call}: {}", self.what),
        }
    }
}

impl From<reprise_timeline::Damaged> for Error {
    fn from(damaged: reprise_timeline::Damaged) -> Error {
        Error::Trace(damaged.to_string())
    }
}
