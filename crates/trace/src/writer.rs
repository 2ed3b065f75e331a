//! skeleton
use std::path::{Path, PathBuf};
/// Makes the schema chunk from the sorted ids of the methods that occur.
pub type SchemaOf = dyn Fn(&[u16]) -> Vec<u8>;

/// What the writer is told.
pub struct Options {
    /// The session's folder; waited for until it appears.
    pub session: PathBuf,
    /// The trace file to write; replaced if it exists.
    pub output: PathBuf,
    /// The program's process id as the writer's system sees it, where it is not the one in the session (Wine).
    pub program: Option<u32>,
    /// Called once at the end with the ids of all methods that occur: the bytes of the schema chunk.
    pub schema: Box<SchemaOf>,
}

/// How a trace was finished.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Calls stored.
    pub calls: u64,
    /// Frames stored.
    pub frames: u32,
    /// Bytes of the file.
    pub bytes: u64,
    /// Gaps stored.
    pub gaps: u64,
}

/// Why a trace could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WriteError(String);

/// Runs until the program is gone or has closed the session.
pub fn run(options: Options) -> Result<Summary, WriteError> {
    let _ = options;
    Err(WriteError("not yet".into()))
}

/// Rewrites a damaged or unfinished trace into a complete one.
pub fn repair(damaged: &Path, output: &Path) -> Result<Summary, WriteError> {
    let _ = (damaged, output);
    Err(WriteError("not yet".into()))
}
