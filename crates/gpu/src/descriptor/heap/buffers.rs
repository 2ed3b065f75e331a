//! A heap in memory: the arrays of its descriptors in one buffer, and the side buffer.

use std::sync::Arc;

use ash::vk;

use crate::descriptor::bindings::Bindings;
use crate::descriptor::heap::side::Side;
use crate::descriptor::layout::Place;
use crate::descriptor::mapped::Mapped;
use crate::descriptor::plan::{Plan, Sizes};
use crate::descriptor::publish::buffers::{Elements, Memory, Target};
use crate::descriptor::sampler::Description;
use crate::descriptor::table::{Table, arrays};
use crate::error::Result;
use crate::logical::Logical;

/// Descriptors of a heap in a buffer, as `VK_EXT_descriptor_buffer` has them. Destroyed with the heap.
#[derive(Debug)]
pub struct Buffers {
    bindings: Arc<Bindings>,
    samplers: bool,
    /// Descriptors.
    count: u32,
    plan: Plan,
    mapped: Mapped,
    usage: vk::BufferUsageFlags,
    side: Option<Side>,
    /// Where the sets begin in the buffer, in their order.
    offsets: Vec<u64>,
}

impl Buffers {
    /// A heap of `count` descriptors, all of them null.
    ///
    /// # Errors
    /// Vulkan is out of memory.
    pub(super) fn new(logical: &Arc<Logical>, bindings: &Arc<Bindings>, samplers: bool, count: u32) -> Result<Buffers> {
        let device = &logical.caps.descriptor_buffer;
        let sizes = Sizes::of(device);
        let tables = if samplers { &[&[Table::Sampler][..]][..] } else { arrays(bindings.sharing()) };
        let strides: Vec<u32> = tables.iter().map(|tables| sizes.element(tables)).collect();
        let before = bindings.before(samplers);
        let plan = Plan::new(before, &strides, count, device.descriptor_buffer_offset_alignment);
        let usage = match samplers {
            true => vk::BufferUsageFlags::SAMPLER_DESCRIPTOR_BUFFER_EXT,
            false => vk::BufferUsageFlags::RESOURCE_DESCRIPTOR_BUFFER_EXT,
        };
        let address = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let mapped = Mapped::new(logical, plan.bytes.max(1), usage | address)?;
        let side = if samplers { None } else { Some(Side::new(logical, count, address)?) };
        let offsets = plan.arrays.iter().map(|array| array.set).collect();
        let made = Buffers {
            bindings: bindings.clone(),
            samplers,
            count,
            plan,
            mapped,
            usage: usage | address,
            side,
            offsets,
        };
        made.clear(tables, &sizes)?;
        made.bind_side(&sizes)?;
        Ok(made)
    }

    /// Makes all descriptors null. There is no null of samplers, so those are plain ones.
    fn clear(&self, tables: &[&[Table]], sizes: &Sizes) -> Result<()> {
        /// Bytes that are copied at once.
        const PIECE: usize = 1 << 16;
        let plain = if self.samplers { self.plain(sizes)? } else { Vec::new() };
        let nulls = self.bindings.nulls()?;
        for (array, tables) in self.plan.arrays.iter().zip(tables) {
            let stride = array.stride as usize;
            let mut pattern = if self.samplers { plain.clone() } else { nulls.bytes(tables[0]).to_vec() };
            pattern.resize(stride, 0);
            let pattern = pattern.repeat((PIECE / stride.max(1)).clamp(1, self.count.max(1) as usize));
            let (mut at, end) = (array.first as usize, array.first as usize + self.count as usize * stride);
            debug_assert_eq!(stride, sizes.element(tables) as usize);
            while at < end {
                let size = pattern.len().min(end - at);
                // SAFETY: the array lies in the mapping, and nobody else has it yet.
                unsafe { core::ptr::copy_nonoverlapping(pattern.as_ptr(), self.mapped.bytes.add(at), size) };
                at += size;
            }
        }
        Ok(())
    }

    /// The bytes of a plain sampler.
    fn plain(&self, sizes: &Sizes) -> Result<Vec<u8>> {
        let sampler = self.bindings.sampler(&Description::PLAIN)?;
        let mut bytes = vec![0; sizes.of_table(Table::Sampler) as usize];
        let info = vk::DescriptorGetInfoEXT {
            ty: vk::DescriptorType::SAMPLER,
            data: vk::DescriptorDataEXT { p_sampler: &sampler },
            ..Default::default()
        };
        // SAFETY: the sampler lives as long as the device, and the bytes are as many as a sampler has.
        unsafe { self.bindings.functions()?.get_descriptor(&info, &mut bytes) };
        Ok(bytes)
    }

    /// Writes the descriptors of the side buffers, which lie before the array of set 0.
    fn bind_side(&self, sizes: &Sizes) -> Result<()> {
        let Some(side) = &self.side else { return Ok(()) };
        let functions = self.bindings.functions()?;
        let layout = self.bindings.sets()[0];
        let size = sizes.of_table(Table::Raw) as usize;
        let places = [self.bindings.offsets(), self.bindings.counters()];
        for (Place { binding, .. }, (address, range)) in places.into_iter().zip(side.addresses()) {
            let address = vk::DescriptorAddressInfoEXT::default().address(address).range(range);
            let info = vk::DescriptorGetInfoEXT {
                ty: vk::DescriptorType::STORAGE_BUFFER,
                data: vk::DescriptorDataEXT { p_storage_buffer: &address },
                ..Default::default()
            };
            // SAFETY: the binding lies before the array of set 0, which the mapping begins with; nobody else has it yet.
            unsafe {
                let at = functions.get_descriptor_set_layout_binding_offset(layout, binding) as usize;
                let place = self.mapped.bytes.add(self.offsets[0] as usize + at);
                functions.get_descriptor(&info, core::slice::from_raw_parts_mut(place, size));
            }
        }
        Ok(())
    }

    /// Where the heap's descriptors go.
    pub(super) fn target(&self) -> Result<Target> {
        let elements: Vec<_> = self
            .plan
            .arrays
            .iter()
            .map(|array| Elements {
                first: self.mapped.bytes.wrapping_add(array.first as usize),
                stride: array.stride as usize,
            })
            .collect();
        let side = self.side.as_ref().map(Side::places);
        let memory = Memory { samplers: self.samplers, elements: &elements, count: self.count, side, visible: true };
        Target::new(&self.bindings, self.bindings.nulls()?, &memory)
    }

    /// The side buffer; `None` for samplers.
    pub(super) fn side(&self) -> Option<&Side> {
        self.side.as_ref()
    }

    /// The buffer's address and usage, as Vulkan binds it.
    #[inline]
    pub fn binding(&self) -> (u64, vk::BufferUsageFlags) {
        (self.mapped.address, self.usage)
    }

    /// Where the sets begin in the buffer, in their order.
    #[inline]
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }
}
