//! `blending`: every operation of blending with factors that are exact (0 and 1, alphas of 0 and 255, the constant's zeros and
//! ones), colours and alphas apart. `logic`: all sixteen logical operations between bits.

use super::Program;
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::RootSignature;
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::Target;
use reprise_d3d12::types::{
    D3D12_BLEND as Factor, D3D12_BLEND_OP as Op, D3D12_FEATURE, D3D12_FEATURE_DATA_D3D12_OPTIONS,
    D3D12_LOGIC_OP as Logic, D3D12_RENDER_TARGET_BLEND_DESC, DXGI_FORMAT,
};

pub(super) const BLENDING: Program =
    Program { name: "blending", about: "blending by every operation, with factors that are exact", run: blending };
pub(super) const LOGIC: Program =
    Program { name: "logic", about: "all sixteen logical operations of the output merger", run: logic };

const VERTEX: Shader = shader!("rectangle.vertex");
const COLOUR: Shader = shader!("rectangle.colour");
const NUMBER: Shader = shader!("rectangle.number");
const SIZE: u32 = 64;
/// Pixels of a case's square; each case has one.
const CELL: u32 = 8;

type Colour = [u8; 4];
/// Operation, factor of the new colour, factor of the old one.
type Equation = (Op, Factor, Factor);

/// For colours, and for alpha.
const EQUATIONS: [(Equation, Equation); 16] = [
    ((Op::ADD, Factor::ONE, Factor::ONE), (Op::ADD, Factor::ONE, Factor::ONE)),
    ((Op::ADD, Factor::ONE, Factor::ZERO), (Op::ADD, Factor::ZERO, Factor::ONE)),
    ((Op::ADD, Factor::ZERO, Factor::ONE), (Op::SUBTRACT, Factor::ONE, Factor::ONE)),
    ((Op::SUBTRACT, Factor::ONE, Factor::ONE), (Op::ADD, Factor::ONE, Factor::ZERO)),
    ((Op::REV_SUBTRACT, Factor::ONE, Factor::ONE), (Op::REV_SUBTRACT, Factor::ONE, Factor::ONE)),
    ((Op::MIN, Factor::ZERO, Factor::ZERO), (Op::MAX, Factor::ZERO, Factor::ZERO)),
    ((Op::MAX, Factor::ONE, Factor::ONE), (Op::MIN, Factor::ONE, Factor::ONE)),
    ((Op::ADD, Factor::SRC_ALPHA, Factor::INV_SRC_ALPHA), (Op::ADD, Factor::ONE, Factor::ZERO)),
    ((Op::ADD, Factor::INV_SRC_ALPHA, Factor::SRC_ALPHA), (Op::ADD, Factor::ZERO, Factor::ONE)),
    ((Op::ADD, Factor::DEST_ALPHA, Factor::INV_DEST_ALPHA), (Op::ADD, Factor::ONE, Factor::ONE)),
    ((Op::ADD, Factor::INV_DEST_ALPHA, Factor::ONE), (Op::ADD, Factor::DEST_ALPHA, Factor::ZERO)),
    ((Op::ADD, Factor::BLEND_FACTOR, Factor::INV_BLEND_FACTOR), (Op::ADD, Factor::BLEND_FACTOR, Factor::ZERO)),
    ((Op::SUBTRACT, Factor::INV_BLEND_FACTOR, Factor::BLEND_FACTOR), (Op::ADD, Factor::INV_BLEND_FACTOR, Factor::ONE)),
    ((Op::REV_SUBTRACT, Factor::SRC_ALPHA, Factor::DEST_ALPHA), (Op::MAX, Factor::ZERO, Factor::ONE)),
    ((Op::MIN, Factor::ONE, Factor::ONE), (Op::ADD, Factor::SRC_ALPHA, Factor::ZERO)),
    ((Op::MAX, Factor::ZERO, Factor::ONE), (Op::SUBTRACT, Factor::ONE, Factor::ZERO)),
];

/// The constant: only zeros and ones.
const CONSTANT: [u8; 4] = [1, 0, 1, 0];

/// Each equation with old and new alphas of 0 and 255: a square for each.
fn blending(stage: &Stage) -> Result<Digest, Failure> {
    let format = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
    let root = RootSignature::graphics(&stage.device, &[Rectangle::PARAMETER], &[])?;
    let replace = Pipeline::graphics(stage, &plain(stage, &root, &VERTEX, &COLOUR, &[format]))?;
    let target = Target::new(&stage.device, format, SIZE, SIZE)?;
    let mut expected = Picture::new(SIZE, SIZE, [0u8; 4]);
    let mut list = List::direct(&stage.device)?;
    list.set_graphics_root(&root);
    list.targets(&[&target], None);
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    list.blend_factor(CONSTANT.map(f32::from));
    // Pipelines live until the list is done.
    let mut pipelines = Vec::new();
    for (index, (colour, alpha)) in (0..).zip(&EQUATIONS) {
        let mut desc = plain(stage, &root, &VERTEX, &COLOUR, &[format]);
        desc.BlendState.RenderTarget[0] = describe(*colour, *alpha);
        let blend = Pipeline::graphics(stage, &desc)?;
        for alphas in 0..4u8 {
            let area = cell(4 * index + u32::from(alphas));
            let old = [200, 13 * index as u8, 77, 255 * (alphas & 1)];
            let new = [100, 99, 255 - 16 * index as u8, 255 * (alphas >> 1)];
            list.set_pipeline(&replace);
            list.rectangle(&Rectangle::new(area, SIZE, bits(old)));
            list.set_pipeline(&blend);
            list.rectangle(&Rectangle::new(area, SIZE, bits(new)));
            expected.fill(area, blended(new, old, *colour, *alpha));
        }
        pipelines.push(blend);
    }
    let mut digest = Digest::new();
    target.check(stage, &mut list, "blended colours", &expected, &mut digest)?;
    Ok(digest)
}

/// A square of its own for each case, in rows.
fn cell(index: u32) -> Area {
    let columns = SIZE / CELL;
    Area::at(index % columns * CELL, index / columns * CELL, CELL, CELL)
}

fn bits(colour: Colour) -> [u32; 4] {
    colour.map(|part| (f32::from(part) / 255.0).to_bits())
}

fn describe(colour: Equation, alpha: Equation) -> D3D12_RENDER_TARGET_BLEND_DESC {
    D3D12_RENDER_TARGET_BLEND_DESC {
        BlendEnable: 1,
        LogicOpEnable: 0,
        SrcBlend: colour.1,
        DestBlend: colour.2,
        BlendOp: colour.0,
        SrcBlendAlpha: alpha.1,
        DestBlendAlpha: alpha.2,
        BlendOpAlpha: alpha.0,
        LogicOp: Logic::NOOP,
        RenderTargetWriteMask: 15,
    }
}

/// Blending as the API defines it, for factors of 0 and 1.
fn blended(new: Colour, old: Colour, colour: Equation, alpha: Equation) -> Colour {
    std::array::from_fn(|part| {
        let (op, by, other) = if part == 3 { alpha } else { colour };
        let factor = |factor: Factor| match factor {
            Factor::ONE => true,
            Factor::SRC_ALPHA => new[3] == 255,
            Factor::INV_SRC_ALPHA => new[3] == 0,
            Factor::DEST_ALPHA => old[3] == 255,
            Factor::INV_DEST_ALPHA => old[3] == 0,
            Factor::BLEND_FACTOR => CONSTANT[part] == 1,
            Factor::INV_BLEND_FACTOR => CONSTANT[part] == 0,
            _ => false,
        };
        let scaled = |value: u8, by: Factor| if factor(by) { value } else { 0 };
        match op {
            Op::ADD => scaled(new[part], by).saturating_add(scaled(old[part], other)),
            Op::SUBTRACT => scaled(new[part], by).saturating_sub(scaled(old[part], other)),
            Op::REV_SUBTRACT => scaled(old[part], other).saturating_sub(scaled(new[part], by)),
            // These know no factors.
            Op::MIN => new[part].min(old[part]),
            _ => new[part].max(old[part]),
        }
    })
}

/// An operation of the output merger, and what it does to new and old bits.
type Case = (Logic, fn(u32, u32) -> u32);

const LOGICS: [Case; 16] = [
    (Logic::CLEAR, |_, _| 0),
    (Logic::SET, |_, _| u32::MAX),
    (Logic::COPY, |new, _| new),
    (Logic::COPY_INVERTED, |new, _| !new),
    (Logic::NOOP, |_, old| old),
    (Logic::INVERT, |_, old| !old),
    (Logic::AND, |new, old| new & old),
    (Logic::NAND, |new, old| !(new & old)),
    (Logic::OR, |new, old| new | old),
    (Logic::NOR, |new, old| !(new | old)),
    (Logic::XOR, |new, old| new ^ old),
    (Logic::EQUIV, |new, old| !(new ^ old)),
    (Logic::AND_REVERSE, |new, old| new & !old),
    (Logic::AND_INVERTED, |new, old| !new & old),
    (Logic::OR_REVERSE, |new, old| new | !old),
    (Logic::OR_INVERTED, |new, old| !new | old),
];

fn logic(stage: &Stage) -> Result<Digest, Failure> {
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS::default();
    if !stage.device.feature(D3D12_FEATURE::D3D12_OPTIONS, &mut options) || options.OutputMergerLogicOp == 0 {
        return Err(Failure::Cannot("the device has no logical operations (OutputMergerLogicOp)".into()));
    }
    let format = DXGI_FORMAT::FORMAT_R32_UINT;
    let root = RootSignature::graphics(&stage.device, &[Rectangle::PARAMETER], &[])?;
    let target = Target::new(&stage.device, format, SIZE, SIZE)?;
    let (old, new) = (12_345_678u32, 0xff00_ff0fu32);
    let mut expected = Picture::new(SIZE, SIZE, old);
    let mut list = List::direct(&stage.device)?;
    list.set_graphics_root(&root);
    list.targets(&[&target], None);
    list.square(SIZE);
    list.clear_target(&target, [old as f32, 0.0, 0.0, 0.0], &[]);
    let mut pipelines = Vec::new();
    for (index, (op, model)) in (0..).zip(LOGICS) {
        let mut desc = plain(stage, &root, &VERTEX, &NUMBER, &[format]);
        let blend = &mut desc.BlendState.RenderTarget[0];
        (blend.LogicOpEnable, blend.LogicOp) = (1, op);
        let pipeline = Pipeline::graphics(stage, &desc)?;
        list.set_pipeline(&pipeline);
        list.rectangle(&Rectangle::new(cell(index), SIZE, [new; 4]));
        expected.fill(cell(index), model(new, old));
        pipelines.push(pipeline);
    }
    let mut digest = Digest::new();
    target.check(stage, &mut list, "bits", &expected, &mut digest)?;
    Ok(digest)
}
