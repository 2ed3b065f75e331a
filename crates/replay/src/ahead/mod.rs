//! Handing calls to other threads: creations of pipelines and calls of command lists.
//!
//! Invariant: results and errors appear in the order of the trace, as if one thread had made all calls.

pub(crate) mod lists;
pub(crate) mod pipelines;
