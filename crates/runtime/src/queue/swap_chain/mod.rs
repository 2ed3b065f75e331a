//! Swap chains of queues: the factories that a queue is, and what they make.
//!
//! One core (`chain`: back buffers, their turns, latency), two faces. `vulkan` is DXVK's: its dxgi asks a queue for
//! `IDXGIVkSwapChainFactory`, and so do native programs written for vkd3d-proton; the program's own object makes the surface, on
//! our Vulkan instance, so it decides on the window system. `dxgi` is for Wine's own dxgi, which asks for
//! `IWineDXGISwapChainFactory` and gets a whole `IDXGISwapChain4`; it exists where windows are Windows'. Invariants: back buffers
//! are ordinary textures, which the chain holds whether the program does or not; frames are shown in the queue's order; a program
//! that waits for a frame never waits for ever, also where the device is lost.

use core::ffi::c_void;

use reprise_com::Object;
use reprise_d3d12::model::Guid;

use crate::queue::object::CommandQueue;

mod chain;
#[cfg(any(windows, test))]
pub(super) mod dxgi;
mod hdr;
mod latency;
mod pace;
pub(super) mod vulkan;

/// The facet that answers an interface id.
pub(crate) fn answer(object: &Object<CommandQueue>, iid: &Guid) -> Option<*mut c_void> {
    let found = vulkan::factory::answer(object, iid);
    #[cfg(windows)]
    let found = found.or_else(|| dxgi::factory::answer(object, iid));
    found
}
