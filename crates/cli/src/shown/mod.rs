//! What `reprise show` shows: wishes from the command line or a batch, and their answers as files, text and JSON.
//!
//! Invariant: each wish has one answer, which says what was shown or why there is nothing.

pub(crate) mod answer;
pub(crate) mod file;
pub(crate) mod mesh;
pub(crate) mod sheet;
pub(crate) mod wish;
