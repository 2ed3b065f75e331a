//! Indirect commands that change root arguments, where Vulkan generates no commands for them.
//!
//! A kernel takes the commands apart: each becomes a block of all root arguments, and a command that changes nothing. The list binds each block to
//! shaders that find root arguments in memory, and executes one command with it. So a list has as many commands of Vulkan's as the program's
//! call allows; those that do not count draw and dispatch nothing. A predicate skips them as it does all others, and the
//! kernel beside them.
//!
//! Invariant: afterwards the program's pipeline state and root signature are bound again, and the state that commands change is as the API says.

use ash::vk;
use reprise_com::Ref;
use reprise_d3d12::types::D3D12_RESOURCE_STATES as States;
use reprise_gpu::encoder::{BLOCK, Images, Piece, WORDS, push, rows};
use reprise_gpu::kernel::Kernel;
use reprise_gpu::scope::Gathered;

use crate::command_signature::{Change, CommandKind, CommandSignature};
use crate::list::barrier::scope;
use crate::list::bound::{Root, halves, traced};
use crate::list::draw::MISSING;
use crate::list::recording::Recording;
use crate::pipeline::PipelineState;
use crate::root::{RootSignature, Work};
use crate::{Error, Result};

/// What the kernel makes.
struct Expanded {
    /// Blocks of root arguments, [`BLOCK`] bytes each.
    blocks: Piece,
    /// Commands that change nothing.
    commands: Piece,
}

/// What is bound while commands are executed.
type InMemory = (Option<Ref<PipelineState>>, Option<Ref<RootSignature>>);

impl Recording {
    /// Executes commands that change root arguments; the first `counter` says, at most `most`.
    pub(super) fn execute_expanded(
        &mut self,
        signature: &CommandSignature,
        most: u32,
        from: Piece,
        counter: Option<Piece>,
    ) -> Result<()> {
        let work = signature.work();
        let in_memory = self.in_memory(work)?;
        let expanded = self.expand(signature, most, from, counter)?;
        let own = self.exchange(work, in_memory);
        let done = self.execute_each(signature.plan.kind, work, most, &expanded);
        let in_memory = self.exchange(work, own);
        // The GPU needs them once the list is executed.
        in_memory.0.iter().for_each(|pipeline| self.keep.pipelines.add(pipeline));
        in_memory.1.iter().for_each(|root| self.keep.roots.add(root));
        self.take_back(signature)?;
        done
    }

    fn root_of(&mut self, work: Work) -> &mut Root {
        match work {
            Work::Compute => &mut self.bound.compute,
            Work::Vertices | Work::Meshes => &mut self.bound.graphics,
        }
    }

    /// The bound pipeline state and root signature as their shaders find root arguments in memory.
    fn in_memory(&mut self, work: Work) -> Result<InMemory> {
        let pipeline = self.bound.pipeline.as_ref().ok_or(MISSING)?;
        let pipeline = match pipeline.root.block {
            Some(_) => pipeline.keep(),
            None => pipeline.in_memory()?.keep(),
        };
        let root = self.root_of(work).signature.as_ref();
        let root = root.ok_or(Error::Call("a draw or dispatch without a root signature"))?;
        let root = match root.block {
            Some(_) => root.keep(),
            None => root.in_memory()?.keep(),
        };
        Ok((Some(pipeline), Some(root)))
    }

    /// Binds a pipeline state and a root signature in place of those that are bound.
    fn exchange(&mut self, work: Work, (pipeline, root): InMemory) -> InMemory {
        self.encoder.end_streaming();
        let before = core::mem::replace(&mut self.bound.pipeline, pipeline);
        let before = (before, core::mem::replace(&mut self.root_of(work).signature, root));
        self.lose_state();
        before
    }

    /// Runs the kernel.
    fn expand(
        &mut self,
        signature: &CommandSignature,
        most: u32,
        from: Piece,
        counter: Option<Piece>,
    ) -> Result<Expanded> {
        let plan = &signature.plan;
        let size = plan.kind.size();
        let mut blocks = self.encoder.scratch((u64::from(most) + 1) * BLOCK)?;
        // Uniform buffers begin at multiples of it.
        let skip = blocks.offset.next_multiple_of(BLOCK) - blocks.offset;
        (blocks.offset, blocks.address, blocks.mapped) = (blocks.offset + skip, blocks.address + skip, None);
        let commands = self.encoder.scratch(u64::from(most) * u64::from(size))?;
        let table = self.table(signature)?;
        let words = self.root_of(signature.work()).signature.as_ref().map_or(0, |root| root.push.words);
        let (shaders, reads) = (scope(States::UNORDERED_ACCESS), scope(States::INDIRECT_ARGUMENT));
        let constants = scope(States::VERTEX_AND_CONSTANT_BUFFER);
        self.encoder.barriers(&Gathered { before: reads, after: shaders });
        let [[a, b], [c, d], [e, f], [g, h], [i, j]] =
            [from.address, counter.map_or(0, |it| it.address), table.address, blocks.address, commands.address]
                .map(halves);
        let (stride, action) = (plan.stride / 4, plan.offset / 4);
        let changes = plan.changes.len() as u32;
        let block = push([a, b, c, d, e, f, g, h, i, j, most, stride, action, size / 4, words, changes]);
        self.encoder.run(Kernel::Expand, Images::default(), &block, rows(most.into()))?;
        self.encoder.barriers(&Gathered { before: shaders, after: reads.or(constants) });
        Ok(Expanded { blocks, commands })
    }

    /// What the kernel reads of the list: root arguments as they are, and behind them what each command changes.
    fn table(&mut self, signature: &CommandSignature) -> Result<Piece> {
        let traces = self.bound.pipeline.as_ref().is_some_and(|pipeline| pipeline.traces);
        let nowhere = self.encoder.nowhere;
        let root = self.root_of(signature.work());
        let mut room = [0; WORDS];
        let words = match &root.signature {
            Some(bound) if traces => traced(&mut room, (0, root.words.all()), bound, nowhere),
            _ => root.words.all(),
        };
        let changes = signature.plan.changes.iter().flat_map(|(offset, change)| match change {
            Change::Words(word, count) => [offset / 4, *word, *count],
            Change::Number(word) => [0, *word, 0],
            // Signatures with these are not taken apart.
            Change::Vertex(_) | Change::Index => [0, 0, 0],
        });
        let table: Vec<u32> = words.iter().copied().chain(changes).collect();
        Ok(self.encoder.upload_words(&table)?)
    }

    /// Executes each command with its block, by what is bound.
    fn execute_each(&mut self, kind: CommandKind, work: Work, most: u32, expanded: &Expanded) -> Result<()> {
        let draws = self.flush_for(kind, true)?;
        let point = match work {
            Work::Compute => vk::PipelineBindPoint::COMPUTE,
            Work::Vertices | Work::Meshes => vk::PipelineBindPoint::GRAPHICS,
        };
        let root = self.root_of(work).signature.as_ref();
        let (layout, set) =
            root.and_then(|root| Some((root.layout_for(work), root.block.as_ref()?.set))).ok_or(MISSING)?;
        let failed = core::cell::Cell::new(Ok(()));
        draws.times(self, |list| {
            for index in 0..u64::from(most) {
                let part = |piece: &Piece, size: u64| Piece {
                    offset: piece.offset + index * size,
                    address: piece.address + index * size,
                    ..*piece
                };
                match list.encoder.bind_block((point, layout, set), &part(&expanded.blocks, BLOCK)) {
                    Ok(()) => list.act(kind, &part(&expanded.commands, kind.size().into()), 1, 0),
                    Err(error) => return failed.set(Err(error)),
                }
            }
        })?;
        Ok(failed.into_inner()?)
    }
}
