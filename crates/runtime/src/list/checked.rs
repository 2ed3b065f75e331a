//! Records of draws and dispatches, where shaders look at descriptors.
//!
//! Invariant: a draw or dispatch whose shaders write into a record has one of its own, whatever is recorded before and after it.

use ash::vk;
use reprise_com::Ref;
use reprise_gpu::encoder::Dirty;

use crate::Result;
use crate::list::operations::Bound;
use crate::list::recording::Recording;
use crate::root::RootSignature;

impl Recording {
    /// The next draw or dispatch has a record, which its shaders find with pipelines of this layout. `root` are its root arguments' names,
    /// those that are bound where it is `None`.
    pub(super) fn begin_record(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: vk::PipelineLayout,
        root: Option<&Ref<RootSignature>>,
    ) -> Result<()> {
        let (Some(operations), Some(set)) = (&mut self.operations, self.encoder.device.bindings.records()) else {
            self.encoder.dirty.take(Dirty::RECORD);
            return Ok(());
        };
        let compute = point != vk::PipelineBindPoint::GRAPHICS;
        let arguments = if compute { &self.bound.compute } else { &self.bound.graphics };
        let heaps = [&self.bound.views, &self.bound.samplers];
        let bound = Bound {
            root: root.or(arguments.signature.as_ref()),
            words: arguments.words.all(),
            nowhere: self.encoder.nowhere,
            heaps: heaps.map(|heap| heap.as_ref().map(|heap| heap.checked()).unwrap_or_default()),
            compute,
            registers: self.bound.pipeline.as_ref().map_or(&[], |pipeline| &pipeline.registers),
        };
        let (records, offset) = operations.record(&bound)?;
        let (vk, buffer) = (&self.encoder.logical.vk, self.encoder.buffer);
        // SAFETY: the recording keeps its records; the layout has the set.
        unsafe { vk.cmd_bind_descriptor_sets(buffer, point, layout, set, &[records], &[offset]) };
        Ok(())
    }
}
