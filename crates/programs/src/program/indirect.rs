//! `indirect-draws`: draws with and without indices whose arguments a compute shader writes, as many as a buffer says.
//! `indirect-state`: the same with root constants, root buffers, and vertex and index buffers among the arguments.

use super::Program;
use super::shapes::{Draw, FORMAT, Order, SIZE, Shapes};
use crate::buffer::Buffer;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::graphics::{Description, element, layout, plain};
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::signature::{CommandSignature, argument, cbv, constants};
use crate::stage::Stage;
use crate::target::Target;
use crate::texel::bytes;
use reprise_d3d12::types::{
    D3D_PRIMITIVE_TOPOLOGY, D3D12_INDIRECT_ARGUMENT_TYPE as Argument, D3D12_RESOURCE_STATES as State, DXGI_FORMAT,
};

pub(super) const DRAWS: Program =
    Program { name: "indirect-draws", about: "draws whose arguments and number a compute shader writes", run: draws };
pub(super) const STATE: Program =
    Program { name: "indirect-state", about: "buffers and root arguments that a compute shader sets", run: state };

/// How many arguments each shader writes.
const WRITTEN: u32 = 16;

fn draws(stage: &Stage) -> Result<Digest, Failure> {
    let shapes = Shapes::new(stage)?;
    let mut list = List::direct(&stage.device)?;
    let plain = Arguments::new(stage, &mut list, &shader!("indirect.draws"), &[], 16)?;
    let indexed = Arguments::new(stage, &mut list, &shader!("indirect.indexed_draws"), &[], 20)?;
    let draw = CommandSignature::new(&stage.device, None, &[argument(Argument::DRAW)], 16)?;
    let draw_indexed = CommandSignature::new(&stage.device, None, &[argument(Argument::DRAW_INDEXED)], 20)?;

    let target = Target::new(&stage.device, FORMAT, SIZE, SIZE)?;
    shapes.set(&mut list);
    list.targets(&[&target], None);
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    let mut expected = Picture::new(SIZE, SIZE, [0; 4]);
    // As the shaders write them.
    let strip = |index| Draw { order: Order::Strip, shape: index % 4, first_instance: index, instances: 1 + index % 3 };
    let order = |index| if index % 2 == 0 { Order::Lower } else { Order::Upper };
    let list_of =
        |index| Draw { order: order(index), shape: index % 4, first_instance: index, instances: 1 + index % 2 };

    // Eleven of at most sixteen; then four from the twelfth on, by no count.
    shapes.set_order(&mut list, Order::Strip, false);
    plain.execute(&mut list, &draw, 0, WRITTEN, true);
    (0..11).for_each(|index| strip(index).expect(&mut expected));
    plain.execute(&mut list, &draw, 11, 4, false);
    (11..15).for_each(|index| strip(index).expect(&mut expected));
    let mut digest = Digest::new();
    target.check(stage, &mut list, "draws", &expected, &mut digest)?;

    // Thirteen, but at most eight; then two more.
    shapes.set(&mut list);
    list.targets(&[&target], None);
    list.square(SIZE);
    shapes.set_order(&mut list, Order::Lower, true);
    indexed.execute(&mut list, &draw_indexed, 0, 8, true);
    (0..8).for_each(|index| list_of(index).expect(&mut expected));
    shapes.set_order(&mut list, Order::Upper, false);
    indexed.execute(&mut list, &draw_indexed, 14, 2, false);
    (14..16).for_each(|index| list_of(index).expect(&mut expected));
    target.check(stage, &mut list, "draws with indices", &expected, &mut digest)?;
    Ok(digest)
}

/// Arguments that the GPU has written, and behind them their number.
struct Arguments {
    buffer: Buffer,
    _root: RootSignature,
    _pipeline: Pipeline,
}

impl Arguments {
    /// Lets a compute shader write arguments; `addresses` are its constants.
    fn new(stage: &Stage, list: &mut List, shader: &Shader, addresses: &[u64], stride: u32) -> Result<Self, Failure> {
        let device = &stage.device;
        let parameters = [Parameter::Constants { register: 0, count: 6 }, Parameter::Uav(0)];
        let root = RootSignature::compute(device, &parameters)?;
        let pipeline = Pipeline::compute(stage, &root, shader)?;
        let buffer = Buffer::writable(device, u64::from(stride * WRITTEN) + 16)?;
        list.set_compute_root(&root);
        list.set_pipeline(&pipeline);
        let words: Vec<u32> = addresses.iter().flat_map(|address| [*address as u32, (*address >> 32) as u32]).collect();
        if !words.is_empty() {
            list.compute_constants(0, &words);
        }
        list.compute_uav(1, buffer.address);
        list.dispatch(1, 1, 1);
        list.transition(&buffer.com, State::UNORDERED_ACCESS, State::INDIRECT_ARGUMENT);
        Ok(Self { buffer, _root: root, _pipeline: pipeline })
    }

    /// Executes at most so many from one on.
    fn execute(&self, list: &mut List, signature: &CommandSignature, first: u32, most: u32, counted: bool) {
        let number = (&self.buffer, u64::from(signature.stride * WRITTEN));
        let arguments = (&self.buffer, u64::from(signature.stride * first));
        list.execute_indirect(signature, most, arguments, counted.then_some(number));
    }
}

/// Bytes of the arguments of one draw: two constants, an address, two views, a draw, and four bytes that nobody reads.
const STRIDE: u32 = 72;
const SHAPES: u32 = 4;

fn state(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let parameters = [Parameter::Constants { register: 1, count: 2 }, Parameter::Cbv(2)];
    let root = RootSignature::graphics(device, &parameters, &[])?;
    let elements = [element(c"CORNER", DXGI_FORMAT::FORMAT_R32G32B32A32_UINT, 0, 0, 0)];
    let (vertex, pixel) = (shader!("indirect.vertex"), shader!("indirect.pixel"));
    let description = Description { InputLayout: layout(&elements), ..plain(stage, &root, &vertex, &pixel, &[FORMAT]) };
    let pipeline = Pipeline::graphics(stage, &description)?;

    // Shapes differ in size; corners tell their shape's number.
    let corner = |shape: u32, corner: u32| [(corner & 1) * (4 + shape), (corner >> 1) * (7 - shape), 900 + shape, 0];
    let corners: Vec<[u32; 4]> = (0..SHAPES).flat_map(|shape| (0..4).map(move |at| corner(shape, at))).collect();
    let vertices = Buffer::uploaded(device, corners.as_flattened())?;
    // Of 32 bits, then of 16.
    let mut indices = Buffer::upload(device, 64)?;
    indices.write(0, &bytes(&[0u32, 1, 2, 3, 2, 1]));
    indices.write(32, &bytes(&[0u16, 1, 2, 3, 2, 1]));
    let values: Vec<u32> = (0..SHAPES * 64).map(|word| word % 64 * 1000 + word / 64).collect();
    let values = Buffer::uploaded(device, &values)?;

    let mut list = List::direct(device)?;
    let addresses = [values.address, vertices.address, indices.address];
    let arguments = Arguments::new(stage, &mut list, &shader!("indirect.stateful_draws"), &addresses, STRIDE)?;
    let parts = [
        constants(0, 2),
        cbv(1),
        argument(Argument::VERTEX_BUFFER_VIEW),
        argument(Argument::INDEX_BUFFER_VIEW),
        argument(Argument::DRAW_INDEXED),
    ];
    let signature = CommandSignature::new(device, Some(&root), &parts, STRIDE)?;
    let target = Target::new(device, FORMAT, SIZE, SIZE)?;
    list.set_graphics_root(&root);
    list.set_pipeline(&pipeline);
    list.targets(&[&target], None);
    list.square(SIZE);
    list.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
    list.clear_target(&target, [0.0; 4], &[]);
    arguments.execute(&mut list, &signature, 0, WRITTEN, true);
    let mut expected = Picture::new(SIZE, SIZE, [0; 4]);
    for index in 0..14 {
        let (x, y, shape) = (8 * (index % 8), 8 * (index / 8), index % SHAPES);
        expected.fill(Area::at(x, y, 4 + shape, 7 - shape), [shape, 1000 + shape, 900 + shape, x | y << 8]);
    }
    let mut digest = Digest::new();
    target.check(stage, &mut list, "draws that set what they use", &expected, &mut digest)?;
    Ok(digest)
}
