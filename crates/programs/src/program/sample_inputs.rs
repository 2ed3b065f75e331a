//! `sample-inputs`: where pixel shaders have their inputs in pixels of four samples: in the middle, at a covered place, at each sample; which samples
//! the shader is told that it covers, and which one it runs for.

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
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::Target;
use reprise_d3d12::types::{
    D3D12_RESOURCE_STATES as State, D3D12_SHADER_RESOURCE_VIEW_DESC, D3D12_SRV_DIMENSION, DXGI_FORMAT,
};

pub(super) const PROGRAM: Program = Program {
    name: "sample-inputs",
    about: "inputs of pixels at centroids and samples, and which samples are covered",
    run,
};

const VERTEX: Shader = shader!("sample_inputs.vertex");
const WHOLE: Shader = shader!("sample_inputs.whole");
const EACH: Shader = shader!("sample_inputs.each");
const READ: Shader = shader!("sample_inputs.read");

const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R16G16B16A16_UINT;
/// Of the target, and of the block in which a triangle lies.
const SIZE: u32 = 32;
const BLOCK: u32 = 16;
const SAMPLES: u32 = 4;
/// Sixteenths of a pixel.
const PART: i32 = 16;
/// Where samples lie in their pixel (Direct3D 11.3 functional specification, 19.2.4.1).
const PLACES: [[i32; 2]; SAMPLES as usize] = [[6, 2], [14, 6], [2, 10], [10, 14]];
/// The triangle of `sample_inputs.hlsl`.
const CORNERS: [[i32; 2]; 3] = [[20, 12], [232, 50], [70, 244]];

/// Whether the triangle covers a place. No sample lies on an edge.
fn covers([x, y]: [i32; 2]) -> bool {
    (0..3).all(|number| {
        let ([ax, ay], [bx, by]) = (CORNERS[number], CORNERS[(number + 1) % 3]);
        (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0
    })
}

/// The samples of a pixel that the triangle covers, a bit each.
fn covered(x: u32, y: u32) -> u32 {
    let of = |sample: &u32| {
        let [right, down] = PLACES[*sample as usize];
        covers([x as i32 * PART + right, y as i32 * PART + down])
    };
    (0..SAMPLES).filter(of).fold(0, |all, sample| all | 1 << sample)
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER, Parameter::Table(&[Range::srv(0, 1)])], &[])?;
    let target = Target::sampled(device, FORMAT, SIZE, SIZE, SAMPLES)?;
    let [whole, each] = [&WHOLE, &EACH].map(|shader| {
        let mut desc = plain(stage, &root, &VERTEX, shader, &[FORMAT]);
        desc.SampleDesc.Count = SAMPLES;
        Pipeline::graphics(stage, &desc)
    });
    let (whole, each) = (whole?, each?);
    let mut list = List::direct(device)?;
    list.set_graphics_root(&root);
    list.targets(&[&target], None);
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    list.set_pipeline(&whole);
    triangle(&mut list, &block(0, 0));
    list.set_pipeline(&each);
    triangle(&mut list, &block(BLOCK, 0));

    // Each sample by itself.
    let pipeline = Pipeline::graphics(stage, &plain(stage, &root, &shader!("rectangle.vertex"), &READ, &[FORMAT]))?;
    let views = Heap::visible(device, 1)?;
    let view = D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: FORMAT,
        ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2DMS,
        Shader4ComponentMapping: AS_IS,
        ..Default::default()
    };
    views.srv(0, &target.texture.com, &view);
    list.transition(&target.texture.com, State::RENDER_TARGET, State::PIXEL_SHADER_RESOURCE);
    let mut digest = Digest::new();
    for sample in 0..SAMPLES {
        let seen = Target::new(device, FORMAT, SIZE, SIZE)?;
        list.set_heap(&views);
        list.set_graphics_root(&root);
        list.graphics_table(1, views.gpu(0));
        list.set_pipeline(&pipeline);
        list.targets(&[&seen], None);
        list.square(SIZE);
        let all = Rectangle::new(Area::at(0, 0, SIZE, SIZE), SIZE, [0; 4]);
        list.rectangle(&Rectangle { choice: sample, ..all });
        let mut expected = Picture::new(SIZE, SIZE, [0u16; 4]);
        for y in 0..BLOCK {
            for x in 0..BLOCK {
                let here = covered(x, y);
                if here >> sample & 1 == 0 {
                    continue;
                }
                let at =
                    |[right, down]: [i32; 2]| [x as i32 * PART + right, y as i32 * PART + down].map(|it| it as u16);
                let ([middle_x, middle_y], [own_x, own_y]) = (at([8, 8]), at(PLACES[sample as usize]));
                expected.fill(Area::at(x, y, 1, 1), [here as u16, middle_x, middle_y, 1]);
                let told = sample as u16 | 1 << (8 + sample);
                expected.fill(Area::at(BLOCK + x, y, 1, 1), [told, own_x, own_y, 3]);
            }
        }
        seen.check(stage, &mut list, &format!("sample {sample}"), &expected, &mut digest)?;
    }
    Ok(digest)
}

/// The triangle in the block that begins at a pixel.
fn block(x: u32, y: u32) -> Rectangle {
    Rectangle::new(Area::at(x, y, BLOCK, BLOCK), SIZE, [0; 4])
}

fn triangle(list: &mut List, block: &Rectangle) {
    list.graphics_constants(0, &block.words());
    list.draw(3, 1, 0, 0);
}
