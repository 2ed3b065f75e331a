//! The errors of making and opening a session.

use std::io;
use std::path::PathBuf;

use crate::shared::page::{MAX_RINGS, VERSION};
use crate::shared::ring::RingError;

/// Why a session could not be made or opened.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The operating system refused.
    #[error("{path}: cannot {what}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// Too little room.
    #[error("{path}: no room for {needed} bytes of shared memory; give another folder with --ring-dir")]
    NoRoom {
        /// The file or folder.
        path: PathBuf,
        /// Bytes needed.
        needed: u64,
    },
    /// The file is not a session of this version.
    #[error("{path}: not a session file of version {VERSION} ({reason})")]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The file is not a ring.
    #[error("{path}: {source}")]
    Ring {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: RingError,
    },
    /// All places of the ring table are used.
    #[error("{MAX_RINGS} threads are recorded already, and more at a time cannot be")]
    TooManyRings,
}

impl SessionError {
    /// Whether another process has a session in the folder, or is making one.
    pub fn is_taken(&self) -> bool {
        matches!(self, SessionError::Io { source, .. } if source.kind() == io::ErrorKind::AlreadyExists)
    }
}
