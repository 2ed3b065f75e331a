//! The input of a replay: the events of a trace, and values among decoded arguments and outcomes.

pub(crate) mod outcome;
pub(crate) mod source;
pub(crate) mod values;
