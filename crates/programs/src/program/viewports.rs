//! `viewports`: four viewports, partly outside of the target and with depths of their own, cut by four scissors, in each of four
//! slices of a target; a geometry shader chooses both.

use super::Program;
use crate::com::call;
use crate::descriptor::Heap;
use crate::digest::Digest;
use crate::draw::rect;
use crate::failure::Failure;
use crate::graphics::{Description, plain};
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::{Pipeline, bytecode};
use crate::root::RootSignature;
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::texel::texels;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "viewports", about: "viewports, scissors and slices that a geometry shader chooses", run };

const VERTEX: Shader = shader!("viewports.vertex");
const PIXEL: Shader = shader!("viewports.pixel");
const SIZE: u32 = 64;
const SLICES: u32 = 4;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;

/// Place, size and depths. All numbers are exact.
const VIEWPORTS: [D3D12_VIEWPORT; 4] = [
    viewport([0.0, 0.0, 32.0, 32.0], [0.0, 1.0]),
    viewport([32.0, 4.0, 32.0, 16.0], [0.25, 0.75]),
    viewport([-24.0, 32.0, 64.0, 32.0], [0.5, 1.0]),
    viewport([20.0, 24.0, 80.0, 80.0], [0.5, 0.5]),
];
const SCISSORS: [Area; 4] =
    [Area::at(0, 0, 64, 64), Area::at(41, 0, 23, 15), Area::at(0, 42, 5, 22), Area::at(43, 0, 9, 50)];

const fn viewport([left, top, width, height]: [f32; 4], [near, far]: [f32; 2]) -> D3D12_VIEWPORT {
    D3D12_VIEWPORT { TopLeftX: left, TopLeftY: top, Width: width, Height: height, MinDepth: near, MaxDepth: far }
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[], &[])?;
    let pipeline = Pipeline::graphics(
        stage,
        &Description {
            GS: bytecode(stage.shader(&shader!("viewports.geometry"))),
            PrimitiveTopologyType: D3D12_PRIMITIVE_TOPOLOGY_TYPE::POINT,
            ..plain(stage, &root, &VERTEX, &PIXEL, &[FORMAT])
        },
    )?;
    let mut desc = flat(FORMAT, SIZE, SIZE);
    (desc.DepthOrArraySize, desc.Flags) = (SLICES as u16, D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET);
    let state = D3D12_RESOURCE_STATES::RENDER_TARGET;
    let texture = Texture::new(device, &desc, state, None)?;
    let heap = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::RTV, 1, false)?;
    let mut view = D3D12_RENDER_TARGET_VIEW_DESC {
        Format: FORMAT,
        ViewDimension: D3D12_RTV_DIMENSION::TEXTURE2DARRAY,
        ..Default::default()
    };
    view.Anonymous.Texture2DArray = D3D12_TEX2D_ARRAY_RTV { ArraySize: SLICES, ..Default::default() };
    let at = heap.cpu(0);
    call!(device.com, "ID3D12Device", "CreateRenderTargetView", &texture.com, &raw const view, at.ptr);

    let mut list = List::direct(device)?;
    list.set_graphics_root(&root);
    list.set_pipeline(&pipeline);
    list.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_POINTLIST);
    list.target_views(&[at], None);
    // All slices at once.
    list.clear_view(at, [0.0; 4], &[]);
    let rects = SCISSORS.map(rect);
    call!(list.com, "ID3D12GraphicsCommandList", "RSSetViewports", 4u32, VIEWPORTS.as_ptr());
    call!(list.com, "ID3D12GraphicsCommandList", "RSSetScissorRects", 4u32, rects.as_ptr());
    list.draw(4 * SLICES, 1, 0, 0);

    let mut digest = Digest::new();
    for (got, slice) in texture.read(stage, &mut list, state)?.iter().zip(0..) {
        let mut expected = Picture::new(SIZE, SIZE, [0; 4]);
        for (index, (viewport, scissor)) in (0..).zip(VIEWPORTS.iter().zip(SCISSORS)) {
            let number = 4 * slice + index;
            let depth = viewport.MinDepth + number as f32 / 16.0 * (viewport.MaxDepth - viewport.MinDepth);
            expected.draw(middle(viewport).within(scissor), |x, y, pixel| *pixel = [number, x, y, depth.to_bits()]);
        }
        expected.check(&format!("slice {slice}"), &texels(got))?;
        digest.add(got);
    }
    Ok(digest)
}

/// The middle half of a viewport, as far as it is on the target.
fn middle(viewport: &D3D12_VIEWPORT) -> Area {
    let part = |start: f32, size: f32, quarters: f32| (start + size * quarters / 4.0).max(0.0) as u32;
    Area {
        left: part(viewport.TopLeftX, viewport.Width, 1.0),
        top: part(viewport.TopLeftY, viewport.Height, 1.0),
        right: part(viewport.TopLeftX, viewport.Width, 3.0),
        bottom: part(viewport.TopLeftY, viewport.Height, 3.0),
    }
}
