//! Presents of programs that use Vulkan for their windows: frame boundaries, and pictures of what is shown.
//!
//! `swapchains` knows the program's Vulkan objects, `present` reads each frame where that is asked for: a `copier` brings it into
//! host memory, `hashes` and `pictures` write it.

pub(crate) mod copier;
pub(crate) mod hashes;
pub(crate) mod pictures;
pub(crate) mod present;
pub(crate) mod swapchains;
