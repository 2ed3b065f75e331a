//! `depth`: a hundred rectangles under eight depth and stencil states, in a viewport with a range of depths, cut by scissors;
//! then the stencil is read bit by bit with its own test, and the depth by a shader, as bits and by a sampler that compares.
//!
//! The model is an output merger of its own: each rule of the API's depth and stencil test in a line.

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
use crate::sampler::{clamping, comparing, write_repeating};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::{Depth, Target};
use reprise_d3d12::types::{
    D3D12_BLEND, D3D12_CLEAR_FLAGS as Clear, D3D12_COMPARISON_FUNC as Compare, D3D12_DEPTH_STENCIL_DESC,
    D3D12_DEPTH_STENCILOP_DESC, D3D12_DEPTH_WRITE_MASK, D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_RESOURCE_STATES,
    D3D12_SHADER_RESOURCE_VIEW_DESC, D3D12_SRV_DIMENSION, D3D12_STENCIL_OP as Op, D3D12_TEX2D_SRV, DXGI_FORMAT,
};

pub(super) const PROGRAM: Program =
    Program { name: "depth", about: "depth and stencil tests, scissors, and depth buffers read by shaders", run };

const VERTEX: Shader = shader!("rectangle.vertex");
const NUMBER: Shader = shader!("rectangle.number");
const COLOUR: Shader = shader!("rectangle.colour");
const DEPTH_BITS: Shader = shader!("textures.depth_bits");
const SIZE: u32 = 64;
const DRAWS: u32 = 100;
const NUMBERS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;

/// How depth and stencil are tested and changed.
struct State {
    depth: Compare,
    write_depth: bool,
    stencil: Compare,
    /// When the stencil test fails, when the depth test does, and when both pass.
    ops: [Op; 3],
    read_mask: u8,
    write_mask: u8,
}

const STATES: [State; 8] = [
    state(Compare::LESS, true, Compare::ALWAYS, [Op::KEEP, Op::KEEP, Op::REPLACE], 0xff, 0xff),
    state(Compare::LESS_EQUAL, true, Compare::ALWAYS, [Op::KEEP, Op::INCR, Op::INCR_SAT], 0xff, 0xff),
    state(Compare::GREATER, false, Compare::NOT_EQUAL, [Op::DECR, Op::KEEP, Op::INVERT], 0xff, 0x0f),
    state(Compare::EQUAL, false, Compare::ALWAYS, [Op::KEEP, Op::DECR_SAT, Op::REPLACE], 0xff, 0xff),
    state(Compare::ALWAYS, true, Compare::EQUAL, [Op::INCR, Op::KEEP, Op::ZERO], 0x03, 0xff),
    state(Compare::NOT_EQUAL, true, Compare::LESS, [Op::REPLACE, Op::INVERT, Op::KEEP], 0x0f, 0x3c),
    state(Compare::GREATER_EQUAL, true, Compare::GREATER_EQUAL, [Op::DECR, Op::INCR, Op::DECR], 0xff, 0xff),
    state(Compare::NEVER, true, Compare::ALWAYS, [Op::KEEP, Op::INCR, Op::ZERO], 0xff, 0xff),
];

const fn state(
    depth: Compare,
    write_depth: bool,
    stencil: Compare,
    ops: [Op; 3],
    read_mask: u8,
    write_mask: u8,
) -> State {
    State { depth, write_depth, stencil, ops, read_mask, write_mask }
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(
        device,
        &[Rectangle::PARAMETER, Parameter::Table(&[Range::srv(0, 1)]), Parameter::Table(&[Range::sampler(1, 1)])],
        &[clamping(0), comparing(2)],
    )?;
    let target = Target::new(device, NUMBERS, SIZE, SIZE)?;
    let format = DXGI_FORMAT::FORMAT_D32_FLOAT_S8X24_UINT;
    let depth = Depth::new(device, DXGI_FORMAT::FORMAT_R32G8X24_TYPELESS, format, SIZE, SIZE)?;
    let description = plain(stage, &root, &VERTEX, &NUMBER, &[NUMBERS]);
    let pipelines: Vec<Pipeline> = STATES
        .iter()
        .map(|state| {
            let desc = Description { DepthStencilState: state.describe(), DSVFormat: format, ..description };
            Pipeline::graphics(stage, &desc)
        })
        .collect::<Result<_, _>>()?;

    let mut list = List::direct(device)?;
    let mut model = Model::new();
    list.set_graphics_root(&root);
    list.targets(&[&target], Some(&depth));
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    list.clear_depth(&depth, Clear(Clear::DEPTH.0 | Clear::STENCIL.0), (0.75, 5), &[]);
    let (left, corner) = (Area::at(0, 0, 20, SIZE), Area::at(50, 40, 14, 24));
    list.clear_depth(&depth, Clear::DEPTH, (1.0, 99), &[left, corner]);
    list.clear_depth(&depth, Clear::STENCIL, (0.0, 0xfe), &[corner]);
    model.depth.fill(left, 1.0);
    model.depth.fill(corner, 1.0);
    model.stencil.fill(corner, 0xfe);
    for index in 0..DRAWS {
        let draw = Draw::number(index);
        list.set_pipeline(&pipelines[draw.state]);
        list.scissor(draw.scissor);
        list.stencil_reference(u32::from(draw.reference));
        list.rectangle(&draw.rectangle);
        model.draw(&draw);
    }
    let mut digest = Digest::new();
    target.check(stage, &mut list, "colour", &model.colour, &mut digest)?;

    // The stencil as its own test sees it: a draw for each bit, which adds that bit to a target.
    let bits = Target::new(device, DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM, SIZE, SIZE)?;
    list.set_graphics_root(&root);
    list.targets(&[&bits], Some(&depth));
    list.square(SIZE);
    list.clear_target(&bits, [0.0; 4], &[]);
    list.stencil_reference(0xff);
    let bit_pipelines: Vec<Pipeline> =
        (0..8).map(|bit| bit_pipeline(stage, &root, format, bit)).collect::<Result<_, _>>()?;
    for (bit, pipeline) in bit_pipelines.iter().enumerate() {
        list.set_pipeline(pipeline);
        let colour = ((1 << bit) as f32 / 255.0).to_bits();
        list.rectangle(&Rectangle::new(Area::at(0, 0, SIZE, SIZE), SIZE, [colour, 0, 0, 0]));
    }
    let mut stencil = Picture::new(SIZE, SIZE, [0u8; 4]);
    stencil.draw(Area::at(0, 0, SIZE, SIZE), |x, y, pixel| pixel[0] = model.stencil.at(x, y));
    bits.check(stage, &mut list, "stencil", &stencil, &mut digest)?;

    // The depth buffer as a texture.
    let pipeline = Pipeline::graphics(stage, &plain(stage, &root, &VERTEX, &DEPTH_BITS, &[NUMBERS]))?;
    let views = Heap::visible(device, 1)?;
    let samplers = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::SAMPLER, 1, true)?;
    write_repeating(device, &samplers, 0);
    views.srv(0, &depth.texture.com, &depth_view());
    let read = D3D12_RESOURCE_STATES::PIXEL_SHADER_RESOURCE;
    list.transition(&depth.texture.com, D3D12_RESOURCE_STATES::DEPTH_WRITE, read);
    list.set_heaps(&views, &samplers);
    list.set_graphics_root(&root);
    list.graphics_table(1, views.gpu(0));
    list.graphics_table(2, samplers.gpu(0));
    list.set_pipeline(&pipeline);
    list.targets(&[&target], None);
    list.square(SIZE);
    let texel = (1.0 / SIZE as f32).to_bits();
    list.rectangle(&Rectangle::new(Area::at(0, 0, SIZE, SIZE), SIZE, [texel, texel, 0, 0]));
    let mut seen = Picture::new(SIZE, SIZE, [0; 4]);
    seen.draw(Area::at(0, 0, SIZE, SIZE), |x, y, pixel| {
        let depth = model.depth.at(x, y);
        *pixel = [depth.to_bits(), u32::from(0.5 < depth), u32::from(0.25 < depth), 7];
    });
    target.check(stage, &mut list, "depth in a shader", &seen, &mut digest)?;
    Ok(digest)
}

/// Adds a colour where the stencil has a bit.
fn bit_pipeline(stage: &Stage, root: &RootSignature, depth: DXGI_FORMAT, bit: u32) -> Result<Pipeline, Failure> {
    let mut desc = plain(stage, root, &VERTEX, &COLOUR, &[DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM]);
    let test = state(Compare::ALWAYS, false, Compare::EQUAL, [Op::KEEP; 3], 1 << bit, 0);
    (desc.DepthStencilState, desc.DSVFormat) = (test.describe(), depth);
    let blend = &mut desc.BlendState.RenderTarget[0];
    (blend.BlendEnable, blend.DestBlend) = (1, D3D12_BLEND::ONE);
    Pipeline::graphics(stage, &desc)
}

/// One of the hundred: places, depths, references and states as a hash has them. There are few depths, so that many are equal.
struct Draw {
    rectangle: Rectangle,
    scissor: Area,
    reference: u8,
    state: usize,
}

impl Draw {
    fn number(index: u32) -> Self {
        let hash =
            |salt: u32| (index * 8 + salt).wrapping_mul(0x9e37_79b1).rotate_right(13).wrapping_mul(0x85eb_ca77) >> 8;
        let area = Area::at(hash(0) % 48, hash(1) % 48, 1 + hash(2) % 40, 1 + hash(3) % 40);
        let rectangle = Rectangle::new(area, SIZE, [index + 1, hash(4), area.left, area.bottom]);
        Self {
            rectangle: Rectangle { depth: (hash(5) % 9) as f32 / 8.0, ..rectangle },
            scissor: Area::at(index % 8, index % 5, SIZE - 9, SIZE - 7),
            reference: hash(6) as u8,
            state: hash(7) as usize % STATES.len(),
        }
    }
}

impl State {
    fn describe(&self) -> D3D12_DEPTH_STENCIL_DESC {
        let face = D3D12_DEPTH_STENCILOP_DESC {
            StencilFailOp: self.ops[0],
            StencilDepthFailOp: self.ops[1],
            StencilPassOp: self.ops[2],
            StencilFunc: self.stencil,
        };
        D3D12_DEPTH_STENCIL_DESC {
            DepthEnable: 1,
            DepthWriteMask: if self.write_depth { D3D12_DEPTH_WRITE_MASK::ALL } else { D3D12_DEPTH_WRITE_MASK::ZERO },
            DepthFunc: self.depth,
            StencilEnable: 1,
            StencilReadMask: self.read_mask,
            StencilWriteMask: self.write_mask,
            FrontFace: face,
            BackFace: face,
        }
    }
}

/// The output merger.
struct Model {
    colour: Picture<[u32; 4]>,
    depth: Picture<f32>,
    stencil: Picture<u8>,
}

impl Model {
    fn new() -> Self {
        let colour = Picture::new(SIZE, SIZE, [0; 4]);
        Self { colour, depth: Picture::new(SIZE, SIZE, 0.75), stencil: Picture::new(SIZE, SIZE, 5) }
    }

    fn draw(&mut self, Draw { rectangle, scissor, reference, state }: &Draw) {
        let state = &STATES[*state];
        let (depths, stencils) = (&mut self.depth, &mut self.stencil);
        self.colour.draw(rectangle.area.within(*scissor), |x, y, colour| {
            depths.draw(Area::at(x, y, 1, 1), |_, _, depth| {
                stencils.draw(Area::at(x, y, 1, 1), |_, _, stencil| {
                    let kept = compare(state.stencil, reference & state.read_mask, *stencil & state.read_mask);
                    let nearer = compare(state.depth, rectangle.depth, *depth);
                    let op = state.ops[if !kept {
                        0
                    } else if !nearer {
                        1
                    } else {
                        2
                    }];
                    let new = apply(op, *stencil, *reference);
                    *stencil = *stencil & !state.write_mask | new & state.write_mask;
                    if kept && nearer {
                        *colour = rectangle.value;
                        *depth = if state.write_depth { rectangle.depth } else { *depth };
                    }
                });
            });
        });
    }
}

fn compare<T: PartialOrd>(function: Compare, new: T, old: T) -> bool {
    match function {
        Compare::NEVER => false,
        Compare::LESS => new < old,
        Compare::EQUAL => new == old,
        Compare::LESS_EQUAL => new <= old,
        Compare::GREATER => new > old,
        Compare::NOT_EQUAL => new != old,
        Compare::GREATER_EQUAL => new >= old,
        _ => true,
    }
}

fn apply(op: Op, old: u8, reference: u8) -> u8 {
    match op {
        Op::ZERO => 0,
        Op::REPLACE => reference,
        Op::INCR_SAT => old.saturating_add(1),
        Op::DECR_SAT => old.saturating_sub(1),
        Op::INVERT => !old,
        Op::INCR => old.wrapping_add(1),
        Op::DECR => old.wrapping_sub(1),
        _ => old,
    }
}

fn depth_view() -> D3D12_SHADER_RESOURCE_VIEW_DESC {
    let mut desc = D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: DXGI_FORMAT::FORMAT_R32_FLOAT_X8X24_TYPELESS,
        ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2D,
        Shader4ComponentMapping: AS_IS,
        ..Default::default()
    };
    desc.Anonymous.Texture2D = D3D12_TEX2D_SRV { MipLevels: 1, ..Default::default() };
    desc
}
