//! `indirect-passes`: draws whose arguments name, by address, everything that they read and write, inside of render passes.
//! `indirect-bundles`: the same inside of bundles, which lists execute several times with other arguments.
//! `pointers`: the same in a pass that goes on from one list to another, with addresses that the program keeps in a buffer of its own.
//!
//! The API's documents allow one operation and no root arguments to an indirect command of a bundle; drivers take more, and so does
//! Reprise.

use super::Program;
use crate::buffer::{self, Buffer, bytes_of};
use crate::com::{Null, Word, call};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::graphics::{Description, element, layout, plain};
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::signature::{CommandSignature, argument, cbv, constants, srv, uav};
use crate::stage::Stage;
use crate::target::Target;
use crate::texel::bytes;
use reprise_d3d12::interface;
use reprise_d3d12::types::{
    D3D_PRIMITIVE_TOPOLOGY, D3D12_COMMAND_LIST_TYPE, D3D12_INDIRECT_ARGUMENT_TYPE as Argument,
    D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE as Begin, D3D12_RENDER_PASS_ENDING_ACCESS_TYPE as End,
    D3D12_RENDER_PASS_FLAGS as Flags, D3D12_RENDER_PASS_RENDER_TARGET_DESC, D3D12_RESOURCE_STATES as State,
    DXGI_FORMAT,
};

pub(super) const PASSES: Program = Program {
    name: "indirect-passes",
    about: "draws in render passes, whose buffers are named in memory by address",
    run: passes,
};
pub(super) const BUNDLES: Program = Program {
    name: "indirect-bundles",
    about: "draws in bundles, whose buffers are named in memory by address",
    run: bundles,
};

pub(super) const POINTERS: Program = Program {
    name: "pointers",
    about: "addresses that a program keeps in a buffer, and copies to where a suspended pass reads them",
    run: pointers,
};

const COMMANDS: Shader = shader!("reached.commands");
const VERTEX: Shader = shader!("reached.vertex");
const PIXEL: Shader = shader!("reached.pixel");
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
/// Of the target, as the vertex shader has it.
const SIZE: [u32; 2] = [64, 128];
/// Commands of a buffer of arguments.
const MOST: u32 = 16;
/// Pixels from the commands of one execution to those of the next.
const DOWN: u32 = 16;
/// Bytes of a command that are read.
const READ: u32 = 88;
/// Bytes from one command to the next: addresses begin at multiples of 8 in one command, and not in the next.
const STRIDES: [u32; 2] = [92, 100];
const SHAPES: u32 = 4;

fn passes(stage: &Stage) -> Result<Digest, Failure> {
    let mut things = Things::new(stage)?;
    let device = &stage.device;
    let mut list = List::direct(device)?;
    let [near, far] = [Arguments::new(stage, STRIDES[0])?, Arguments::new(stage, STRIDES[1])?];
    // What a shader writes; what is copied from an upload heap; what lies in an upload heap, behind its number.
    let copied = Buffer::copied(device, u64::from(STRIDES[1] * MOST))?;
    let source = Buffer::uploaded(device, &things.commands(STRIDES[1], DOWN))?;
    list.copy_bytes(&copied, 0, &source, 0, source.size);
    list.transition(&copied.com, State::COPY_DEST, State::INDIRECT_ARGUMENT);
    let lying = [vec![77, 9], things.commands(STRIDES[0], 2 * DOWN)].concat();
    let lying = Buffer::uploaded(device, &lying)?;

    near.write(&mut list, &things, 0);
    list.transition(&near.buffer.com, State::UNORDERED_ACCESS, State::INDIRECT_ARGUMENT);
    // The constants of the next writing: they must outlive the pass.
    near.prepare(&mut list, &things, 3 * DOWN);
    things.begin(&mut list);
    list.clear_target(&things.target, [0.0; 4], &[]);

    begin_pass(&list, &things.target)?;
    list.execute_indirect(&near.signature, MOST, (&near.buffer, 0), None);
    things.expect(0..MOST, 0);
    list.execute_indirect(&far.signature, 12, (&copied, u64::from(2 * STRIDES[1])), None);
    things.expect(2..14, DOWN);
    list.execute_indirect(&near.signature, MOST, (&lying, 8), Some((&lying, 4)));
    things.expect(0..9, 2 * DOWN);
    end_pass(&list)?;

    list.transition(&near.buffer.com, State::INDIRECT_ARGUMENT, State::UNORDERED_ACCESS);
    list.set_pipeline(&things.writing);
    list.dispatch(1, 1, 1);
    list.transition(&near.buffer.com, State::UNORDERED_ACCESS, State::INDIRECT_ARGUMENT);
    things.begin(&mut list);
    begin_pass(&list, &things.target)?;
    list.execute_indirect(&near.signature, 5, (&near.buffer, u64::from(STRIDES[0])), None);
    things.expect(1..6, 3 * DOWN);
    list.execute_indirect(&near.signature, 3, (&near.buffer, u64::from(7 * STRIDES[0])), None);
    things.expect(7..10, 3 * DOWN);
    end_pass(&list)?;
    things.check(stage, &mut list)
}

fn bundles(stage: &Stage) -> Result<Digest, Failure> {
    let mut things = Things::new(stage)?;
    let device = &stage.device;
    let mut list = List::direct(device)?;
    let [near, far] = [Arguments::new(stage, STRIDES[0])?, Arguments::new(stage, STRIDES[1])?];
    let copied = Buffer::copied(device, u64::from(STRIDES[1] * MOST))?;
    let lying = Buffer::uploaded(device, &things.commands(STRIDES[0], DOWN))?;
    // The first has two commands, one behind the other in the same buffer.
    let first =
        things.bundle(stage, &[(&near.signature, &near.buffer, 0..7), (&near.signature, &near.buffer, 9..MOST)])?;
    let second = things.bundle(stage, &[(&far.signature, &copied, 3..15), (&near.signature, &lying, 0..4)])?;

    near.write(&mut list, &things, 0);
    list.transition(&near.buffer.com, State::UNORDERED_ACCESS, State::INDIRECT_ARGUMENT);
    near.prepare(&mut list, &things, 2 * DOWN);
    things.begin(&mut list);
    list.clear_target(&things.target, [0.0; 4], &[]);
    list.bundle(&first);
    things.expect(0..7, 0);
    things.expect(9..MOST, 0);
    // The same bundle with other arguments, in the same list.
    list.transition(&near.buffer.com, State::INDIRECT_ARGUMENT, State::UNORDERED_ACCESS);
    list.set_pipeline(&things.writing);
    list.dispatch(1, 1, 1);
    list.transition(&near.buffer.com, State::UNORDERED_ACCESS, State::INDIRECT_ARGUMENT);
    list.bundle(&first);
    things.expect(0..7, 2 * DOWN);
    things.expect(9..MOST, 2 * DOWN);
    list.close()?;

    // Another list, whose arguments are copied; it executes both bundles within a pass, and one outside of it.
    let mut other = List::direct(device)?;
    let source = Buffer::uploaded(device, &things.commands(STRIDES[1], 3 * DOWN))?;
    other.copy_bytes(&copied, 0, &source, 0, source.size);
    other.transition(&copied.com, State::COPY_DEST, State::INDIRECT_ARGUMENT);
    other.transition(&near.buffer.com, State::INDIRECT_ARGUMENT, State::UNORDERED_ACCESS);
    near.write(&mut other, &things, 4 * DOWN);
    other.transition(&near.buffer.com, State::UNORDERED_ACCESS, State::INDIRECT_ARGUMENT);
    things.begin(&mut other);
    begin_pass(&other, &things.target)?;
    other.bundle(&second);
    things.expect(3..15, 3 * DOWN);
    things.expect(0..4, DOWN);
    other.bundle(&first);
    things.expect(0..7, 4 * DOWN);
    things.expect(9..MOST, 4 * DOWN);
    end_pass(&other)?;
    other.bundle(&second);
    things.expect(3..15, 3 * DOWN);
    things.expect(0..4, DOWN);
    other.close()?;
    stage.queue.execute(&[&list, &other]);
    stage.queue.finish()?;
    list.reset()?;
    things.check(stage, &mut list)
}

/// Commands of `pointers`.
const FEW: u32 = 6;
/// Addresses of a command: where they lie in it, in words.
const ADDRESSES: [u32; 5] = [3, 5, 7, 9, 13];

fn pointers(stage: &Stage) -> Result<Digest, Failure> {
    let mut things = Things::new(stage)?;
    let device = &stage.device;
    let stride = STRIDES[1];
    let arguments = Arguments::new(stage, stride)?;
    let mut commands = things.commands(stride, 0);
    // The program's own book: the addresses of each command, one behind the other. The rest of the arguments lies elsewhere.
    let mut book = Vec::new();
    for command in 0..FEW {
        for word in ADDRESSES.map(|word| (command * stride / 4 + word) as usize) {
            book.extend([commands[word], commands[word + 1]]);
            (commands[word], commands[word + 1]) = (0, 0);
        }
    }
    let rest = Buffer::uploaded(device, &commands)?;
    let (low, high): (Vec<u32>, Vec<u32>) = book.chunks_exact(2).map(|half| (half[0], half[1])).unzip();
    // It is written in halves, the higher ones later: an address is what both make.
    let mut book = Buffer::upload(device, 8 * low.len() as u64)?;
    low.iter().zip(0..).for_each(|(half, at)| book.write(8 * at, &half.to_le_bytes()));
    let mut list = List::direct(device)?;
    things.begin(&mut list);
    list.clear_target(&things.target, [0.0; 4], &[]);
    stage.queue.run(&mut list)?;
    high.iter().zip(0..).for_each(|(half, at)| book.write(8 * at + 4, &half.to_le_bytes()));

    let copied = Buffer::copied(device, u64::from(stride * FEW))?;
    for command in 0..FEW {
        let at = u64::from(command * stride);
        let mut from = 0;
        for (index, word) in ADDRESSES.into_iter().enumerate() {
            let (word, of_book) =
                (u64::from(4 * word), 8 * (u64::from(command) * ADDRESSES.len() as u64 + index as u64));
            if word > from {
                list.copy_bytes(&copied, at + from, &rest, at + from, word - from);
            }
            list.copy_bytes(&copied, at + word, &book, of_book, 8);
            from = word + 8;
        }
        list.copy_bytes(&copied, at + from, &rest, at + from, u64::from(READ) - from);
    }
    list.transition(&copied.com, State::COPY_DEST, State::INDIRECT_ARGUMENT);
    things.begin(&mut list);
    begin_pass_as(&list, &things.target, Flags::SUSPENDING_PASS)?;
    list.execute_indirect(&arguments.signature, 2, (&copied, 0), None);
    things.expect(0..2, 0);
    end_pass(&list)?;
    list.close()?;
    let mut other = List::direct(device)?;
    things.begin(&mut other);
    begin_pass_as(&other, &things.target, Flags::RESUMING_PASS)?;
    other.execute_indirect(&arguments.signature, FEW - 2, (&copied, u64::from(2 * stride)), None);
    things.expect(2..FEW, 0);
    end_pass(&other)?;
    other.close()?;
    stage.queue.execute(&[&list, &other]);
    stage.queue.finish()?;
    list.reset()?;
    things.check(stage, &mut list)
}

/// What draws use, and what should come of those so far.
struct Things {
    root: RootSignature,
    pipeline: Pipeline,
    /// Of the shader that writes arguments.
    writing_root: RootSignature,
    writing: Pipeline,
    values: Buffer,
    inputs: Buffer,
    counters: Buffer,
    vertices: Buffer,
    indices: Buffer,
    target: Target,
    picture: Picture<[u32; 4]>,
    counted: Vec<u32>,
}

/// What a shader finds in word `at` of the buffer that it reads.
fn input(at: u32) -> u32 {
    at.wrapping_mul(0x0101_0101) ^ 0x5a
}

/// Width and height of a shape.
fn size(shape: u32) -> (u32, u32) {
    (4 + shape, 7 - shape)
}

impl Things {
    fn new(stage: &Stage) -> Result<Self, Failure> {
        let device = &stage.device;
        let parameters =
            [Parameter::Constants { register: 1, count: 3 }, Parameter::Cbv(2), Parameter::Srv(0), Parameter::Uav(1)];
        let root = RootSignature::graphics(device, &parameters, &[])?;
        let elements = [element(c"CORNER", DXGI_FORMAT::FORMAT_R32G32B32A32_UINT, 0, 0, 0)];
        let description =
            Description { InputLayout: layout(&elements), ..plain(stage, &root, &VERTEX, &PIXEL, &[FORMAT]) };
        let pipeline = Pipeline::graphics(stage, &description)?;
        let parameters = [Parameter::Constants { register: 0, count: 12 }, Parameter::Uav(0)];
        let writing_root = RootSignature::compute(device, &parameters)?;
        let writing = Pipeline::compute(stage, &writing_root, &COMMANDS)?;
        let corner = |shape: u32, corner: u32| {
            let (width, height) = size(shape);
            [(corner & 1) * width, (corner >> 1) * height, 900 + shape, 0]
        };
        let corners: Vec<[u32; 4]> = (0..SHAPES).flat_map(|shape| (0..4).map(move |at| corner(shape, at))).collect();
        // Of 32 bits, then of 16.
        let mut indices = Buffer::upload(device, 64)?;
        indices.write(0, &bytes(&[0u32, 1, 2, 3, 2, 1]));
        indices.write(32, &bytes(&[0u16, 1, 2, 3, 2, 1]));
        let values: Vec<u32> = (0..SHAPES * 64).map(|word| word % 64 * 1000 + 7 * (word / 64)).collect();
        let inputs: Vec<u32> = (0..MOST).map(input).collect();
        let counters = Buffer::writable(device, u64::from(4 * MOST))?;
        let zeros = vec![0; MOST as usize];
        let mut list = List::direct(device)?;
        buffer::fill(&stage.queue, &mut list, &counters, &Buffer::uploaded(device, &zeros)?)?;
        let [width, height] = SIZE;
        Ok(Self {
            root,
            pipeline,
            writing_root,
            writing,
            values: Buffer::uploaded(device, &values)?,
            inputs: Buffer::uploaded(device, &inputs)?,
            counters,
            vertices: Buffer::uploaded(device, corners.as_flattened())?,
            indices,
            target: Target::new(device, FORMAT, width, height)?,
            picture: Picture::new(width, height, [0; 4]),
            counted: zeros,
        })
    }

    /// The constants of the shader that writes arguments.
    fn constants(&self, stride: u32, down: u32) -> Vec<u32> {
        let all = [&self.values, &self.inputs, &self.counters, &self.vertices, &self.indices];
        let words = all.into_iter().flat_map(|buffer| [buffer.address as u32, (buffer.address >> 32) as u32]);
        [stride, down].into_iter().chain(words).collect()
    }

    /// The arguments as the shader writes them.
    fn commands(&self, stride: u32, down: u32) -> Vec<u32> {
        let near = |buffer: &Buffer, offset: u32| {
            let address = buffer.address + u64::from(offset);
            [address as u32, (address >> 32) as u32]
        };
        let command = |i: u32| {
            let narrow = i % 2 == 1;
            let indices = near(&self.indices, if narrow { 32 } else { 0 });
            let mut words = vec![8 * (i % 8), down + 8 * (i / 8), 100 * i];
            words.extend(near(&self.values, 256 * (i % SHAPES)));
            words.extend(near(&self.inputs, 4 * i));
            words.extend(near(&self.counters, 4 * i));
            words.extend(near(&self.vertices, 64 * (i % SHAPES)));
            words.extend([64, 16]);
            words.extend(indices);
            words.extend(if narrow { [12, 57] } else { [24, 42] });
            words.extend([6, 1, 0, 0, 0]);
            words.resize(stride as usize / 4, 0xdead_beef);
            words
        };
        (0..MOST).flat_map(command).collect()
    }

    /// What draws need beside what their arguments say.
    fn begin(&self, list: &mut List) {
        let [width, height] = SIZE;
        self.bind(list);
        list.targets(&[&self.target], None);
        list.viewport(Area::at(0, 0, width, height));
        list.scissor(Area::at(0, 0, width, height));
    }

    /// What bundles set themselves.
    fn bind(&self, list: &mut List) {
        list.set_graphics_root(&self.root);
        list.set_pipeline(&self.pipeline);
        list.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
    }

    /// A bundle that executes ranges of commands.
    fn bundle(
        &self,
        stage: &Stage,
        commands: &[(&CommandSignature, &Buffer, std::ops::Range<u32>)],
    ) -> Result<List, Failure> {
        let mut list = List::new(&stage.device, D3D12_COMMAND_LIST_TYPE::BUNDLE)?;
        self.bind(&mut list);
        for (signature, buffer, range) in commands {
            let at = u64::from(signature.stride * range.start);
            list.execute_indirect(signature, range.len() as u32, (buffer, at), None);
        }
        list.close()?;
        Ok(list)
    }

    /// These commands were executed.
    fn expect(&mut self, commands: std::ops::Range<u32>, down: u32) {
        for i in commands {
            let (x, y, shape) = (8 * (i % 8), down + 8 * (i / 8), i % SHAPES);
            let (width, height) = size(shape);
            let colour = [7 * shape + 100 * i, input(i), 900 + shape, x | y << 8];
            self.picture.fill(Area::at(x, y, width, height), colour);
            self.counted[i as usize] += width * height;
        }
    }

    /// Compares the picture, and how many pixels each command has had.
    fn check(&self, stage: &Stage, list: &mut List) -> Result<Digest, Failure> {
        let mut digest = Digest::new();
        self.target.check(stage, list, "draws that are told by address", &self.picture, &mut digest)?;
        let state = State::UNORDERED_ACCESS;
        let got = buffer::fetch(&stage.device, &stage.queue, list, &self.counters, state)?.read_u32()?;
        Failure::unless_equal("pixels of each command", &got, &self.counted)?;
        digest.add(&bytes_of(&got));
        Ok(digest)
    }
}

/// Arguments that a shader writes, and what their commands consist of.
struct Arguments {
    buffer: Buffer,
    signature: CommandSignature,
    _root: RootSignature,
}

impl Arguments {
    fn new(stage: &Stage, stride: u32) -> Result<Self, Failure> {
        assert!(stride >= READ, "else commands overlap");
        let parameters =
            [Parameter::Constants { register: 1, count: 3 }, Parameter::Cbv(2), Parameter::Srv(0), Parameter::Uav(1)];
        let root = RootSignature::graphics(&stage.device, &parameters, &[])?;
        let parts = [
            constants(0, 3),
            cbv(1),
            srv(2),
            uav(3),
            argument(Argument::VERTEX_BUFFER_VIEW),
            argument(Argument::INDEX_BUFFER_VIEW),
            argument(Argument::DRAW_INDEXED),
        ];
        let signature = CommandSignature::new(&stage.device, Some(&root), &parts, stride)?;
        Ok(Self { buffer: Buffer::writable(&stage.device, u64::from(stride * MOST))?, signature, _root: root })
    }

    /// Sets everything for the shader that writes these but the pipeline.
    fn prepare(&self, list: &mut List, things: &Things, down: u32) {
        list.set_compute_root(&things.writing_root);
        list.compute_constants(0, &things.constants(self.signature.stride, down));
        list.compute_uav(1, self.buffer.address);
    }

    /// Lets the shader write them.
    fn write(&self, list: &mut List, things: &Things, down: u32) {
        self.prepare(list, things, down);
        list.set_pipeline(&things.writing);
        list.dispatch(1, 1, 1);
    }
}

impl List {
    fn bundle(&mut self, bundle: &List) {
        call!(self.com, "ID3D12GraphicsCommandList", "ExecuteBundle", &bundle.com);
    }
}

/// A pass that keeps what is in the target.
fn begin_pass(list: &List, target: &Target) -> Result<(), Failure> {
    begin_pass_as(list, target, Flags::NONE)
}

fn begin_pass_as(list: &List, target: &Target, flags: Flags) -> Result<(), Failure> {
    let list = list.com.query(interface("ID3D12GraphicsCommandList4"));
    let list = list.ok_or_else(|| Failure::Cannot("lists have no ID3D12GraphicsCommandList4".into()))?;
    let mut desc = D3D12_RENDER_PASS_RENDER_TARGET_DESC { cpuDescriptor: target.view(), ..Default::default() };
    (desc.BeginningAccess.Type, desc.EndingAccess.Type) = (Begin::PRESERVE, End::PRESERVE);
    call!(list, "ID3D12GraphicsCommandList4", "BeginRenderPass", 1u32, Word::from(&raw const desc), Null, flags.0);
    Ok(())
}

fn end_pass(list: &List) -> Result<(), Failure> {
    let list = list.com.query(interface("ID3D12GraphicsCommandList4"));
    let list = list.ok_or_else(|| Failure::Cannot("lists have no ID3D12GraphicsCommandList4".into()))?;
    call!(list, "ID3D12GraphicsCommandList4", "EndRenderPass");
    Ok(())
}
