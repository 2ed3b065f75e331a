//! `depth-bounds`: rectangles over a depth buffer of nine depths, each drawn where the buffer's depth lies within bounds that the
//! list sets.
//!
//! The test is a feature of the device, which lavapipe lacks.

use super::Program;
use crate::com::call;
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
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;
use reprise_d3d12::types::{
    D3D12_CLEAR_FLAGS, D3D12_COMPARISON_FUNC, D3D12_DEPTH_WRITE_MASK, D3D12_FEATURE, D3D12_FEATURE_DATA_D3D12_OPTIONS2,
    DXGI_FORMAT,
};

pub(super) const PROGRAM: Program =
    Program { name: "depth-bounds", about: "draws where the depth buffer lies within bounds", run };

const VERTEX: Shader = shader!("rectangle.vertex");
const NUMBER: Shader = shader!("rectangle.number");
const SIZE: u32 = 64;
const NUMBERS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
/// Depths of the buffer, from left to right, in eighths.
const DEPTHS: u32 = 9;
/// Texels of a depth, and of a row that one draw covers.
const CELL: u32 = 7;
/// Least and greatest depth of each draw, in eighths: the bounds belong to the range. The first draw has those that a list begins
/// with.
const BOUNDS: [(u32, u32); 8] = [(0, 8), (2, 5), (8, 8), (0, 0), (3, 3), (0, 4), (5, 8), (1, 7)];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    const LIST: InterfaceId = interface("ID3D12GraphicsCommandList1");
    let device = &stage.device;
    let mut expected = Picture::new(SIZE, SIZE, [0; 4]);
    let row = |index: u32| Area::at(0, index * CELL, DEPTHS * CELL, CELL);
    for (index, (least, most)) in (0..).zip(BOUNDS) {
        expected.fill(Area::at(least * CELL, index * CELL, (most - least + 1) * CELL, CELL), [index + 1; 4]);
    }
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS2::default();
    if !device.feature(D3D12_FEATURE::D3D12_OPTIONS2, &mut options) || options.DepthBoundsTestSupported == 0 {
        return Err(Failure::Cannot("the device tests no depth against bounds".into()));
    }
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let target = Target::new(device, NUMBERS, SIZE, SIZE)?;
    let format = DXGI_FORMAT::FORMAT_D32_FLOAT;
    let depth = Depth::new(device, format, format, SIZE, SIZE)?;
    let mut desc = Description { DSVFormat: format, ..plain(stage, &root, &VERTEX, &NUMBER, &[NUMBERS]) };
    // The new depth, which is nowhere within bounds, neither counts nor is written.
    desc.DepthStencilState.DepthEnable = 1;
    desc.DepthStencilState.DepthFunc = D3D12_COMPARISON_FUNC::ALWAYS;
    desc.DepthStencilState.DepthWriteMask = D3D12_DEPTH_WRITE_MASK::ZERO;
    let pipeline = Pipeline::with_bounds(stage, &desc)?;

    let mut list = List::direct(device)?;
    let newer =
        list.com.query(LIST).ok_or_else(|| Failure::Cannot("lists have no ID3D12GraphicsCommandList1".into()))?;
    list.set_graphics_root(&root);
    list.targets(&[&target], Some(&depth));
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    for index in 0..DEPTHS {
        let column = Area::at(index * CELL, 0, CELL, SIZE);
        list.clear_depth(&depth, D3D12_CLEAR_FLAGS::DEPTH, (index as f32 / 8.0, 0), &[column]);
    }
    list.set_pipeline(&pipeline);
    for (index, (least, most)) in (0..).zip(BOUNDS) {
        if index != 0 {
            let [least, most] = [least, most].map(|eighths| eighths as f32 / 8.0);
            call!(newer, "ID3D12GraphicsCommandList1", "OMSetDepthBounds", least, most);
        }
        list.rectangle(&Rectangle { depth: 0.3, ..Rectangle::new(row(index), SIZE, [index + 1; 4]) });
    }
    let mut digest = Digest::new();
    target.check(stage, &mut list, "draws within bounds", &expected, &mut digest)?;
    Ok(digest)
}
