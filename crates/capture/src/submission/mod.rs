//! What stands around calls that give work to the GPU or wait for it: locks that decide an order (`section`), stored bytes
//! (`flush`), and fences as they were seen (`fences`).

pub(crate) mod fences;
pub(crate) mod flush;
pub(crate) mod section;
