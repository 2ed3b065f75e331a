//! `comparisons`: comparisons with texels of a level that gradients or a bias choose, and that a shader clamps (shader model 6.8).

use super::Program;
use crate::descriptor::{AS_IS, Heap};
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::sampler::comparing;
use crate::shader::shader;
use crate::stage::Stage;
use crate::target::{Target, depth_view};
use crate::texture::{Texture, flat};
use reprise_d3d12::types::{
    D3D_SHADER_MODEL, D3D12_CLEAR_FLAGS as Clear, D3D12_CLEAR_VALUE, D3D12_DEPTH_STENCIL_VIEW_DESC,
    D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_DSV_DIMENSION, D3D12_FEATURE as Feature,
    D3D12_FEATURE_DATA_D3D12_OPTIONS21 as Options21, D3D12_RESOURCE_DESC, D3D12_RESOURCE_FLAGS,
    D3D12_RESOURCE_STATES as State, D3D12_SHADER_RESOURCE_VIEW_DESC, D3D12_SRV_DIMENSION, D3D12_TEX2D_DSV,
    D3D12_TEX2D_SRV, DXGI_FORMAT,
};

pub(super) const PROGRAM: Program =
    Program { name: "comparisons", about: "comparisons at levels that gradients and biases choose", run };

const NUMBERS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
/// Of the target and of the first level.
const SIZE: u32 = 64;
const LEVELS: u32 = 5;

/// What all texels of a level are.
fn depth(level: u32) -> f32 {
    (level + 1) as f32 / 8.0
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_8)?;
    let what = "comparisons with gradients and biases (SampleCmpGradientAndBiasSupported)";
    let has = |is: &Options21| is.SampleCmpGradientAndBiasSupported != 0;
    stage.needs(Feature::D3D12_OPTIONS21, what, has)?;
    let device = &stage.device;
    let format = DXGI_FORMAT::FORMAT_D32_FLOAT;
    let desc = D3D12_RESOURCE_DESC {
        MipLevels: LEVELS as u16,
        Flags: D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL,
        ..flat(DXGI_FORMAT::FORMAT_R32_TYPELESS, SIZE, SIZE)
    };
    let mut clear = D3D12_CLEAR_VALUE { Format: format, ..Default::default() };
    clear.Anonymous.DepthStencil.Depth = 1.0;
    let texture = Texture::new(device, &desc, State::DEPTH_WRITE, Some(&clear))?;
    let mut list = List::direct(device)?;
    let depths = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::DSV, LEVELS, false)?;
    for level in 0..LEVELS {
        let mut view = D3D12_DEPTH_STENCIL_VIEW_DESC {
            Format: format,
            ViewDimension: D3D12_DSV_DIMENSION::TEXTURE2D,
            ..Default::default()
        };
        view.Anonymous.Texture2D = D3D12_TEX2D_DSV { MipSlice: level };
        depth_view(device, &texture.com, &view, depths.cpu(level));
        list.clear_depth_view(depths.cpu(level), Clear::DEPTH, (depth(level), 0), &[]);
    }
    list.transition(&texture.com, State::DEPTH_WRITE, State::PIXEL_SHADER_RESOURCE);
    let heap = Heap::visible(device, 1)?;
    let mut view = D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: DXGI_FORMAT::FORMAT_R32_FLOAT,
        ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2D,
        Shader4ComponentMapping: AS_IS,
        ..Default::default()
    };
    view.Anonymous.Texture2D = D3D12_TEX2D_SRV { MipLevels: LEVELS, ..Default::default() };
    heap.srv(0, &texture.com, &view);

    let table = Parameter::Table(&[Range::srv(0, 1)]);
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER, table], &[comparing(0)])?;
    let (vertex, pixel) = (shader!("rectangle.vertex"), shader!("comparisons.pixel" dxil));
    let pipeline = Pipeline::graphics(stage, &plain(stage, &root, &vertex, &pixel, &[NUMBERS]))?;
    let target = Target::new(device, NUMBERS, SIZE, SIZE)?;
    list.set_heap(&heap);
    list.set_graphics_root(&root);
    list.graphics_table(1, heap.gpu(0));
    list.targets(&[&target], None);
    list.square(SIZE);
    list.set_pipeline(&pipeline);
    let mut picture = Picture::new(SIZE, SIZE, [0; 4]);
    // Far from the middle between levels, where drivers may go either way; references between two levels.
    for draw in 0..16u32 {
        let level = [0.25, 1.25, 1.75, 3.25f32][draw as usize % 4];
        let least = (draw / 4) as f32;
        let reference = depth([0, 2, 1, 3][(draw * 5 / 4) as usize % 4]) + 0.0625;
        let area = Area::at(draw % 4 * 16, draw / 4 * 16, 16, 16);
        let value = [level.exp2(), least, reference, 0.0].map(f32::to_bits);
        list.rectangle(&Rectangle { choice: draw, ..Rectangle::new(area, SIZE, value) });
        let passes = |level: f32| u32::from(reference < depth(level.round() as u32));
        let told = passes(level) * 5 + passes(level.max(least)) * 10;
        picture.draw(area, |x, y, pixel| *pixel = [told, x, y, draw]);
    }
    let mut digest = Digest::new();
    target.check(stage, &mut list, "comparisons", &picture, &mut digest)?;
    Ok(digest)
}
