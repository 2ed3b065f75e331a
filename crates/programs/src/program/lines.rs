//! `narrow-lines`: lines that are rectangles of one pixel's width, and lines of the thinnest kind, by the newest description of the
//! rasteriser.

use super::Program;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::graphics::{Description, plain};
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::shader;
use crate::stage::Stage;
use crate::target::Target;
use reprise_d3d12::types::{
    D3D_PRIMITIVE_TOPOLOGY, D3D12_FEATURE as Feature, D3D12_FEATURE_DATA_D3D12_OPTIONS19 as Options19,
    D3D12_LINE_RASTERIZATION_MODE as Mode, D3D12_PRIMITIVE_TOPOLOGY_TYPE, DXGI_FORMAT,
};

pub(super) const PROGRAM: Program =
    Program { name: "narrow-lines", about: "lines that are rectangles of one pixel's width", run };

const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
const SIZE: u32 = 64;

/// A line along an axis: its ends in eighths of pixels, its kind, and the pixels whose middles its rectangle has within. Wide ones
/// are of 1.4 pixels.
const LINES: [([u32; 4], Mode, Area); 8] = [
    // Across: 8.625 to 9.625.
    ([2 * 8, 9 * 8 + 1, 20 * 8, 9 * 8 + 1], Mode::QUADRILATERAL_NARROW, Area::at(2, 9, 18, 1)),
    // The same place, wide: 11.425 to 12.825.
    ([2 * 8, 12 * 8 + 1, 20 * 8, 12 * 8 + 1], Mode::QUADRILATERAL_WIDE, Area::at(2, 11, 18, 2)),
    ([30 * 8, 5 * 8 + 4, 22 * 8 + 2, 5 * 8 + 4], Mode::QUADRILATERAL_NARROW, Area::at(22, 5, 8, 1)),
    ([30 * 8, 7 * 8 + 7, 24 * 8, 7 * 8 + 7], Mode::QUADRILATERAL_WIDE, Area::at(24, 7, 6, 2)),
    // Down.
    ([40 * 8 + 1, 3 * 8, 40 * 8 + 1, 33 * 8], Mode::QUADRILATERAL_NARROW, Area::at(40, 3, 1, 30)),
    ([44 * 8 + 1, 3 * 8, 44 * 8 + 1, 33 * 8], Mode::QUADRILATERAL_WIDE, Area::at(43, 3, 2, 30)),
    ([50 * 8 + 7, 60 * 8, 50 * 8 + 7, 40 * 8], Mode::QUADRILATERAL_NARROW, Area::at(50, 40, 1, 20)),
    // The thinnest, through middles of pixels; it has its first pixel and not its last.
    ([5 * 8 + 4, 50 * 8 + 4, 25 * 8 + 4, 50 * 8 + 4], Mode::ALIASED, Area::at(5, 50, 20, 1)),
];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let what = "narrow rectangles as lines (RasterizerDesc2Supported, NarrowQuadrilateralLinesSupported)";
    let has = |is: &Options19| is.RasterizerDesc2Supported != 0 && is.NarrowQuadrilateralLinesSupported != 0;
    stage.needs(Feature::D3D12_OPTIONS19, what, has)?;
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Parameter::Constants { register: 0, count: 8 }], &[])?;
    let desc = Description {
        PrimitiveTopologyType: D3D12_PRIMITIVE_TOPOLOGY_TYPE::LINE,
        ..plain(stage, &root, &shader!("lines.vertex"), &shader!("lines.pixel"), &[FORMAT])
    };
    let target = Target::new(device, FORMAT, SIZE, SIZE)?;
    let mut list = List::direct(device)?;
    list.set_graphics_root(&root);
    list.targets(&[&target], None);
    list.square(SIZE);
    list.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_LINELIST);
    list.clear_target(&target, [0.0; 4], &[]);
    let mut picture = Picture::new(SIZE, SIZE, [0; 4]);
    let mut pipelines = Vec::new();
    for (number, (ends, mode, area)) in (1..).zip(LINES) {
        let pipeline = Pipeline::with_lines(stage, &desc, mode)?;
        list.set_pipeline(&pipeline);
        pipelines.push(pipeline);
        // Exact: the target's size is a power of two.
        let place = |eighths: u32| eighths as f32 / (4 * SIZE) as f32 - 1.0;
        let places = [place(ends[0]), -place(ends[1]), place(ends[2]), -place(ends[3])];
        let mut words: Vec<u32> = places.map(f32::to_bits).to_vec();
        words.extend([number, 2, 3, 4]);
        list.graphics_constants(0, &words);
        list.draw(2, 1, 0, 0);
        picture.fill(area, [number, 2, 3, 4]);
    }
    let mut digest = Digest::new();
    target.check(stage, &mut list, "lines", &picture, &mut digest)?;
    Ok(digest)
}
