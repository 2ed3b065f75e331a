//! `compute`: one dispatch that reads raw, structured and typed buffers and a constant buffer, writes all three kinds, counts
//! with atomics whose order does not show, and sums through group-shared memory.

use super::Program;
use crate::buffer::{self, Buffer, bytes_of};
use crate::descriptor::{Elements, Heap};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use reprise_d3d12::types::{D3D12_RESOURCE_STATES, DXGI_FORMAT};

pub(super) const PROGRAM: Program =
    Program { name: "compute", about: "every kind of buffer view, atomics and group-shared memory", run };

const MAIN: Shader = shader!("compute.main");
/// Threads of a group, as the shader says.
const GROUP: u32 = 64;
const GROUPS: u32 = 16;
const COUNT: u32 = GROUP * GROUPS;
const BUCKETS: u32 = 24;
/// Multiplier, addend, buckets, unused.
const SETTINGS: [u32; 4] = [2_654_435_761, 97, BUCKETS, 0];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let model = Model::new();
    let root =
        RootSignature::compute(device, &[Parameter::Cbv(0), Parameter::Table(&[Range::srv(0, 3), Range::uav(0, 4)])])?;
    let pipeline = Pipeline::compute(stage, &root, &MAIN)?;

    let settings = Buffer::uploaded(device, &SETTINGS)?;
    let raw = Buffer::uploaded(device, &model.raw)?;
    let items = Buffer::uploaded(device, &model.items)?;
    let texels = Buffer::uploaded(device, &model.texels)?;
    let outputs = [
        Buffer::writable(device, u64::from(COUNT) * 4)?,
        Buffer::writable(device, u64::from(COUNT) * 8)?,
        Buffer::writable(device, u64::from(BUCKETS) * 4)?,
        Buffer::writable(device, 16 + u64::from(GROUPS) * 4)?,
    ];

    let heap = Heap::visible(device, 7)?;
    heap.buffer_srv(0, &raw, Elements::raw(0, COUNT));
    heap.buffer_srv(1, &items, Elements::structured(0, COUNT, 8));
    heap.buffer_srv(2, &texels, Elements::typed(0, COUNT, DXGI_FORMAT::FORMAT_R8G8B8A8_UINT));
    heap.buffer_uav(3, &outputs[0], Elements::raw(0, COUNT));
    heap.buffer_uav(4, &outputs[1], Elements::structured(0, COUNT, 8));
    heap.buffer_uav(5, &outputs[2], Elements::typed(0, BUCKETS, DXGI_FORMAT::FORMAT_R32_UINT));
    heap.buffer_uav(6, &outputs[3], Elements::raw(0, 4 + GROUPS));

    let mut list = List::direct(device)?;
    list.set_heap(&heap);
    list.set_compute_root(&root);
    list.set_pipeline(&pipeline);
    list.compute_cbv(0, settings.address);
    list.compute_table(1, heap.gpu(0));
    list.dispatch(GROUPS, 1, 1);

    let mut digest = Digest::new();
    let expected = [&model.raw_out, &model.items_out, &model.histogram, &model.totals];
    let names = ["raw", "structured", "typed", "atomics"];
    for ((output, expected), name) in outputs.iter().zip(expected).zip(names) {
        let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
        let got = buffer::fetch(device, &stage.queue, &mut list, output, state)?.read_u32()?;
        Failure::unless_equal(name, &got, expected)?;
        digest.add(&bytes_of(&got));
    }
    Ok(digest)
}

/// The inputs, and what the shader makes of them.
struct Model {
    raw: Vec<u32>,
    /// Key, weight, key, weight, ..
    items: Vec<u32>,
    texels: Vec<u32>,
    raw_out: Vec<u32>,
    items_out: Vec<u32>,
    histogram: Vec<u32>,
    totals: Vec<u32>,
}

impl Model {
    fn new() -> Self {
        let raw: Vec<u32> = (0..COUNT).map(|i| i.wrapping_mul(0x9e37_79b9) ^ i << 7).collect();
        let items: Vec<u32> = (0..COUNT).flat_map(|i| [i.wrapping_mul(0x85eb_ca6b), i * 3]).collect();
        let texels: Vec<u32> = (0..COUNT).map(|i| i.wrapping_mul(0xc2b2_ae35).rotate_left(i)).collect();
        let raw_out: Vec<u32> = raw.iter().map(|v| v.wrapping_mul(SETTINGS[0]).wrapping_add(SETTINGS[1])).collect();
        let items_out: Vec<u32> = (0..COUNT as usize)
            .flat_map(|i| [items[2 * i] ^ texels[i], items[2 * i + 1] + (raw_out[i] & 0xff)])
            .collect();
        let mut histogram = vec![0; BUCKETS as usize];
        raw_out.iter().for_each(|value| histogram[(value % BUCKETS) as usize] += 1);
        let sum = |values: &[u32]| values.iter().fold(0u32, |sum, value| sum.wrapping_add(*value));
        let mut totals = vec![
            sum(&raw_out),
            raw_out.iter().copied().fold(0, u32::max),
            items_out.iter().step_by(2).fold(0, |all, key| all | key),
            items_out.iter().skip(1).step_by(2).fold(0, |all, weight| all ^ weight),
        ];
        totals.extend(raw_out.chunks(GROUP as usize).map(sum));
        Self { raw, items, texels, raw_out, items_out, histogram, totals }
    }
}
