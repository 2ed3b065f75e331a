//! `pixels`: a draw for each reason why a fragment does not become the value of its pixel, each in a cell of its own, and some that do.
//!
//! `reprise pixel` has to tell the reasons apart; the order of [`CELLS`] is that of the draws. The model is the list of cells that are written.

use super::Program;
use crate::buffer::Buffer;
use crate::com::{Null, Word, call};
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
    D3D12_CLEAR_FLAGS as Clear, D3D12_COMPARISON_FUNC as Compare, D3D12_CULL_MODE as Cull, D3D12_DEPTH_WRITE_MASK,
    D3D12_PREDICATION_OP as Leave, D3D12_RESOURCE_STATES as State, DXGI_FORMAT,
};

pub(super) const PROGRAM: Program =
    Program { name: "pixels", about: "a draw for each reason why a fragment is lost", run };

const SIZE: u32 = 64;
const CELL: u32 = 4;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
const DEPTH: DXGI_FORMAT = DXGI_FORMAT::FORMAT_D32_FLOAT_S8X24_UINT;
/// What depth and stencil are cleared to.
const CLEARED: (f32, u8) = (0.5, 3);

/// What happens in a cell, in the order of the draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cell {
    Written,
    Scissor,
    Front,
    Back,
    DepthClip,
    SampleMask,
    Discard,
    Stencil,
    Depth,
    WriteMask,
    Same,
    Viewport,
    Predicate,
    /// Three instances, one behind the other.
    Instances,
    NotCovered,
}

const CELLS: [Cell; 15] = [
    Cell::Written,
    Cell::Scissor,
    Cell::Front,
    Cell::Back,
    Cell::DepthClip,
    Cell::SampleMask,
    Cell::Discard,
    Cell::Stencil,
    Cell::Depth,
    Cell::WriteMask,
    Cell::Same,
    Cell::Viewport,
    Cell::Predicate,
    Cell::Instances,
    Cell::NotCovered,
];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let (vertex, number, holes): (Shader, Shader, Shader) =
        (shader!("rectangle.vertex"), shader!("rectangle.number"), shader!("outputs.holes"));
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let target = Target::new(device, FORMAT, SIZE, SIZE)?;
    let depth = Depth::new(device, DXGI_FORMAT::FORMAT_R32G8X24_TYPELESS, DEPTH, SIZE, SIZE)?;
    let upload = Buffer::uploaded(device, &[0, 0])?;
    let zero = Buffer::copied(device, upload.size)?;
    let mut list = List::direct(device)?;
    list.copy_bytes(&zero, 0, &upload, 0, upload.size);
    list.transition(&zero.com, State::COPY_DEST, State::PREDICATION);
    list.set_graphics_root(&root);
    list.targets(&[&target], Some(&depth));
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    list.clear_depth(&depth, Clear(Clear::DEPTH.0 | Clear::STENCIL.0), CLEARED, &[]);
    list.stencil_reference(u32::from(CLEARED.1));
    let mut expected = Picture::new(SIZE, SIZE, [0; 4]);
    let whole = Area::at(0, 0, SIZE, SIZE);
    let mut pipelines = Vec::new();
    for (index, cell) in (0..).zip(CELLS) {
        let pixel = if cell == Cell::Discard { &holes } else { &number };
        let mut desc = plain(stage, &root, &vertex, pixel, &[FORMAT]);
        desc.DSVFormat = DEPTH;
        describe(&mut desc, cell);
        let pipeline = Pipeline::graphics(stage, &desc)?;
        list.set_pipeline(&pipeline);
        pipelines.push(pipeline);
        let area = Area::at(index * CELL, 0, CELL, CELL);
        let value = if cell == Cell::Same { [0; 4] } else { [index + 1; 4] };
        let mut rectangle = Rectangle { depth: 0.25, ..Rectangle::new(area, SIZE, value) };
        match cell {
            Cell::Scissor => list.scissor(Area::at(0, 32, SIZE, 32)),
            Cell::DepthClip => rectangle.depth = 1.5,
            Cell::Depth => rectangle.depth = 0.75,
            Cell::Viewport => {
                list.viewport(Area::at(0, 32, 32, 32));
                rectangle.area = whole;
            }
            Cell::Predicate => {
                let buffer = Word::from(&zero.com);
                call!(list.com, "ID3D12GraphicsCommandList", "SetPredication", buffer, 0u64, Leave::EQUAL_ZERO.0);
            }
            Cell::NotCovered => rectangle.area = Area::at(index * CELL, 2 * CELL, CELL, CELL),
            _ => {}
        }
        list.graphics_constants(0, &rectangle.words());
        list.draw(4, if cell == Cell::Instances { 3 } else { 1 }, 0, 0);
        call!(list.com, "ID3D12GraphicsCommandList", "SetPredication", Null, 0u64, Leave::EQUAL_ZERO.0);
        list.square(SIZE);
        match cell {
            Cell::Written | Cell::Instances | Cell::NotCovered => expected.fill(rectangle.area, value),
            Cell::Viewport => expected.fill(Area::at(0, 32, 32, 32), value),
            Cell::Discard => expected.draw(area, |x, y, pixel| {
                if (x + y) % 3 != 0 {
                    *pixel = value;
                }
            }),
            _ => {}
        }
    }
    let mut digest = Digest::new();
    target.check(stage, &mut list, "the cells", &expected, &mut digest)?;
    Ok(digest)
}

/// The one state because of which the cell is not written.
fn describe(desc: &mut Description, cell: Cell) {
    let state = &mut desc.DepthStencilState;
    match cell {
        Cell::Front => desc.RasterizerState.CullMode = Cull::FRONT,
        Cell::Back => {
            desc.RasterizerState.CullMode = Cull::BACK;
            desc.RasterizerState.FrontCounterClockwise = 1;
        }
        Cell::SampleMask => desc.SampleMask = 0,
        Cell::Stencil => {
            state.StencilEnable = 1;
            state.FrontFace.StencilFunc = Compare::NOT_EQUAL;
            state.BackFace.StencilFunc = Compare::NOT_EQUAL;
        }
        Cell::Depth => {
            state.DepthEnable = 1;
            state.DepthFunc = Compare::LESS;
        }
        Cell::Instances => {
            // The first is nearer than what was cleared; the others are no nearer than the first.
            state.DepthEnable = 1;
            state.DepthFunc = Compare::LESS;
            state.DepthWriteMask = D3D12_DEPTH_WRITE_MASK::ALL;
        }
        Cell::WriteMask => desc.BlendState.RenderTarget[0].RenderTargetWriteMask = 0,
        _ => {}
    }
}
