//! Why a call cannot be debugged.

use reprise_timeline::index::IndexError;

/// Why a call cannot be debugged.
#[derive(Debug)]
pub(crate) enum Refused {
    /// What was asked for is not there.
    Asked(String),
    /// It is there, and not supported, or cannot be read.
    Unsupported(String),
    /// The trace.
    Trace(IndexError),
}

impl From<IndexError> for Refused {
    fn from(error: IndexError) -> Refused {
        match error {
            IndexError::NoCall { .. } => Refused::Asked(error.to_string()),
            error => Refused::Trace(error),
        }
    }
}

impl From<anyhow::Error> for Refused {
    fn from(error: anyhow::Error) -> Refused {
        Refused::Unsupported(format!("{error:#}"))
    }
}
