//! `targets`: four targets of different kinds of numbers written by one pixel shader, each under a write mask of its own, and
//! cleared in parts; then every level and slice of an array as a target. `masks-behind-depth`: the first part behind a draw without colour targets.

use super::Program;
use crate::com::call;
use crate::descriptor::Heap;
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::{Description, plain};
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::RootSignature;
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::{Depth, Target};
use crate::texel::texels;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program = Program {
    name: "targets",
    about: "several targets, write masks, clears of parts, levels and slices as targets",
    run,
};
pub(super) const BEHIND: Program = Program {
    name: "masks-behind-depth",
    about: "write masks of several targets behind a draw to depth alone",
    run: behind,
};

const VERTEX: Shader = shader!("rectangle.vertex");
const MANY: Shader = shader!("rectangle.many");
const NUMBER: Shader = shader!("rectangle.number");
const DEPTHS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_D32_FLOAT;
const SIZE: u32 = 32;
const FORMATS: [DXGI_FORMAT; 4] = [
    DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
    DXGI_FORMAT::FORMAT_R16G16B16A16_UINT,
    DXGI_FORMAT::FORMAT_R32_UINT,
    DXGI_FORMAT::FORMAT_R8G8_SINT,
];
/// Bit 0 is red, bit 3 alpha; one mask a target.
const MASKS: [[u8; 4]; 4] = [[15, 15, 15, 15], [5, 3, 0, 2], [8, 12, 1, 1], [0, 0, 0, 0]];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let root = RootSignature::graphics(&stage.device, &[Rectangle::PARAMETER], &[])?;
    let mut list = List::direct(&stage.device)?;
    let mut digest = Digest::new();
    many(stage, &root, &mut list, &mut digest)?;
    parts(stage, &root, &mut list, &mut digest)?;
    Ok(digest)
}

/// Some drivers keep how colours are written from a pipeline state that has none.
fn behind(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let depth = Depth::new(device, DEPTHS, DEPTHS, SIZE, SIZE)?;
    let whole = plain(stage, &root, &VERTEX, &MANY, &[]);
    let desc = Description {
        PS: D3D12_SHADER_BYTECODE::default(),
        DSVFormat: DEPTHS,
        DepthStencilState: D3D12_DEPTH_STENCIL_DESC {
            DepthEnable: 1,
            DepthWriteMask: D3D12_DEPTH_WRITE_MASK::ALL,
            DepthFunc: D3D12_COMPARISON_FUNC::ALWAYS,
            ..whole.DepthStencilState
        },
        ..whole
    };
    let pipeline = Pipeline::graphics(stage, &desc)?;
    let mut list = List::direct(device)?;
    list.set_graphics_root(&root);
    list.targets(&[], Some(&depth));
    list.square(SIZE);
    list.clear_depth(&depth, D3D12_CLEAR_FLAGS::DEPTH, (1.0, 0), &[]);
    list.set_pipeline(&pipeline);
    list.rectangle(&Rectangle::new(Area::at(0, 0, SIZE, SIZE), SIZE, [0; 4]));
    let mut digest = Digest::new();
    many(stage, &root, &mut list, &mut digest)?;
    Ok(digest)
}

/// Four targets at once.
fn many(stage: &Stage, root: &RootSignature, list: &mut List, digest: &mut Digest) -> Result<(), Failure> {
    let pipelines: Vec<Pipeline> = MASKS
        .iter()
        .map(|masks| {
            let mut desc = plain(stage, root, &VERTEX, &MANY, &FORMATS);
            desc.BlendState.IndependentBlendEnable = 1;
            for (target, mask) in desc.BlendState.RenderTarget.iter_mut().zip(masks) {
                target.RenderTargetWriteMask = *mask;
            }
            Pipeline::graphics(stage, &desc)
        })
        .collect::<Result<_, _>>()?;
    let targets: Vec<Target> =
        FORMATS.iter().map(|format| Target::new(&stage.device, *format, SIZE, SIZE)).collect::<Result<_, _>>()?;
    let mut model = Model::new();

    list.set_graphics_root(root);
    list.targets(&targets.iter().collect::<Vec<_>>(), None);
    list.square(SIZE);
    let inside = Area::at(3, 5, 20, 12);
    let holes = [Area::at(0, 28, 32, 4), Area::at(10, 10, 2, 2)];
    for (index, target) in targets.iter().enumerate() {
        list.clear_target(target, CLEARS[index].0, &[]);
        list.clear_target(target, CLEARS[index].1, &holes);
    }
    holes.iter().for_each(|hole| model.clear(*hole));
    for (index, (pipeline, masks)) in (0..).zip(pipelines.iter().zip(&MASKS)) {
        let area = Area::at(inside.left + 3 * index, inside.top + 4 * index, 20, 12);
        let colour = [10 + index, 255, 60 * index, 1 + index];
        let value = colour.map(|part| (part as f32 / 255.0).to_bits());
        list.set_pipeline(pipeline);
        list.rectangle(&Rectangle::new(area, SIZE, value));
        model.draw(area, masks, colour, value);
    }
    targets[0].check(stage, list, "colours", &model.colour, digest)?;
    targets[1].check(stage, list, "wide numbers", &model.wide, digest)?;
    targets[2].check(stage, list, "numbers", &model.number, digest)?;
    targets[3].check(stage, list, "signed numbers", &model.sign, digest)
}

/// What the targets are cleared to, first as a whole, then in parts.
const CLEARS: [([f32; 4], [f32; 4]); 4] = [
    ([0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0]),
    ([1.0, 2.0, 3.0, 65535.0], [500.0, 0.0, 7.0, 9.0]),
    ([8_388_608.0, 0.0, 0.0, 0.0], [12345.0, 0.0, 0.0, 0.0]),
    ([-128.0, 127.0, 0.0, 0.0], [-1.0, 5.0, 0.0, 0.0]),
];

/// The four targets.
struct Model {
    colour: Picture<[u8; 4]>,
    wide: Picture<[u16; 4]>,
    number: Picture<[u32; 1]>,
    sign: Picture<[i8; 2]>,
}

impl Model {
    fn new() -> Self {
        Self {
            colour: Picture::new(SIZE, SIZE, [0, 255, 0, 255]),
            wide: Picture::new(SIZE, SIZE, [1, 2, 3, 65535]),
            number: Picture::new(SIZE, SIZE, [8_388_608]),
            sign: Picture::new(SIZE, SIZE, [-128, 127]),
        }
    }

    fn clear(&mut self, area: Area) {
        self.colour.fill(area, [255, 0, 255, 0]);
        self.wide.fill(area, [500, 0, 7, 9]);
        self.number.fill(area, [12345]);
        self.sign.fill(area, [-1, 5]);
    }

    /// As `many` in `rectangle.hlsl`.
    fn draw(&mut self, area: Area, masks: &[u8; 4], colour: [u32; 4], value: [u32; 4]) {
        self.colour.draw(area, |_, _, pixel| masked(pixel, masks[0], colour.map(|part| part as u8)));
        self.wide
            .draw(area, |x, y, pixel| masked(pixel, masks[1], [x as u16, y as u16, value[0] as u16, value[1] as u16]));
        self.number.draw(area, |x, y, pixel| masked(pixel, masks[2], [x.wrapping_mul(0x0100_0193) ^ y ^ value[2]]));
        self.sign.draw(area, |x, y, pixel| masked(pixel, masks[3], [x as i8 - 4, -(y as i8) - 4]));
    }
}

/// Changes the components that a mask has.
fn masked<T: Copy, const N: usize>(pixel: &mut [T; N], mask: u8, new: [T; N]) {
    for (part, (old, new)) in pixel.iter_mut().zip(new).enumerate() {
        *old = if mask & 1 << part == 0 { *old } else { new };
    }
}

/// Each subresource of an array by a view of its own.
fn parts(stage: &Stage, root: &RootSignature, list: &mut List, digest: &mut Digest) -> Result<(), Failure> {
    const SLICES: u16 = 3;
    const LEVELS: u16 = 2;
    let format = DXGI_FORMAT::FORMAT_R16G16B16A16_UINT;
    let mut desc = flat(format, SIZE, SIZE);
    (desc.DepthOrArraySize, desc.MipLevels) = (SLICES, LEVELS);
    desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET;
    let state = D3D12_RESOURCE_STATES::RENDER_TARGET;
    let texture = Texture::new(&stage.device, &desc, state, None)?;
    let count = u32::from(SLICES * LEVELS);
    let heap = Heap::new(&stage.device, D3D12_DESCRIPTOR_HEAP_TYPE::RTV, count, false)?;
    let pipeline = Pipeline::graphics(stage, &plain(stage, root, &VERTEX, &NUMBER, &[format]))?;
    list.set_graphics_root(root);
    list.set_pipeline(&pipeline);
    let mut expected = Vec::new();
    for index in 0..count {
        let (slice, level) = (index / u32::from(LEVELS), index % u32::from(LEVELS));
        let mut view = D3D12_RENDER_TARGET_VIEW_DESC {
            Format: format,
            ViewDimension: D3D12_RTV_DIMENSION::TEXTURE2DARRAY,
            ..Default::default()
        };
        view.Anonymous.Texture2DArray =
            D3D12_TEX2D_ARRAY_RTV { MipSlice: level, FirstArraySlice: slice, ArraySize: 1, PlaneSlice: 0 };
        let at = heap.cpu(index);
        call!(stage.device.com, "ID3D12Device", "CreateRenderTargetView", &texture.com, &raw const view, at.ptr);
        let size = SIZE >> level;
        let mut picture = Picture::new(size, size, [index as u16; 4]);
        list.target_views(&[at], None);
        list.square(size);
        list.clear_view(at, [index as f32; 4], &[]);
        let area = Area::at(index, 1, 8, 4 + index);
        list.rectangle(&Rectangle::new(area, size, [100 + index, slice, level, 1000 * index]));
        picture.fill(area, [100 + index, slice, level, 1000 * index].map(|part| part as u16));
        expected.push(picture);
    }
    for (got, expected) in texture.read(stage, list, state)?.iter().zip(&expected) {
        expected.check("levels and slices", &texels(got))?;
        digest.add(got);
    }
    Ok(())
}
