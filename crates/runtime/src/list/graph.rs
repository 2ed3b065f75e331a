//! Programs of state objects: dispatches of work graphs, and pipelines of generic programs.
//!
//! Whatever a program gives (its own memory or the GPU's, for one entry point or several) goes to the first level by a kernel; then each
//! level is a dispatch of each of its nodes, sized by the GPU (`reprise_gpu::encoder::graph`). Nothing is read back. Invariant: compute
//! and graphics find their root arguments lost afterwards, and tell them again.

use core::ffi::c_void;

use ash::vk;
use reprise_com::Slots;
use reprise_d3d12::types::{
    D3D12_DISPATCH_GRAPH_DESC as Desc, D3D12_DISPATCH_MODE as Mode,
    D3D12_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE as Table, D3D12_NODE_CPU_INPUT as Input, D3D12_PROGRAM_TYPE,
    D3D12_SET_GENERIC_PIPELINE_DESC, D3D12_SET_PROGRAM_DESC, D3D12_SET_WORK_GRAPH_DESC,
};
use reprise_gpu::encoder::BLOCK;
use reprise_gpu::encoder::graph::{Memory, NODES, Work};
use reprise_gpu::encoder::{Dirty, Heaps, Piece};
use reprise_shader::node::{Push, ROW};

use crate::list::command::Command;
use crate::list::graph_state::Program;
use crate::list::recording::Recording;
use crate::state_object::generic::Program as Generic;
use crate::state_object::graph::Graph;
use crate::state_object::graph::plan::Placed;
use crate::state_object::graph::program::Made;
use crate::state_object::layout::same;
use crate::{Error, Result};

/// Methods about programs.
pub(super) const LIST_METHODS: &Slots =
    &[("SetProgram", set_program as *const c_void), ("DispatchGraph", dispatch_graph as *const c_void)];

const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
/// Bytes of `D3D12_NODE_GPU_INPUT`.
const INPUT: u64 = 24;
/// Bytes of `D3D12_MULTI_NODE_GPU_INPUT`.
const INPUTS: u64 = 24;

/// Where records of a dispatch come from.
struct Source {
    address: u64,
    several: bool,
}

impl Recording {
    fn set_program(&mut self, desc: &D3D12_SET_WORK_GRAPH_DESC) -> Result<()> {
        let graph = Graph::of(desc.ProgramIdentifier.OpaqueData);
        let graph = graph.ok_or(Error::Call("SetProgram with an identifier of no work graph of this runtime"))?;
        self.keep.graphs.push(graph.clone());
        // Each dispatch initialises what it uses, so the flag that asks for it changes nothing.
        self.bound.program = Some(Program {
            graph,
            backing: (desc.BackingMemory.StartAddress, desc.BackingMemory.SizeInBytes),
            table: desc.NodeLocalRootArgumentsTable,
        });
        Ok(())
    }

    /// # Safety
    /// `desc.Mode` says which member of the union is set. Where that is inputs in the process's memory, their pointer is null or leads to as many
    /// inputs as the count says, so far apart as the stride says; and each of them is as [`Recording::upload_inputs`] asks.
    unsafe fn dispatch_graph(&mut self, desc: &Desc) -> Result<()> {
        self.computes()?;
        let program = self.bound.program.clone().ok_or(Error::Call("DispatchGraph without a work graph"))?;
        let graph = &program.graph;
        let (base, size) = program.backing;
        let memory = Memory::new(graph.nodes.len() as u32, size);
        let memory = memory.filter(|_| base != 0 && size >= graph.sizes()[0]);
        let memory = memory.ok_or(Error::Call("DispatchGraph with less memory than the graph needs"))?;
        let place = self.encoder.addresses.find(base);
        let place = place.ok_or(Error::Call("DispatchGraph with memory that is no buffer's"))?;
        // SAFETY: the mode says which member is set. A null array is not read, and the caller promises as many inputs as are read of any other.
        let source = unsafe {
            match desc.Mode {
                Mode::NODE_CPU_INPUT => self.upload_inputs(graph, memory, &[desc.Anonymous.NodeCPUInput])?,
                Mode::MULTI_NODE_CPU_INPUT => {
                    let several = desc.Anonymous.MultiNodeCPUInput;
                    let stride = several.NodeInputStrideInBytes as usize;
                    let first = several.pNodeInputs.cast::<u8>();
                    if first.is_null() && several.NumNodeInputs != 0 {
                        return Err(Error::Call("DispatchGraph of inputs that are nowhere"));
                    }
                    if several.NumNodeInputs > 1 && (1..size_of::<Input>()).contains(&stride) {
                        return Err(Error::Call("DispatchGraph of inputs that overlap"));
                    }
                    let each = 0..several.NumNodeInputs as usize;
                    let each =
                        each.map(|at| first.wrapping_add(at.wrapping_mul(stride)).cast::<Input>().read_unaligned());
                    let inputs: Vec<Input> = each.collect();
                    self.upload_inputs(graph, memory, &inputs)?
                }
                Mode::NODE_GPU_INPUT => Source { address: desc.Anonymous.NodeGPUInput, several: false },
                Mode::MULTI_NODE_GPU_INPUT => Source { address: desc.Anonymous.MultiNodeGPUInput, several: true },
                _ => return Err(Error::Call("DispatchGraph in a mode that the API does not have")),
            }
        };
        if source.address == 0 {
            return Err(Error::Call("DispatchGraph of inputs that are nowhere"));
        }
        let limits = &self.encoder.logical.caps.limits;
        // Rows are for devices with few groups in a direction.
        let wide = limits.max_compute_work_group_count[0] >= ROW * ROW;
        let work = Work {
            base,
            buffer: (place.buffer, place.offset),
            memory,
            graph: graph.data.address(),
            entries: graph.entries.len() as u32,
            wide,
        };
        self.encoder.outside();
        if self.encoder.dirty.take(Dirty::LAYOUTS) {
            self.encoder.rest_copied();
        }
        if self.encoder.dirty.take(Dirty::DISPATCHED_BUILDS) {
            self.encoder.see_builds(Dirty::DISPATCHED_BUILDS);
        }
        let block = self.root_block(graph)?;
        self.uncounted(|it| Ok(it.encoder.graph_inputs(&work, source.address, source.several)?))?;
        for (level, nodes) in (0u32..).zip(&graph.levels) {
            self.uncounted(|it| Ok(it.encoder.level(&work, level)?))?;
            for placed in nodes {
                if let Some(made) = graph.node(placed.node) {
                    self.dispatch_node(&work, made, (level, *placed), &program.table, &block)?;
                }
            }
            self.encoder.barriers(&NODES);
        }
        self.bound.compute.sets = true;
        // No bind point has its push constants any more.
        self.bound.pushed_for = vk::PipelineBindPoint::RAY_TRACING_KHR;
        self.encoder.dirty.set(Dirty::COMPUTE.or(Dirty::COMPUTE_ROOT).or(Dirty::GRAPHICS_ROOT));
        Ok(())
    }

    /// Root arguments in memory, which nodes read; and whether they are those of the nodes' root signature.
    fn root_block(&mut self, graph: &Graph) -> Result<Piece> {
        let root = &mut self.bound.compute;
        let signature = root.signature.as_ref().map(|signature| &***signature);
        let fits = |made: &Made| made.global.as_ref().is_none_or(|root| signature.is_some_and(|set| same(root, set)));
        if !graph.nodes.iter().flatten().all(fits) {
            return Err(Error::Call("DispatchGraph with another root signature than its nodes'"));
        }
        let words = signature.map_or(0, |signature| signature.push.words);
        root.words.touch();
        let words = root.words.take_all(words).unwrap_or(&[]);
        Ok(self.encoder.block(words)?)
    }

    /// Copies what a program gives in its own memory, as if it had given it in the GPU's.
    ///
    /// # Safety
    /// `pRecords` of each input is null, or leads to `NumRecords` records of the entry point's size, `RecordStrideInBytes` apart.
    unsafe fn upload_inputs(&mut self, graph: &Graph, memory: Memory, inputs: &[Input]) -> Result<Source> {
        let mut bytes = INPUTS + INPUT * inputs.len() as u64;
        let mut places = Vec::with_capacity(inputs.len());
        let mut room = 0u64;
        for input in inputs {
            let made = graph.entry(input.EntrypointIndex);
            let made = made.ok_or(Error::Call("DispatchGraph of an entry point that the graph does not have"))?;
            let (size, count) = (u64::from(made.record()), u64::from(input.NumRecords));
            let empty = size == 0 || count == 0;
            if !empty && count > 1 && (1..size).contains(&input.RecordStrideInBytes) {
                return Err(Error::Call("DispatchGraph of records that overlap"));
            }
            if !empty && input.pRecords.is_null() {
                return Err(Error::Call("DispatchGraph of records that are nowhere"));
            }
            bytes = bytes.next_multiple_of(16);
            places.push((bytes, if empty { 0 } else { size as usize }));
            bytes += if empty { 0 } else { size * count };
            room += (count * u64::from(made.node.stride)).next_multiple_of(16);
        }
        if room > u64::from(memory.room) {
            return Err(Error::Call("DispatchGraph of more records than the graph's memory has room for"));
        }
        let piece = self.encoder.upload(bytes)?;
        let mapped = piece.mapped.ok_or(Error::Fail("upload memory that is not mapped"))?;
        // SAFETY: the piece has so many bytes, and nothing else uses it.
        let all = unsafe { core::slice::from_raw_parts_mut(mapped.as_ptr(), bytes as usize) };
        let mut put = |at: u64, words: [u64; 3]| {
            let words = words.into_iter().flat_map(u64::to_le_bytes);
            all[at as usize..].iter_mut().zip(words).for_each(|(place, byte)| *place = byte);
        };
        put(0, [inputs.len() as u64, piece.address + INPUTS, INPUT]);
        for ((input, (at, size)), number) in inputs.iter().zip(&places).zip(0u64..) {
            let head = u64::from(input.NumRecords) << 32 | u64::from(input.EntrypointIndex);
            put(INPUTS + INPUT * number, [head, piece.address + at, *size as u64]);
        }
        for (input, (at, size)) in inputs.iter().zip(&places).filter(|(_, (_, size))| *size != 0) {
            for record in 0..input.NumRecords as usize {
                let behind = record.wrapping_mul(input.RecordStrideInBytes as usize);
                let from = input.pRecords.cast::<u8>().wrapping_add(behind);
                let to = &mut all[*at as usize + record * size..][..*size];
                // SAFETY: the caller promises so many records, that far from each other; the pointer is not null, because an input without records
                // has size 0 and is left out. The piece is new memory of the encoder's, so it does not overlap the program's.
                unsafe { core::ptr::copy_nonoverlapping(from, to.as_mut_ptr(), *size) };
            }
        }
        Ok(Source { address: piece.address, several: true })
    }

    /// Dispatches a node as its command says.
    fn dispatch_node(
        &mut self,
        work: &Work,
        made: &Made,
        (level, placed): (u32, Placed),
        table: &Table,
        block: &Piece,
    ) -> Result<()> {
        let visible = |heap: &Option<reprise_com::Ref<crate::descriptor::DescriptorHeap>>| {
            heap.as_ref().is_some_and(|heap| heap.visible().is_some())
        };
        let (views, samplers) = (&self.bound.views, &self.bound.samplers);
        let sampler_set = 1 << self.encoder.device.bindings.samplers();
        if made.sets & (sampler_set - 1) != 0 && !visible(views) {
            return Err(Error::Call("DispatchGraph whose nodes use descriptors, without a heap of them"));
        }
        if made.sets & sampler_set != 0 && !visible(samplers) {
            return Err(Error::Call("DispatchGraph whose nodes use samplers, without a heap of them"));
        }
        let heaps = Heaps {
            views: views.as_ref().and_then(|heap| heap.visible()),
            samplers: samplers.as_ref().and_then(|heap| heap.visible()),
            fixed: made.global.as_ref().and_then(|root| root.static_samplers.as_ref()),
            local: made.samplers.as_ref().map(|(set, samplers)| (*set, samplers)),
        };
        self.encoder.bind_heaps(POINT, made.layout, heaps);
        self.encoder.bind_block((POINT, made.layout, made.block), block, BLOCK)?;
        self.begin_record(POINT, made.layout, made.global.as_ref())?;
        let memory = &work.memory;
        let command = memory.command(placed.node);
        let local = made.node.table.filter(|_| table.StartAddress != 0);
        let push = |first: u64| Push {
            records: work.base + memory.records(level),
            first: work.base + first,
            end: work.base + command.end,
            offsets: work.base + memory.offsets(),
            outputs: work.base + memory.records(level + 1),
            counters: work.base,
            local: local
                .map_or(0, |place| table.StartAddress.wrapping_add(u64::from(place).wrapping_mul(table.StrideInBytes))),
            takings: memory.takings_word(),
            recursions: placed.recursions,
        };
        let (buffer, start) = work.buffer;
        let (vk, list) = (&self.encoder.logical.vk, self.encoder.buffer);
        let rows = (!work.wide).then_some((command.rows, command.first));
        // SAFETY: the recording keeps the graph; the buffer is the program's, which has room for the commands.
        unsafe {
            vk.cmd_bind_pipeline(list, POINT, made.pipeline);
            for (groups, first) in rows.into_iter().chain([(command.rest, command.second)]) {
                let bytes = push(first).bytes();
                vk.cmd_push_constants(list, made.layout, vk::ShaderStageFlags::COMPUTE, 0, &bytes);
                vk.cmd_dispatch_indirect(list, buffer, start + groups);
            }
        }
        Ok(())
    }
}

/// # Safety
/// A list of ours.
unsafe fn set_generic(this: *mut c_void, desc: &D3D12_SET_GENERIC_PIPELINE_DESC) {
    let program = Generic::of(desc.ProgramIdentifier.OpaqueData);
    // SAFETY: the caller passes a list of ours.
    unsafe {
        let Some(program) = program else {
            let unknown = "SetProgram with an identifier of no generic program of this runtime";
            return Recording::on_any(this, |_| Err(Error::Call(unknown)));
        };
        let pipeline = &program.pipeline;
        Recording::record(
            this,
            |list| {
                list.bound.program = None;
                list.set_pipeline(pipeline);
                Ok(())
            },
            || Command::Pipeline(pipeline.clone()),
        );
    }
}

unsafe extern "C" fn set_program(this: *mut c_void, desc: *const D3D12_SET_PROGRAM_DESC) {
    // SAFETY: a list of ours, the program's description; its type says which member there is.
    unsafe {
        if let Some(desc) = desc.as_ref().filter(|desc| desc.Type == D3D12_PROGRAM_TYPE::GENERIC_PIPELINE) {
            return set_generic(this, &desc.Anonymous.GenericPipeline);
        }
        Recording::on_list(this, |list| match desc.as_ref() {
            Some(desc) if desc.Type == D3D12_PROGRAM_TYPE::WORK_GRAPH => list.set_program(&desc.Anonymous.WorkGraph),
            Some(_) => Err(Error::Unsupported("SetProgram of ray tracing pipelines")),
            None => Err(Error::Call("SetProgram without a description")),
        });
    }
}

unsafe extern "C" fn dispatch_graph(this: *mut c_void, desc: *const Desc) {
    // SAFETY: a list of ours. The description is null or readable; `DispatchGraph` takes inputs that stay readable until it returns.
    unsafe {
        Recording::outside_pass(this, |list| match desc.as_ref() {
            Some(desc) => list.dispatch_graph(desc),
            None => Err(Error::Call("DispatchGraph without a description")),
        });
    }
}
