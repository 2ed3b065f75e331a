//! What a replay reads: the events of a trace and the decoded values in them.

pub(crate) mod outcome;
pub(crate) mod source;
pub(crate) mod values;
