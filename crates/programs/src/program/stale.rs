//! `--wrong stale-address` and `--wrong stale-handle`: calls that name what the program has released before. Runtimes let them pass, and the
//! GPU reads nothing of it but what still is in a heap that lives.

use crate::buffer::{self, Buffer};
use crate::com::call;
use crate::descriptor::{Elements, Heap};
use crate::failure::Failure;
use crate::list::List;
use crate::memory::Memory;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::signature::{CommandSignature, argument, cbv};
use crate::stage::Stage;
use reprise_d3d12::types::{
    D3D12_CPU_DESCRIPTOR_HANDLE, D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_HEAP_TYPE, D3D12_INDEX_BUFFER_VIEW,
    D3D12_INDIRECT_ARGUMENT_TYPE, D3D12_VERTEX_BUFFER_VIEW, DXGI_FORMAT,
};

const FOLD: Shader = shader!("fold.main");
const WORDS: u32 = 64;
const BYTES: u64 = 4 * WORDS as u64;

/// A shader that changes words by the constants that it finds.
struct Work {
    root: RootSignature,
    pipeline: Pipeline,
    state: Buffer,
    readback: Buffer,
}

impl Work {
    fn new(stage: &Stage) -> Result<Self, Failure> {
        let root = RootSignature::compute(&stage.device, &[Parameter::Cbv(0), Parameter::Uav(0)])?;
        let pipeline = Pipeline::compute(stage, &root, &FOLD)?;
        let (state, readback) = (Buffer::shared(&stage.device, BYTES)?, Buffer::readback(&stage.device, BYTES)?);
        buffer::clear(&stage.device, &stage.queue, &state)?;
        Ok(Self { root, pipeline, state, readback })
    }

    fn begin(&self, list: &mut List) {
        list.set_compute_root(&self.root);
        list.set_pipeline(&self.pipeline);
        list.compute_uav(1, self.state.address);
    }

    /// Executes the list; every word is then this.
    fn end(&self, stage: &Stage, list: &mut List, word: u32) -> Result<(), Failure> {
        stage.queue.run(list)?;
        list.copy_bytes(&self.readback, 0, &self.state, 0, BYTES);
        stage.queue.run(list)?;
        Failure::unless_equal("the words", &self.readback.read_u32()?, &[word; WORDS as usize])
    }
}

/// Constants for [`FOLD`]: all words, times 5, plus this.
fn constants(addend: u32) -> [u32; 4] {
    [0, WORDS, 5, addend]
}

/// A buffer with constants, and its address; the buffer is released, where that is wanted.
fn let_go(stage: &Stage, gone: bool) -> Result<(Option<Buffer>, u64), Failure> {
    let buffer = Buffer::uploaded(&stage.device, &[constants(9).as_slice(), &[0; 60]].concat())?;
    let address = buffer.address;
    Ok(((!gone).then_some(buffer), address))
}

/// Addresses of buffers that are gone: one whose heap lives, which a shader reads, and others that nothing reads.
pub(super) fn address(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let work = Work::new(stage)?;
    let memory = Memory::of(&stage.device, D3D12_HEAP_TYPE::UPLOAD, Memory::ALIGNMENT, 0)?;
    let mut placed = Buffer::placed_upload(&memory, 0, 256)?;
    placed.write(0, &buffer::bytes_of(&constants(7)));
    let in_heap = placed.address;
    let mut list = List::direct(&stage.device)?;
    // What was stored is in a trace with the next submission.
    stage.queue.run(&mut list)?;
    let kept = (!wrong).then_some(placed);
    let (constants, unread) = let_go(stage, wrong)?;

    let heap = Heap::visible(&stage.device, 2)?;
    heap.cbv(1, unread, 256);
    work.begin(&mut list);
    list.compute_cbv(0, unread);
    list.compute_cbv(0, in_heap);
    let vertices = D3D12_VERTEX_BUFFER_VIEW { BufferLocation: unread, SizeInBytes: 256, StrideInBytes: 16 };
    call!(list.com, "ID3D12GraphicsCommandList", "IASetVertexBuffers", 1u32, 1u32, &raw const vertices);
    let indices =
        D3D12_INDEX_BUFFER_VIEW { BufferLocation: unread, SizeInBytes: 256, Format: DXGI_FORMAT::FORMAT_R32_UINT };
    call!(list.com, "ID3D12GraphicsCommandList", "IASetIndexBuffer", &raw const indices);
    list.dispatch(1, 1, 1);
    work.end(stage, &mut list, 7)?;
    in_arguments(stage, &work, &mut list, in_heap)?;
    drop((kept, constants));
    Ok(())
}

/// The same address among the arguments of an indirect command, where the device takes such commands.
fn in_arguments(stage: &Stage, work: &Work, list: &mut List, address: u64) -> Result<(), Failure> {
    let arguments = [cbv(0), argument(D3D12_INDIRECT_ARGUMENT_TYPE::DISPATCH)];
    // The address, three numbers of groups, and what fills up the stride.
    let Ok(signature) = CommandSignature::new(&stage.device, Some(&work.root), &arguments, 24) else { return Ok(()) };
    let words = [address as u32, (address >> 32) as u32, 1, 1, 1, 0];
    let buffer = Buffer::uploaded(&stage.device, &words)?;
    work.begin(list);
    list.execute_indirect(&signature, 1, (&buffer, 0), None);
    // Each word was 7.
    work.end(stage, list, 7 * 5 + 7)
}

/// Handles of descriptor heaps that are gone: one that a view is copied from, and one of targets that nothing is drawn to.
pub(super) fn handle(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let work = Work::new(stage)?;
    let constants = Buffer::uploaded(&stage.device, &[constants(7).as_slice(), &[0; 60]].concat())?;
    let visible = Heap::visible(&stage.device, 2)?;
    let staging = Heap::staging(&stage.device, 2)?;
    staging.buffer_srv(1, &constants, Elements::raw(0, 4));
    let targets = Heap::new(&stage.device, D3D12_DESCRIPTOR_HEAP_TYPE::RTV, 1, false)?;
    let (view, target) = (staging.cpu(1), targets.cpu(0));
    let kept = (!wrong).then_some((staging, targets));

    let kind = D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV.0;
    call!(stage.device.com, "ID3D12Device", "CopyDescriptorsSimple", 1u32, visible.cpu(0).ptr, view.ptr, kind);
    let mut list = List::direct(&stage.device)?;
    work.begin(&mut list);
    list.compute_cbv(0, constants.address);
    set_target(&list, target);
    list.dispatch(1, 1, 1);
    work.end(stage, &mut list, 7)?;
    drop(kept);
    Ok(())
}

fn set_target(list: &List, target: D3D12_CPU_DESCRIPTOR_HANDLE) {
    let none = core::ptr::null::<D3D12_CPU_DESCRIPTOR_HANDLE>();
    call!(list.com, "ID3D12GraphicsCommandList", "OMSetRenderTargets", 1u32, &raw const target, 0i32, none);
}
