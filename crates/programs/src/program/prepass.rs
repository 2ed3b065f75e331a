//! `prepass`: each rectangle is drawn twice with constants that are set once, first into the depth buffer alone, by a pipeline state without a
//! pixel shader, then where the depth is equal, by one whose pixel shader reads the constants.
//!
//! Some drivers keep constants for each stage and forget those of a stage that the pipeline state has not. Then the second draw has an older
//! rectangle's colour.

use super::Program;
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
use reprise_d3d12::types::{
    D3D12_CLEAR_FLAGS, D3D12_COMPARISON_FUNC, D3D12_DEPTH_STENCIL_DESC, D3D12_DEPTH_WRITE_MASK, D3D12_SHADER_BYTECODE,
    DXGI_FORMAT,
};

pub(super) const PROGRAM: Program = Program {
    name: "prepass",
    about: "draws without a pixel shader between those whose pixel shader reads the constants",
    run,
};

const VERTEX: Shader = shader!("rectangle.vertex");
const NUMBER: Shader = shader!("rectangle.number");
const NUMBERS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
const DEPTHS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_D32_FLOAT;
const SIZE: u32 = 64;
/// Rectangles in a row, and rows.
const ROW: u32 = 4;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let target = Target::new(device, NUMBERS, SIZE, SIZE)?;
    let depth = Depth::new(device, DEPTHS, DEPTHS, SIZE, SIZE)?;
    let colour = Description { DSVFormat: DEPTHS, ..plain(stage, &root, &VERTEX, &NUMBER, &[NUMBERS]) };
    let tested = |write, test| D3D12_DEPTH_STENCIL_DESC {
        DepthEnable: 1,
        DepthWriteMask: write,
        DepthFunc: test,
        ..colour.DepthStencilState
    };
    let first = Description {
        PS: D3D12_SHADER_BYTECODE::default(),
        DepthStencilState: tested(D3D12_DEPTH_WRITE_MASK::ALL, D3D12_COMPARISON_FUNC::LESS),
        ..colour
    };
    let second =
        Description { DepthStencilState: tested(D3D12_DEPTH_WRITE_MASK::ZERO, D3D12_COMPARISON_FUNC::EQUAL), ..colour };
    let (first, second) = (Pipeline::graphics(stage, &first)?, Pipeline::graphics(stage, &second)?);

    let (mut list, mut digest) = (List::direct(device)?, Digest::new());
    let mut expected = Picture::new(SIZE, SIZE, [0u32; 4]);
    list.set_graphics_root(&root);
    list.targets(&[&target], Some(&depth));
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    list.clear_depth(&depth, D3D12_CLEAR_FLAGS::DEPTH, (1.0, 0), &[]);
    for number in 0..ROW * ROW {
        let side = SIZE / ROW;
        let area = Area::at(number % ROW * side + 1, number / ROW * side + 2, side - 3, side - 4);
        let value = [number + 1, 100 + number, 7, number * number];
        list.graphics_constants(0, &Rectangle { depth: 0.5, ..Rectangle::new(area, SIZE, value) }.words());
        for pipeline in [&first, &second] {
            list.set_pipeline(pipeline);
            list.draw(4, 1, 0, 0);
        }
        expected.fill(area, value);
    }
    target.check(stage, &mut list, "colour", &expected, &mut digest)?;
    Ok(digest)
}
