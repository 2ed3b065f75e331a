//! A trace as the commands open it, with the tables of the API model.

pub(crate) mod api;
pub(crate) mod damage;
pub(crate) mod open;
