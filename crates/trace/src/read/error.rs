//! The errors of opening and reading a trace.

use std::io;
use std::path::PathBuf;

/// Why a trace cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system refused.
    #[error("{path}: {reason}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason; not a source, because the message has it.
        reason: io::Error,
    },
    /// Not a trace, or its very beginning is damaged.
    #[error("{path}: {reason}")]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A blob is not in the trace, or its chunk is damaged.
    #[error("blob {id} cannot be read (chunk at offset {offset}): {reason}")]
    Blob {
        /// The blob.
        id: u64,
        /// Place of the chunk that should have it; 0 when there is none.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
    /// An event names a blob that does not come with it.
    #[error("call {call}: the event names blob {number}, which does not come with it")]
    Unbound {
        /// The call.
        call: u64,
        /// The thread's number of the blob.
        number: u32,
    },
    /// The address table is damaged.
    #[error("the address table at offset {offset} cannot be read: {reason}")]
    Ranges {
        /// Place of the chunk.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
}
