//! Faults of `wrong`: descriptors that shaders must not use, for `reprise replay --check-descriptors`.
//!
//! Three dispatches of a shader that reads four arrays, each with a table of its own; the second has the fault. Invariant: what is
//! read is memory that is there, or null.

use crate::buffer::Buffer;
use crate::descriptor::{Elements, Heap};
use crate::failure::Failure;
use crate::list::List;
use crate::memory::Memory;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use reprise_d3d12::types::{
    D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_GPU_DESCRIPTOR_HANDLE, D3D12_RESOURCE_BINDING_TIER, DXGI_FORMAT,
};

const MAIN: Shader = shader!("bindless.main");
/// Descriptors of each array that the shader reads, which lie one behind the other: constant, structured, typed and raw buffers.
const EACH: u32 = 4;
const BLOCKS: u32 = 0;
const STRUCTURED: u32 = EACH;
const TYPED: u32 = 2 * EACH;
const RAW: u32 = 3 * EACH;
const ALL: u32 = 4 * EACH;
/// Which dispatch has the fault.
const SECOND: u32 = 1;

/// What the dispatches need.
struct Work {
    root: RootSignature,
    pipeline: Pipeline,
    source: Buffer,
    output: Buffer,
}

impl Work {
    fn new(stage: &Stage) -> Result<Self, Failure> {
        let device = &stage.device;
        if device.options().ResourceBindingTier < D3D12_RESOURCE_BINDING_TIER::TIER_3 {
            return Err(Failure::Cannot("unbounded arrays of constant buffers need resource binding tier 3".into()));
        }
        let space = |range: Range, space| [Range { count: Range::UNBOUNDED, ..range }.in_space(space)];
        let ranges = [
            space(Range::srv(0, 1), 1),
            space(Range::srv(0, 1), 2),
            space(Range::srv(0, 1), 3),
            space(Range::cbv(0, 1), 4),
        ];
        let [structured, raw, typed, blocks] = ranges.each_ref().map(|range| Parameter::Table(range));
        let settings = Parameter::Constants { register: 0, count: 2 };
        let root = RootSignature::compute(device, &[settings, Parameter::Uav(0), structured, raw, typed, blocks])?;
        let pipeline = Pipeline::compute(stage, &root, &MAIN)?;
        let words: Vec<u32> = (0..256).collect();
        let source = Buffer::uploaded(device, &words)?;
        Ok(Self { root, pipeline, source, output: Buffer::writable(device, 64 * 8)? })
    }

    /// A heap with all descriptors but one.
    fn heap(&self, stage: &Stage, without: Option<u32>) -> Result<Heap, Failure> {
        let heap = Heap::visible(&stage.device, ALL)?;
        for at in (0..EACH).filter(|at| without != Some(BLOCKS + at)) {
            heap.cbv(BLOCKS + at, self.source.address + u64::from(at) * 256, 256);
        }
        for at in (0..EACH).filter(|at| without != Some(STRUCTURED + at)) {
            heap.buffer_srv(STRUCTURED + at, &self.source, Elements::structured(u64::from(2 * at), 2, 8));
        }
        for at in (0..EACH).filter(|at| without != Some(TYPED + at)) {
            let elements = Elements::typed(u64::from(2 * at), 2, DXGI_FORMAT::FORMAT_R32G32_UINT);
            heap.buffer_srv(TYPED + at, &self.source, elements);
        }
        for at in (0..EACH).filter(|at| without != Some(RAW + at)) {
            heap.buffer_srv(RAW + at, &self.source, Elements::raw(u64::from(4 * at), 4));
        }
        Ok(heap)
    }

    /// Sets what all dispatches share. In tables: constant, structured, typed and raw buffers.
    fn begin(&self, list: &mut List) {
        list.set_compute_root(&self.root);
        list.set_pipeline(&self.pipeline);
        list.compute_constants(0, &[EACH, 1]);
        list.compute_uav(1, self.output.address);
    }

    fn dispatch(&self, list: &mut List, [blocks, structured, typed, raw]: [D3D12_GPU_DESCRIPTOR_HANDLE; 4]) {
        list.compute_table(2, structured);
        list.compute_table(3, raw);
        list.compute_table(4, typed);
        list.compute_table(5, blocks);
        list.dispatch(1, 1, 1);
        list.uav_barrier(&self.output.com);
    }
}

fn tables(heap: &Heap) -> [D3D12_GPU_DESCRIPTOR_HANDLE; 4] {
    [BLOCKS, STRUCTURED, TYPED, RAW].map(|at| heap.gpu(at))
}

/// Three dispatches; the second with the tables of `odd`.
fn three(stage: &Stage, work: &Work, heap: &Heap, odd: [D3D12_GPU_DESCRIPTOR_HANDLE; 4]) -> Result<(), Failure> {
    let mut list = List::direct(&stage.device)?;
    list.set_heap(heap);
    work.begin(&mut list);
    for number in 0..3 {
        work.dispatch(&mut list, if number == SECOND { odd } else { tables(heap) });
    }
    stage.queue.run(&mut list)
}

/// A table that begins one descriptor too far, so that the last of the array is behind the heap's end.
pub(super) fn index(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let work = Work::new(stage)?;
    let heap = work.heap(stage, None)?;
    let [blocks, structured, typed, raw] = tables(&heap);
    let raw = if wrong { heap.gpu(RAW + 1) } else { raw };
    three(stage, &work, &heap, [blocks, structured, typed, raw])
}

/// Two heaps. In the second one, a descriptor was not written.
pub(super) fn unwritten(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let work = Work::new(stage)?;
    in_second_heap(stage, &work, &work.heap(stage, wrong.then_some(STRUCTURED + 2))?)
}

/// A raw view where the shader declares a typed one.
pub(super) fn kind(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let work = Work::new(stage)?;
    let heap = work.heap(stage, None)?;
    if wrong {
        heap.buffer_srv(TYPED + 1, &work.source, Elements::raw(0, 4));
    }
    in_second_heap(stage, &work, &heap)
}

/// A view that was copied from another heap, of a placed buffer that is released before the work is submitted; its memory stays.
pub(super) fn gone(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let work = Work::new(stage)?;
    let heap = work.heap(stage, None)?;
    let memory = Memory::new(&stage.device, Memory::ALIGNMENT)?;
    let buffer = Buffer::placed(&memory, 0, 256)?;
    let staging = Heap::staging(&stage.device, 3)?;
    staging.buffer_srv(2, &buffer, Elements::raw(0, 4));
    heap.copy(RAW + 3, &staging, 2, 1);
    let kept = (!wrong).then_some(buffer);
    in_second_heap(stage, &work, &heap)?;
    drop(kept);
    Ok(())
}

/// A table of a heap that is not set; what lies there is right.
pub(super) fn heap(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let work = Work::new(stage)?;
    let (set, other) = (work.heap(stage, None)?, work.heap(stage, None)?);
    let [blocks, structured, typed, raw] = tables(&set);
    let structured = if wrong { other.gpu(STRUCTURED) } else { structured };
    three(stage, &work, &set, [blocks, structured, typed, raw])
}

/// A table of views that is set to samplers.
pub(super) fn sampler(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let work = Work::new(stage)?;
    let views = work.heap(stage, None)?;
    let samplers = Heap::new(&stage.device, D3D12_DESCRIPTOR_HEAP_TYPE::SAMPLER, ALL, true)?;
    let [blocks, structured, typed, raw] = tables(&views);
    let typed = if wrong { samplers.gpu(TYPED) } else { typed };
    let mut list = List::direct(&stage.device)?;
    list.set_heaps(&views, &samplers);
    work.begin(&mut list);
    for number in 0..3 {
        let odd = [blocks, structured, typed, raw];
        work.dispatch(&mut list, if number == SECOND { odd } else { tables(&views) });
    }
    stage.queue.run(&mut list)
}

/// A root descriptor of a placed buffer that is released before the work is submitted; its memory stays.
pub(super) fn root(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let memory = Memory::new(&stage.device, Memory::ALIGNMENT)?;
    let buffer = Buffer::placed(&memory, 0, 64 * 8)?;
    let address = buffer.address;
    let mut kept = Some(buffer);
    with_root(stage, address, || {
        if wrong {
            kept = None;
        }
    })?;
    drop((kept, memory));
    Ok(())
}

/// A root descriptor with an address behind the last byte of a buffer, where its heap has memory and no buffer lies.
pub(super) fn address(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let memory = Memory::new(&stage.device, 2 * Memory::ALIGNMENT)?;
    let buffer = Buffer::placed(&memory, 0, Memory::ALIGNMENT)?;
    with_root(stage, buffer.address + if wrong { Memory::ALIGNMENT } else { 0 }, || ())
}

/// Three dispatches, the second of which writes to this address by a root descriptor; `recorded` runs before they are submitted.
fn with_root(stage: &Stage, address: u64, recorded: impl FnOnce()) -> Result<(), Failure> {
    let work = Work::new(stage)?;
    let heap = work.heap(stage, None)?;
    let mut list = List::direct(&stage.device)?;
    list.set_heap(&heap);
    for number in 0..3 {
        work.begin(&mut list);
        if number == SECOND {
            list.compute_uav(1, address);
        }
        work.dispatch(&mut list, tables(&heap));
    }
    recorded();
    stage.queue.run(&mut list)
}

/// Three dispatches, the second of them with another heap.
fn in_second_heap(stage: &Stage, work: &Work, odd: &Heap) -> Result<(), Failure> {
    let usual = work.heap(stage, None)?;
    let mut list = List::direct(&stage.device)?;
    for number in 0..3 {
        let heap = if number == SECOND { odd } else { &usual };
        list.set_heap(heap);
        work.begin(&mut list);
        work.dispatch(&mut list, tables(heap));
    }
    stage.queue.run(&mut list)
}
