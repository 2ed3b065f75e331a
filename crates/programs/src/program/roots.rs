//! `indirect-roots`: commands that set root constants and root buffers and then draw or dispatch: as many as a buffer says, under
//! predicates, in bundles; and what they leave behind.
//! `indirect-numbers`: the same with constants that are each command's number.
//! `indirect-cuts`: index buffers of strips, which end at the largest index, among the arguments.

use super::Program;
use crate::buffer::{self, Buffer, bytes_of};
use crate::com::{Null, call};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::graphics::{Description, element, layout, plain};
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::shader;
use crate::signature::{CommandSignature, argument, cbv, constants, number, uav};
use crate::stage::Stage;
use crate::target::Target;
use crate::texel::bytes;
use reprise_d3d12::types::{
    D3D_PRIMITIVE_TOPOLOGY, D3D12_COMMAND_LIST_TYPE, D3D12_EXECUTE_INDIRECT_TIER, D3D12_FEATURE as Feature,
    D3D12_FEATURE_DATA_D3D12_OPTIONS21 as Options21, D3D12_INDEX_BUFFER_STRIP_CUT_VALUE as Cut,
    D3D12_INDEX_BUFFER_VIEW, D3D12_INDIRECT_ARGUMENT_TYPE as Argument, D3D12_PREDICATION_OP as Skip,
    D3D12_RESOURCE_STATES as State, D3D12_VERTEX_BUFFER_VIEW, DXGI_FORMAT,
};

pub(super) const ROOTS: Program =
    Program { name: "indirect-roots", about: "root arguments that indirect draws and dispatches set", run: roots };
pub(super) const NUMBERS: Program =
    Program { name: "indirect-numbers", about: "root constants that are the numbers of indirect draws", run: numbers };

pub(super) const CUTS: Program =
    Program { name: "indirect-cuts", about: "strips that end within index buffers that a command sets", run: cuts };

const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
const SIZE: u32 = 64;
const SHAPES: u32 = 4;
/// Commands of a row of the picture.
const ROW: u32 = 8;
/// Bytes from one drawing command to the next: two constants, an address, a draw, and four that nobody reads.
const STRIDE: u32 = 40;

fn roots(stage: &Stage) -> Result<Digest, Failure> {
    let mut scene = Scene::new(stage)?;
    let device = &stage.device;
    let parts = [constants(0, 2), cbv(1), argument(Argument::DRAW_INDEXED)];
    let signature = CommandSignature::new(device, Some(&scene.root), &parts, STRIDE)?;
    let rows: Vec<Buffer> = (0..ROW).map(|row| scene.commands(stage, row)).collect::<Result<_, _>>()?;
    // Numbers of commands at offsets of 4 bytes; what predicates read is at 16 and 24.
    let counts = Buffer::uploaded(device, &[3, 100, 0, 6, 0, 0, 1, 0])?;
    let mut bundle = List::new(device, D3D12_COMMAND_LIST_TYPE::BUNDLE)?;
    scene.bind(&mut bundle);
    bundle.execute_indirect(&signature, 3, (&rows[6], 0), None);
    bundle.execute_indirect(&signature, 2, (&rows[6], u64::from(4 * STRIDE)), Some((&counts, 0)));
    bundle.close()?;

    let mut list = List::direct(device)?;
    scene.begin(&mut list);
    list.execute_indirect(&signature, ROW, (&rows[0], 0), None);
    scene.expect(0..ROW, 0);
    // Fewer than there may be, more, none; and none at all.
    list.execute_indirect(&signature, ROW, (&rows[1], 0), Some((&counts, 0)));
    scene.expect(0..3, 1);
    list.execute_indirect(&signature, 5, (&rows[2], u64::from(STRIDE)), Some((&counts, 4)));
    scene.expect(1..6, 2);
    list.execute_indirect(&signature, ROW, (&rows[3], 0), Some((&counts, 8)));
    list.execute_indirect(&signature, 0, (&rows[3], 0), None);
    // Skipped, then not.
    for (row, offset) in [(4, 16), (5, 24)] {
        call!(list.com, "ID3D12GraphicsCommandList", "SetPredication", &counts.com, offset as u64, Skip::EQUAL_ZERO.0);
        list.execute_indirect(&signature, ROW, (&rows[row], 0), Some((&counts, 12)));
    }
    call!(list.com, "ID3D12GraphicsCommandList", "SetPredication", Null, 0u64, Skip::EQUAL_ZERO.0);
    scene.expect(0..6, 5);
    call!(list.com, "ID3D12GraphicsCommandList", "ExecuteBundle", &bundle.com);
    scene.expect(0..3, 6);
    scene.expect(4..6, 6);
    // Root constants are zero afterwards; what no command sets is as it was.
    scene.bind(&mut list);
    list.execute_indirect(&signature, 1, (&rows[7], 0), None);
    scene.expect(0..1, 7);
    list.graphics_cbv(1, scene.values.address + 256);
    list.draw_indexed(6, 1, 0, 4, 0);
    scene.expect_one(1, [0, 0]);
    // And so is the pipeline state, with constants of the list's own.
    list.graphics_constants(0, &[8, 56]);
    list.draw_indexed(6, 1, 0, 8, 0);
    scene.picture.fill(Area::at(8, 56, 6, 5), [1, 1001, 902, 8 | 56 << 8]);
    let mut digest = Digest::new();
    scene.target.check(stage, &mut list, "draws that set root arguments", &scene.picture, &mut digest)?;
    dispatches(stage, &mut list, &counts, &mut digest)?;
    Ok(digest)
}

/// Dispatches that set what they write, as many as a buffer says, and under predicates.
fn dispatches(stage: &Stage, list: &mut List, counts: &Buffer, digest: &mut Digest) -> Result<(), Failure> {
    /// Words that one execution may count in, and threads of a group.
    const PLACE: u32 = 128;
    const GROUP: u32 = 8;
    let device = &stage.device;
    let parameters = [Parameter::Constants { register: 0, count: 2 }, Parameter::Srv(0), Parameter::Uav(0)];
    let root = RootSignature::compute(device, &parameters)?;
    let pipeline = Pipeline::compute(stage, &root, &shader!("dispatches.count"))?;
    let parts = [constants(0, 2), uav(2), argument(Argument::DISPATCH)];
    let signature = CommandSignature::new(device, Some(&root), &parts, 28)?;
    let mut model = vec![0u32; (PLACE * ROW) as usize];
    let output = Buffer::writable(device, u64::from(PLACE * ROW) * 4)?;
    buffer::fill(&stage.queue, list, &output, &Buffer::uploaded(device, &model)?)?;
    let address = [output.address as u32, (output.address >> 32) as u32];
    let words: Vec<u32> =
        (0..ROW).flat_map(|i| [[PLACE * i, 10 + i], address, [1 + i, 1]].concat().into_iter().chain([1])).collect();
    let arguments = Buffer::uploaded(device, &words)?;
    list.set_compute_root(&root);
    list.set_pipeline(&pipeline);
    let mut execute = |list: &mut List, most: u32, count: Option<u64>, done: u32| {
        list.execute_indirect(&signature, most, (&arguments, 0), count.map(|offset| (counts, offset)));
        for i in 0..done {
            (0..=i).for_each(|x| model[(PLACE * i + x) as usize] += GROUP * (11 + i));
        }
    };
    execute(list, ROW, None, ROW);
    execute(list, ROW, Some(0), 3);
    execute(list, 4, Some(4), 4);
    execute(list, ROW, Some(8), 0);
    for (offset, done) in [(16u64, 0), (24, 5)] {
        call!(list.com, "ID3D12GraphicsCommandList", "SetPredication", &counts.com, offset, Skip::EQUAL_ZERO.0);
        execute(list, 5, None, done);
    }
    call!(list.com, "ID3D12GraphicsCommandList", "SetPredication", Null, 0u64, Skip::EQUAL_ZERO.0);
    let got = buffer::fetch(device, &stage.queue, list, &output, State::UNORDERED_ACCESS)?.read_u32()?;
    Failure::unless_equal("counts", &got, &model)?;
    digest.add(&bytes_of(&got));
    Ok(())
}

fn numbers(stage: &Stage) -> Result<Digest, Failure> {
    let has = |is: &Options21| is.ExecuteIndirectTier == D3D12_EXECUTE_INDIRECT_TIER::TIER_1_1;
    stage.needs(Feature::D3D12_OPTIONS21, "numbers of indirect commands (ExecuteIndirectTier 1_1)", has)?;
    let mut scene = Scene::new(stage)?;
    let device = &stage.device;
    // The second constant is the command's number: shapes lie one pixel below each other.
    let parts = [constants(0, 1), number(0, 1), cbv(1), argument(Argument::DRAW)];
    let signature = CommandSignature::new(device, Some(&scene.root), &parts, 28)?;
    let address = scene.values.address;
    let words: Vec<u32> =
        (0..ROW).flat_map(|i| [8 * i, address as u32, (address >> 32) as u32, 4, 1, 4 * (i % SHAPES), 0]).collect();
    let (arguments, counts) = (Buffer::uploaded(device, &words)?, Buffer::uploaded(device, &[5])?);
    let mut list = List::direct(device)?;
    scene.begin(&mut list);
    list.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP);
    // From the third on they are numbered from zero.
    list.execute_indirect(&signature, ROW, (&arguments, 56), Some((&counts, 0)));
    for i in 0..5u32 {
        let (x, shape) = (8 * (i + 2), (i + 2) % SHAPES);
        scene.picture.fill(Area::at(x, i, 4 + shape, 7 - shape), [0, 1000, 900 + shape, x | i << 8]);
    }
    let mut digest = Digest::new();
    scene.target.check(stage, &mut list, "draws with their numbers", &scene.picture, &mut digest)?;
    Ok(digest)
}

fn cuts(stage: &Stage) -> Result<Digest, Failure> {
    let mut scene = Scene::with(stage, Cut::VALUE_0xFFFF)?;
    let device = &stage.device;
    let mut indices = Buffer::upload(device, 32)?;
    // The first shape's corners, and those of the last.
    indices.write(0, &bytes(&[0u16, 1, 2, 3, u16::MAX, 12, 13, 14, 15]));
    let parts = [constants(0, 2), cbv(1), argument(Argument::INDEX_BUFFER_VIEW), argument(Argument::DRAW_INDEXED)];
    let signature = CommandSignature::new(device, Some(&scene.root), &parts, 52)?;
    let [value, at] = [scene.values.address, indices.address].map(|address| [address as u32, (address >> 32) as u32]);
    let view = [at[0], at[1], 18, DXGI_FORMAT::FORMAT_R16_UINT.0 as u32];
    let arguments = Buffer::uploaded(device, &[&[16, 8], &value[..], &view, &[9, 1, 0, 0, 0]].concat())?;
    let mut list = List::direct(device)?;
    scene.begin(&mut list);
    list.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP);
    list.execute_indirect(&signature, 1, (&arguments, 0), None);
    for shape in [0, SHAPES - 1] {
        scene.picture.fill(Area::at(16, 8, 4 + shape, 7 - shape), [0, 1000, 900 + shape, 16 | 8 << 8]);
    }
    let mut digest = Digest::new();
    scene.target.check(stage, &mut list, "strips that end", &scene.picture, &mut digest)?;
    Ok(digest)
}

/// What draws need, and what should come of them.
struct Scene {
    root: RootSignature,
    pipeline: Pipeline,
    vertices: Buffer,
    indices: Buffer,
    /// Constant buffers of 256 bytes each.
    values: Buffer,
    target: Target,
    picture: Picture<[u32; 4]>,
}

impl Scene {
    fn new(stage: &Stage) -> Result<Self, Failure> {
        Self::with(stage, Cut::VALUE_DISABLED)
    }

    /// With strips that end at an index.
    fn with(stage: &Stage, cut: Cut) -> Result<Self, Failure> {
        let device = &stage.device;
        let parameters = [Parameter::Constants { register: 1, count: 2 }, Parameter::Cbv(2)];
        let root = RootSignature::graphics(device, &parameters, &[])?;
        let elements = [element(c"CORNER", DXGI_FORMAT::FORMAT_R32G32B32A32_UINT, 0, 0, 0)];
        let (vertex, pixel) = (shader!("indirect.vertex"), shader!("indirect.pixel"));
        let description = Description {
            InputLayout: layout(&elements),
            IBStripCutValue: cut,
            ..plain(stage, &root, &vertex, &pixel, &[FORMAT])
        };
        let pipeline = Pipeline::graphics(stage, &description)?;
        // Shapes differ in size; corners tell their shape's number.
        let corner =
            |shape: u32, corner: u32| [(corner & 1) * (4 + shape), (corner >> 1) * (7 - shape), 900 + shape, 0];
        let corners: Vec<[u32; 4]> = (0..SHAPES).flat_map(|shape| (0..4).map(move |at| corner(shape, at))).collect();
        let values: Vec<u32> = (0..SHAPES * 64).map(|word| word % 64 * 1000 + word / 64).collect();
        Ok(Self {
            root,
            pipeline,
            vertices: Buffer::uploaded(device, corners.as_flattened())?,
            indices: Buffer::uploaded(device, &[0, 1, 2, 3, 2, 1])?,
            values: Buffer::uploaded(device, &values)?,
            target: Target::new(device, FORMAT, SIZE, SIZE)?,
            picture: Picture::new(SIZE, SIZE, [0; 4]),
        })
    }

    /// Everything but what commands set.
    fn bind(&self, list: &mut List) {
        list.set_graphics_root(&self.root);
        list.set_pipeline(&self.pipeline);
        list.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
        list.vertex_buffers(
            0,
            &[D3D12_VERTEX_BUFFER_VIEW {
                BufferLocation: self.vertices.address,
                SizeInBytes: self.vertices.size as u32,
                StrideInBytes: 16,
            }],
        );
        list.index_buffer(&D3D12_INDEX_BUFFER_VIEW {
            BufferLocation: self.indices.address,
            SizeInBytes: self.indices.size as u32,
            Format: DXGI_FORMAT::FORMAT_R32_UINT,
        });
    }

    /// The same, and an empty target.
    fn begin(&self, list: &mut List) {
        self.bind(list);
        list.targets(&[&self.target], None);
        list.square(SIZE);
        list.clear_target(&self.target, [0.0; 4], &[]);
    }

    /// Commands that draw a row of the picture.
    fn commands(&self, stage: &Stage, row: u32) -> Result<Buffer, Failure> {
        let command = |i: u32| {
            let value = self.values.address + u64::from(256 * (i % SHAPES));
            [8 * i, 8 * row, value as u32, (value >> 32) as u32, 6, 1, 0, 4 * (i % SHAPES), 0, 0xdead_beef]
        };
        Buffer::uploaded(&stage.device, &(0..ROW).flat_map(command).collect::<Vec<u32>>())
    }

    /// These commands of a row were executed.
    fn expect(&mut self, commands: std::ops::Range<u32>, row: u32) {
        commands.for_each(|i| self.expect_one(i % SHAPES, [8 * i, 8 * row]));
    }

    fn expect_one(&mut self, shape: u32, [x, y]: [u32; 2]) {
        let colour = [shape, 1000 + shape, 900 + shape, x | y << 8];
        self.picture.fill(Area::at(x, y, 4 + shape, 7 - shape), colour);
    }
}
