//! `geometry`: a shader that makes squares of points. `tessellation`: patches that are divided by whole factors, or dropped; the
//! second picture shows that every pixel is covered exactly once.

use super::Program;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::graphics::{Description, plain};
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::{Pipeline, bytecode};
use crate::root::RootSignature;
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::Target;
use reprise_d3d12::types::{
    D3D_PRIMITIVE_TOPOLOGY as Topology, D3D12_BLEND, D3D12_PRIMITIVE_TOPOLOGY_TYPE as Type, DXGI_FORMAT,
};

pub(super) const GEOMETRY: Program =
    Program { name: "geometry", about: "a geometry shader that makes squares of points", run: geometry };
pub(super) const TESSELLATION: Program =
    Program { name: "tessellation", about: "patches divided by whole factors, and dropped ones", run: tessellation };

const VERTEX: Shader = shader!("pipelines.vertex");
const PIXEL: Shader = shader!("pipelines.pixel");
const COVERAGE: Shader = shader!("pipelines.coverage");
const NUMBERS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
const COLOURS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
/// Points in a grid, so many pixels apart.
const POINTS: u32 = 64;
const APART: u32 = 8;
const SIZE: u32 = 64;

/// The point's place.
fn place(number: u32) -> (u32, u32) {
    (APART * (number % 8), APART * (number / 8))
}

fn geometry(stage: &Stage) -> Result<Digest, Failure> {
    let change = |desc: &mut Description| {
        desc.GS = bytecode(stage.shader(&shader!("pipelines.geometry")));
        desc.PrimitiveTopologyType = Type::POINT;
    };
    let mut expected = Picture::new(SIZE, SIZE, [0; 4]);
    for number in (0..POINTS).filter(|number| number % 5 != 4) {
        let (x, y) = place(number);
        let size = 1 + number % 8;
        expected.fill(Area::at(x, y, size, size), [number, number, 1, 1]);
    }
    let mut digest = Digest::new();
    draw(stage, Topology::D3D_PRIMITIVE_TOPOLOGY_POINTLIST, &change, &expected, &mut digest)?;
    Ok(digest)
}

fn tessellation(stage: &Stage) -> Result<Digest, Failure> {
    let change = |desc: &mut Description| {
        desc.HS = bytecode(stage.shader(&shader!("pipelines.hull")));
        desc.DS = bytecode(stage.shader(&shader!("pipelines.domain")));
        desc.PrimitiveTopologyType = Type::PATCH;
    };
    let mut expected = Picture::new(SIZE, SIZE, [0; 4]);
    for number in (0..POINTS).filter(|number| number % 7 != 6) {
        let (x, y) = place(number);
        expected.fill(Area::at(x, y, APART, APART), [number, number, 1, 1]);
    }
    let mut digest = Digest::new();
    draw(stage, Topology::D3D_PRIMITIVE_TOPOLOGY_1_CONTROL_POINT_PATCHLIST, &change, &expected, &mut digest)?;
    Ok(digest)
}

/// Draws the points through the stages that `change` adds: once into numbers, and once with blending that counts.
fn draw(
    stage: &Stage,
    topology: Topology,
    change: &dyn Fn(&mut Description),
    expected: &Picture<[u32; 4]>,
    digest: &mut Digest,
) -> Result<(), Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[], &[])?;
    let mut numbers = plain(stage, &root, &VERTEX, &PIXEL, &[NUMBERS]);
    change(&mut numbers);
    let mut colours = plain(stage, &root, &VERTEX, &COVERAGE, &[COLOURS]);
    change(&mut colours);
    let blend = &mut colours.BlendState.RenderTarget[0];
    (blend.BlendEnable, blend.DestBlend, blend.DestBlendAlpha) = (1, D3D12_BLEND::ONE, D3D12_BLEND::ONE);
    let pipelines = [Pipeline::graphics(stage, &numbers)?, Pipeline::graphics(stage, &colours)?];
    let targets = [Target::new(device, NUMBERS, SIZE, SIZE)?, Target::new(device, COLOURS, SIZE, SIZE)?];
    let mut list = List::direct(device)?;
    list.set_graphics_root(&root);
    list.square(SIZE);
    list.topology(topology);
    for (pipeline, target) in pipelines.iter().zip(&targets) {
        list.targets(&[target], None);
        list.clear_target(target, [0.0; 4], &[]);
        list.set_pipeline(pipeline);
        list.draw(POINTS, 1, 0, 0);
    }
    targets[0].check(stage, &mut list, "numbers", expected, digest)?;
    let mut covered = Picture::new(SIZE, SIZE, [0u8; 4]);
    covered.draw(Area::at(0, 0, SIZE, SIZE), |x, y, pixel| {
        *pixel = if expected.at(x, y) == [0; 4] { [0; 4] } else { [1, 2, 4, 8] };
    });
    targets[1].check(stage, &mut list, "coverage", &covered, digest)
}
