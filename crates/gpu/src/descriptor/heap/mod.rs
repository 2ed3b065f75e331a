//! Heaps as Vulkan has them: sets or buffers that shaders see, and bytes that they do not see.

mod buffers;
mod bytes;
mod sets;
mod side;

use std::sync::Arc;

use crate::descriptor::bindings::Bindings;
use crate::descriptor::offset::Entry;
use crate::descriptor::publish::Target;
use crate::error::Result;
use crate::logical::Logical;
use crate::settings::Descriptors;

pub use buffers::Buffers;
pub use bytes::Bytes;
pub use sets::Sets;

/// A heap that shaders see. Destroyed when nothing uses it any more.
#[derive(Debug)]
pub enum Heap {
    /// Descriptor sets.
    Sets(Sets),
    /// Descriptors in memory.
    Buffers(Buffers),
}

impl Heap {
    /// A heap of `count` descriptors, or as many as the device can take, all of them null.
    ///
    /// # Errors
    /// Vulkan is out of memory, or cannot make so many.
    pub fn new(logical: &Arc<Logical>, bindings: &Arc<Bindings>, samplers: bool, count: u32) -> Result<Heap> {
        let count = match samplers {
            true => bindings.sampler_room(),
            false => bindings.elements(count.min(bindings.view_limit()))?,
        };
        Ok(match bindings.descriptors() {
            Descriptors::Sets => Heap::Sets(Sets::new(logical, bindings, samplers, count)?),
            Descriptors::Buffers => Heap::Buffers(Buffers::new(logical, bindings, samplers, count)?),
        })
    }

    /// Where the heap's descriptors go.
    ///
    /// # Errors
    /// The device has no descriptor buffers.
    pub fn target(&self) -> Result<Target> {
        match self {
            Heap::Sets(sets) => Ok(Target::Sets(sets.target())),
            Heap::Buffers(buffers) => buffers.target().map(Target::Buffers),
        }
    }

    /// What the side buffer holds of a descriptor; `None` for samplers.
    pub fn side(&self, index: u32) -> Option<(Entry, u64)> {
        let side = match self {
            Heap::Sets(sets) => sets.side(),
            Heap::Buffers(buffers) => buffers.side(),
        };
        side?.read(index)
    }
}
