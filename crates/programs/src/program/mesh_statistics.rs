//! `mesh-statistics`: what the stages of pipelines did, with mesh shaders and vertex shaders in turn, in both kinds of queries. Of
//! DXIL only.

use super::Program;
use super::mesh;
use super::queries::{Queries, read, results};
use crate::buffer::Buffer;
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::Area;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::Target;
use reprise_d3d12::types::{
    D3D12_FEATURE, D3D12_FEATURE_DATA_D3D12_OPTIONS9, D3D12_QUERY_DATA_PIPELINE_STATISTICS as Old,
    D3D12_QUERY_DATA_PIPELINE_STATISTICS1 as New, D3D12_QUERY_HEAP_TYPE as Kind, D3D12_QUERY_TYPE as Query,
    DXGI_FORMAT,
};

pub(super) const PROGRAM: Program =
    Program { name: "mesh-statistics", about: "statistics of pipelines with mesh shaders", run };

const PLAIN: Shader = shader!("mesh.plain" dxil);
const CHOSEN: Shader = shader!("mesh.chosen" dxil);
const CHOOSE: Shader = shader!("mesh.choose" dxil);
const PIXEL: Shader = shader!("mesh.pixel" dxil);

const SIZE: u32 = 64;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
/// Words of a result.
const OLD: u64 = size_of::<Old>() as u64 / 8;
const NEW: u64 = size_of::<New>() as u64 / 8;
/// Threads of a group, and primitives that it makes: half of them are culled.
const THREADS: u64 = 8;
const PRIMITIVES: u64 = 4;
/// Pixels of the rectangle of a group and of vertices.
const PIXELS: u64 = 6 * 5;

/// The words of a result by the names of the structure's first members, which both have.
struct Counts<'a>(&'a [u64]);

impl Counts<'_> {
    fn vertices(&self) -> u64 {
        self.0[0]
    }
    fn primitives(&self) -> u64 {
        self.0[1]
    }
    fn vertex_shaders(&self) -> u64 {
        self.0[2]
    }
    fn clipped(&self) -> u64 {
        self.0[5]
    }
    fn pixel_shaders(&self) -> u64 {
        self.0[7]
    }
    fn amplification_shaders(&self) -> u64 {
        self.0[11]
    }
    fn mesh_shaders(&self) -> u64 {
        self.0[12]
    }
    fn mesh_primitives(&self) -> u64 {
        self.0[13]
    }
}

fn unless(fine: bool, what: &str, got: &[u64]) -> Result<(), Failure> {
    if fine { Ok(()) } else { Err(Failure::Wrong(format!("{what}: {got:?}"))) }
}

/// Groups count once, or once for each of their threads: the API leaves that open.
fn counts_groups(got: u64, groups: u64) -> bool {
    (groups..=groups * THREADS).contains(&got)
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    mesh::supported(stage)?;
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS9::default();
    let known = stage.device.feature(D3D12_FEATURE::D3D12_OPTIONS9, &mut options);
    if !known || options.MeshShaderPipelineStatsSupported == 0 {
        return Err(Failure::Cannot("the library counts no mesh shaders".into()));
    }
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER, Parameter::Srv(0)], &[])?;
    let (vertex, number) = (shader!("rectangle.vertex"), shader!("rectangle.number"));
    let vertices = Pipeline::graphics(stage, &plain(stage, &root, &vertex, &number, &[FORMAT]))?;
    let desc = plain(stage, &root, &vertex, &PIXEL, &[FORMAT]);
    let meshes = Pipeline::of_meshes(stage, &desc, None, &PLAIN)?;
    let behind = Pipeline::of_meshes(stage, &desc, Some(&CHOOSE), &CHOSEN)?;
    let area = |number: u32| Area::at(number % 8 * 8, number / 8 * 8, 6, 5);
    let edges: Vec<u32> = (0..64)
        .flat_map(|number| {
            let Area { left, top, right, bottom } = area(number);
            [left, top, right, bottom]
        })
        .collect();
    let edges = Buffer::uploaded(device, &edges)?;

    let old = Queries::new(stage, Kind::PIPELINE_STATISTICS, Query::PIPELINE_STATISTICS, 4)?;
    let new = Queries::new(stage, Kind::PIPELINE_STATISTICS1, Query::PIPELINE_STATISTICS1, 4)?;
    let mut list = List::direct(device)?;
    let (buffer, _kept) = results(stage, &mut list, 4 * (OLD + NEW))?;
    let target = Target::layered(device, FORMAT, SIZE, SIZE, 2)?;
    list.set_graphics_root(&root);
    list.graphics_srv(1, edges.address);
    list.targets(&[&target], None);
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    let rectangle = |list: &mut List, number: u32| {
        list.set_pipeline(&vertices);
        list.rectangle(&Rectangle::new(area(number), SIZE, [1; 4]));
    };
    let scale = (2.0 / SIZE as f32).to_bits();
    let constants = |first: u32, mask: u32| [first, 0, 0, 0, scale, scale, 0, mask, 0, 0, 0, 0];
    // Vertices only, meshes only, both in turn, and nothing: by queries of both kinds at a time, where they overlap.
    for queries in [&old, &new] {
        queries.begin(&mut list, 0);
    }
    rectangle(&mut list, 0);
    rectangle(&mut list, 1);
    for queries in [&old, &new] {
        queries.end(&mut list, 0);
        queries.begin(&mut list, 1);
    }
    list.set_pipeline(&meshes);
    list.graphics_constants(0, &constants(8, 0));
    list.dispatch_mesh(3, 1, 1)?;
    old.end(&mut list, 1);
    new.end(&mut list, 1);
    new.begin(&mut list, 2);
    list.graphics_constants(0, &constants(16, 0));
    list.dispatch_mesh(2, 1, 1)?;
    old.begin(&mut list, 2);
    rectangle(&mut list, 24);
    list.set_pipeline(&behind);
    // One group of the amplification shader, which chooses four of eight.
    list.graphics_constants(0, &constants(32, 1));
    list.dispatch_mesh(1, 1, 1)?;
    rectangle(&mut list, 40);
    new.end(&mut list, 2);
    old.end(&mut list, 2);
    for queries in [&old, &new] {
        queries.begin(&mut list, 3);
        queries.end(&mut list, 3);
    }
    old.resolve(&mut list, (0, 4), &buffer, 0);
    new.resolve(&mut list, (0, 4), &buffer, 4 * 8 * OLD);
    let got = read(stage, &mut list, &buffer)?;
    let (olds, news) = got.split_at(4 * OLD as usize);
    let olds: Vec<&[u64]> = olds.chunks_exact(OLD as usize).collect();
    let news: Vec<&[u64]> = news.chunks_exact(NEW as usize).collect();

    // Rectangles of vertices and of groups in each query: the old ones miss the second dispatch of meshes.
    let of_old = [(2, 0), (0, 3), (2, 4), (0, 0)];
    let of_new = [(2, 0), (0, 3), (2, 6), (0, 0)];
    let mut digest = Digest::new();
    for (what, all, expected) in [("old", &olds, of_old), ("new", &news, of_new)] {
        for (index, (got, (rectangles, groups))) in all.iter().zip(expected).enumerate() {
            let what = format!("{what} query {index}");
            let counts = Counts(got);
            unless(counts.vertices() == 4 * rectangles, &format!("{what}, vertices"), got)?;
            unless(counts.primitives() == 2 * rectangles, &format!("{what}, primitives"), got)?;
            let shaders = counts.vertex_shaders();
            unless(shaders <= 6 * rectangles && (shaders != 0) == (rectangles != 0), &what, got)?;
            // Culled primitives of mesh shaders may count.
            let clipped = (2 * rectangles + groups * PRIMITIVES / 2)..=(2 * rectangles + groups * PRIMITIVES);
            unless(clipped.contains(&counts.clipped()), &format!("{what}, primitives that are clipped"), got)?;
            // Helper pixels may count.
            let pixels = (rectangles + groups) * PIXELS;
            unless((pixels..=2 * pixels).contains(&counts.pixel_shaders()), &format!("{what}, pixels"), got)?;
            digest.add(&[counts.vertices() as u8, counts.primitives() as u8]);
        }
    }
    for (index, (got, (_, groups))) in news.iter().zip(of_new).enumerate() {
        let counts = Counts(got);
        let amplified = u64::from(index == 2);
        let what = |what: &str| format!("new query {index}, {what}");
        unless(counts_groups(counts.amplification_shaders(), amplified), &what("amplification shaders"), got)?;
        unless(counts_groups(counts.mesh_shaders(), groups), &what("mesh shaders"), got)?;
        let made = counts.mesh_primitives();
        let fits = made == groups * PRIMITIVES || made == groups * PRIMITIVES / 2;
        unless(fits, &what("primitives of mesh shaders, with or without those that are culled"), got)?;
    }
    Ok(digest)
}
