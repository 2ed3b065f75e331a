//! Native Linux: the preloaded library's entry points, presentation through Vulkan, and mapped memory.

mod adapter;
mod definition;
mod exports;
mod fault;
mod frame_dump;
mod hashes;
mod lookup;
mod mapping;
pub mod memory;
mod next;
mod picture;
mod present;
mod private;
pub mod protect;
mod runs;
pub mod shared;
mod shim;
mod surface;
pub mod userfault;
pub mod watch;
