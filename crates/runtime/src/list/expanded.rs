//! Indirect commands that change state, where Vulkan does not generate them.
//!
//! A kernel takes the commands apart: each becomes a block of what shaders read of that state, and a command that changes none. A block has all root
//! arguments, and behind them the views of vertex and index buffers, where commands set such. The list binds each block to shaders that read it
//! (`pipeline/pulled`), and executes one command with it. So a list has as many commands of Vulkan's as the program's call allows; those
//! that do not count draw and dispatch nothing. A predicate skips them as it does all others, and the kernel beside them.
//!
//! Invariant: afterwards the program's pipeline state and root signature are bound again, and the state that commands change is as the API says.

use ash::vk;
use reprise_com::Ref;
use reprise_d3d12::types::D3D12_RESOURCE_STATES as States;
use reprise_gpu::encoder::{BLOCK, Images, Piece, WORDS, push, rows};
use reprise_gpu::kernel::Kernel;
use reprise_gpu::scope::Gathered;
use reprise_shader::pulled::{DRAW, INDEX, SLOTS, VECTORS};

use crate::command_signature::{Change, CommandKind, CommandSignature};
use crate::list::barrier::scope;
use crate::list::bound::{Root, halves, traced};
use crate::list::draw::MISSING;
use crate::list::recording::Recording;
use crate::pipeline::{PipelineState, Reads};
use crate::root::{RootSignature, Work};
use crate::{Error, Result};

/// To the kernel: draws have no indices any more.
const PULLS: u32 = 0x100;

/// What the kernel makes.
struct Expanded {
    /// What commands do that change nothing.
    kind: CommandKind,
    commands: Piece,
    /// Their blocks.
    blocks: Piece,
    /// Bytes of a block.
    size: u64,
}

/// What is bound while commands are executed.
type InMemory = (Option<Ref<PipelineState>>, Option<Ref<RootSignature>>);

impl Recording {
    /// Executes commands that change state; the first `counter` says, at most `most`.
    pub(super) fn execute_expanded(
        &mut self,
        signature: &CommandSignature,
        most: u32,
        from: Piece,
        counter: Option<Piece>,
    ) -> Result<()> {
        if most > self.encoder.device.caps.pushes_at_most() {
            const MANY: &str =
                "so many indirect commands that change state, without VK_EXT_device_generated_commands, on this device";
            return Err(Error::Unsupported(MANY));
        }
        let (work, reads) = (signature.work(), signature.plan.reads());
        let in_memory = self.in_memory(work, reads)?;
        let expanded = self.expand(signature, most, from, counter)?;
        let own = self.exchange(work, in_memory);
        let done = self.execute_each(work, reads, most, &expanded);
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

    /// The bound pipeline state and root signature for shaders that read in memory.
    fn in_memory(&mut self, work: Work, reads: Reads) -> Result<InMemory> {
        let pipeline = self.bound.pipeline.as_ref().ok_or(MISSING)?;
        let pipeline = match pipeline.root.block {
            Some(_) if reads == Reads::Roots => pipeline.keep(),
            _ => pipeline.in_memory(reads)?.keep(),
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
        let (plan, reads) = (&signature.plan, signature.plan.reads());
        let pulls = reads == Reads::Indices && plan.kind == CommandKind::DrawIndexed;
        let kind = if pulls { CommandKind::Draw } else { plan.kind };
        let block = self.block_of(signature);
        let size = 4 * block.len() as u64;
        let mut blocks = self.encoder.scratch((u64::from(most) + 1) * size)?;
        // Uniform buffers begin at multiples of it.
        let skip = blocks.offset.next_multiple_of(BLOCK) - blocks.offset;
        (blocks.offset, blocks.address, blocks.mapped) = (blocks.offset + skip, blocks.address + skip, None);
        let commands = self.encoder.scratch(u64::from(most) * u64::from(kind.size()))?;
        let (words, shape) = (block.len() as u32, (kind.size() / 4) | ((block.len() as u32) << 16));
        let table: Vec<u32> = block.into_iter().chain(plan.changes.iter().flat_map(change)).collect();
        let table = self.encoder.upload_words(&table)?;
        let (shaders, arguments) = (scope(States::UNORDERED_ACCESS), scope(States::INDIRECT_ARGUMENT));
        let constants = scope(States::VERTEX_AND_CONSTANT_BUFFER);
        let written = match reads {
            Reads::Roots => shaders,
            // What the program's barriers let the input assembler read, shaders read here.
            Reads::Vertices | Reads::Indices => shaders.or(constants).or(scope(States::INDEX_BUFFER)),
        };
        self.encoder.barriers(&Gathered { before: arguments, after: shaders });
        let [[a, b], [c, d], [e, f], [g, h], [i, j]] =
            [from.address, counter.map_or(0, |it| it.address), table.address, blocks.address, commands.address]
                .map(halves);
        let (stride, action) = (plan.stride / 4, plan.offset / 4);
        let shape = if pulls { shape | PULLS } else { shape };
        let changes = plan.changes.len() as u32;
        let constants_of = push([a, b, c, d, e, f, g, h, i, j, most, stride, action, shape, words, changes]);
        let groups = rows(most.into());
        self.uncounted(|it| Ok(it.encoder.run(Kernel::Expand, Images::default(), &constants_of, groups)?))?;
        self.encoder.barriers(&Gathered { before: written, after: arguments.or(constants) });
        Ok(Expanded { kind, commands, blocks, size })
    }

    /// The block as each command begins with it: state of the list.
    fn block_of(&mut self, signature: &CommandSignature) -> Vec<u32> {
        let traces = self.bound.pipeline.as_ref().is_some_and(|pipeline| pipeline.traces);
        let nowhere = self.encoder.nowhere;
        let root = self.root_of(signature.work());
        let mut room = [0; WORDS];
        let words = match &root.signature {
            Some(bound) if traces => traced(&mut room, (0, root.words.all()), bound, nowhere),
            _ => root.words.all(),
        };
        let mut block = words.to_vec();
        if signature.plan.reads() == Reads::Roots {
            return block;
        }
        block.resize(4 * VECTORS as usize, 0);
        let zeros = 4 * DRAW as usize + 2;
        block[zeros..zeros + 2].copy_from_slice(&halves(nowhere.read));
        let graphics = self.bound.pipeline.as_ref().and_then(|pipeline| pipeline.graphics.as_ref());
        let slots = graphics.map_or(0, |graphics| graphics.vertex_slots);
        for slot in (0..32).filter(|slot| slots & 1 << slot != 0) {
            let Some((buffer, offset, size, stride)) = self.bound.vertex.view(slot) else { continue };
            let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
            // SAFETY: a living buffer of the program's; all have addresses.
            let address = unsafe { self.encoder.logical.vk.get_buffer_device_address(&info) };
            let [low, high] = halves(address + offset);
            let at = 4 * (SLOTS as usize + slot);
            block[at..at + 4].copy_from_slice(&[low, high, size as u32, stride as u32]);
        }
        block
    }

    /// Executes each command with its block, by what is bound.
    fn execute_each(&mut self, work: Work, reads: Reads, most: u32, expanded: &Expanded) -> Result<()> {
        let draws = self.flush_for(expanded.kind, true)?;
        if reads == Reads::Indices && self.bound.told_topology.1 == Some(true) {
            let what = "indirect index buffers of strips that end at the largest index, without VK_EXT_device_generated_commands";
            return Err(Error::Unsupported(what));
        }
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
                let block = part(&expanded.blocks, expanded.size);
                match list.encoder.bind_block((point, layout, set), &block, expanded.size) {
                    Ok(()) => list.act(expanded.kind, &part(&expanded.commands, expanded.kind.size().into()), 1, 0),
                    Err(error) => return failed.set(Err(error)),
                }
            }
        })?;
        Ok(failed.into_inner()?)
    }
}

/// What a command changes, to the kernel: words before that in the command, its word in the block, how many words.
fn change((offset, change): &(u32, Change)) -> [u32; 3] {
    match change {
        Change::Words(word, count) => [offset / 4, *word, *count],
        Change::Number(word) => [0, *word, 0],
        Change::Vertex(slot) => [offset / 4, 4 * (SLOTS + slot), 4],
        Change::Index => [offset / 4, 4 * INDEX, 4],
    }
}
