//! Access violations, on Windows and under Wine.

pub(crate) mod fault;
pub(crate) mod signals;
