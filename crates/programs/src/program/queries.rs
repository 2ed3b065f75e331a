//! `queries`: samples that pass the depth test, counted and as yes or no; and what the stages of a pipeline did, where the API
//! leaves no choice. `own-work`: statistics of a list whose other commands a library may do by shaders of its own. `timestamps`: of which
//! only the order is known, and that is what is hashed.

use super::Program;
use crate::buffer::{self, Buffer};
use crate::com::{Com, attempt, call, create};
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::{Description, plain};
use crate::list::List;
use crate::picture::Area;
use crate::pipeline::{Pipeline, bytecode};
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::{Depth, Target};
use crate::texel::{bytes, texels};
use reprise_d3d12::types::{
    D3D_PRIMITIVE_TOPOLOGY as Topology, D3D12_CLEAR_FLAGS, D3D12_COMPARISON_FUNC, D3D12_DEPTH_WRITE_MASK,
    D3D12_PRIMITIVE_TOPOLOGY_TYPE, D3D12_QUERY_HEAP_DESC, D3D12_QUERY_HEAP_TYPE as Kind, D3D12_QUERY_TYPE as Query,
    D3D12_RESOURCE_STATES as State, DXGI_FORMAT,
};

pub(super) const QUERIES: Program = Program { name: "queries", about: "occlusion and pipeline statistics", run };
pub(super) const OWN_WORK: Program =
    Program { name: "own-work", about: "statistics that count the program's shaders alone", run: own_work };
pub(super) const TIMESTAMPS: Program =
    Program { name: "timestamps", about: "times of which only the order is known", run: timestamps };

const SIZE: u32 = 64;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
const DEPTH: DXGI_FORMAT = DXGI_FORMAT::FORMAT_D32_FLOAT;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let mut list = List::direct(&stage.device)?;
    let mut digest = Digest::new();
    occlusion(stage, &mut list, &mut digest)?;
    statistics(stage, &mut list, &mut digest)?;
    Ok(digest)
}

/// A heap of queries.
pub(super) struct Queries {
    com: Com,
    kind: Query,
}

impl Queries {
    pub(super) fn new(stage: &Stage, heap: Kind, kind: Query, count: u32) -> Result<Self, Failure> {
        let desc = D3D12_QUERY_HEAP_DESC { Type: heap, Count: count, NodeMask: 0 };
        let com = create!(stage.device.com, "ID3D12Device", "CreateQueryHeap", &raw const desc; "ID3D12QueryHeap")?;
        Ok(Self { com, kind })
    }

    /// The same heap for another kind of queries.
    fn of_kind(&self, kind: Query) -> Self {
        Self { com: self.com.clone(), kind }
    }

    pub(super) fn begin(&self, list: &mut List, index: u32) {
        call!(list.com, "ID3D12GraphicsCommandList", "BeginQuery", &self.com, self.kind.0, index);
    }

    pub(super) fn end(&self, list: &mut List, index: u32) {
        call!(list.com, "ID3D12GraphicsCommandList", "EndQuery", &self.com, self.kind.0, index);
    }

    /// Writes results to a buffer that is in `COPY_DEST`.
    pub(super) fn resolve(&self, list: &mut List, (first, count): (u32, u32), buffer: &Buffer, offset: u64) {
        call!(
            list.com,
            "ID3D12GraphicsCommandList",
            "ResolveQueryData",
            &self.com,
            self.kind.0,
            first,
            count,
            &buffer.com,
            offset
        );
    }
}

/// A buffer of 64-bit numbers, all of them set.
pub(super) fn results(stage: &Stage, list: &mut List, count: u64) -> Result<(Buffer, Buffer), Failure> {
    let upload = Buffer::uploaded(&stage.device, &vec![u32::MAX; 2 * count as usize])?;
    let buffer = Buffer::copied(&stage.device, upload.size)?;
    list.copy_bytes(&buffer, 0, &upload, 0, upload.size);
    list.transition(&buffer.com, State::COPY_DEST, State::COPY_SOURCE);
    list.transition(&buffer.com, State::COPY_SOURCE, State::COPY_DEST);
    Ok((buffer, upload))
}

pub(super) fn read(stage: &Stage, list: &mut List, buffer: &Buffer) -> Result<Vec<u64>, Failure> {
    let bytes = buffer::fetch(&stage.device, &stage.queue, list, buffer, State::COPY_DEST)?.read()?;
    Ok(texels(&bytes))
}

/// Area and depth of rectangles, a scissor, and how many of their samples pass.
type Draws = (&'static [(Area, f32)], Area, u64);

const ALL: Area = Area::at(0, 0, SIZE, SIZE);
/// Each query has its draws; the depth buffer goes on from one to the next.
const OCCLUSION: [Draws; 5] = [
    (&[(Area::at(2, 2, 20, 10), 0.5)], ALL, 200),
    // Of the first, 5 x 4 are behind what is there.
    (&[(Area::at(17, 8, 10, 10), 0.75)], ALL, 100 - 20),
    (&[], ALL, 0),
    // All hidden, and then half of it before.
    (&[(Area::at(4, 4, 8, 4), 0.5), (Area::at(4, 4, 4, 4), 0.25)], ALL, 16),
    (&[(Area::at(0, 40, 64, 24), 0.125)], Area::at(60, 0, 4, 50), 40),
];

fn occlusion(stage: &Stage, list: &mut List, digest: &mut Digest) -> Result<(), Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let (vertex, pixel): (Shader, Shader) = (shader!("rectangle.vertex"), shader!("rectangle.number"));
    let mut desc = Description { DSVFormat: DEPTH, ..plain(stage, &root, &vertex, &pixel, &[FORMAT]) };
    let test = &mut desc.DepthStencilState;
    (test.DepthEnable, test.DepthWriteMask) = (1, D3D12_DEPTH_WRITE_MASK::ALL);
    test.DepthFunc = D3D12_COMPARISON_FUNC::LESS;
    let pipeline = Pipeline::graphics(stage, &desc)?;
    let target = Target::new(device, FORMAT, SIZE, SIZE)?;
    let depth = Depth::new(device, DEPTH, DEPTH, SIZE, SIZE)?;
    let count = OCCLUSION.len() as u32;
    let queries = Queries::new(stage, Kind::OCCLUSION, Query::OCCLUSION, 2 * count)?;
    let binary = queries.of_kind(Query::BINARY_OCCLUSION);
    let (buffer, _ones) = results(stage, list, 16)?;
    for (queries, first) in [(&queries, 0), (&binary, count)] {
        list.set_graphics_root(&root);
        list.set_pipeline(&pipeline);
        list.targets(&[&target], Some(&depth));
        list.square(SIZE);
        list.clear_target(&target, [0.0; 4], &[]);
        list.clear_depth(&depth, D3D12_CLEAR_FLAGS::DEPTH, (1.0, 0), &[]);
        for (index, (draws, scissor, _)) in (first..).zip(OCCLUSION) {
            queries.begin(list, index);
            list.scissor(scissor);
            for (area, near) in draws {
                list.rectangle(&Rectangle { depth: *near, ..Rectangle::new(*area, SIZE, [1; 4]) });
            }
            queries.end(list, index);
        }
    }
    // The last three, then the first two; then the yes and no of all.
    queries.resolve(list, (2, 3), &buffer, 0);
    queries.resolve(list, (0, 2), &buffer, 32);
    binary.resolve(list, (count, count), &buffer, 64);
    let got = read(stage, list, &buffer)?;
    let mut expected = vec![u64::MAX; 16];
    for (index, (_, _, samples)) in OCCLUSION.iter().enumerate() {
        expected[if index < 2 { 4 + index } else { index - 2 }] = *samples;
        expected[8 + index] = u64::from(*samples > 0);
    }
    Failure::unless_equal("samples", &got, &expected)?;
    digest.add(&bytes(&got));
    Ok(())
}

/// As the geometry shader says: points, those of them that become a square, and their pixels.
const POINTS: u64 = 64;
const SQUARES: u64 = 52;

fn statistics(stage: &Stage, list: &mut List, digest: &mut Digest) -> Result<(), Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[], &[])?;
    let (vertex, pixel): (Shader, Shader) = (shader!("pipelines.vertex"), shader!("pipelines.pixel"));
    let pipeline = Pipeline::graphics(
        stage,
        &Description {
            GS: bytecode(stage.shader(&shader!("pipelines.geometry"))),
            PrimitiveTopologyType: D3D12_PRIMITIVE_TOPOLOGY_TYPE::POINT,
            ..plain(stage, &root, &vertex, &pixel, &[FORMAT])
        },
    )?;
    let parameters = [Parameter::Constants { register: 0, count: 6 }, Parameter::Uav(0)];
    let compute_root = RootSignature::compute(device, &parameters)?;
    let compute = Pipeline::compute(stage, &compute_root, &shader!("indirect.draws"))?;
    let written = Buffer::writable(device, 1024)?;
    let target = Target::new(device, FORMAT, SIZE, SIZE)?;
    let queries = Queries::new(stage, Kind::PIPELINE_STATISTICS, Query::PIPELINE_STATISTICS, 1)?;
    let (buffer, _ones) = results(stage, list, 11)?;
    queries.begin(list, 0);
    list.set_graphics_root(&root);
    list.set_pipeline(&pipeline);
    list.targets(&[&target], None);
    list.square(SIZE);
    list.topology(Topology::D3D_PRIMITIVE_TOPOLOGY_POINTLIST);
    list.draw(POINTS as u32, 1, 0, 0);
    list.set_compute_root(&compute_root);
    list.set_pipeline(&compute);
    list.compute_uav(1, written.address);
    list.dispatch(3, 1, 1);
    queries.end(list, 0);
    queries.resolve(list, (0, 1), &buffer, 0);
    let got = read(stage, list, &buffer)?;
    let &[vertices, primitives, vs, gs, from_gs, clipped, _, ps, hs, ds, cs] = got.as_slice() else {
        return Err(Failure::Wrong(format!("{} statistics instead of 11", got.len())));
    };
    let exact = [vertices, primitives, vs, gs, from_gs, clipped, hs, ds, cs];
    Failure::unless_equal(
        "vertices, primitives, VS, GS, primitives of GS, to the clipper, HS, DS, CS",
        &exact,
        &[POINTS, POINTS, POINTS, POINTS, 2 * SQUARES, 2 * SQUARES, 0, 0, 3 * 16],
    )?;
    // Shaders also run for pixels that only help their neighbours.
    let pixels: u64 = (0..POINTS).filter(|number| number % 5 != 4).map(|number| (1 + number % 8).pow(2)).sum();
    Failure::unless(ps >= pixels, || format!("{ps} runs of a pixel shader for {pixels} pixels"))?;
    digest.add(&bytes(&exact));
    Ok(())
}

/// Runs of compute shaders are those of the program's dispatches: 3 groups of 16, twice. Between them another query is resolved
/// and memory is cleared.
fn own_work(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let mut list = List::direct(device)?;
    let root = RootSignature::compute(device, &[Parameter::Constants { register: 0, count: 6 }, Parameter::Uav(0)])?;
    let compute = Pipeline::compute(stage, &root, &shader!("indirect.draws"))?;
    let written = Buffer::writable(device, 1024)?;
    let statistics = Queries::new(stage, Kind::PIPELINE_STATISTICS, Query::PIPELINE_STATISTICS, 2)?;
    let binary = Queries::new(stage, Kind::OCCLUSION, Query::BINARY_OCCLUSION, 1)?;
    let (counts, _ones) = results(stage, &mut list, 22)?;
    let (samples, _more) = results(stage, &mut list, 1)?;
    let dispatch = |list: &mut List| {
        list.set_compute_root(&root);
        list.set_pipeline(&compute);
        list.compute_uav(1, written.address);
        list.dispatch(3, 1, 1);
    };
    statistics.begin(&mut list, 0);
    dispatch(&mut list);
    binary.begin(&mut list, 0);
    binary.end(&mut list, 0);
    statistics.begin(&mut list, 1);
    binary.resolve(&mut list, (0, 1), &samples, 0);
    statistics.end(&mut list, 1);
    dispatch(&mut list);
    statistics.end(&mut list, 0);
    statistics.resolve(&mut list, (0, 2), &counts, 0);
    let got = read(stage, &mut list, &counts)?;
    let mut expected = vec![0; 22];
    expected[10] = 2 * 3 * 16;
    Failure::unless_equal("statistics with two dispatches, and with none", &got, &expected)?;
    Failure::unless_equal("samples", &read(stage, &mut list, &samples)?, &[0])?;
    Ok(Digest::of(&bytes(&got)))
}

fn timestamps(stage: &Stage) -> Result<Digest, Failure> {
    let mut list = List::direct(&stage.device)?;
    let mut frequency = 0u64;
    attempt!(stage.queue.com, "ID3D12CommandQueue", "GetTimestampFrequency", &raw mut frequency)?;
    Failure::unless(frequency > 0, || "timestamps do not advance".into())?;
    let queries = Queries::new(stage, Kind::TIMESTAMP, Query::TIMESTAMP, 3)?;
    let (buffer, _ones) = results(stage, &mut list, 3)?;
    let spare = Buffer::uploaded(&stage.device, &[7; 1024])?;
    let copy = Buffer::copied(&stage.device, spare.size)?;
    for index in 0..3 {
        list.copy_bytes(&copy, 1024 * u64::from(index), &spare, 0, 1024);
        queries.end(&mut list, index);
    }
    queries.resolve(&mut list, (0, 3), &buffer, 0);
    let got = read(stage, &mut list, &buffer)?;
    let rising = got.is_sorted() && got[0] > 0 && got[2] < u64::MAX;
    Failure::unless(rising, || format!("timestamps are {got:?}"))?;
    Ok(Digest::of(&[u8::from(rising)]))
}
