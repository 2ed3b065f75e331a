//! `pipelines`: the same squares, one clockwise and one not, under states of the rasteriser and without a pixel shader, made of the
//! structure. `pipeline-streams`: the same made of streams of subobjects; its hash must be the same.

use super::Program;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::graphics::{Description, plain};
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::{Depth, Target};
use crate::texel::texels;
use reprise_d3d12::types::{
    D3D12_CLEAR_FLAGS, D3D12_CULL_MODE as Cull, D3D12_DEPTH_WRITE_MASK, D3D12_RASTERIZER_DESC, D3D12_RESOURCE_STATES,
    D3D12_SHADER_BYTECODE, DXGI_FORMAT,
};

pub(super) const STRUCTURES: Program = Program {
    name: "pipelines",
    about: "one shader under many states, by structures",
    run: |stage| run(stage, Pipeline::graphics),
};
pub(super) const STREAMS: Program = Program {
    name: "pipeline-streams",
    about: "the same as pipelines, by streams of subobjects",
    run: |stage| run(stage, Pipeline::of_stream),
};

const VERTEX: Shader = shader!("pipelines.square");
const PIXEL: Shader = shader!("pipelines.pixel");
/// As the shader says.
const SIZE: u32 = 64;
const SQUARE: u32 = 8;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
const DEPTH: DXGI_FORMAT = DXGI_FORMAT::FORMAT_D32_FLOAT;

/// What a pipeline changes of the plain one, the squares' depth, and whether the clockwise and the other square are drawn, and
/// then whether it is their front that is seen.
struct Case {
    change: fn(&mut Description),
    depth: f32,
    fronts: [Option<bool>; 2],
    /// Whether colours are written, too.
    colour: bool,
}

const CASES: [Case; 14] = [
    case(|_| (), [Some(true), Some(false)]),
    case(|desc| cull(desc, Cull::FRONT, 0), [None, Some(false)]),
    case(|desc| cull(desc, Cull::BACK, 0), [Some(true), None]),
    case(|desc| cull(desc, Cull::NONE, 1), [Some(false), Some(true)]),
    case(|desc| cull(desc, Cull::FRONT, 1), [Some(false), None]),
    case(|desc| cull(desc, Cull::BACK, 1), [None, Some(true)]),
    case(|desc| desc.SampleMask = 1, [Some(true), Some(false)]),
    case(|desc| desc.SampleMask = 0xffff_fffe, [None, None]),
    // Clipped, or held at the end of the viewport's range.
    Case { depth: 1.5, ..case(|desc| desc.RasterizerState.DepthClipEnable = 1, [None, None]) },
    Case { depth: 1.5, ..case(|desc| desc.RasterizerState.DepthClipEnable = 0, [Some(true), Some(false)]) },
    Case { depth: -0.5, ..case(|desc| desc.RasterizerState.DepthClipEnable = 0, [Some(true), Some(false)]) },
    // Depth alone.
    Case { colour: false, ..case(without_pixels, [Some(true), Some(false)]) },
    Case { colour: false, ..case(only_front_depth, [Some(true), None]) },
    // A target that has a format and takes nothing.
    Case { colour: false, ..case(|desc| write_mask(desc, 0), [Some(true), Some(false)]) },
];

const fn case(change: fn(&mut Description), fronts: [Option<bool>; 2]) -> Case {
    Case { change, depth: 0.25, fronts, colour: true }
}

fn cull(desc: &mut Description, mode: Cull, counter_clockwise: i32) {
    let raster: &mut D3D12_RASTERIZER_DESC = &mut desc.RasterizerState;
    (raster.CullMode, raster.FrontCounterClockwise) = (mode, counter_clockwise);
}

fn without_pixels(desc: &mut Description) {
    desc.PS = D3D12_SHADER_BYTECODE::default();
}

fn only_front_depth(desc: &mut Description) {
    without_pixels(desc);
    cull(desc, Cull::BACK, 0);
}

fn write_mask(desc: &mut Description, mask: u8) {
    desc.BlendState.RenderTarget[0].RenderTargetWriteMask = mask;
}

fn run(stage: &Stage, make: fn(&Stage, &Description) -> Result<Pipeline, Failure>) -> Result<Digest, Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Parameter::Constants { register: 0, count: 4 }], &[])?;
    let target = Target::new(device, FORMAT, SIZE, SIZE)?;
    let depth = Depth::new(device, DEPTH, DEPTH, SIZE, SIZE)?;
    let mut list = List::direct(device)?;
    list.set_graphics_root(&root);
    list.targets(&[&target], Some(&depth));
    list.square(SIZE);
    list.topology(reprise_d3d12::types::D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
    list.clear_target(&target, [0.0; 4], &[]);
    list.clear_depth(&depth, D3D12_CLEAR_FLAGS::DEPTH, (0.5, 0), &[]);
    let (mut colours, mut depths) = (Picture::new(SIZE, SIZE, [0; 4]), Picture::new(SIZE, SIZE, 0.5f32));
    // Pipelines live until the list is done.
    let mut pipelines = Vec::new();
    for (index, case) in CASES.iter().enumerate() {
        let mut desc = plain(stage, &root, &VERTEX, &PIXEL, &[FORMAT]);
        desc.DSVFormat = DEPTH;
        (desc.DepthStencilState.DepthEnable, desc.DepthStencilState.DepthWriteMask) = (1, D3D12_DEPTH_WRITE_MASK::ALL);
        (case.change)(&mut desc);
        let pipeline = make(stage, &desc)?;
        let (cell, columns) = (index as u32, SIZE / (2 * SQUARE));
        let (x, y) = (cell % columns * 2 * SQUARE, cell / columns * SQUARE);
        list.set_pipeline(&pipeline);
        list.graphics_constants(0, &[x, y, case.depth.to_bits(), cell]);
        list.draw(6, 2, 0, 0);
        for (instance, front) in (0..).zip(case.fronts) {
            let area = Area::at(x + SQUARE * instance, y, SQUARE, SQUARE);
            if let Some(front) = front {
                depths.fill(area, case.depth.clamp(0.0, 1.0));
                if case.colour {
                    colours.fill(area, [cell, instance, u32::from(front), 1]);
                }
            }
        }
        pipelines.push(pipeline);
    }
    let mut digest = Digest::new();
    target.check(stage, &mut list, "colours", &colours, &mut digest)?;
    let plane = depth.texture.read(stage, &mut list, D3D12_RESOURCE_STATES::DEPTH_WRITE)?;
    depths.check("depths", &texels(&plane[0]))?;
    digest.add(&plane[0]);
    Ok(digest)
}
