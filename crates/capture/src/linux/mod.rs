//! Linux entry points, Vulkan hooks and mapped memory.
