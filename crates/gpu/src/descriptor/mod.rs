//! Descriptors as Vulkan has them: set layouts, heaps, views, samplers, and the writes between them.
//!
//! A descriptor is plain data, a [`Record`](record::Record) of 64 bytes. A [`Heap`](heap::Heap) that shaders see is descriptor sets
//! or a descriptor buffer ([`Descriptors`](crate::settings::Descriptors)). *Publishing* writes a record into the arrays that shaders
//! index, and into the side buffer beside them ([`publish`]).
//!
//! # Where shaders find a descriptor
//!
//! Sets of views have one array each, and a descriptor has the same index in all of them. An array serves one
//! [`Table`](table::Table) or several ([`Sharing`](crate::settings::Sharing)).
//! [`Layouts::place`](layout::Layouts::place) gives set and binding of a table:
//!
//! | set: views | families | nothing | content | Vulkan type |
//! |---|---|---|---|---|
//! | 0, binding 0 | 0 | 0 | [`Layouts::offsets`](layout::Layouts::offsets): 16 bytes a descriptor, see [`offset`] | storage buffer of `uvec2` |
//! | 0, binding 1 | 0 | 0 | [`Layouts::counters`](layout::Layouts::counters): 8 bytes a descriptor, address of the counter, number of [`wide`](crate::wide), or 0 | storage buffer of `uvec2` |
//! | 0 | 0 | 1 | `Table::SampledImage` | sampled image |
//! | 0 | 0 | 2 | `Table::StorageImage` | storage image |
//! | 0 | 1 | 3 | `Table::UniformTexels`: typed buffers that are read | uniform texel buffer |
//! | 0 | 1 | 4 | `Table::StorageTexels`: typed buffers that are written | storage texel buffer |
//! | 1 | 2 | 0 | `Table::ConstantBuffer` | uniform buffer |
//! | 2 | 2 | 5 | `Table::Raw`: raw and structured buffers, read or written | storage buffer |
//! | 3 | 3 | 6 | `Table::Sampler` | sampler |
//! | 4 | 4 | 7 | texels of 64 bits, where the device has atomics on them ([`wide`](crate::wide)) | storage image, storage texel buffer |
//! | 4 or 5 | 4 or 5 | 7 or 8 | records of checks, where shaders look at descriptors ([`checks`]) | storage buffer with an offset |
//! | 4 to 6 | 4 to 6 | 7 to 9 | static samplers ([`Layouts::static_samplers`](layout::Layouts::static_samplers)) | immutable samplers |
//!
//! The array of set 0 is binding 2, those of other sets are binding 0. Elements of shared arrays take any of their types, which
//! devices with `VK_EXT_mutable_descriptor_type` have. A pipeline layout has [`Layouts::sets`](layout::Layouts::sets) first, in
//! this order, then the set of static samplers if there is one.
//!
//! Arrays of views have one element more than the heap, which is null, and side buffers, too: shaders take it for every index beyond. Arrays
//! of samplers have as many as the API allows, and no element of theirs is unwritten. Where the driver needs it they have each sampler twice
//! ([`Layouts::plain_samplers`](layout::Layouts::plain_samplers)).
//!
//! Invariant: nothing is counted or locked when a descriptor is written. A view lives as long as its resource, a sampler as long
//! as the device.

pub mod bindings;
pub mod block_layout;
pub mod checks;
mod choice;
pub mod expected;
pub mod heap;
mod known;
pub mod layout;
mod mapped;
mod nulls;
pub mod offset;
mod plan;
pub mod publish;
pub mod record;
pub mod region;
pub mod sampler;
mod spare;
mod static_memory;
pub mod static_samplers;
pub mod table;
mod texels;
pub mod view;
