//! Binds descriptor heaps.
//!
//! Invariant: a command buffer is told about the memory of heaps once, and again when other heaps are set; each bind point is told
//! where the sets begin. To tell about memory again would lose where the sets of both bind points begin.

use ash::vk;

use crate::descriptor::heap::{Buffers, Heap};
use crate::descriptor::static_samplers::StaticSamplers;
use crate::encoder::Encoder;
use crate::settings::Descriptors;

/// What descriptors of a bind point are taken from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heaps<'a> {
    /// Views.
    pub views: Option<&'a Heap>,
    /// Samplers.
    pub samplers: Option<&'a Heap>,
    /// Static samplers.
    pub fixed: Option<&'a StaticSamplers>,
}

impl Encoder {
    /// Binds heaps for pipelines of a layout. Whoever calls sees to it that both bind points get this call after other heaps are set,
    /// and that the heaps live until the GPU is done with the list.
    pub fn bind_heaps(&mut self, point: vk::PipelineBindPoint, layout: vk::PipelineLayout, heaps: Heaps<'_>) {
        let buffers = [heaps.views, heaps.samplers].map(|heap| match heap {
            Some(Heap::Buffers(buffers)) => Some(buffers),
            _ => None,
        });
        if self.device.bindings.descriptors() == Descriptors::Buffers {
            self.bind_buffers(point, layout, buffers, heaps.fixed);
            return;
        }
        let (vk, bindings) = (&self.logical.vk, &self.device.bindings);
        let bind = |first: u32, sets: &[vk::DescriptorSet]| {
            if !sets.is_empty() {
                // SAFETY: the caller keeps the heaps and the samplers.
                unsafe { vk.cmd_bind_descriptor_sets(self.buffer, point, layout, first, sets, &[]) };
            }
        };
        let sets = |heap: Option<&Heap>, first: u32| {
            if let Some(Heap::Sets(heap)) = heap {
                bind(first, heap.sets());
            }
        };
        sets(heaps.views, 0);
        sets(heaps.samplers, bindings.samplers());
        if let Some(samplers) = heaps.fixed {
            bind(bindings.static_samplers(), &[samplers.set]);
        }
    }

    /// Binds a set of static samplers that stands behind those of [`Heaps`], which are bound.
    pub fn bind_static(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        set: u32,
        samplers: &StaticSamplers,
    ) {
        match (&self.logical.ext.descriptor_buffer, self.device.bindings.descriptors()) {
            (Some(functions), Descriptors::Buffers) => {
                // SAFETY: `bind_heaps` has bound the buffer of static samplers under index 0.
                unsafe {
                    let (index, offset) = ([0], [samplers.offset()]);
                    functions.cmd_set_descriptor_buffer_offsets(self.buffer, point, layout, set, &index, &offset);
                }
            }
            _ => {
                // SAFETY: the caller keeps the samplers.
                unsafe {
                    let vk = &self.logical.vk;
                    vk.cmd_bind_descriptor_sets(self.buffer, point, layout, set, &[samplers.set], &[]);
                }
            }
        }
    }

    fn bind_buffers(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        buffers: [Option<&Buffers>; 2],
        fixed: Option<&StaticSamplers>,
    ) {
        let bindings = &self.device.bindings;
        let (Some(functions), Some(statics)) = (&self.logical.ext.descriptor_buffer, bindings.static_binding()) else {
            return;
        };
        if buffers.iter().all(Option::is_none) && fixed.is_none() {
            return;
        }
        // Static samplers are first, because they are always there.
        let bound = buffers.map(|buffers| buffers.map_or(0, |buffers| buffers.binding().0));
        if self.heaps != Some(bound) {
            self.heaps = Some(bound);
            let mut all = [vk::DescriptorBufferBindingInfoEXT::default(); 3];
            let mut used = 0;
            for (address, usage) in [statics].into_iter().chain(buffers.iter().flatten().map(|heap| heap.binding())) {
                all[used] = all[used].address(address).usage(usage);
                used += 1;
            }
            // SAFETY: the caller keeps the heaps; the device keeps the memory of static samplers.
            unsafe { functions.cmd_bind_descriptor_buffers(self.buffer, &all[..used]) };
        }
        let set = |first: u32, index: u32, offsets: &[u64]| {
            let indices = [index; MOST_SETS];
            let used = offsets.len().min(MOST_SETS);
            // SAFETY: a buffer is bound under this index, and its sets are those of the layout from `first` on.
            unsafe {
                functions.cmd_set_descriptor_buffer_offsets(
                    self.buffer,
                    point,
                    layout,
                    first,
                    &indices[..used],
                    &offsets[..used],
                );
            }
        };
        let firsts = [0, bindings.samplers()];
        for ((buffers, first), index) in buffers.into_iter().zip(firsts).filter_map(|(it, at)| Some((it?, at))).zip(1..)
        {
            set(first, index, buffers.offsets());
        }
        if let Some(samplers) = fixed {
            set(bindings.static_samplers(), 0, &[samplers.offset()]);
        }
    }

    /// Forgets which heaps are bound: a command has made them unknown.
    pub fn forget_heaps(&mut self) {
        self.heaps = None;
    }
}

/// Sets of one heap at most: one for each type of views.
const MOST_SETS: usize = 6;
