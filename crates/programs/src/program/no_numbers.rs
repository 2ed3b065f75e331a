//! Faults of `wrong`: NaN and infinity that draws and dispatches write, at known calls and elements, for `reprise replay --check-nan`.
//!
//! Invariant: the twins write numbers where the others write none. Both upload, clear to and draw beside contents that are no numbers
//! already, which no call that makes the GPU compute has written.

use crate::buffer::Buffer;
use crate::com::{Com, Null, Word, call};
use crate::descriptor::{Elements, Heap};
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::Area;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::Target;
use crate::texture::{Texture, flat};
use reprise_d3d12::interface;
use reprise_d3d12::types::*;

const VERTEX: Shader = shader!("rectangle.vertex");
const COLOUR: Shader = shader!("rectangle.colour");
const STORE: Shader = shader!("no_numbers.main");
const HALVES: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R16G16B16A16_FLOAT;
const FLOATS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_FLOAT;
const SIZE: u32 = 32;
const TARGET: D3D12_RESOURCE_STATES = D3D12_RESOURCE_STATES::RENDER_TARGET;

/// What draws of rectangles need.
struct Drawing {
    root: RootSignature,
    pipeline: Pipeline,
}

impl Drawing {
    fn new(stage: &Stage, format: DXGI_FORMAT) -> Result<Self, Failure> {
        let root = RootSignature::graphics(&stage.device, &[Rectangle::PARAMETER], &[])?;
        let pipeline = Pipeline::graphics(stage, &plain(stage, &root, &VERTEX, &COLOUR, &[format]))?;
        Ok(Self { root, pipeline })
    }

    fn set(&self, list: &mut List) {
        list.set_graphics_root(&self.root);
        list.set_pipeline(&self.pipeline);
        list.square(SIZE);
    }
}

fn rectangle(list: &mut List, area: Area, colour: [f32; 4]) {
    list.rectangle(&Rectangle::new(area, SIZE, colour.map(f32::to_bits)));
}

fn name(com: &Com, name: &str) {
    let wide: Vec<u16> = name.encode_utf16().chain([0]).collect();
    call!(com, "ID3D12Object", "SetName", wide.as_ptr());
}

/// A draw of NaN at (20, 20), which the next one draws over. Then, in another list, forty draws: number 23 writes NaN from (5, 6) on, 30 infinity
/// from (7, 9) on. The other target has no numbers from elsewhere: a copy, and a clear.
pub(super) fn targets(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let device = &stage.device;
    let (halves, floats) = (Drawing::new(stage, HALVES)?, Drawing::new(stage, FLOATS)?);
    let (light, other) = (Target::new(device, HALVES, SIZE, SIZE)?, Target::new(device, FLOATS, SIZE, SIZE)?);
    name(&light.texture.com, "light");
    let mut list = List::direct(device)?;
    let texel = [f32::NAN, f32::INFINITY, 1.0, f32::NEG_INFINITY].map(f32::to_le_bytes).concat();
    let content = vec![texel.repeat((SIZE * SIZE) as usize)];
    list.transition(&other.texture.com, TARGET, D3D12_RESOURCE_STATES::COPY_DEST);
    let _upload = other.texture.fill(device, &mut list, &content)?;
    list.transition(&other.texture.com, D3D12_RESOURCE_STATES::COPY_DEST, TARGET);
    floats.set(&mut list);
    list.targets(&[&other], None);
    rectangle(&mut list, Area::at(4, 4, 8, 8), [0.25; 4]);
    list.clear_target(&other, [f32::INFINITY, f32::NAN, 0.0, 1.0], &[Area::at(0, 0, 16, 16)]);
    rectangle(&mut list, Area::at(8, 8, 8, 8), [0.5; 4]);
    halves.set(&mut list);
    list.targets(&[&light], None);
    list.clear_target(&light, [0.0, 0.0, 0.0, 1.0], &[]);
    rectangle(&mut list, Area::at(20, 20, 1, 1), [if wrong { f32::NAN } else { 1.0 }; 4]);
    rectangle(&mut list, Area::at(20, 20, 1, 1), [1.0; 4]);
    stage.queue.run(&mut list)?;

    halves.set(&mut list);
    list.targets(&[&light], None);
    for draw in 1..=40u32 {
        let mut colour = [draw as f32, 65504.0, -1.0, 1.0];
        let area = match draw {
            23 => Area::at(5, 6, 2, 2),
            30 => Area::at(7, 9, 3, 1),
            _ => Area::at(draw % 4, 28, 2, 2),
        };
        match draw {
            23 if wrong => colour[1] = f32::NAN,
            30 if wrong => colour[2] = f32::INFINITY,
            _ => {}
        }
        rectangle(&mut list, area, colour);
    }
    stage.queue.run(&mut list)
}

/// Five dispatches, each of which writes all of a buffer, 16 bytes from its beginning on, and of a texture. Number 3 stores NaN as element 37, number 4
/// infinity as element 11.
pub(super) fn views(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let device = &stage.device;
    let parameters = [Parameter::Constants { register: 0, count: 2 }, Parameter::Table(&[Range::uav(0, 2)])];
    let root = RootSignature::compute(device, &parameters)?;
    let pipeline = Pipeline::compute(stage, &root, &STORE)?;
    let heap = Heap::visible(device, 2)?;
    let buffer = Buffer::writable(device, 16 + 4 * 64)?;
    name(&buffer.com, "numbers");
    heap.buffer_uav(0, &buffer, Elements::typed(4, 64, DXGI_FORMAT::FORMAT_R32_FLOAT));
    let desc = D3D12_RESOURCE_DESC { Flags: D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS, ..flat(HALVES, 8, 8) };
    let picture = Texture::new(device, &desc, D3D12_RESOURCE_STATES::UNORDERED_ACCESS, None)?;
    name(&picture.com, "picture");
    let view = D3D12_UNORDERED_ACCESS_VIEW_DESC {
        Format: HALVES,
        ViewDimension: D3D12_UAV_DIMENSION::TEXTURE2D,
        ..Default::default()
    };
    heap.uav(1, &picture.com, &view);
    let mut list = List::direct(device)?;
    list.set_heap(&heap);
    list.set_compute_root(&root);
    list.set_pipeline(&pipeline);
    list.compute_table(1, heap.gpu(0));
    for dispatch in 1..=5 {
        let (element, value) = match dispatch {
            3 if wrong => (37, f32::NAN),
            4 if wrong => (11, f32::INFINITY),
            _ => (dispatch, 7.0),
        };
        list.compute_constants(0, &[element, value.to_bits()]);
        list.dispatch(1, 1, 1);
        list.uav_barrier(&buffer.com);
        list.uav_barrier(&picture.com);
    }
    stage.queue.run(&mut list)
}

/// Three draws in a render pass, after two in one before it. The second of the three writes NaN at (2, 3).
pub(super) fn pass(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    const CLASS: reprise_d3d12::model::InterfaceId = interface("ID3D12GraphicsCommandList4");
    let drawing = Drawing::new(stage, FLOATS)?;
    let target = Target::new(&stage.device, FLOATS, SIZE, SIZE)?;
    let mut list = List::direct(&stage.device)?;
    let newer = list.com.query(CLASS).ok_or_else(|| Failure::Cannot("there are no render passes".into()))?;
    drawing.set(&mut list);
    let mut number = 0;
    for draws in [2, 3] {
        let mut desc = D3D12_RENDER_PASS_RENDER_TARGET_DESC { cpuDescriptor: target.view(), ..Default::default() };
        desc.BeginningAccess.Type = D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE::PRESERVE;
        desc.EndingAccess.Type = D3D12_RENDER_PASS_ENDING_ACCESS_TYPE::PRESERVE;
        if draws == 2 {
            desc.BeginningAccess.Type = D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE::CLEAR;
            let value = D3D12_CLEAR_VALUE { Format: FLOATS, ..Default::default() };
            desc.BeginningAccess.Anonymous.Clear =
                D3D12_RENDER_PASS_BEGINNING_ACCESS_CLEAR_PARAMETERS { ClearValue: value };
        }
        let one = Word::from(&raw const desc);
        call!(newer, "ID3D12GraphicsCommandList4", "BeginRenderPass", 1u32, one, Null, 0u32);
        for _ in 0..draws {
            number += 1;
            let value = if wrong && number == 4 { f32::NAN } else { 2.0 };
            rectangle(&mut list, Area::at(number / 2, number - 1, 1, 1), [value; 4]);
        }
        call!(newer, "ID3D12GraphicsCommandList4", "EndRenderPass");
    }
    stage.queue.run(&mut list)
}

/// A bundle of two draws, run between draws of the list. The bundle's second writes negative infinity at (9, 8).
pub(super) fn bundle(stage: &Stage, wrong: bool) -> Result<(), Failure> {
    let drawing = Drawing::new(stage, FLOATS)?;
    let target = Target::new(&stage.device, FLOATS, SIZE, SIZE)?;
    let mut bundle = List::new(&stage.device, D3D12_COMMAND_LIST_TYPE::BUNDLE)?;
    bundle.set_graphics_root(&drawing.root);
    bundle.set_pipeline(&drawing.pipeline);
    bundle.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP);
    rectangle(&mut bundle, Area::at(0, 0, 4, 4), [3.0; 4]);
    let value = if wrong { f32::NEG_INFINITY } else { f32::MAX };
    rectangle(&mut bundle, Area::at(9, 8, 4, 4), [value; 4]);
    bundle.close()?;
    let mut list = List::direct(&stage.device)?;
    drawing.set(&mut list);
    list.targets(&[&target], None);
    list.clear_target(&target, [0.0; 4], &[]);
    rectangle(&mut list, Area::at(1, 1, 4, 4), [4.0; 4]);
    call!(list.com, "ID3D12GraphicsCommandList", "ExecuteBundle", &bundle.com);
    drawing.set(&mut list);
    rectangle(&mut list, Area::at(1, 2, 4, 4), [5.0; 4]);
    stage.queue.run(&mut list)
}
