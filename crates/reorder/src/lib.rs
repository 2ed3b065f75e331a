//! A Vulkan layer for tests: it puts commands into another order wherever no barrier keeps them in theirs.
//!
//! Vulkan lets commands run in any order between barriers, and drivers seldom do. A barrier that is missing is then right by luck. Under
//! this layer builds, copies and questions of acceleration structures, copies of buffers, dispatches and rays wait (`waiting`) until a
//! barrier names their stages or the command buffer ends, and are recorded in another order (`order`). Draws and commands of images stay
//! where they are, and the others move around them. Each dispatch is recorded before the next command that changes what it would read.
//! A barrier that holds up too few of the later commands is for validation to find.
//!
//! Invariant: the layer moves commands back only, never to before a barrier.
//!
//! `reprise_testing::reorder` loads it. At its end the process says how many commands were moved.

mod commands;
mod order;
mod said;
mod waiting;

use ash::vk;
use reprise_layer::{Layer, Negotiation, negotiate};

/// The loader asks how to call the layer.
///
/// # Safety
/// The pointer is the loader's.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the loader's name")]
pub unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(with: *mut Negotiation) -> vk::Result {
    said::at_exit();
    // SAFETY: as the caller says.
    unsafe { negotiate(with, Layer { before: commands::find, own: |_| None, adapters: &[] }) }
}
