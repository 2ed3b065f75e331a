//! The frame around calls that submit work to the GPU or wait for it: locks that decide an order (`section`), stored bytes
//! (`flush`), and completed values of fences (`fences`).

pub(crate) mod fences;
pub(crate) mod flush;
pub(crate) mod section;
