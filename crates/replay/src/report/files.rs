//! Files in a report: dumps that were written, and shaders that were read in place of the program's.

use std::path::PathBuf;

/// What became of one dump.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dumped {
    /// The resource; where a draw was asked for, also the slot that it is bound to.
    pub what: String,
    /// The files written.
    pub files: Vec<PathBuf>,
    /// Why there are none.
    pub failure: Option<String>,
}

/// What became of the files of a folder with shaders.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Replaced {
    /// Files that were used, and how often: once for each pipeline stage or library.
    pub used: Vec<(PathBuf, u64)>,
    /// Files named after a shader that the trace does not use.
    pub unused: Vec<PathBuf>,
    /// Files with exactly the bytes that the trace has.
    pub same: u64,
}
