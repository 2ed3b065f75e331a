//! What a command leaves behind, and where: standard output, progress, reports of differences, whole files (a crate of their own), and the exit code.

pub(crate) mod differences;
pub(crate) mod exit;
pub(crate) mod identity;
pub(crate) mod left_out;
pub(crate) mod output;
pub(crate) mod place;
pub(crate) mod progress;
pub(crate) use reprise_whole_file as whole_file;
