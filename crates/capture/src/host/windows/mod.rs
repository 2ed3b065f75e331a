//! Windows, and Wine where it stands in for Windows.

pub(crate) mod kernel;
pub(crate) mod process;
pub(crate) mod sign;
pub(crate) mod slot;
