//! `counters`: structured buffers with counters: numbers taken by every thread, values appended and values consumed, in any order.

use super::Program;
use crate::buffer::{self, Buffer, bytes_of};
use crate::com::call;
use crate::descriptor::Heap;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::shader;
use crate::stage::Stage;
use reprise_d3d12::types::{
    D3D12_BUFFER_UAV, D3D12_RESOURCE_STATES as State, D3D12_UAV_DIMENSION, D3D12_UNORDERED_ACCESS_VIEW_DESC,
};

pub(super) const PROGRAM: Program =
    Program { name: "counters", about: "buffers with counters: appended to and consumed from", run };

/// Two groups, as the shader says.
const THREADS: u32 = 128;
/// Every third appends, every fourth consumes.
const APPENDED: u32 = THREADS.div_ceil(3);
const CONSUMED: u32 = THREADS / 4;
/// Bytes between counters: what the API demands.
const APART: u64 = 4096;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let root = RootSignature::compute(device, &[Parameter::Table(&[Range::uav(0, 3)])])?;
    let pipeline = Pipeline::compute(stage, &root, &shader!("uavs.count"))?;
    // What is there before: nothing, nothing, and twice as many numbers to consume as are taken. So the last half is consumed.
    let before = [vec![0; 2 * THREADS as usize], vec![0; THREADS as usize], (0..2 * CONSUMED).collect::<Vec<u32>>()];
    let counts = [0, 0, 2 * CONSUMED];
    let words = (APART / 4) as usize;
    let mut counters = vec![0; 3 * words];
    (0..3).for_each(|index| counters[index * words] = counts[index]);

    let mut list = List::direct(device)?;
    // Uploads live until the list is done.
    let mut uploads = Vec::new();
    let mut filled = |list: &mut List, values: &[u32]| -> Result<Buffer, Failure> {
        let upload = Buffer::uploaded(device, values)?;
        let buffer = Buffer::writable(device, upload.size)?;
        list.transition(&buffer.com, State::UNORDERED_ACCESS, State::COPY_DEST);
        list.copy_bytes(&buffer, 0, &upload, 0, upload.size);
        list.transition(&buffer.com, State::COPY_DEST, State::UNORDERED_ACCESS);
        uploads.push(upload);
        Ok(buffer)
    };
    let counter = filled(&mut list, &counters)?;
    let buffers: Vec<Buffer> = before.iter().map(|values| filled(&mut list, values)).collect::<Result<_, _>>()?;
    let heap = Heap::visible(device, 3)?;
    for (index, (buffer, stride)) in (0..).zip(buffers.iter().zip([8, 4, 4])) {
        let mut view =
            D3D12_UNORDERED_ACCESS_VIEW_DESC { ViewDimension: D3D12_UAV_DIMENSION::BUFFER, ..Default::default() };
        view.Anonymous.Buffer = D3D12_BUFFER_UAV {
            NumElements: (buffer.size / u64::from(stride)) as u32,
            StructureByteStride: stride,
            CounterOffsetInBytes: APART * u64::from(index),
            ..Default::default()
        };
        let at = heap.cpu(index).ptr;
        call!(device.com, "ID3D12Device", "CreateUnorderedAccessView", &buffer.com, &counter.com, &raw const view, at);
    }
    list.set_heap(&heap);
    list.set_compute_root(&root);
    list.set_pipeline(&pipeline);
    list.compute_table(0, heap.gpu(0));
    list.dispatch(THREADS / 64, 1, 1);

    let consumed = CONSUMED..2 * CONSUMED;
    let marks = (0..THREADS).flat_map(|place| [place ^ 0x55, if consumed.contains(&place) { 9 } else { 0 }]);
    let appended = (0..THREADS).map(|place| if place < APPENDED { 7 } else { 0 });
    [THREADS, APPENDED, CONSUMED].iter().zip(0..).for_each(|(count, index)| counters[index * words] = *count);
    let mut digest = Digest::new();
    for (name, buffer, expected) in [
        ("marks", &buffers[0], marks.collect()),
        ("appended", &buffers[1], appended.collect()),
        ("consumed", &buffers[2], before[2].clone()),
        ("counters", &counter, counters),
    ] {
        let got = buffer::fetch(device, &stage.queue, &mut list, buffer, State::UNORDERED_ACCESS)?.read_u32()?;
        Failure::unless_equal(name, &got, &expected)?;
        digest.add(&bytes_of(&got));
    }
    Ok(digest)
}
