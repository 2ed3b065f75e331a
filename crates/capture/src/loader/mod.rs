//! The definitions behind ours: which functions we export (`names`), and where each goes on to (`resolved`, by `next` and
//! `definition`).

pub(crate) mod definition;
pub(crate) mod names;
pub(crate) mod next;
pub(crate) mod resolved;
