//! `shader-stencils`: each pixel's shader says what its stencil is compared with and replaced by, whatever the list says.

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
use crate::target::{Target, depth_view};
use crate::texture::{Texture, flat};
use reprise_d3d12::types::{
    D3D12_CLEAR_FLAGS as Clear, D3D12_CLEAR_VALUE, D3D12_COMPARISON_FUNC as Compare, D3D12_DEPTH_STENCIL_VIEW_DESC,
    D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_DSV_DIMENSION, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES as State,
    D3D12_STENCIL_OP as Op, DXGI_FORMAT,
};

pub(super) const PROGRAM: Program =
    Program { name: "shader-stencils", about: "pixels choose what their stencils are compared with", run };

const VERTEX: Shader = shader!("rectangle.vertex");
const NUMBERS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
const DEPTHS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_D32_FLOAT_S8X24_UINT;
const SIZE: u32 = 64;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    if stage.device.options().PSSpecifiedStencilRefSupported == 0 {
        let what = "stencil values of pixel shaders (PSSpecifiedStencilRefSupported)";
        return Err(Failure::Cannot(format!("the library reports no {what}")));
    }
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let replace = Pipeline::graphics(
        stage,
        &stencil(plain(stage, &root, &VERTEX, &shader!("stencils.main"), &[]), Compare::ALWAYS, Op::REPLACE, 0x7f),
    )?;
    let compared = plain(stage, &root, &VERTEX, &shader!("stencils.compared"), &[NUMBERS]);
    let compare = Pipeline::graphics(stage, &stencil(compared, Compare::EQUAL, Op::INVERT, 0xff))?;
    let target = Target::new(device, NUMBERS, SIZE, SIZE)?;
    let mut desc = flat(DEPTHS, SIZE, SIZE);
    desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL;
    let mut clear = D3D12_CLEAR_VALUE { Format: DEPTHS, ..Default::default() };
    clear.Anonymous.DepthStencil.Depth = 1.0;
    let depth = Texture::of_planes(device, &desc, State::DEPTH_WRITE, Some(&clear), 2)?;
    let heap = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::DSV, 1, false)?;
    let view = D3D12_DEPTH_STENCIL_VIEW_DESC {
        Format: DEPTHS,
        ViewDimension: D3D12_DSV_DIMENSION::TEXTURE2D,
        ..Default::default()
    };
    depth_view(device, &depth.com, &view, heap.cpu(0));

    let mut list = List::direct(device)?;
    let view = heap.cpu(0);
    list.set_graphics_root(&root);
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    list.clear_depth_view(view, Clear(Clear::DEPTH.0 | Clear::STENCIL.0), (1.0, 0x8f), &[]);
    let mut stencils = Picture::new(SIZE, SIZE, 0x8fu8);
    let mut colours = Picture::new(SIZE, SIZE, [0; 4]);
    // What the list says is not asked.
    list.stencil_reference(0xaa);
    list.target_views(&[], Some(&view));
    list.set_pipeline(&replace);
    let area = Area::at(3, 2, 50, 55);
    list.rectangle(&Rectangle::new(area, SIZE, [0; 4]));
    stencils.draw(area, |x, y, stencil| *stencil = (*stencil & 0x80) | (((x * 5) ^ (y * 3)) as u8 & 0x7f));
    list.target_views(&[target.view()], Some(&view));
    list.set_pipeline(&compare);
    let whole = Area::at(0, 0, SIZE, SIZE);
    list.rectangle(&Rectangle::new(whole, SIZE, [0; 4]));
    stencils.draw(whole, |x, y, stencil| {
        // Of both only the bits that are read.
        if ((x * 5) ^ ((y & !3) * 3)) as u8 & 0x7f == *stencil & 0x7f {
            *stencil = !*stencil;
            colours.fill(Area::at(x, y, 1, 1), [x, y, 77, 0]);
        }
    });
    let mut digest = Digest::new();
    target.check(stage, &mut list, "pixels that passed", &colours, &mut digest)?;
    let planes = depth.read(stage, &mut list, State::DEPTH_WRITE)?;
    stencils.check("stencils", &planes[1])?;
    digest.add(&planes[1]);
    Ok(digest)
}

/// A test of stencils with the lower seven bits, and what becomes of the bits of a mask where it passes.
fn stencil(desc: Description, function: Compare, passed: Op, mask: u8) -> Description {
    let mut desc = Description { DSVFormat: DEPTHS, ..desc };
    let state = &mut desc.DepthStencilState;
    (state.StencilEnable, state.StencilReadMask, state.StencilWriteMask) = (1, 0x7f, mask);
    for face in [&mut state.FrontFace, &mut state.BackFace] {
        (face.StencilFunc, face.StencilPassOp) = (function, passed);
    }
    desc
}
