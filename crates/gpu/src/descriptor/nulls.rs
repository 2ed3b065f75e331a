//! The bytes of null descriptors.

use ash::vk;

use crate::descriptor::plan::Sizes;
use crate::descriptor::table::Table;

/// Null of each table's type, as the driver makes it. There is none of samplers.
#[derive(Debug)]
pub(super) struct Nulls([Vec<u8>; Table::COUNT]);

impl Nulls {
    /// Asks the driver. Its device has `nullDescriptor` switched on.
    pub(super) fn new(functions: &ash::ext::descriptor_buffer::Device, sizes: &Sizes) -> Nulls {
        Nulls::made_by(sizes, |info, bytes| {
            // SAFETY: the bytes are as many as the type's descriptors have.
            unsafe { functions.get_descriptor(info, bytes) };
        })
    }

    /// Of what `make` writes for each type but samplers.
    pub(super) fn made_by(sizes: &Sizes, make: impl Fn(&vk::DescriptorGetInfoEXT<'_>, &mut [u8])) -> Nulls {
        Nulls(Table::ALL.map(|table| {
            if table == Table::Sampler {
                return Vec::new();
            }
            let mut bytes = vec![0; sizes.of_table(table) as usize];
            // All members of the union are pointers, and null means null for each of these types.
            let data = vk::DescriptorDataEXT { p_sampled_image: core::ptr::null() };
            let info = vk::DescriptorGetInfoEXT { ty: table.vk(), data, ..Default::default() };
            make(&info, &mut bytes);
            bytes
        }))
    }

    /// The bytes of a table's null; a null pointer for samplers.
    pub(super) fn of(&self, table: Table) -> *const u8 {
        let bytes = self.bytes(table);
        if bytes.is_empty() { core::ptr::null() } else { bytes.as_ptr() }
    }

    /// The bytes of a table's null; empty for samplers.
    pub(super) fn bytes(&self, table: Table) -> &[u8] {
        &self.0[table as usize]
    }
}
