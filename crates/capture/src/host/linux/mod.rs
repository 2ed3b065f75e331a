//! Native Linux.

pub(crate) mod kernel;
pub(crate) mod process;
