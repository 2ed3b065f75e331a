//! The real functions behind our exports: `names` lists the exports; `resolved` keeps the real function of each, which `next`
//! and `definition` find.

pub(crate) mod definition;
pub(crate) mod names;
pub(crate) mod next;
pub(crate) mod resolved;
