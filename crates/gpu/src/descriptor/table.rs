//! The tables of descriptors, and the arrays that hold them. Pure.

use ash::vk;

use crate::settings::Sharing;

/// Most views of a shader-visible heap, as the API says for all tiers but the highest.
pub const VIEWS: u32 = 1_000_000;
/// Most samplers of a shader-visible heap.
pub const SAMPLERS: u32 = 2048;

/// An array that shaders index with the heap's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Table {
    /// Constant buffers.
    ConstantBuffer,
    /// Textures that are read.
    SampledImage,
    /// Textures that are written.
    StorageImage,
    /// Typed buffers that are read.
    UniformTexels,
    /// Typed buffers that are written.
    StorageTexels,
    /// Raw and structured buffers, read or written.
    Raw,
    /// Samplers.
    Sampler,
}

impl Table {
    /// How many there are.
    pub(super) const COUNT: usize = Table::ALL.len();
    /// All tables.
    pub(super) const ALL: [Table; 7] = [
        Table::ConstantBuffer,
        Table::SampledImage,
        Table::StorageImage,
        Table::UniformTexels,
        Table::StorageTexels,
        Table::Raw,
        Table::Sampler,
    ];
    /// The tables of views, in the order of their sets.
    pub const VIEWS: [Table; 6] = [
        Table::ConstantBuffer,
        Table::SampledImage,
        Table::StorageImage,
        Table::UniformTexels,
        Table::StorageTexels,
        Table::Raw,
    ];

    /// Vulkan's type of the table's descriptors.
    pub fn vk(self) -> vk::DescriptorType {
        match self {
            Table::ConstantBuffer => vk::DescriptorType::UNIFORM_BUFFER,
            Table::SampledImage => vk::DescriptorType::SAMPLED_IMAGE,
            Table::StorageImage => vk::DescriptorType::STORAGE_IMAGE,
            Table::UniformTexels => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
            Table::StorageTexels => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
            Table::Raw => vk::DescriptorType::STORAGE_BUFFER,
            Table::Sampler => vk::DescriptorType::SAMPLER,
        }
    }
}

/// The arrays of views: the tables of each. An array's number is the number of its set. Null is of an array's first type:
/// lavapipe reads memory at address 0 where a constant buffer is read that is null of a raw buffer. Where textures and typed buffers
/// share an array, constant buffers and raw ones are alone: where constant buffers shared an array with either, NVIDIA H100s (driver 580.159)
/// stopped for good when shaders read one as the other (undefined-slots).
pub(crate) fn arrays(sharing: Sharing) -> &'static [&'static [Table]] {
    use Table::{ConstantBuffer, Raw, SampledImage, StorageImage, StorageTexels, UniformTexels};
    match sharing {
        Sharing::Views => &[&[SampledImage, StorageImage, UniformTexels, StorageTexels], &[ConstantBuffer], &[Raw]],
        Sharing::Families => &[&[SampledImage, StorageImage], &[UniformTexels, StorageTexels], &[ConstantBuffer, Raw]],
        Sharing::Nothing => {
            &[&[ConstantBuffer], &[SampledImage], &[StorageImage], &[UniformTexels], &[StorageTexels], &[Raw]]
        }
    }
}

/// Vulkan's types of an array's tables.
pub(super) fn vulkan_types(tables: &[Table]) -> Vec<vk::DescriptorType> {
    tables.iter().map(|table| table.vk()).collect()
}

/// Vulkan's type of an array's elements: the only one of `types`, or any of them.
pub(super) fn element(types: &[vk::DescriptorType]) -> vk::DescriptorType {
    if let [only] = types { *only } else { vk::DescriptorType::MUTABLE_EXT }
}
