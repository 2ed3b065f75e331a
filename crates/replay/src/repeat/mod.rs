//! `--loop-frame`: plays some frames again and again.

pub(crate) mod plan;
pub(crate) mod rounds;
