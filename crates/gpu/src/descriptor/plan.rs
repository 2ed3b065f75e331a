//! Where descriptors lie in a heap's buffer. Pure.

use ash::vk;

use crate::descriptor::table::Table;

/// Bytes of a descriptor, by table. Buffers have those of robust access, which is always on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes([u32; Table::COUNT]);

impl Sizes {
    /// As a device says.
    pub(super) fn of(device: &vk::PhysicalDeviceDescriptorBufferPropertiesEXT<'_>) -> Sizes {
        Sizes(Table::ALL.map(|table| {
            let bytes = match table {
                Table::ConstantBuffer => device.robust_uniform_buffer_descriptor_size,
                Table::SampledImage => device.sampled_image_descriptor_size,
                Table::StorageImage => device.storage_image_descriptor_size,
                Table::UniformTexels => device.robust_uniform_texel_buffer_descriptor_size,
                Table::StorageTexels => device.robust_storage_texel_buffer_descriptor_size,
                Table::Raw => device.robust_storage_buffer_descriptor_size,
                Table::Sampler => device.sampler_descriptor_size,
            };
            bytes as u32
        }))
    }

    /// Of a table.
    pub(super) fn of_table(&self, table: Table) -> u32 {
        self.0[table as usize]
    }

    /// Of an array's elements: Vulkan gives them room for the largest of their types.
    pub(super) fn element(&self, tables: &[Table]) -> u32 {
        tables.iter().map(|table| self.of_table(*table)).max().unwrap_or(0)
    }
}

/// An array of descriptors in a heap's buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Array {
    /// Bytes from the buffer's beginning to the set, where Vulkan is told that it begins.
    pub(super) set: u64,
    /// Bytes from the buffer's beginning to the first element.
    pub(super) first: u64,
    /// Bytes from an element to the next.
    pub(super) stride: u32,
}

/// The arrays of a heap, one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// In the order of their sets.
    pub(super) arrays: Vec<Array>,
    /// Bytes of all of them.
    pub(super) bytes: u64,
}

impl Plan {
    /// For `count` elements each. By set: bytes that lie `before` its array, and bytes of an element. Sets begin at multiples of
    /// `alignment`.
    pub(super) fn new(before: &[u64], strides: &[u32], count: u32, alignment: u64) -> Plan {
        let mut bytes = 0u64;
        let arrays = before.iter().zip(strides).map(|(before, &stride)| {
            let set = bytes.next_multiple_of(alignment.max(1));
            let first = set + before;
            bytes = first + u64::from(count) * u64::from(stride);
            Array { set, first, stride }
        });
        Plan { arrays: arrays.collect(), bytes }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What the properties of NVIDIA's driver and of Mesa's software rasteriser make of shared arrays.
    #[test]
    fn elements_are_as_large_as_the_largest_of_their_types() {
        let mut device = vk::PhysicalDeviceDescriptorBufferPropertiesEXT {
            sampled_image_descriptor_size: 4,
            storage_image_descriptor_size: 4,
            sampler_descriptor_size: 4,
            robust_uniform_buffer_descriptor_size: 16,
            robust_storage_buffer_descriptor_size: 16,
            robust_uniform_texel_buffer_descriptor_size: 16,
            robust_storage_texel_buffer_descriptor_size: 32,
            // Not those of access without checks.
            uniform_buffer_descriptor_size: 8,
            storage_buffer_descriptor_size: 8,
            ..Default::default()
        };
        let sizes = Sizes::of(&device);
        assert_eq!(sizes.element(&[Table::SampledImage, Table::StorageImage]), 4);
        assert_eq!(sizes.element(&[Table::ConstantBuffer, Table::SampledImage]), 16);
        assert_eq!(sizes.element(&[Table::UniformTexels, Table::StorageTexels]), 32);
        device.sampled_image_descriptor_size = 256;
        assert_eq!(Sizes::of(&device).element(&Table::VIEWS), 256);
    }

    proptest! {
        #[test]
        fn arrays_lie_apart_at_aligned_sets(
            sets in prop::collection::vec((0u64..300, 1u32..300), 1..7), count in 0u32..1_000_001, log2 in 0u32..9,
        ) {
            let (before, strides): (Vec<_>, Vec<_>) = sets.into_iter().unzip();
            let plan = Plan::new(&before, &strides, count, 1 << log2);
            let mut end = 0;
            for (array, (before, stride)) in plan.arrays.iter().zip(before.iter().zip(&strides)) {
                prop_assert_eq!(array.set % (1 << log2), 0);
                prop_assert!(array.set >= end && array.set - end < 1 << log2, "no more than the alignment is lost");
                prop_assert_eq!((array.first, array.stride), (array.set + before, *stride));
                end = array.first + u64::from(count) * u64::from(*stride);
            }
            prop_assert_eq!(plan.bytes, end);
        }
    }
}
