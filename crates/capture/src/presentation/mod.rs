//! Presents of programs that use Vulkan for their windows: frame boundaries, and pictures of what is shown.
//!
//! `swapchains` knows the program's Vulkan objects, `present` reads each frame where that is asked for: a `copier` brings it into
//! host memory, and [`crate::picture`] writes it.

pub(crate) mod copier;
pub(crate) mod present;
pub(crate) mod swapchains;
