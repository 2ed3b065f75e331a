//! Formats: DXGI and Vulkan, planes, families, capabilities.
