//! Work on other threads: a pool of workers, and the pipelines that they make.

pub(crate) mod creations;
pub(crate) mod workers;
