//! Binds descriptor heaps.
//!
//! Invariant: a command buffer is told about the memory of heaps once, and again when other heaps are set; each bind point is told
//! where the sets begin. To tell about memory again would lose where the sets of both bind points begin.

use ash::vk;

use crate::descriptor::heap::{Buffers, Heap};
use crate::descriptor::static_samplers::StaticSamplers;
use crate::encoder::Encoder;

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
        if self.device.bindings.descriptors() == crate::settings::Descriptors::Buffers {
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

    fn bind_buffers(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        buffers: [Option<&Buffers>; 2],
        fixed: Option<&StaticSamplers>,
    ) {
        let Some(functions) = &self.logical.ext.descriptor_buffer else { return };
        let bindings = &self.device.bindings;
        let bound = buffers.map(|buffers| buffers.map_or(0, |buffers| buffers.binding().0));
        if bound != self.heaps && bound != [0, 0] {
            self.heaps = bound;
            let mut all = [vk::DescriptorBufferBindingInfoEXT::default(); 2];
            let mut used = 0;
            for (address, usage) in buffers.iter().flatten().map(|buffers| buffers.binding()) {
                all[used] = all[used].address(address).usage(usage);
                used += 1;
            }
            // SAFETY: the caller keeps the heaps.
            unsafe { functions.cmd_bind_descriptor_buffers(self.buffer, &all[..used]) };
        }
        let firsts = [0, bindings.samplers()];
        let mut index = 0;
        for (buffers, first) in buffers.iter().zip(firsts) {
            let Some(buffers) = buffers else { continue };
            let offsets = buffers.offsets();
            let indices = [index; MOST_SETS];
            // SAFETY: the buffer was bound under this index, and its sets are those of the layout from `first` on.
            unsafe {
                functions.cmd_set_descriptor_buffer_offsets(
                    self.buffer,
                    point,
                    layout,
                    first,
                    &indices[..offsets.len().min(MOST_SETS)],
                    offsets,
                );
            }
            index += 1;
        }
        if fixed.is_some() {
            // SAFETY: the layout's set of static samplers has them embedded.
            unsafe {
                functions.cmd_bind_descriptor_buffer_embedded_samplers(
                    self.buffer,
                    point,
                    layout,
                    bindings.static_samplers(),
                );
            }
        }
    }

    /// Forgets which heaps are bound: a command has made them unknown.
    pub fn forget_heaps(&mut self) {
        self.heaps = [0; 2];
    }
}

/// Sets of one heap at most: one for each type of views.
const MOST_SETS: usize = 6;
