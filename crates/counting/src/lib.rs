//! A Vulkan layer for tests: it offers counters of known values (`VK_KHR_performance_query`) on a device that has none.
//!
//! The layer counts the commands that stand between the beginning and the end of a query ([`tally`]), so a test knows what must come out. It
//! stands for the rules of the extension, too ([`rules`]): what breaks one is named when the process ends, in the file of
//! `REPRISE_COUNTING_SAID`. Of its counters ([`offered`]) two fit into a pass.
//!
//! Invariant: nothing of a query of these counters reaches the device below.
//!
//! `reprise_testing::counting` loads it.

mod adapter;
mod commands;
mod device;
mod offered;
mod pools;
mod rules;
mod tally;

use std::ffi::CStr;

use ash::vk;
use reprise_layer::interface::Function;
use reprise_layer::{Layer, Negotiation, negotiate};

/// The loader asks how to call the layer.
///
/// # Safety
/// The pointer is the loader's.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the loader's name")]
pub unsafe extern "system" fn vkNegotiateLoaderLayerInterfaceVersion(with: *mut Negotiation) -> vk::Result {
    rules::at_exit();
    // SAFETY: as the caller says.
    unsafe { negotiate(with, Layer { before: commands::find, own, adapters: &adapter::BELOW }) }
}

fn own(name: &CStr) -> Option<Function> {
    adapter::find(name).or_else(|| device::find(name)).or_else(|| pools::find(name))
}

/// Makes `find` of functions, by their names in Vulkan.
macro_rules! find {
    ($($name:literal => $function:ident: $kind:ty),* $(,)?) => {
        /// This layer's function of a name.
        pub(crate) fn find(name: &std::ffi::CStr) -> Option<reprise_layer::interface::Function> {
            $(
                if name == $name {
                    // SAFETY: a pointer to a function; the caller knows its type by the name.
                    return Some(unsafe { std::mem::transmute::<$kind, reprise_layer::interface::Function>($function) });
                }
            )*
            None
        }
    };
}
use find;
