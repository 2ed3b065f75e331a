//! Descriptors: handles, heaps, bindless set layouts, writes and copies.
//!
//! A descriptor is plain data: a [`Record`](reprise_gpu::descriptor::record::Record) of 64 bytes in its heap, on the CPU. Creating one fills the record; copying one
//! copies the record. Where the heap is shader visible, the record is also *published*: written into the arrays that
//! shaders index, and into the heap's side buffer. Where arrays are memory, other heaps have their descriptors' bytes, too. Nothing is counted or locked: views belong to their resource (or, for
//! samplers, to the device) and live as long as it.
//!
//! Where shaders find a descriptor, and which sets a pipeline layout has, says [`reprise_gpu::descriptor`]. Root tables are
//! `u32` indices (GPU handle's low half / [`handle::INCREMENT`]). A list binds [`heap::DescriptorHeap::visible`] of the resource
//! heap from set 0, and that of the sampler heap at `Layouts::samplers`.
//!
//! # What the translator must be told
//!
//! * `BINDLESS_TYPED_BUFFER_OFFSETS` on: texel buffers cover a window around the view, and the exact elements are in the
//!   offset buffer. `BINDLESS_OFFSET_BUFFER_LAYOUT` = {untyped 0, typed 1, stride 2}.
//! * `SSBO_ALIGNMENT` = `Layouts::raw_alignment`; the offset buffer's binding is answered for every buffer SRV and UAV in
//!   a table, raw ones included.
//! * UAV counters: the answer is `Layouts::counters` with the address read from it (`uvec2`), not a texel buffer.
//! * Constant buffers are bound exactly; their offset entries are for shaders that read them as raw buffers.

pub mod buffer;
pub mod copy;
pub mod handle;
pub mod heap;
pub mod sampler;
pub mod texture;
pub mod write;

use core::ffi::c_void;

use reprise_com::Slots;

pub use heap::DescriptorHeap;

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = &[
    ("CreateDescriptorHeap", heap::create_descriptor_heap as *const c_void),
    ("GetDescriptorHandleIncrementSize", heap::get_increment as *const c_void),
    ("CreateConstantBufferView", write::create_cbv as *const c_void),
    ("CreateShaderResourceView", write::create_srv as *const c_void),
    ("CreateUnorderedAccessView", write::create_uav as *const c_void),
    ("CreateSamplerFeedbackUnorderedAccessView", write::create_feedback as *const c_void),
    ("CreateRenderTargetView", write::create_rtv as *const c_void),
    ("CreateDepthStencilView", write::create_dsv as *const c_void),
    ("CreateSampler", write::create_sampler as *const c_void),
    ("CreateSampler2", write::create_sampler2 as *const c_void),
    ("TryCreateConstantBufferView", write::try_create_cbv as *const c_void),
    ("TryCreateShaderResourceView", write::try_create_srv as *const c_void),
    ("TryCreateUnorderedAccessView", write::try_create_uav as *const c_void),
    ("TryCreateSamplerFeedbackUnorderedAccessView", write::try_create_feedback as *const c_void),
    ("TryCreateRenderTargetView", write::try_create_rtv as *const c_void),
    ("TryCreateDepthStencilView", write::try_create_dsv as *const c_void),
    ("TryCreateSampler2", write::try_create_sampler2 as *const c_void),
    ("CopyDescriptors", copy::copy_descriptors as *const c_void),
    ("CopyDescriptorsSimple", copy::copy_descriptors_simple as *const c_void),
];
