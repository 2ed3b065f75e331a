//! `outputs`: pixel shaders that write depth, leave pixels out before and after the depth test, and give blending a second colour.
//! `coverage`: pixel shaders that choose samples, and that run for each.

use super::Program;
use crate::descriptor::{AS_IS, Heap};
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::{Description, plain};
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::{Depth, Target};
use crate::texel::texels;
use reprise_d3d12::types::*;

pub(super) const OUTPUTS: Program = Program {
    name: "outputs",
    about: "pixel shaders that write depth, discard, and blend with two colours",
    run: outputs,
};
pub(super) const COVERAGE: Program =
    Program { name: "coverage", about: "pixel shaders that choose samples, and that run for each", run: coverage };

const VERTEX: Shader = shader!("rectangle.vertex");
const SIZE: u32 = 32;
const NUMBERS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
const COLOURS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
const DEPTH: DXGI_FORMAT = DXGI_FORMAT::FORMAT_D32_FLOAT;

fn outputs(stage: &Stage) -> Result<Digest, Failure> {
    let root = RootSignature::graphics(&stage.device, &[Rectangle::PARAMETER], &[])?;
    let mut digest = Digest::new();
    depths(stage, &root, &mut digest)?;
    two_colours(stage, &root, &mut digest)?;
    Ok(digest)
}

/// Which pixels the shaders leave out.
fn hole(x: u32, y: u32) -> bool {
    (x + y).is_multiple_of(3)
}

/// Rectangles in order, each by a shader; the depth test takes what is nearer.
fn depths(stage: &Stage, root: &RootSignature, digest: &mut Digest) -> Result<(), Failure> {
    let shaders =
        [shader!("outputs.depths"), shader!("outputs.holes"), shader!("outputs.early"), shader!("rectangle.number")];
    let draws: [(usize, Area, f32); 5] = [
        (1, Area::at(0, 0, 20, 20), 0.5),
        (2, Area::at(12, 4, 20, 10), 0.375),
        (0, Area::at(4, 12, 24, 16), 0.0),
        // Behind the holes' depth where there was no hole, and behind the early test's everywhere.
        (3, Area::at(0, 2, 32, 8), 0.625),
        (0, Area::at(2, 2, 8, 30), 1.0),
    ];
    let device = &stage.device;
    let pipelines: Vec<Pipeline> = shaders
        .iter()
        .map(|shader| {
            let mut desc = Description { DSVFormat: DEPTH, ..plain(stage, root, &VERTEX, shader, &[NUMBERS]) };
            let test = &mut desc.DepthStencilState;
            (test.DepthEnable, test.DepthWriteMask) = (1, D3D12_DEPTH_WRITE_MASK::ALL);
            test.DepthFunc = D3D12_COMPARISON_FUNC::LESS;
            Pipeline::graphics(stage, &desc)
        })
        .collect::<Result<_, _>>()?;
    let target = Target::new(device, NUMBERS, SIZE, SIZE)?;
    let depth = Depth::new(device, DEPTH, DEPTH, SIZE, SIZE)?;
    let mut list = List::direct(device)?;
    list.set_graphics_root(root);
    list.targets(&[&target], Some(&depth));
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    list.clear_depth(&depth, D3D12_CLEAR_FLAGS::DEPTH, (1.0, 0), &[]);
    let (mut colours, mut depths) = (Picture::new(SIZE, SIZE, [0; 4]), Picture::new(SIZE, SIZE, 1.0f32));
    for (index, (shader, area, near)) in (1..).zip(draws) {
        list.set_pipeline(&pipelines[shader]);
        list.rectangle(&Rectangle { depth: near, ..Rectangle::new(area, SIZE, [index; 4]) });
        depths.draw(area, |x, y, depth| {
            let (new, there) = match shader {
                0 => ((x % 8) as f32 / 8.0, true),
                1 => (near, !hole(x, y)),
                _ => (near, true),
            };
            if new < *depth && there {
                *depth = new;
                if shader != 2 || !hole(x, y) {
                    colours.fill(Area::at(x, y, 1, 1), [index; 4]);
                }
            }
        });
    }
    target.check(stage, &mut list, "numbers", &colours, digest)?;
    let plane = depth.texture.read(stage, &mut list, D3D12_RESOURCE_STATES::DEPTH_WRITE)?;
    depths.check("depths", &texels(&plane[0]))?;
    digest.add(&plane[0]);
    Ok(())
}

/// The second colour takes the new one where it is 1, and the old one where it is 0.
fn two_colours(stage: &Stage, root: &RootSignature, digest: &mut Digest) -> Result<(), Failure> {
    let shader = shader!("outputs.two");
    let mut desc = plain(stage, root, &VERTEX, &shader, &[COLOURS]);
    let blend = &mut desc.BlendState.RenderTarget[0];
    (blend.BlendEnable, blend.SrcBlend, blend.DestBlend) = (1, D3D12_BLEND::SRC1_COLOR, D3D12_BLEND::INV_SRC1_COLOR);
    (blend.SrcBlendAlpha, blend.DestBlendAlpha) = (D3D12_BLEND::SRC1_ALPHA, D3D12_BLEND::INV_SRC1_ALPHA);
    let pipeline = Pipeline::graphics(stage, &desc)?;
    let target = Target::new(&stage.device, COLOURS, SIZE, SIZE)?;
    let mut list = List::direct(&stage.device)?;
    list.set_graphics_root(root);
    list.set_pipeline(&pipeline);
    list.targets(&[&target], None);
    list.square(SIZE);
    list.clear_target(&target, [1.0, 0.0, 1.0, 0.0], &[]);
    let mut expected = Picture::new(SIZE, SIZE, [255u8, 0, 255, 0]);
    for choice in 0..16 {
        let area = Area::at(8 * (choice % 4), 8 * (choice / 4), 8, 8);
        let colour = [10 + choice as u8, 100, 77, 200 - choice as u8];
        let value = colour.map(|part| (f32::from(part) / 255.0).to_bits());
        list.rectangle(&Rectangle { choice, ..Rectangle::new(area, SIZE, value) });
        expected.draw(area, |_, _, pixel| {
            for (part, (old, new)) in pixel.iter_mut().zip(colour).enumerate() {
                *old = if choice & 1 << part == 0 { *old } else { new };
            }
        });
    }
    target.check(stage, &mut list, "two colours", &expected, digest)
}

fn coverage(stage: &Stage) -> Result<Digest, Failure> {
    const SAMPLES: usize = 4;
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER, Parameter::Table(&[Range::srv(0, 1)])], &[])?;
    let sampled = |shader: &Shader, mask| -> Result<Pipeline, Failure> {
        let mut desc = plain(stage, &root, &VERTEX, shader, &[COLOURS]);
        (desc.SampleDesc.Count, desc.SampleMask) = (SAMPLES as u32, mask);
        Pipeline::graphics(stage, &desc)
    };
    let (chosen, each) =
        (sampled(&shader!("outputs.coverage"), 0b1101)?, sampled(&shader!("outputs.samples"), u32::MAX)?);
    let target = Target::sampled(device, COLOURS, SIZE, SIZE, SAMPLES as u32)?;
    let mut model = Picture::new(SIZE, SIZE, [0u32; SAMPLES]);
    let mut list = List::direct(device)?;
    list.set_graphics_root(&root);
    list.targets(&[&target], None);
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    let area = Area::at(3, 9, 20, 20);
    list.set_pipeline(&each);
    list.rectangle(&Rectangle::new(area, SIZE, [0; 4]));
    model.fill(area, [0x0404_0404, 0x0808_0808, 0x0c0c_0c0c, 0x1010_1010]);
    list.set_pipeline(&chosen);
    for choice in 0..16 {
        // Samples are those of the shader's choice that the pipeline's mask has, too.
        let area = Area::at(8 * (choice % 4), 8 * (choice / 4), 6, 7);
        let colour = [40 + choice as u8, 50, 60, 70];
        let value = colour.map(|part| (f32::from(part) / 255.0).to_bits());
        list.rectangle(&Rectangle { choice, ..Rectangle::new(area, SIZE, value) });
        model.draw(area, |_, _, samples| {
            for (index, sample) in samples.iter_mut().enumerate() {
                *sample = if choice & 0b1101 & 1 << index == 0 { *sample } else { u32::from_le_bytes(colour) };
            }
        });
    }

    // Each sample by itself.
    let reader = Pipeline::graphics(stage, &plain(stage, &root, &VERTEX, &shader!("samples.each"), &[NUMBERS]))?;
    let seen = Target::new(device, NUMBERS, SIZE, SIZE)?;
    let views = Heap::visible(device, 1)?;
    let view = D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: COLOURS,
        ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2DMS,
        Shader4ComponentMapping: AS_IS,
        ..Default::default()
    };
    views.srv(0, &target.texture.com, &view);
    let (drawn, read) = (D3D12_RESOURCE_STATES::RENDER_TARGET, D3D12_RESOURCE_STATES::PIXEL_SHADER_RESOURCE);
    list.transition(&target.texture.com, drawn, read);
    list.set_heap(&views);
    list.set_graphics_root(&root);
    list.graphics_table(1, views.gpu(0));
    list.set_pipeline(&reader);
    list.targets(&[&seen], None);
    list.square(SIZE);
    list.rectangle(&Rectangle::new(Area::at(0, 0, SIZE, SIZE), SIZE, [0; 4]));
    let mut digest = Digest::new();
    seen.check(stage, &mut list, "samples", &model, &mut digest)?;
    Ok(digest)
}
