//! Work on other threads: the pool, and pipelines that it creates while the replay goes on.

pub(crate) mod creations;
pub(crate) mod workers;
