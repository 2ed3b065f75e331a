//! The set layouts that all pipelines of a device share.
//!
//! Invariant: the layouts are the same for all sets and pipelines of a device, so sets stay bound when pipelines change.

use std::sync::Arc;

use ash::vk;

use crate::error::{Context, Result};
use crate::logical::Logical;

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

/// A set's number in the pipeline layout, and a binding in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
}

/// Binding of the array in set 0, behind the side buffers.
const ARRAY: u32 = 2;
/// Storage buffers in set 0 that are no views.
const SIDE_BUFFERS: u32 = 2;

/// The set layouts.
#[derive(Debug)]
pub struct Layouts {
    logical: Arc<Logical>,
    mutable: bool,
    views: u32,
    raw: u32,
    raw_alignment: u32,
    all: Vec<vk::DescriptorSetLayout>,
}

impl Layouts {
    /// Makes the layouts.
    ///
    /// # Errors
    /// Vulkan cannot make them.
    pub(crate) fn new(logical: &Arc<Logical>) -> Result<Layouts> {
        let (v12, limits) = (&logical.caps.v12, &logical.caps.limits);
        let mutable = logical.caps.mutable_descriptors() && !logical.instance.settings.separate_sets;
        // The side buffers count as storage buffers, too.
        let storage = v12
            .max_descriptor_set_update_after_bind_storage_buffers
            .min(v12.max_per_stage_descriptor_update_after_bind_storage_buffers);
        let views = [
            VIEWS,
            storage,
            v12.max_descriptor_set_update_after_bind_uniform_buffers,
            v12.max_per_stage_descriptor_update_after_bind_uniform_buffers,
            v12.max_descriptor_set_update_after_bind_sampled_images / if mutable { 1 } else { 2 },
            v12.max_per_stage_descriptor_update_after_bind_sampled_images / if mutable { 1 } else { 2 },
            v12.max_descriptor_set_update_after_bind_storage_images / if mutable { 1 } else { 2 },
            v12.max_per_stage_descriptor_update_after_bind_storage_images / if mutable { 1 } else { 2 },
        ];
        let views = views.into_iter().min().unwrap_or(0);
        let raw_alignment = limits.min_storage_buffer_offset_alignment.clamp(4, 256) as u32;
        let mut layouts = Layouts {
            logical: logical.clone(),
            mutable,
            views,
            raw: views.min(storage.saturating_sub(SIDE_BUFFERS)),
            raw_alignment,
            all: Vec::new(),
        };
        layouts.make(&logical.vk)?;
        Ok(layouts)
    }

    fn make(&mut self, vk: &ash::Device) -> Result<()> {
        if self.mutable {
            let (typed, raw) = Table::VIEWS.split_at(5);
            self.make_set(vk, typed, self.views)?;
            self.make_set(vk, raw, self.raw)?;
        } else {
            for table in Table::VIEWS {
                self.make_set(vk, &[table], if table == Table::Raw { self.raw } else { self.views })?;
            }
        }
        self.make_set(vk, &[Table::Sampler], SAMPLERS)
    }

    /// Makes the next set: an array of `count` elements, and the side buffers if it is the first one.
    fn make_set(&mut self, vk: &ash::Device, tables: &[Table], count: u32) -> Result<()> {
        let types: Vec<vk::DescriptorType> = tables.iter().map(|table| table.vk()).collect();
        let ty = if types.len() > 1 { vk::DescriptorType::MUTABLE_EXT } else { types[0] };
        let binding = |at: u32, ty: vk::DescriptorType, count: u32| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(at)
                .descriptor_type(ty)
                .descriptor_count(count)
                .stage_flags(vk::ShaderStageFlags::ALL)
        };
        let array = vk::DescriptorBindingFlags::UPDATE_AFTER_BIND
            | vk::DescriptorBindingFlags::UPDATE_UNUSED_WHILE_PENDING
            | vk::DescriptorBindingFlags::PARTIALLY_BOUND
            | vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT;
        let (mut bindings, mut flags) = (Vec::new(), Vec::new());
        if self.all.is_empty() {
            for at in 0..SIDE_BUFFERS {
                bindings.push(binding(at, vk::DescriptorType::STORAGE_BUFFER, 1));
                flags.push(vk::DescriptorBindingFlags::empty());
            }
        }
        bindings.push(binding(bindings.len() as u32, ty, count));
        flags.push(array);
        let mut lists = vec![vk::MutableDescriptorTypeListEXT::default(); bindings.len()];
        if types.len() > 1 {
            lists[bindings.len() - 1] = vk::MutableDescriptorTypeListEXT::default().descriptor_types(&types);
        }
        let mut mutable = vk::MutableDescriptorTypeCreateInfoEXT::default().mutable_descriptor_type_lists(&lists);
        let mut flags = vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&flags);
        let mut info = vk::DescriptorSetLayoutCreateInfo::default()
            .flags(vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL)
            .bindings(&bindings)
            .push_next(&mut flags);
        if types.len() > 1 {
            info = info.push_next(&mut mutable);
        }
        // SAFETY: the structures live until the call returns.
        let layout = unsafe { vk.create_descriptor_set_layout(&info, None) }.call("vkCreateDescriptorSetLayout")?;
        self.all.push(layout);
        Ok(())
    }

    /// Whether one array takes all types of views but raw ones.
    pub fn mutable(&self) -> bool {
        self.mutable
    }

    /// Most views that a shader can reach in one heap.
    pub fn view_limit(&self) -> u32 {
        self.views
    }

    /// As [`Layouts::view_limit`], for raw and structured buffers: the side buffers are of Vulkan's same type, and count.
    pub fn raw_limit(&self) -> u32 {
        self.raw
    }

    /// The layouts of the sets that every pipeline layout begins with.
    pub fn sets(&self) -> &[vk::DescriptorSetLayout] {
        &self.all
    }

    /// The layouts of a heap's own sets.
    pub fn sets_of(&self, samplers: bool) -> &[vk::DescriptorSetLayout] {
        let (views, last) = self.all.split_at(self.all.len() - 1);
        if samplers { last } else { views }
    }

    /// Where a table is.
    #[inline]
    pub fn place(&self, table: Table) -> Place {
        place(self.mutable, table)
    }

    /// Where the offset entries are.
    #[inline]
    pub fn offsets(&self) -> Place {
        Place { set: 0, binding: 0 }
    }

    /// Where the addresses of UAV counters are.
    #[inline]
    pub fn counters(&self) -> Place {
        Place { set: 0, binding: 1 }
    }

    /// The number of the sampler heap's set.
    #[inline]
    pub fn samplers(&self) -> u32 {
        self.place(Table::Sampler).set
    }

    /// The number of the set of a root signature's static samplers.
    #[inline]
    pub fn static_samplers(&self) -> u32 {
        self.samplers() + 1
    }

    /// Bytes that raw buffers' beginnings are multiples of in Vulkan; the offset entries hold the rest.
    #[inline]
    pub fn raw_alignment(&self) -> u32 {
        self.raw_alignment
    }
}

impl Drop for Layouts {
    fn drop(&mut self) {
        for layout in self.all.drain(..) {
            // SAFETY: made by this device, and no set or pipeline layout is made of it any more.
            unsafe { self.logical.vk.destroy_descriptor_set_layout(layout, None) };
        }
    }
}

fn place(mutable: bool, table: Table) -> Place {
    let (set, binding) = match (mutable, table) {
        (true, Table::Raw) => (1, 0),
        (true, Table::Sampler) => (2, 0),
        (true, _) => (0, ARRAY),
        (false, Table::ConstantBuffer) => (0, ARRAY),
        (false, Table::SampledImage) => (1, 0),
        (false, Table::StorageImage) => (2, 0),
        (false, Table::UniformTexels) => (3, 0),
        (false, Table::StorageTexels) => (4, 0),
        (false, Table::Raw) => (5, 0),
        (false, Table::Sampler) => (6, 0),
    };
    Place { set, binding }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_different_types_are_at_different_places_without_mutable_ones() {
        let all: std::collections::HashSet<Place> =
            Table::VIEWS.into_iter().chain([Table::Sampler]).map(|table| place(false, table)).collect();
        assert_eq!(all.len(), 7);
        assert_eq!(place(true, Table::StorageTexels), Place { set: 0, binding: 2 });
    }
}
