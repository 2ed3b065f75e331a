//! The first candidate of a list whose replay is not that of the ones before it.
//!
//! A `candidate` is a runtime, a driver or an environment; `tree` makes candidates of commits. `trial` plays the trace on one, `outcome` says
//! what that showed, `search` which one is next and what the answer is, `journal` keeps all of it, `report` tells it.

pub(crate) mod call;
pub(crate) mod candidate;
pub(crate) mod journal;
pub(crate) mod outcome;
pub(crate) mod reference;
pub(crate) mod report;
pub(crate) mod search;
pub(crate) mod tree;
pub(crate) mod trial;
