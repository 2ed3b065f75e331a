//! Swap chains of queues: `IDXGIVkSwapChainFactory` and what it makes.
//!
//! These interfaces are DXVK's. Its dxgi asks a queue for them, and so do native programs written for vkd3d-proton. The program's own
//! object makes the surface, on our Vulkan instance, so it decides on the window system. Invariants: back buffers are ordinary
//! textures, which the chain holds whether the program does or not; frames are shown in the queue's order; a program that waits
//! for a frame never waits for ever, also where the device is lost.

pub(crate) mod factory;
mod latency;
mod methods;
mod object;
mod pace;
