//! The first candidate of a list whose replay is not that of the ones before it.
//!
//! `tree` makes candidates of commits; [`crate::trial`] plays them. `symptom` says what a run means, `search` which candidate is next and
//! what the answer is, `journal` keeps all of it, `call` finds the first call, `report` tells the answer.

pub(crate) mod call;
pub(crate) mod journal;
pub(crate) mod report;
pub(crate) mod search;
pub(crate) mod slower;
pub(crate) mod symptom;
pub(crate) mod tree;
