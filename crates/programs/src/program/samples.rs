//! `samples`: rectangles into four samples a pixel under sample masks, with a depth test of each sample; then the samples are
//! resolved, and read one by one by a shader.

use super::Program;
use crate::com::call;
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
use crate::target::{Depth, Target};
use crate::texel::texels;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "samples", about: "four samples a pixel: masks, depth, resolves, and samples in shaders", run };

const VERTEX: Shader = shader!("rectangle.vertex");
const COLOUR: Shader = shader!("rectangle.colour");
const EACH: Shader = shader!("samples.each");
const SIZE: u32 = 32;
const SAMPLES: u32 = 4;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;

/// Area, depth, sample mask and colour; the parts of colours are multiples of four, so that a mean of samples is exact.
const DRAWS: [(Area, f32, u32, [u8; 4]); 6] = [
    (Area::at(2, 2, 20, 20), 0.5, 0b1111, [200, 0, 100, 252]),
    (Area::at(8, 0, 10, 30), 0.25, 0b0011, [0, 128, 16, 252]),
    (Area::at(0, 8, 30, 10), 0.375, 0b1110, [240, 4, 8, 12]),
    (Area::at(4, 4, 24, 24), 0.125, 0b0100, [40, 44, 48, 52]),
    (Area::at(0, 0, 16, 16), 0.25, 0xffff_fff8, [80, 160, 240, 0]),
    (Area::at(20, 20, 12, 12), 0.75, 0b0000, [252, 252, 252, 252]),
];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER, Parameter::Table(&[Range::srv(0, 1)])], &[])?;
    let target = Target::sampled(device, FORMAT, SIZE, SIZE, SAMPLES)?;
    let format = DXGI_FORMAT::FORMAT_D32_FLOAT;
    let depth = Depth::sampled(device, format, format, SIZE, SIZE, SAMPLES)?;
    // Of each pixel four samples, each with a depth.
    let mut model = Picture::new(SIZE, SIZE, [([0u8; 4], 1.0); SAMPLES as usize]);
    let mut list = List::direct(device)?;
    list.set_graphics_root(&root);
    list.targets(&[&target], Some(&depth));
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    list.clear_depth(&depth, D3D12_CLEAR_FLAGS::DEPTH, (1.0, 0), &[]);
    let mut pipelines = Vec::new();
    for (area, near, mask, colour) in DRAWS {
        let mut desc = plain(stage, &root, &VERTEX, &COLOUR, &[FORMAT]);
        (desc.SampleDesc.Count, desc.SampleMask, desc.DSVFormat) = (SAMPLES, mask, format);
        let test = &mut desc.DepthStencilState;
        (test.DepthEnable, test.DepthWriteMask) = (1, D3D12_DEPTH_WRITE_MASK::ALL);
        test.DepthFunc = D3D12_COMPARISON_FUNC::LESS;
        let pipeline = Pipeline::graphics(stage, &desc)?;
        list.set_pipeline(&pipeline);
        let value = colour.map(|part| (f32::from(part) / 255.0).to_bits());
        list.rectangle(&Rectangle { depth: near, ..Rectangle::new(area, SIZE, value) });
        model.draw(area, |_, _, pixel| {
            for (index, sample) in pixel.iter_mut().enumerate() {
                if mask & 1 << index != 0 && near < sample.1 {
                    *sample = (colour, near);
                }
            }
        });
        pipelines.push(pipeline);
    }

    let mut digest = Digest::new();
    let resolved = Texture::new(device, &flat(FORMAT, SIZE, SIZE), D3D12_RESOURCE_STATES::RESOLVE_DEST, None)?;
    let (drawn, source) = (D3D12_RESOURCE_STATES::RENDER_TARGET, D3D12_RESOURCE_STATES::RESOLVE_SOURCE);
    list.transition(&target.texture.com, drawn, source);
    call!(
        list.com,
        "ID3D12GraphicsCommandList",
        "ResolveSubresource",
        &resolved.com,
        0u32,
        &target.texture.com,
        0u32,
        FORMAT.0
    );
    let bytes = resolved.read(stage, &mut list, D3D12_RESOURCE_STATES::RESOLVE_DEST)?;
    let mut mean = Picture::new(SIZE, SIZE, [0u8; 4]);
    mean.draw(Area::at(0, 0, SIZE, SIZE), |x, y, pixel| {
        let samples = model.at(x, y);
        *pixel =
            std::array::from_fn(|part| (samples.iter().map(|sample| u32::from(sample.0[part])).sum::<u32>() / 4) as u8);
    });
    mean.check("resolved colours", &texels(&bytes[0]))?;
    digest.add(&bytes[0]);

    // Each sample by itself.
    let numbers = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
    let pipeline = Pipeline::graphics(stage, &plain(stage, &root, &VERTEX, &EACH, &[numbers]))?;
    let seen = Target::new(device, numbers, SIZE, SIZE)?;
    let views = Heap::visible(device, 1)?;
    let view = D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: FORMAT,
        ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2DMS,
        Shader4ComponentMapping: AS_IS,
        ..Default::default()
    };
    views.srv(0, &target.texture.com, &view);
    list.transition(&target.texture.com, source, D3D12_RESOURCE_STATES::PIXEL_SHADER_RESOURCE);
    list.set_heap(&views);
    list.set_graphics_root(&root);
    list.graphics_table(1, views.gpu(0));
    list.set_pipeline(&pipeline);
    list.targets(&[&seen], None);
    list.square(SIZE);
    list.rectangle(&Rectangle::new(Area::at(0, 0, SIZE, SIZE), SIZE, [0; 4]));
    let mut expected = Picture::new(SIZE, SIZE, [0; 4]);
    expected.draw(Area::at(0, 0, SIZE, SIZE), |x, y, pixel| {
        *pixel = model.at(x, y).map(|sample| u32::from_le_bytes(sample.0));
    });
    seen.check(stage, &mut list, "samples", &expected, &mut digest)?;
    Ok(digest)
}
