//! What a command leaves behind: standard output, progress, reports of differences, whole files, and the exit code.

pub(crate) mod differences;
pub(crate) mod exit;
pub(crate) mod identity;
pub(crate) mod output;
pub(crate) mod progress;
pub(crate) mod whole_file;
