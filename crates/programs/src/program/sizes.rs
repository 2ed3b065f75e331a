//! `target-sizes`: targets and a depth buffer of different sizes at once. What all of them have is drawn, and nothing else is touched.

use super::Program;
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::{Description, plain};
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::RootSignature;
use crate::shader::shader;
use crate::stage::Stage;
use crate::target::{Depth, Target};
use crate::texel::texels;
use reprise_d3d12::types::{
    D3D12_CLEAR_FLAGS as Clear, D3D12_COMPARISON_FUNC as Compare, D3D12_DEPTH_WRITE_MASK, D3D12_FEATURE as Feature,
    D3D12_FEATURE_DATA_D3D12_OPTIONS19 as Options19, D3D12_RESOURCE_STATES, DXGI_FORMAT,
};

pub(super) const PROGRAM: Program =
    Program { name: "target-sizes", about: "targets and a depth buffer of different sizes", run };

const FORMATS: [DXGI_FORMAT; 4] = [
    DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
    DXGI_FORMAT::FORMAT_R16G16B16A16_UINT,
    DXGI_FORMAT::FORMAT_R32_UINT,
    DXGI_FORMAT::FORMAT_R8G8_SINT,
];
const SIZES: [[u32; 2]; 4] = [[64, 64], [40, 64], [64, 24], [128, 37]];
const DEPTHS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_D32_FLOAT;
const DEPTH_SIZE: [u32; 2] = [48, 200];
/// Of the viewport.
const VIEWPORT: u32 = 64;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let what = "targets of different sizes (MismatchingOutputDimensionsSupported)";
    stage.needs(Feature::D3D12_OPTIONS19, what, |is: &Options19| is.MismatchingOutputDimensionsSupported != 0)?;
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let mut desc = Description {
        DSVFormat: DEPTHS,
        ..plain(stage, &root, &shader!("rectangle.vertex"), &shader!("rectangle.many"), &FORMATS)
    };
    let depth_state = &mut desc.DepthStencilState;
    (depth_state.DepthEnable, depth_state.DepthFunc) = (1, Compare::LESS);
    depth_state.DepthWriteMask = D3D12_DEPTH_WRITE_MASK::ALL;
    let pipeline = Pipeline::graphics(stage, &desc)?;
    let targets: Vec<Target> = FORMATS
        .iter()
        .zip(SIZES)
        .map(|(format, [width, height])| Target::new(device, *format, width, height))
        .collect::<Result<_, _>>()?;
    let depth = Depth::new(device, DEPTHS, DEPTHS, DEPTH_SIZE[0], DEPTH_SIZE[1])?;

    let mut list = List::direct(device)?;
    list.set_graphics_root(&root);
    list.set_pipeline(&pipeline);
    targets.iter().for_each(|target| list.clear_target(target, [0.0; 4], &[]));
    list.clear_depth(&depth, Clear::DEPTH, (1.0, 0), &[]);
    let mut model = Model::new();
    // Of one order, then of another: the smallest is not always the last.
    list.targets(&targets.iter().collect::<Vec<_>>(), Some(&depth));
    list.square(VIEWPORT);
    let common = Area::at(0, 0, 40, 24);
    list.scissor(common);
    for (area, depth, value) in [
        (Area::at(0, 0, VIEWPORT, VIEWPORT), 0.5, [0, 255, 51, 102]),
        (Area::at(11, 5, 60, 9), 0.25, [255, 0, 102, 204]),
        (Area::at(30, 0, 10, 24), 0.375, [51, 51, 255, 0]),
        (Area::at(39, 23, 8, 8), 0.125, [1, 2, 3, 4]),
    ] {
        let value = value.map(|part: u32| (part as f32 / 255.0).to_bits());
        list.rectangle(&Rectangle { depth, ..Rectangle::new(area, VIEWPORT, value) });
        model.draw(area.within(common), depth, value);
    }
    let mut digest = Digest::new();
    targets[0].check(stage, &mut list, "colour", &model.colour, &mut digest)?;
    targets[1].check(stage, &mut list, "wide", &model.wide, &mut digest)?;
    targets[2].check(stage, &mut list, "number", &model.number, &mut digest)?;
    targets[3].check(stage, &mut list, "sign", &model.sign, &mut digest)?;
    let got = depth.texture.read(stage, &mut list, D3D12_RESOURCE_STATES::DEPTH_WRITE)?;
    model.depth.check("depth", &texels(&got[0]))?;
    digest.add(&got[0]);
    Ok(digest)
}

/// The targets as they should be, as `many` in `rectangle.hlsl` draws them.
struct Model {
    colour: Picture<[u8; 4]>,
    wide: Picture<[u16; 4]>,
    number: Picture<u32>,
    sign: Picture<[i8; 2]>,
    depth: Picture<f32>,
}

impl Model {
    fn new() -> Self {
        let [colour, wide, number, sign] = SIZES;
        Self {
            colour: Picture::new(colour[0], colour[1], [0; 4]),
            wide: Picture::new(wide[0], wide[1], [0; 4]),
            number: Picture::new(number[0], number[1], 0),
            sign: Picture::new(sign[0], sign[1], [0; 2]),
            depth: Picture::new(DEPTH_SIZE[0], DEPTH_SIZE[1], 1.0),
        }
    }

    fn draw(&mut self, area: Area, depth: f32, value: [u32; 4]) {
        let Self { colour, wide, number, sign, depth: depths } = self;
        depths.draw(area, |x, y, before| {
            if depth < *before {
                *before = depth;
                let pixel = Area::at(x, y, 1, 1);
                colour.fill(pixel, value.map(|part| (f32::from_bits(part) * 255.0).round() as u8));
                wide.fill(pixel, [x as u16, y as u16, value[0] as u16, value[1] as u16]);
                number.fill(pixel, x.wrapping_mul(0x0100_0193) ^ y ^ value[2]);
                sign.fill(pixel, [x as i8 - 4, -(y as i8) - 4]);
            }
        });
    }
}
