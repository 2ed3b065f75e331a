//! `structures`: acceleration structures side by side in one buffer, with no byte between them but what the API's alignment asks for.
//!
//! In each frame, structures of many sizes are built into a pool, with scratch memory side by side in another; instances of them are
//! traced. Then all are compacted into a pool as large as the sizes that the GPU gave, and traced, and then those of the first pool
//! are changed in place, and traced; and both once more, after their inputs were overwritten. The processor knows what each ray hits. Of DXIL only.

use super::Program;
use crate::acceleration::{self, Flags, GeometryFlags, Info, Inputs, Mode, Vertices};
use crate::buffer::{self, Buffer, bytes_of};
use crate::device::Device;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program = Program {
    name: "structures",
    about: "pools of acceleration structures, compacted by the sizes that the GPU gave",
    run,
};

const COMPUTE: Shader = shader!("structures.compute" dxil);
/// Bottom levels: the first has one triangle, the next two, and so on.
const KINDS: u32 = 12;
/// Instances in a row, and rows.
const COLUMNS: u32 = 8;
const ROWS: u32 = 6;
/// Between instances; more than the longest has triangles.
const PITCH: u32 = 16;
const FRAMES: u32 = 3;
/// Places where rays go down: two in each unit of a row, one of them within a triangle where there is one.
const RAYS: u32 = COLUMNS * PITCH * ROWS * 2;
/// What the addresses of structures and scratch memory are multiples of.
const ALIGNMENT: u64 = 256;
const WRITTEN: D3D12_RESOURCE_STATES = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;

/// How far down the triangles of a kind lie in a frame, before and after they are changed: a multiple of 1/256.
fn depth(kind: u32, frame: u32, changed: bool) -> f32 {
    (kind * 3 + frame * 5) as f32 / 8.0 + if changed { 0.25 } else { 0.0 }
}

/// Corners of the triangles of a kind: a unit each, side by side, cut in half from corner to corner.
fn corners(kind: u32, depth: f32) -> impl Iterator<Item = f32> {
    let of = move |unit: u32| {
        let x = unit as f32;
        [x, 0.0, depth, x + 1.0, 0.0, depth, x, 1.0, depth]
    };
    (0..=kind).flat_map(of)
}

/// The corners of all kinds, and the first one of each.
fn all_corners(device: &Device, frame: u32, changed: bool) -> Result<(Buffer, Vec<u64>), Failure> {
    let (mut words, mut firsts) = (Vec::new(), Vec::new());
    for kind in 0..KINDS {
        firsts.push(4 * words.len() as u64);
        words.extend(corners(kind, depth(kind, frame, changed)).map(f32::to_bits));
    }
    let buffer = Buffer::uploaded(device, &words)?;
    let places = firsts.iter().map(|first| buffer.address + first).collect();
    Ok((buffer, places))
}

/// Where the rays begin: in each unit near one corner and near the other.
fn places() -> Vec<[f32; 2]> {
    let place = |number: u32| {
        let (unit, near) = (number / 2, number.is_multiple_of(2));
        let (column, row) = (unit % (COLUMNS * PITCH), unit / (COLUMNS * PITCH));
        let within = if near { 0.25 } else { 0.75 };
        [column as f32 + within, (2 * row) as f32 + within]
    };
    (0..RAYS).map(place).collect()
}

/// What a ray finds: instance and triangle, and the distance.
fn expected(number: u32, frame: u32, changed: bool) -> [u32; 2] {
    let (unit, near) = (number / 2, number.is_multiple_of(2));
    let (column, row) = (unit % (COLUMNS * PITCH), unit / (COLUMNS * PITCH));
    let (instance, triangle) = (row * COLUMNS + column / PITCH, column % PITCH);
    let kind = instance % KINDS;
    match near && triangle <= kind {
        true => [(instance + 1) * 256 + triangle + 1, ((8.0 + depth(kind, frame, changed)) * 256.0) as u32],
        false => [0; 2],
    }
}

/// Pieces of a buffer, side by side.
fn side_by_side(sizes: impl IntoIterator<Item = u64>) -> (Vec<u64>, u64) {
    let mut end = 0u64;
    let mut place = |size: u64| {
        let at = end;
        end = (at + size).next_multiple_of(ALIGNMENT);
        at
    };
    let places = sizes.into_iter().map(&mut place).collect();
    (places, end)
}

/// What traces the rays.
struct Tracer {
    root: RootSignature,
    pipeline: Pipeline,
    places: Buffer,
    results: Buffer,
}

impl Tracer {
    fn new(stage: &Stage) -> Result<Self, Failure> {
        let parameters = [Parameter::Srv(0), Parameter::Srv(1), Parameter::Uav(0)];
        let root = RootSignature::compute(&stage.device, &parameters)?;
        let words: Vec<u32> = places().as_flattened().iter().map(|value| value.to_bits()).collect();
        Ok(Tracer {
            pipeline: Pipeline::compute(stage, &root, &COMPUTE)?,
            root,
            places: Buffer::uploaded(&stage.device, &words)?,
            results: Buffer::writable(&stage.device, u64::from(RAYS) * 8)?,
        })
    }

    fn trace(
        &self,
        stage: &Stage,
        list: &mut List,
        scene: u64,
        (what, frame, changed): (&str, u32, bool),
        digest: &mut Digest,
    ) -> Result<(), Failure> {
        list.set_compute_root(&self.root);
        list.set_pipeline(&self.pipeline);
        list.compute_srv(0, self.places.address);
        list.compute_srv(1, scene);
        list.compute_uav(2, self.results.address);
        list.dispatch(RAYS / 64, 1, 1);
        let got = buffer::fetch(&stage.device, &stage.queue, list, &self.results, WRITTEN)?.read_u32()?;
        for (number, got) in (0..RAYS).zip(got.chunks(2)) {
            let name = format!("frame {frame}, {what}, ray {number}");
            Failure::unless_equal(&name, got, &expected(number, frame, changed))?;
        }
        digest.add(&bytes_of(&got));
        Ok(())
    }
}

/// The structures of the first pool.
struct Pool {
    memory: Buffer,
    scratch: Buffer,
    /// Addresses of bottom levels, and then of the top level.
    structures: Vec<u64>,
    scratches: Vec<u64>,
}

impl Pool {
    /// As large as the inputs need it.
    fn new(device: &Device, inputs: &[Inputs]) -> Result<Self, Failure> {
        let sizes = inputs.iter().map(|inputs| acceleration::sizes(device, inputs)).collect::<Result<Vec<_>, _>>()?;
        let (structures, bytes) = side_by_side(sizes.iter().map(|sizes| sizes.ResultDataMaxSizeInBytes));
        let (scratches, scratch_bytes) = side_by_side(
            sizes.iter().map(|sizes| sizes.ScratchDataSizeInBytes.max(sizes.UpdateScratchDataSizeInBytes)),
        );
        let (memory, scratch) = (Buffer::structure(device, bytes)?, Buffer::writable(device, scratch_bytes)?);
        let at = |buffer: &Buffer, places: Vec<u64>| places.into_iter().map(|place| buffer.address + place).collect();
        Ok(Pool { structures: at(&memory, structures), scratches: at(&scratch, scratches), memory, scratch })
    }

    /// Builds or changes everything, the bottom levels without a barrier between them. Answers of bottom levels go side by side.
    fn build(&self, list: &mut List, inputs: &[Inputs], answers: Option<u64>) -> Result<(), Failure> {
        let last = inputs.len() - 1;
        for (at, inputs) in inputs.iter().enumerate() {
            if at == last {
                self.wait(list);
            }
            let question =
                answers.filter(|_| at != last).map(|answers| (Info::COMPACTED_SIZE, answers + 8 * at as u64));
            list.build_at(inputs, self.structures[at], self.scratches[at], question.as_slice())?;
        }
        self.wait(list);
        Ok(())
    }

    fn wait(&self, list: &mut List) {
        list.uav_barrier(&self.memory.com);
        list.uav_barrier(&self.scratch.com);
    }

    fn top(&self) -> u64 {
        self.structures[KINDS as usize]
    }
}

/// Instances of bottom levels at these addresses.
fn instances(device: &Device, of: &[u64]) -> Result<Buffer, Failure> {
    let instance = |number: u32| {
        let (column, row) = (number % COLUMNS, number / COLUMNS);
        let place = [(column * PITCH) as f32, (2 * row) as f32, 0.0];
        let transform = core::array::from_fn(|row| {
            let mut values = [0.0; 4];
            (values[row], values[3]) = (1.0, place[row]);
            values
        });
        acceleration::instance(transform, [number, 0], 0xff, 0, of[(number % KINDS) as usize])
    };
    let all: Vec<_> = (0..COLUMNS * ROWS).map(instance).collect();
    let bytes = acceleration::bytes_of(&all);
    let mut buffer = Buffer::upload(device, bytes.len() as u64)?;
    buffer.write(0, &bytes);
    Ok(buffer)
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_5)?;
    acceleration::needs_tier(device, D3D12_RAYTRACING_TIER::TIER_1_1)?;
    let (mut list, mut digest) = (List::direct(device)?, Digest::new());
    let tracer = Tracer::new(stage)?;
    for frame in 0..FRAMES {
        let flags = acceleration::all(&[Flags::ALLOW_UPDATE, Flags::ALLOW_COMPACTION]);
        let bottoms = |changed: bool| -> Result<_, Failure> {
            let (corners, firsts) = all_corners(device, frame, changed)?;
            let geometry = |(kind, first): (u32, &u64)| {
                let vertices = Vertices { address: *first, stride: 12, count: 3 * (kind + 1) };
                acceleration::triangles(vertices, GeometryFlags::NONE)
            };
            Ok((corners, (0..KINDS).zip(&firsts).map(geometry).collect::<Vec<_>>()))
        };
        let inputs = |geometries: &[acceleration::Geometry], top: u64, more: Flags| -> Vec<Inputs> {
            let flags = acceleration::all(&[flags, more]);
            let bottoms = geometries.chunks(1).map(|geometry| acceleration::bottom(geometry, flags));
            let top_flags = acceleration::all(&[Flags::ALLOW_UPDATE, more]);
            bottoms.chain([acceleration::top(top, COLUMNS * ROWS, top_flags)]).collect()
        };
        let (mut before, geometries) = bottoms(false)?;
        // The sizes do not depend on where instances lie.
        let pool = Pool::new(device, &inputs(&geometries, 0, Flags::NONE))?;
        let placed = instances(device, &pool.structures)?;
        let answers = Buffer::writable(device, 8 * u64::from(KINDS))?;
        pool.build(&mut list, &inputs(&geometries, placed.address, Flags::NONE), Some(answers.address))?;
        tracer.trace(stage, &mut list, pool.top(), ("built", frame, false), &mut digest)?;

        // Compact copies, as close as the GPU says that they fit.
        let sizes = buffer::fetch(device, &stage.queue, &mut list, &answers, WRITTEN)?.read()?;
        let sizes: Vec<u64> =
            sizes.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default())).collect();
        Failure::unless(sizes.iter().all(|size| *size != 0), || format!("compacted sizes are {sizes:?}"))?;
        let (places, bytes) = side_by_side(sizes);
        let compact = Buffer::structure(device, bytes)?;
        let copies: Vec<u64> = places.iter().map(|place| compact.address + place).collect();
        for (to, from) in copies.iter().zip(&pool.structures) {
            list.copy_structure(*to, *from, Mode::COMPACT)?;
        }
        list.uav_barrier(&compact.com);
        let mut placed_copies = instances(device, &copies)?;
        let over = acceleration::top(placed_copies.address, COLUMNS * ROWS, Flags::PREFER_FAST_TRACE);
        let top = acceleration::Structure::new(device, &over)?;
        list.build(&over, &top, &[])?;
        tracer.trace(stage, &mut list, top.address(), ("compacted", frame, false), &mut digest)?;

        let (mut after, geometries) = bottoms(true)?;
        let mut placed = instances(device, &pool.structures)?;
        pool.build(&mut list, &inputs(&geometries, placed.address, Flags::PERFORM_UPDATE), None)?;
        tracer.trace(stage, &mut list, pool.top(), ("changed", frame, true), &mut digest)?;

        // Structures last, whatever becomes of what they were built from.
        for input in [&mut before, &mut after, &mut placed, &mut placed_copies] {
            let zeroes = vec![0; input.size as usize];
            input.write(0, &zeroes);
        }
        let mut again = Digest::new();
        tracer.trace(stage, &mut list, top.address(), ("compacted before", frame, false), &mut again)?;
        tracer.trace(stage, &mut list, pool.top(), ("changed before", frame, true), &mut again)?;
    }
    Ok(digest)
}
