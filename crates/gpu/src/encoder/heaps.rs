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
    /// Those of local root signatures, and the number of their set.
    pub local: Option<(u32, &'a StaticSamplers)>,
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
            let fixed = heaps.fixed.map(|samplers| (self.device.bindings.static_samplers(), samplers));
            self.bind_buffers(point, layout, buffers, [fixed, heaps.local]);
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
        if let (Some(set), Some(wide)) = (bindings.wide(), &self.logical.wide) {
            bind(set, &[wide.set()]);
        }
        if let Some(samplers) = heaps.fixed {
            bind(bindings.static_samplers(), &[samplers.set]);
        }
        if let Some((set, samplers)) = heaps.local {
            bind(set, &[samplers.set]);
        }
    }

    fn bind_buffers(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        buffers: [Option<&Buffers>; 2],
        fixed: [Option<(u32, &StaticSamplers)>; 2],
    ) {
        let bindings = &self.device.bindings;
        let (Some(functions), Some(statics)) = (&self.logical.ext.descriptor_buffer, bindings.static_binding()) else {
            return;
        };
        if buffers.iter().all(Option::is_none) && fixed.iter().all(Option::is_none) {
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
        for (number, samplers) in fixed.into_iter().flatten() {
            set(number, 0, &[samplers.offset()]);
        }
    }

    /// Forgets which heaps are bound: a command has made them unknown.
    pub fn forget_heaps(&mut self) {
        self.heaps = None;
    }
}

/// Sets of one heap at most: one for each type of views.
const MOST_SETS: usize = 6;
