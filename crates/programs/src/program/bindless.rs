//! `bindless`: four unbounded arrays over one heap, each thread indexing its own descriptor; and 16,384 descriptors copied in
//! every frame, one by one in scattered order, in ranges that differ on both sides, and a thousand in one call.

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
use reprise_d3d12::types::{D3D12_RESOURCE_BINDING_TIER, D3D12_RESOURCE_STATES, DXGI_FORMAT};

pub(super) const PROGRAM: Program =
    Program { name: "bindless", about: "unbounded descriptor arrays and 16,384 descriptor copies a frame", run };

const MAIN: Shader = shader!("bindless.main");
/// Structured, raw and typed buffers, constant buffers.
const KINDS: u32 = 4;
/// Descriptors of each kind to copy from.
const SOURCES: u32 = 1024;
/// Descriptors of each kind that shaders see; a power of two.
const REGION: u32 = 4096;
const THREADS: u32 = KINDS * REGION;
/// Words that a view shows, of which the shader reads the last two.
const WORDS: u32 = 4;

fn run(stage: &Stage) -> Result<Digest, Failure> {
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

    let mut random = Random(1);
    let sources = Sources::new(stage, &mut random)?;
    let heap = Heap::visible(device, KINDS * REGION)?;
    let output = Buffer::writable(device, u64::from(THREADS) * 8)?;
    let mut list = List::direct(device)?;
    let mut digest = Digest::new();
    for _ in 0..stage.frames(3) {
        let shown = copy_descriptors(&heap, &sources.heap, &mut random);
        let step = random.next() | 1;
        list.set_heap(&heap);
        list.set_compute_root(&root);
        list.set_pipeline(&pipeline);
        list.compute_constants(0, &[REGION, step]);
        list.compute_uav(1, output.address);
        for kind in 0..KINDS {
            list.compute_table(2 + kind, heap.gpu(kind * REGION));
        }
        list.dispatch(THREADS / 64, 1, 1);
        let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
        let got = buffer::fetch(device, &stage.queue, &mut list, &output, state)?.read_u32()?;
        let expected: Vec<u32> = (0..THREADS)
            .flat_map(|thread| {
                let descriptor = (thread >> 2).wrapping_mul(step) & (REGION - 1);
                let kind = thread % KINDS;
                sources.value(kind, shown[(kind * REGION + descriptor) as usize])
            })
            .collect();
        Failure::unless_equal("values read", &got, &expected)?;
        digest.add(&bytes_of(&got));
    }
    Ok(digest)
}

/// Buffers, and a descriptor for every four words of them.
struct Sources {
    /// By kind, then by descriptor.
    words: Vec<u32>,
    heap: Heap,
    /// What the descriptors show.
    _buffers: [Buffer; 2],
}

impl Sources {
    fn new(stage: &Stage, random: &mut Random) -> Result<Self, Failure> {
        let device = &stage.device;
        let words = random.words(KINDS * SOURCES * WORDS);
        let (views, blocks) = words.split_at((3 * SOURCES * WORDS) as usize);
        // Constant buffers begin at multiples of 256 bytes.
        let spread: Vec<u32> = blocks.chunks(WORDS as usize).flat_map(|words| [words, &[0; 60]].concat()).collect();
        let buffers = [Buffer::uploaded(device, views)?, Buffer::uploaded(device, &spread)?];
        let heap = Heap::staging(device, KINDS * SOURCES)?;
        for i in 0..SOURCES {
            let pairs = |kind| u64::from(2 * (kind * SOURCES + i));
            heap.buffer_srv(i, &buffers[0], Elements::structured(pairs(0), 2, 8));
            heap.buffer_srv(SOURCES + i, &buffers[0], Elements::raw(2 * pairs(1), 4));
            heap.buffer_srv(
                2 * SOURCES + i,
                &buffers[0],
                Elements::typed(pairs(2), 2, DXGI_FORMAT::FORMAT_R32G32_UINT),
            );
            heap.cbv(3 * SOURCES + i, buffers[1].address + u64::from(i) * 256, 256);
        }
        Ok(Self { words, heap, _buffers: buffers })
    }

    /// What the shader reads through a copy of a descriptor.
    fn value(&self, kind: u32, descriptor: u32) -> [u32; 2] {
        let at = (WORDS * (kind * SOURCES + descriptor)) as usize;
        [self.words[at + 2], self.words[at + 3]]
    }
}

/// Fills the heap in three ways; gives which of its kind's sources each descriptor is a copy of.
fn copy_descriptors(to: &Heap, from: &Heap, random: &mut Random) -> Vec<u32> {
    let mut shown = vec![0; (KINDS * REGION) as usize];
    for kind in 0..KINDS {
        let (target, source) = (kind * REGION, kind * SOURCES);
        // One by one, in an order that jumps about.
        for i in 0..SOURCES {
            let (at, which) = (i * 389 % SOURCES, random.below(SOURCES));
            to.copy(target + at, from, source + which, 1);
            shown[(target + at) as usize] = which;
        }
        // In ranges: those written lie without gaps in falling order, those read lie anywhere.
        let written = lengths(2 * SOURCES, 40, random);
        let mut end = 3 * SOURCES;
        let written: Vec<(u32, u32)> = written
            .iter()
            .map(|length| {
                end -= length;
                (target + end, *length)
            })
            .collect();
        let read: Vec<(u32, u32)> = lengths(2 * SOURCES, 25, random)
            .iter()
            .map(|&length| (source + random.below(SOURCES - length), length))
            .collect();
        to.copy_ranges(&written, from, &read);
        let each =
            |ranges: &[(u32, u32)]| -> Vec<u32> { ranges.iter().flat_map(|&(at, length)| at..at + length).collect() };
        for (at, which) in each(&written).into_iter().zip(each(&read)) {
            shown[at as usize] = which - source;
        }
        // All in one call.
        to.copy(target + 3 * SOURCES, from, source, SOURCES);
        (0..SOURCES).for_each(|i| shown[(target + 3 * SOURCES + i) as usize] = i);
    }
    shown
}

/// Lengths from 1 to `longest` that add up to `total`.
fn lengths(total: u32, longest: u32, random: &mut Random) -> Vec<u32> {
    let mut left = total;
    let mut lengths = Vec::new();
    while left > 0 {
        lengths.push((1 + random.below(longest)).min(left));
        left -= lengths[lengths.len() - 1];
    }
    lengths
}
