//! A trace as the commands name and open it.

pub(crate) mod open;
