//! `depth-bias`: flat rectangles with constant biases, one of them clamped, in depth buffers of 16, 24 and 32 bits.
//!
//! A unit of bias is the smallest step of a UNORM format, and of a float one the step between floats as large as the triangle's largest
//! depth. At a depth of 0.75 both make the stored number larger by one.

use super::Program;
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
use crate::target::depth_view;
use crate::texel::texels;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::{
    D3D12_CLEAR_FLAGS as Clear, D3D12_CLEAR_VALUE, D3D12_COMPARISON_FUNC as Compare, D3D12_DEPTH_STENCIL_DESC,
    D3D12_DEPTH_STENCIL_VIEW_DESC, D3D12_DEPTH_WRITE_MASK, D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_DSV_DIMENSION,
    D3D12_RASTERIZER_DESC, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES as State, DXGI_FORMAT,
};

pub(super) const PROGRAM: Program =
    Program { name: "depth-bias", about: "constant depth biases in depth buffers of 16, 24 and 32 bits", run };

const VERTEX: Shader = shader!("rectangle.vertex");
const PIXEL: Shader = shader!("rectangle.number");
const SIZE: u32 = 64;
const DEPTH: f32 = 0.75;
const BIASES: [i32; 7] = [-3000, -1, 0, 1, 7, 4000, 16000];
/// No bias is larger in the last rectangle.
const CLAMP: f32 = 1.0 / 1024.0;

/// A format of depth buffers.
struct Format {
    dxgi: DXGI_FORMAT,
    planes: u32,
    /// What it stores for [`DEPTH`].
    stored: i32,
    /// Steps of the stored number in [`CLAMP`].
    clamp: i32,
}

const FORMATS: [Format; 3] = [
    Format { dxgi: DXGI_FORMAT::FORMAT_D16_UNORM, planes: 1, stored: 49_151, clamp: 64 },
    Format { dxgi: DXGI_FORMAT::FORMAT_D24_UNORM_S8_UINT, planes: 2, stored: 12_582_911, clamp: 16_384 },
    Format { dxgi: DXGI_FORMAT::FORMAT_D32_FLOAT, planes: 1, stored: DEPTH.to_bits() as i32, clamp: 16_384 },
];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let (mut list, mut digest) = (List::direct(device)?, Digest::new());
    for format in &FORMATS {
        let mut desc = flat(format.dxgi, SIZE, SIZE);
        desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL;
        let clear = D3D12_CLEAR_VALUE { Format: format.dxgi, ..Default::default() };
        let depth = Texture::of_planes(device, &desc, State::DEPTH_WRITE, Some(&clear), format.planes)?;
        let heap = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::DSV, 1, false)?;
        let view = D3D12_DEPTH_STENCIL_VIEW_DESC {
            Format: format.dxgi,
            ViewDimension: D3D12_DSV_DIMENSION::TEXTURE2D,
            ..Default::default()
        };
        depth_view(device, &depth.com, &view, heap.cpu(0));

        let mut expected = Picture::new(SIZE, SIZE, 0u32);
        list.set_graphics_root(&root);
        list.target_views(&[], Some(&heap.cpu(0)));
        list.square(SIZE);
        list.clear_depth_view(heap.cpu(0), Clear::DEPTH, (0.0, 0), &[]);
        let mut pipelines = Vec::new();
        for (row, bias) in (0..).zip(BIASES) {
            let clamp = if row + 1 == BIASES.len() as u32 { CLAMP } else { 0.0 };
            let pipeline = Pipeline::graphics(stage, &describe(stage, &root, format, bias, clamp))?;
            let area = Area::at(2 * row, 8 * row, SIZE - 4 * row, 8);
            list.set_pipeline(&pipeline);
            list.rectangle(&Rectangle { depth: DEPTH, ..Rectangle::new(area, SIZE, [0; 4]) });
            let bias = if clamp == 0.0 { bias } else { bias.min(format.clamp) };
            expected.fill(area, (format.stored + bias) as u32);
            pipelines.push(pipeline);
        }
        let planes = depth.read(stage, &mut list, State::DEPTH_WRITE)?;
        let got = stored(format, &planes[0]);
        expected.check(&format!("depths of format {}", format.dxgi.0), &got)?;
        got.iter().for_each(|depth| digest.add(&depth.to_le_bytes()));
    }
    Ok(digest)
}

fn describe(stage: &Stage, root: &RootSignature, format: &Format, bias: i32, clamp: f32) -> Description {
    let plain = plain(stage, root, &VERTEX, &PIXEL, &[]);
    Description {
        RasterizerState: D3D12_RASTERIZER_DESC { DepthBias: bias, DepthBiasClamp: clamp, ..plain.RasterizerState },
        DepthStencilState: D3D12_DEPTH_STENCIL_DESC {
            DepthEnable: 1,
            DepthWriteMask: D3D12_DEPTH_WRITE_MASK::ALL,
            DepthFunc: Compare::ALWAYS,
            ..plain.DepthStencilState
        },
        DSVFormat: format.dxgi,
        ..plain
    }
}

/// The bits of each depth.
fn stored(format: &Format, plane: &[u8]) -> Vec<u32> {
    match format.dxgi {
        DXGI_FORMAT::FORMAT_D16_UNORM => {
            plane.chunks_exact(2).map(|two| u32::from(two[0]) | u32::from(two[1]) << 8).collect()
        }
        // Nothing is said of the bits beside 24.
        DXGI_FORMAT::FORMAT_D24_UNORM_S8_UINT => texels::<u32>(plane).iter().map(|word| word & 0x00ff_ffff).collect(),
        _ => texels(plane),
    }
}
