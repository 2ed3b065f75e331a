//! The sets of a heap that shaders see: a pool with its sets, and the side buffer.

use std::sync::Arc;

use ash::vk;

use crate::descriptor::bindings::Bindings;
use crate::descriptor::layout::{SAMPLERS, SIDE_BUFFERS, Table, arrays, element, vulkan_types};
use crate::descriptor::offset::{COUNTER, ENTRY, Entry};
use crate::descriptor::publish::Target;
use crate::error::{Error, Result};
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

/// Offset entries, then counters, in memory that the CPU writes.
#[derive(Debug)]
struct Side {
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    entries: *mut Entry,
    counters: *mut u64,
}

// SAFETY: pointers to mapped memory that the sets own.
unsafe impl Send for Sets {}
// SAFETY: the mapped memory is written only through the publisher, whose callers keep each index to one thread.
unsafe impl Sync for Sets {}

impl Sets {
    /// Sets for `count` descriptors, or as many as the device can take.
    ///
    /// # Errors
    /// Vulkan is out of memory, or cannot make so many.
    pub fn new(logical: &Arc<Logical>, bindings: &Arc<Bindings>, samplers: bool, count: u32) -> Result<Sets> {
        let count = if samplers { count } else { count.min(bindings.view_limit()) };
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
            made.side = Some(made.make_side()?);
            made.bind_side();
        }
        Ok(made)
    }

    fn make(&mut self) -> Result<()> {
        let bindings = &self.bindings;
        let layouts = bindings.sets_of(self.samplers);
        let vk = &self.logical.vk;
        let size = |ty: vk::DescriptorType, count: u32| vk::DescriptorPoolSize { ty, descriptor_count: count.max(1) };
        let whole = if self.samplers { SAMPLERS } else { bindings.view_limit() };
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
                counts[bindings.place(Table::Raw).set as usize] = count.min(bindings.raw_limit());
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

    /// Bytes from the side buffer's beginning to the counters.
    fn counters_at(&self) -> u64 {
        // The largest alignment that Vulkan allows devices to ask for.
        (u64::from(self.count.max(1)) * ENTRY).next_multiple_of(256)
    }

    fn make_side(&self) -> Result<Side> {
        let device = &self.logical;
        let vk = &device.vk;
        let size = self.counters_at() + u64::from(self.count.max(1)) * COUNTER;
        let info = vk::BufferCreateInfo::default().size(size).usage(vk::BufferUsageFlags::STORAGE_BUFFER);
        // SAFETY: the structures live until the calls return; on failure what was made is destroyed.
        unsafe {
            let buffer = device.check("vkCreateBuffer", vk.create_buffer(&info, None))?;
            let needs = vk.get_buffer_memory_requirements(buffer);
            let memory = self.side_memory(&needs).and_then(|memory| {
                let mapped = vk
                    .bind_buffer_memory(buffer, memory, 0)
                    .and_then(|()| vk.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()));
                device.check("vkMapMemory", mapped).map(|mapped| (memory, mapped)).inspect_err(|_| {
                    vk.free_memory(memory, None);
                })
            });
            match memory {
                Ok((memory, mapped)) => {
                    core::ptr::write_bytes(mapped.cast::<u8>(), 0, size as usize);
                    let counters = mapped.byte_add(self.counters_at() as usize).cast();
                    Ok(Side { buffer, memory, entries: mapped.cast(), counters })
                }
                Err(error) => {
                    vk.destroy_buffer(buffer, None);
                    Err(error)
                }
            }
        }
    }

    /// Memory that the CPU writes without flushing; the device's own where there is a window to it.
    fn side_memory(&self, needs: &vk::MemoryRequirements) -> Result<vk::DeviceMemory> {
        let vk = &self.logical.vk;
        let host = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let types = &self.logical.caps.memory;
        let mut error = Error::Memory;
        for wanted in [host | vk::MemoryPropertyFlags::DEVICE_LOCAL, host] {
            let found = types
                .memory_types_as_slice()
                .iter()
                .enumerate()
                .position(|(at, ty)| needs.memory_type_bits & (1 << at) != 0 && ty.property_flags.contains(wanted));
            let Some(index) = found else { continue };
            let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index as u32);
            // SAFETY: the structure lives until the call returns.
            match self.logical.check("vkAllocateMemory", unsafe { vk.allocate_memory(&info, None) }) {
                Ok(memory) => return Ok(memory),
                Err(failed) => error = failed,
            }
        }
        Err(error)
    }

    fn bind_side(&self) {
        let Some(side) = &self.side else { return };
        let bindings = &self.bindings;
        let at = self.counters_at();
        let ranges = [
            vk::DescriptorBufferInfo { buffer: side.buffer, offset: 0, range: at },
            vk::DescriptorBufferInfo { buffer: side.buffer, offset: at, range: vk::WHOLE_SIZE },
        ];
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
    pub fn target(&self) -> Target {
        let first = if self.samplers { self.bindings.samplers() } else { 0 };
        let side = self.side.as_ref().map(|side| (side.entries, side.counters));
        let raw = if self.samplers { self.count } else { self.count.min(self.bindings.raw_limit()) };
        Target::new(&self.logical.vk, &self.bindings, &self.sets, first, [raw, self.count], side)
    }

    /// Makes the descriptors of all arrays null.
    pub fn clear(&self) {
        if self.samplers {
            return;
        }
        const PIECE: u32 = 4096;
        let bindings = &self.bindings;
        let most = self.count.min(PIECE) as usize;
        let images = vec![vk::DescriptorImageInfo::default(); most];
        let buffers = vec![vk::DescriptorBufferInfo { range: vk::WHOLE_SIZE, ..Default::default() }; most];
        let texels = vec![vk::BufferView::null(); most];
        for table in arrays(bindings.sharing()).iter().map(|tables| tables[0]) {
            let place = bindings.place(table);
            let count = if table == Table::Raw { self.count.min(bindings.raw_limit()) } else { self.count };
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

    /// What the side buffer holds of a descriptor.
    pub fn side(&self, index: u32) -> Option<(Entry, u64)> {
        let side = self.side.as_ref().filter(|_| index < self.count)?;
        // SAFETY: the side buffer has `count` places.
        Some(unsafe { (side.entries.add(index as usize).read(), side.counters.add(index as usize).read()) })
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
            if let Some(side) = &self.side {
                vk.destroy_buffer(side.buffer, None);
                vk.free_memory(side.memory, None);
            }
        }
    }
}
