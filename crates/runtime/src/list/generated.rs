//! Commands that the GPU generates: indirect ones that change state.
//!
//! Invariants: afterwards the state that they change is as the API says (root arguments are zero, views null); all state is dirty,
//! because Vulkan has lost it.

use reprise_d3d12::types::{D3D12_INDEX_BUFFER_VIEW, D3D12_RESOURCE_STATES as States, D3D12_VERTEX_BUFFER_VIEW};

use crate::command_signature::{Change, CommandKind, CommandSignature};

use crate::list::barrier::scope;
use crate::list::recording::Recording;
use crate::{Error, Result};
use reprise_gpu::encoder::Piece;
use reprise_gpu::scope::Gathered;
use reprise_gpu::vulkan as vk;

impl Recording {
    /// Executes commands that change state; the first `counter` says, at most `most`.
    pub(super) fn generate(
        &mut self,
        signature: &CommandSignature,
        layout: vk::IndirectCommandsLayoutEXT,
        most: u32,
        from: Piece,
        counter: Option<Piece>,
    ) -> Result<()> {
        let device = self.encoder.logical.clone();
        let limits = &device.caps.generated;
        if most > limits.max_indirect_sequence_count {
            return Err(Error::Unsupported("so many indirect commands that change state, on this device"));
        }
        // What Vulkan makes of a predicate here is left open, so the count takes it.
        let (counter, predicate) = match self.encoder.is_predicated() {
            true => (Some(self.predicated_count(most, counter)?), self.encoder.pause_predication()),
            false => (counter, None),
        };
        let kind = signature.plan.kind;
        let indexed = !signature.plan.changes.iter().any(|(_, change)| *change == Change::Index);
        self.flush_for(kind, indexed)?;
        for (number, view) in self.views_drawn().enumerate() {
            if number > 0 {
                // Vulkan has lost all state.
                self.lose_state();
                self.flush_for(kind, indexed)?;
            }
            self.bind_view(view)?;
            self.generate_once(signature, layout, most, from, counter)?;
        }
        self.take_back(signature)?;
        if predicate.is_some() {
            self.encoder.outside();
            self.encoder.resume_predication(predicate);
        }
        Ok(())
    }

    /// Executes them with the pipeline that is bound.
    fn generate_once(
        &mut self,
        signature: &CommandSignature,
        layout: vk::IndirectCommandsLayoutEXT,
        most: u32,
        from: Piece,
        counter: Option<Piece>,
    ) -> Result<()> {
        let device = self.encoder.logical.clone();
        let Some(generated) = device.ext.generated_commands.as_ref() else { return Ok(()) };
        let limits = &device.caps.generated;
        if self.encoder.is_streaming() && limits.device_generated_commands_transform_feedback == 0 {
            return Err(Error::Unsupported("indirect commands that change state, with stream output, on this device"));
        }
        let pipeline = vk::GeneratedCommandsPipelineInfoEXT::new(self.bound()?);
        let ask = vk::GeneratedCommandsMemoryRequirementsInfoEXT::new(&pipeline, layout, most);
        let mut needs = vk::MemoryRequirements2::default();
        // SAFETY: the structures live until the call returns.
        unsafe { (generated.requirements)(device.vk.handle(), &ask, &mut needs) };
        let mut info = vk::GeneratedCommandsInfoEXT::new(&pipeline, signature.stages(), layout);
        let size = needs.memory_requirements.size;
        if size != 0 {
            let address = self.encoder.workspace(&needs.memory_requirements)?;
            (info.preprocess_address, info.preprocess_size) = (address, size);
        }
        if !self.encoder.rendering {
            // Memory that is used again has ended rendering.
            self.flush_for(signature.plan.kind, false)?;
        }
        info.indirect_address = from.address;
        info.indirect_address_size = u64::from(most) * u64::from(signature.plan.stride);
        info.max_sequence_count = most;
        info.sequence_count_address = counter.map_or(0, |counter| counter.address);
        // SAFETY: all state is set; the program keeps its buffers, the recording keeps the rest.
        unsafe { (generated.execute)(self.encoder.buffer, vk::FALSE, &info) };
        Ok(())
    }

    /// A count that is zero where the predicate skips.
    fn predicated_count(&mut self, most: u32, counter: Option<Piece>) -> Result<Piece> {
        let count = self.encoder.scratch(4)?;
        let given = match counter {
            Some(counter) => counter,
            None => self.encoder.scratch(4)?,
        };
        self.encoder.transfer();
        let (vk, copies, shaders) =
            (&self.encoder.logical.vk, scope(States::COPY_DEST), scope(States::UNORDERED_ACCESS));
        // SAFETY: the recording keeps its scratch memory.
        unsafe {
            vk.cmd_fill_buffer(self.encoder.buffer, count.buffer, count.offset, 4, 0);
            if counter.is_none() {
                vk.cmd_fill_buffer(self.encoder.buffer, given.buffer, given.offset, 4, most);
            }
        }
        let reads = scope(States::INDIRECT_ARGUMENT);
        self.encoder.barriers(&Gathered { before: copies.or(reads), after: shaders });
        self.copy_commands(given, count, None, [1, 1, 1])?;
        self.encoder.barriers(&Gathered { before: shaders, after: reads });
        Ok(count)
    }

    /// What commands have changed is zero or null, and Vulkan has lost all state.
    pub(super) fn take_back(&mut self, signature: &CommandSignature) -> Result<()> {
        let compute = signature.plan.kind == CommandKind::Dispatch;
        for (_, change) in &signature.plan.changes {
            let root = if compute { &mut self.bound.compute } else { &mut self.bound.graphics };
            match change {
                Change::Words(word, count) => {
                    for word in *word..word + count {
                        root.words.set(word, &[0]);
                    }
                }
                Change::Number(word) => root.words.set(*word, &[0]),
                Change::Vertex(slot) => self.set_vertex(*slot, &D3D12_VERTEX_BUFFER_VIEW::default())?,
                Change::Index => self.set_index(&D3D12_INDEX_BUFFER_VIEW::default()),
            }
        }
        let root = if compute { &mut self.bound.compute } else { &mut self.bound.graphics };
        root.fill(self.encoder.nowhere);
        self.lose_state();
        Ok(())
    }
}
