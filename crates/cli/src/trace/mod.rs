//! A trace as the commands see it: opened with the tables of the API model, and summed up in one walk.

pub(crate) mod api;
pub(crate) mod counts;
pub(crate) mod info;
pub(crate) mod lives;
pub(crate) mod open;
