//! A heap as descriptor sets: a pool with its sets, and the side buffer.

use std::sync::Arc;

use ash::vk;

use crate::descriptor::bindings::Bindings;
use crate::descriptor::heap::side::Side;
use crate::descriptor::layout::SIDE_BUFFERS;
use crate::descriptor::publish::sets::Target;
use crate::descriptor::sampler::Description;
use crate::descriptor::table::{Table, arrays, element, vulkan_types};
use crate::error::Result;
use crate::logical::Logical;

/// Sets of a heap. Destroyed with it.
#[derive(Debug)]
pub struct Sets {
    logical: Arc<Logical>,
    bindings: Arc<Bindings>,
    samplers: bool,
    /// Descriptors that the sets have.
    count: u32,
    pool: vk::DescriptorPool,
    sets: Vec<vk::DescriptorSet>,
    side: Option<Side>,
}

impl Sets {
    /// Sets for `count` descriptors, all of them null.
    ///
    /// # Errors
    /// Vulkan is out of memory, or cannot make so many.
    pub(super) fn new(logical: &Arc<Logical>, bindings: &Arc<Bindings>, samplers: bool, count: u32) -> Result<Sets> {
        let mut made = Sets {
            logical: logical.clone(),
            bindings: bindings.clone(),
            samplers,
            count,
            pool: vk::DescriptorPool::null(),
            sets: Vec::new(),
            side: None,
        };
        match bindings.spare.take(samplers) {
            Some((pool, sets)) => (made.pool, made.sets) = (pool, sets),
            None => made.make()?,
        }
        if !samplers {
            made.side = Some(Side::new(logical, count, vk::BufferUsageFlags::empty())?);
            made.bind_side();
        }
        match samplers {
            true => made.fill()?,
            false => made.clear(),
        }
        Ok(made)
    }

    fn make(&mut self) -> Result<()> {
        let bindings = &self.bindings;
        let layouts = bindings.sets_of(self.samplers);
        let vk = &self.logical.vk;
        let size = |ty: vk::DescriptorType, count: u32| vk::DescriptorPoolSize { ty, descriptor_count: count.max(1) };
        let whole = if self.samplers { bindings.sampler_room() } else { bindings.view_room() };
        // Sets that are kept for later serve heaps of any size.
        let count = if bindings.spare.keeps() { whole } else { self.count };
        let arrays = if self.samplers { &[&[Table::Sampler][..]][..] } else { arrays(bindings.sharing()) };
        // An array's types are those of one pool size.
        let types: Vec<Vec<vk::DescriptorType>> = arrays.iter().map(|tables| vulkan_types(tables)).collect();
        let mut sizes: Vec<_> = types.iter().map(|types| size(element(types), count)).collect();
        if !self.samplers {
            sizes.push(size(vk::DescriptorType::STORAGE_BUFFER, SIDE_BUFFERS));
        }
        let mut lists = vec![vk::MutableDescriptorTypeListEXT::default(); sizes.len()];
        for (list, types) in lists.iter_mut().zip(types.iter().filter(|types| types.len() > 1)) {
            *list = list.descriptor_types(types);
        }
        let shared = types.iter().any(|types| types.len() > 1);
        let mut mutable = vk::MutableDescriptorTypeCreateInfoEXT::default();
        let mut info = vk::DescriptorPoolCreateInfo::default()
            .flags(vk::DescriptorPoolCreateFlags::UPDATE_AFTER_BIND)
            .max_sets(layouts.len() as u32)
            .pool_sizes(&sizes);
        if shared {
            mutable = mutable.mutable_descriptor_type_lists(&lists);
            info = info.push_next(&mut mutable);
        }
        // SAFETY: the structures live until the calls return.
        unsafe {
            let pool = vk.create_descriptor_pool(&info, None);
            self.pool = self.logical.check("vkCreateDescriptorPool", pool)?;
            let mut counts = vec![count; layouts.len()];
            if !self.samplers {
                counts[bindings.place(Table::Raw).set as usize] = count.min(bindings.raw_room());
            }
            let mut variable =
                vk::DescriptorSetVariableDescriptorCountAllocateInfo::default().descriptor_counts(&counts);
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(self.pool)
                .set_layouts(layouts)
                .push_next(&mut variable);
            self.sets = self.logical.check("vkAllocateDescriptorSets", vk.allocate_descriptor_sets(&info))?;
        }
        Ok(())
    }

    fn bind_side(&self) {
        let Some(side) = &self.side else { return };
        let bindings = &self.bindings;
        let (buffer, ranges) = side.ranges();
        let ranges = ranges.map(|(offset, range)| vk::DescriptorBufferInfo { buffer, offset, range });
        let writes = [bindings.offsets(), bindings.counters()].map(|place| {
            vk::WriteDescriptorSet::default()
                .dst_set(self.sets[place.set as usize])
                .dst_binding(place.binding)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .buffer_info(core::slice::from_ref(&ranges[place.binding as usize]))
        });
        // SAFETY: the sets are new.
        unsafe { self.logical.vk.update_descriptor_sets(&writes, &[]) };
    }

    /// Where the heap's descriptors go.
    pub(super) fn target(&self) -> Target {
        let first = if self.samplers { self.bindings.samplers() } else { 0 };
        let side = self.side.as_ref().map(Side::places);
        let raw = if self.samplers { self.count } else { self.count.min(self.bindings.raw_room()) };
        Target::new(&self.logical.vk, &self.bindings, &self.sets, first, [raw, self.count], side)
    }

    /// Makes the descriptors of all arrays null.
    fn clear(&self) {
        const PIECE: u32 = 4096;
        let bindings = &self.bindings;
        let most = self.count.min(PIECE) as usize;
        let images = vec![vk::DescriptorImageInfo::default(); most];
        let buffers = vec![vk::DescriptorBufferInfo { range: vk::WHOLE_SIZE, ..Default::default() }; most];
        let texels = vec![vk::BufferView::null(); most];
        for tables in arrays(bindings.sharing()) {
            let table = tables[0];
            let place = bindings.place(table);
            // The array of raw buffers may be shorter than others, whatever shares it.
            let raw = tables.contains(&Table::Raw);
            let count = if raw { self.count.min(bindings.raw_room()) } else { self.count };
            for first in (0..count).step_by(PIECE as usize) {
                let len = (count - first).min(PIECE) as usize;
                let mut write = vk::WriteDescriptorSet::default()
                    .dst_set(self.sets[place.set as usize])
                    .dst_binding(place.binding)
                    .dst_array_element(first)
                    .descriptor_type(table.vk());
                write = match table {
                    Table::SampledImage | Table::StorageImage | Table::Sampler => write.image_info(&images[..len]),
                    Table::UniformTexels | Table::StorageTexels => write.texel_buffer_view(&texels[..len]),
                    Table::ConstantBuffer | Table::Raw => write.buffer_info(&buffers[..len]),
                };
                // SAFETY: the sets are new.
                unsafe { self.logical.vk.update_descriptor_sets(&[write], &[]) };
            }
        }
    }

    /// Makes all samplers plain ones, because there is no null of them.
    fn fill(&self) -> Result<()> {
        let Some(set) = self.sets.first() else { return Ok(()) };
        let plain = vk::DescriptorImageInfo::default().sampler(self.bindings.sampler(&Description::PLAIN)?);
        let images = vec![plain; self.count as usize];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(*set)
            .dst_binding(self.bindings.place(Table::Sampler).binding)
            .descriptor_type(vk::DescriptorType::SAMPLER)
            .image_info(&images);
        // SAFETY: the set is new and has as many elements.
        unsafe { self.logical.vk.update_descriptor_sets(&[write], &[]) };
        Ok(())
    }

    /// The side buffer; `None` for samplers.
    pub(super) fn side(&self) -> Option<&Side> {
        self.side.as_ref()
    }

    /// The sets.
    pub fn sets(&self) -> &[vk::DescriptorSet] {
        &self.sets
    }
}

impl Drop for Sets {
    fn drop(&mut self) {
        let vk = &self.logical.vk;
        let sets = core::mem::take(&mut self.sets);
        let gone = self.bindings.spare.give(self.samplers, self.pool, sets);
        // SAFETY: the heap is gone, so no list in flight uses it. Null handles are passed over.
        unsafe {
            vk.destroy_descriptor_pool(gone, None);
        }
    }
}
