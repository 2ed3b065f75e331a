//! Linux entry points, Vulkan hooks and mapped memory.

pub mod memory;
pub mod userfault;
