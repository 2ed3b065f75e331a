//! A trace as the commands name and open it.

pub(crate) mod boundary;
pub(crate) mod notes;
pub(crate) mod open;
