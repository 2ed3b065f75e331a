//! Descriptors: handles, heaps, bindless set layouts, writes and copies.
//!
//! A descriptor is plain data: a [`Record`] of 64 bytes in its heap, on the CPU. Creating one fills the record; copying one
//! copies the record. Where the heap is shader visible, the record is also *published*: written into the Vulkan sets that
//! shaders index, and into the heap's side buffer. Nothing is counted or locked: views belong to their resource (or, for
//! samplers, to the device) and live as long as it.
//!
//! # Where shaders find a descriptor
//!
//! Each shader-visible heap has one array per [`Table`], and the same index in all of them. Root tables are `u32` indices
//! (GPU handle's low half / [`handle::INCREMENT`]). [`Layouts::place`] tells set and binding of a table:
//!
//! | set (mutable) | set (else) | binding | what | Vulkan type |
//! |---|---|---|---|---|
//! | 0 | 0 | 0 | [`Layouts::offsets`]: 16 bytes a descriptor, see [`offset`] | storage buffer of `uvec2` |
//! | 0 | 0 | 1 | [`Layouts::counters`]: 8 bytes a descriptor, address of the UAV counter or 0 | storage buffer of `uvec2` |
//! | 0 | 0 | 2 | [`Table::ConstantBuffer`] | uniform buffer |
//! | 0 | 1 | 2 (else 0) | [`Table::SampledImage`] | sampled image |
//! | 0 | 2 | 2 (else 0) | [`Table::StorageImage`] | storage image |
//! | 0 | 3 | 2 (else 0) | [`Table::UniformTexels`]: typed buffer SRVs | uniform texel buffer |
//! | 0 | 4 | 2 (else 0) | [`Table::StorageTexels`]: typed buffer UAVs | storage texel buffer |
//! | 1 | 5 | 0 | [`Table::Raw`]: raw and structured SRVs and UAVs | storage buffer |
//! | 2 | 6 | 0 | [`Table::Sampler`] (the sampler heap) | sampler |
//! | 3 | 7 | — | the root signature's static samplers ([`Layouts::static_samplers`]) | immutable samplers |
//!
//! "Mutable" is what devices with `VK_EXT_mutable_descriptor_type` have: one array whose elements take any of the types.
//! A pipeline layout has `Layouts::sets()` first, in this order, then the static samplers' set if there is one. A list binds
//! [`heap::DescriptorHeap::sets`] of the resource heap from set 0, the one set of the sampler heap at [`Layouts::samplers`].
//!
//! # What the translator must be told
//!
//! * `BINDLESS_TYPED_BUFFER_OFFSETS` on: texel buffers cover a window around the view, and the exact elements are in the
//!   offset buffer. `BINDLESS_OFFSET_BUFFER_LAYOUT` = {untyped 0, typed 1, stride 2}.
//! * `SSBO_ALIGNMENT` = [`Layouts::raw_alignment`]; the offset buffer's binding is answered for every buffer SRV and UAV in
//!   a table, raw ones included.
//! * UAV counters: the answer is [`Layouts::counters`] with the address read from it (`uvec2`), not a texel buffer.
//! * Constant buffers are bound exactly; they have no offset entry.

pub mod buffer;
pub mod copy;
pub mod handle;
pub mod heap;
mod known;
pub mod layout;
pub mod offset;
pub mod publish;
pub mod record;
mod region;
pub mod sampler;
mod sets;
pub mod texture;
pub mod view;
pub mod write;

use core::ffi::c_void;

use reprise_com::Slots;

pub use heap::DescriptorHeap;
pub use layout::{Layouts, Place, Table};
pub use record::{Kind, Record, Target};
pub use view::Views;

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = &[
    ("CreateDescriptorHeap", heap::create_descriptor_heap as *const c_void),
    ("GetDescriptorHandleIncrementSize", heap::get_increment as *const c_void),
    ("CreateConstantBufferView", write::create_cbv as *const c_void),
    ("CreateShaderResourceView", write::create_srv as *const c_void),
    ("CreateUnorderedAccessView", write::create_uav as *const c_void),
    ("CreateRenderTargetView", write::create_rtv as *const c_void),
    ("CreateDepthStencilView", write::create_dsv as *const c_void),
    ("CreateSampler", write::create_sampler as *const c_void),
    ("CreateSampler2", write::create_sampler2 as *const c_void),
    ("TryCreateConstantBufferView", write::try_create_cbv as *const c_void),
    ("TryCreateShaderResourceView", write::try_create_srv as *const c_void),
    ("TryCreateUnorderedAccessView", write::try_create_uav as *const c_void),
    ("TryCreateRenderTargetView", write::try_create_rtv as *const c_void),
    ("TryCreateDepthStencilView", write::try_create_dsv as *const c_void),
    ("TryCreateSampler2", write::try_create_sampler2 as *const c_void),
    ("CopyDescriptors", copy::copy_descriptors as *const c_void),
    ("CopyDescriptorsSimple", copy::copy_descriptors_simple as *const c_void),
];
