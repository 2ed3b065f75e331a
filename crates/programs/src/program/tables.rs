//! `tables`: 640 dispatches a frame, each with a table of sixteen descriptors of its own, every one of which is copied there in
//! that frame: 10,240 copies, one by one and in ranges, what a program does that knows no bindless.

use super::Program;
use crate::buffer::{self, Buffer, bytes_of};
use crate::descriptor::{Elements, Heap};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::random::Random;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use reprise_d3d12::types::{D3D12_RESOURCE_STATES, DXGI_FORMAT};

pub(super) const PROGRAM: Program =
    Program { name: "tables", about: "10,240 descriptors copied into 640 tables a frame", run };

const MAIN: Shader = shader!("tables.main");
const DISPATCHES: u32 = 640;
/// Raw buffers, typed ones, constant buffers of a table; then one to write.
const KINDS: [u32; 3] = [8, 4, 3];
const TABLE: u32 = 16;
/// Words that a view shows.
const WORDS: u32 = 64;
/// Descriptors of each kind to copy from; each shows the next 64 words of one buffer.
const SOURCES: u32 = 256;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let ranges = [Range::srv(0, KINDS[0] + KINDS[1]), Range::cbv(1, KINDS[2]), Range::uav(0, 1)];
    let root =
        RootSignature::compute(device, &[Parameter::Constants { register: 0, count: 1 }, Parameter::Table(&ranges)])?;
    let pipeline = Pipeline::compute(stage, &root, &MAIN)?;

    let mut random = Random(7);
    let words = random.words(SOURCES * WORDS);
    let source = Buffer::uploaded(device, &words)?;
    let output = Buffer::writable(device, u64::from(DISPATCHES * WORDS) * 4)?;
    // By kind; then the views to write, one a dispatch.
    let staging = Heap::staging(device, 3 * SOURCES + DISPATCHES)?;
    for i in 0..SOURCES {
        let first = u64::from(i * WORDS);
        staging.buffer_srv(i, &source, Elements::raw(first, WORDS));
        staging.buffer_srv(SOURCES + i, &source, Elements::typed(first, WORDS, DXGI_FORMAT::FORMAT_R32_UINT));
        staging.cbv(2 * SOURCES + i, source.address + first * 4, WORDS * 4);
    }
    for i in 0..DISPATCHES {
        staging.buffer_uav(3 * SOURCES + i, &output, Elements::raw(u64::from(i * WORDS), WORDS));
    }

    let heap = Heap::visible(device, DISPATCHES * TABLE)?;
    let mut list = List::direct(device)?;
    let mut digest = Digest::new();
    for frame in 0..stage.frames(3) {
        let mut expected = Vec::new();
        list.set_heap(&heap);
        list.set_compute_root(&root);
        list.set_pipeline(&pipeline);
        for dispatch in 0..DISPATCHES {
            let salt = frame * DISPATCHES + dispatch;
            let shown = copy_table(&heap, dispatch, &staging, &mut random);
            list.compute_constants(0, &[salt]);
            list.compute_table(1, heap.gpu(dispatch * TABLE));
            list.dispatch(1, 1, 1);
            let mix = |word| {
                let word_of = |view: &u32| words[(view * WORDS + word) as usize];
                shown.iter().map(word_of).fold(salt, |value, word| value.wrapping_mul(31).wrapping_add(word))
            };
            expected.extend((0..WORDS).map(mix));
        }
        let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
        let got = buffer::fetch(device, &stage.queue, &mut list, &output, state)?.read_u32()?;
        Failure::unless_equal("words", &got, &expected)?;
        digest.add(&bytes_of(&got));
    }
    Ok(digest)
}

/// Fills the table of a dispatch, each kind in another way; gives which views it shows.
fn copy_table(heap: &Heap, dispatch: u32, staging: &Heap, random: &mut Random) -> Vec<u32> {
    let first = dispatch * TABLE;
    let mut shown = Vec::new();
    // One by one, the last first.
    let raw: Vec<u32> = (0..KINDS[0]).map(|_| random.below(SOURCES)).collect();
    (0..KINDS[0]).rev().for_each(|i| heap.copy(first + i, staging, raw[i as usize], 1));
    shown.extend(raw);
    // Neighbours in one call.
    let typed = random.below(SOURCES - KINDS[1]);
    heap.copy(first + KINDS[0], staging, SOURCES + typed, KINDS[1]);
    shown.extend(typed..typed + KINDS[1]);
    // From several places to one, the view to write behind them.
    let blocks: Vec<u32> = (0..KINDS[2]).map(|_| random.below(SOURCES)).collect();
    let mut from: Vec<(u32, u32)> = blocks.iter().map(|view| (2 * SOURCES + view, 1)).collect();
    from.push((3 * SOURCES + dispatch, 1));
    heap.copy_ranges(&[(first + KINDS[0] + KINDS[1], KINDS[2] + 1)], staging, &from);
    shown.extend(blocks);
    shown
}
