//! Resources: buffers as slices of allocations, textures as images.
//!
//! Invariants: a resource's description is complete (mip levels counted, alignment filled in) and allowed by the rules of
//! [`desc`]; its memory lives as long as it does, also when the heap it was placed in goes first.

pub mod allocation;
pub mod buffer;
pub mod create;
pub mod desc;
mod device;
pub mod image;
pub mod inflate;
pub mod info;
pub mod map;
mod methods;
pub mod plan;
mod reserved;
mod sizes;

use core::ptr::NonNull;
use core::sync::atomic::Ordering;
use std::sync::OnceLock;

use ash::vk;
use reprise_com::{Class, Object, Ref, Vtable, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;
use reprise_d3d12::types::{
    D3D12_HEAP_FLAGS, D3D12_HEAP_PROPERTIES, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_STATES, DXGI_FORMAT,
};

pub use buffer::Buffer;
pub use device::DEVICE_METHODS;
pub use image::Image;
pub(crate) use methods::told;
pub use reserved::RESERVED_METHODS;
pub use sizes::SIZE_METHODS;

use crate::Child;
use crate::descriptor;
use crate::format::Format;
use crate::heap::Heap;
use crate::tile::Tiles;

/// The body of `ID3D12Resource`.
pub struct Resource {
    /// The device.
    pub device: Child,
    /// Complete: mip levels counted, alignment filled in.
    pub desc: D3D12_RESOURCE_DESC1,
    /// The description's format; `None` for buffers.
    pub format: Option<&'static Format>,
    /// Of its own heap, or of the one it is placed in.
    pub heap_properties: D3D12_HEAP_PROPERTIES,
    /// As above.
    pub heap_flags: D3D12_HEAP_FLAGS,
    /// The heap and the place in it; `None` for committed resources.
    pub placed: Option<(Ref<Heap>, u64)>,
    /// The state it was created in.
    pub initial_state: D3D12_RESOURCE_STATES,
    /// Formats that views may have beyond its own family (`CreateCommittedResource3`).
    pub castable: Vec<DXGI_FORMAT>,
    /// A number that no other resource of the process has or had.
    pub cookie: u64,
    /// What the resource is to Vulkan.
    pub kind: Kind,
    /// Of reserved resources.
    pub tiles: Option<Box<Tiles>>,
    /// Views that live as long as the resource; owned by the descriptor module, destroyed with it.
    pub views: OnceLock<Box<descriptor::Views>>,
}

/// What a resource is to Vulkan.
#[derive(Debug)]
pub enum Kind {
    /// Bytes of an allocation.
    Buffer(Buffer),
    /// An image.
    Image(Image),
}

impl Resource {
    /// The buffer; `None` for textures.
    pub fn buffer(&self) -> Option<&Buffer> {
        match &self.kind {
            Kind::Buffer(buffer) => Some(buffer),
            Kind::Image(_) => None,
        }
    }

    /// The image; `None` for buffers.
    pub fn image(&self) -> Option<&Image> {
        match &self.kind {
            Kind::Image(image) => Some(image),
            Kind::Buffer(_) => None,
        }
    }

    /// Whether it can be used without a transition first.
    #[inline]
    pub fn is_begun(&self) -> bool {
        self.image().is_none_or(|image| image.initialised.load(Ordering::Relaxed))
    }

    /// The transition out of `UNDEFINED`, for the submission that asks first.
    pub fn begin(&self) -> Option<vk::ImageMemoryBarrier2<'static>> {
        self.image()?.begin()
    }

    /// Array layers in Vulkan's sense: 1 for volumes.
    pub fn layers(&self) -> u32 {
        desc::layers(&self.desc)
    }

    /// Subresources of all planes.
    pub fn subresources(&self) -> u32 {
        desc::subresources(&self.desc)
    }
}

impl core::fmt::Debug for Resource {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Resource").field("cookie", &self.cookie).field("kind", &self.kind).finish_non_exhaustive()
    }
}

const NEWEST: InterfaceId = interface("ID3D12Resource2");

static VTABLE: Vtable<{ NEWEST.slots() as usize }> =
    vtable(NEWEST, Object::<Resource>::SHARED, methods::RESOURCE_METHODS);

impl Class for Resource {
    const INTERFACE: InterfaceId = NEWEST;
    const VTABLE: &'static [*const core::ffi::c_void] = VTABLE.slots();

    fn released(object: &Object<Resource>) {
        if !object.is_begun() {
            object.device.fresh.forget(object);
        }
        object.device.release();
    }

    fn device(&self) -> Option<NonNull<core::ffi::c_void>> {
        Some(self.device.pointer())
    }
}

impl Drop for Resource {
    fn drop(&mut self) {
        // Views go before what they show.
        self.views.take();
        if let Kind::Image(image) = &self.kind {
            image.destroy(&self.device.vk);
        }
    }
}
