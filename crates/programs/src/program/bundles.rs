//! `bundles`: bundles recorded once and executed a hundred times, which inherit constants, buffers, tables and heaps from the list,
//! or set some of them themselves and leave them so for the list.

use super::Program;
use crate::buffer::Buffer;
use crate::com::call;
use crate::descriptor::{Elements, Heap};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::Target;
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "bundles", about: "bundles that inherit root arguments, tables and heaps, and that set them", run };

const VERTEX: Shader = shader!("rectangle.vertex");
const SUM: Shader = shader!("bundles.sum");
const SIZE: u32 = 128;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
/// How many of each thing a step can choose from.
const CHOICES: u32 = 4;

/// What lists and bundles do; the model plays the same.
#[derive(Clone, Copy)]
enum Step {
    /// Which rectangle is drawn.
    Area(Area),
    /// The element of all buffers that the shader reads.
    Element(u32),
    /// What the shader adds to the constant buffer.
    Value(u32),
    /// The constant buffer, the root buffer, and the table of two typed buffers.
    Constants(u32),
    Root(u32),
    Table(u32),
    Draw,
    /// Of a list only.
    Execute(usize),
}

/// The first inherits everything; the second has a value and a table of its own; the third has all of its own; the fourth draws
/// twice, first as it is called.
const BUNDLES: [&[Step]; 4] = [
    &[Step::Draw],
    &[Step::Value(70), Step::Table(1), Step::Draw],
    &[Step::Element(5), Step::Value(90), Step::Constants(3), Step::Root(2), Step::Table(3), Step::Draw],
    &[Step::Draw, Step::Constants(2), Step::Area(Area::at(120, 120, 4, 4)), Step::Draw],
];

/// What the list does: for each place of a grid a step of its own, and then a bundle or a draw.
fn frame() -> Vec<Step> {
    let mut steps = vec![Step::Element(0), Step::Value(1), Step::Constants(0), Step::Root(0), Step::Table(0)];
    for index in 0..144 {
        steps.push(Step::Area(Area::at(index % 12 * 10, index / 12 * 10, 8, 9)));
        steps.push(match index % 7 {
            0 => Step::Element(index % 8),
            1 => Step::Value(1000 + index),
            2 => Step::Constants(index % CHOICES),
            3 => Step::Root(index / 2 % CHOICES),
            _ => Step::Table(index / 3 % CHOICES),
        });
        steps.push(if index % 3 == 2 { Step::Draw } else { Step::Execute((index * 5 % 11) as usize % BUNDLES.len()) });
    }
    steps
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let things = Things::new(stage)?;
    let bundles: Vec<List> = BUNDLES.iter().map(|steps| things.bundle(stage, steps)).collect::<Result<_, _>>()?;
    let target = Target::new(&stage.device, FORMAT, SIZE, SIZE)?;
    let mut list = List::direct(&stage.device)?;
    list.set_heap(&things.heap);
    things.begin(&mut list);
    list.targets(&[&target], None);
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    list.graphics_constants(0, &[0, 0, 0, 0, (2.0 / SIZE as f32).to_bits(), (2.0 / SIZE as f32).to_bits(), 0, 0]);
    let mut model = Model::default();
    let mut expected = Picture::new(SIZE, SIZE, [0; 4]);
    for step in frame() {
        things.record(&mut list, &bundles, step);
        model.play(&mut expected, step);
    }
    let mut digest = Digest::new();
    target.check(stage, &mut list, "what the bundles drew", &expected, &mut digest)?;
    Ok(digest)
}

/// What steps choose from.
struct Things {
    root: RootSignature,
    pipeline: Pipeline,
    constants: Buffer,
    roots: Buffer,
    heap: Heap,
    _typed: Buffer,
}

/// Numbers of the buffers: which buffer, and which element.
fn element(buffer: u32, element: u32) -> u32 {
    (buffer * 100 + element + 1).wrapping_mul(0x0101_0101)
}

/// Bytes between constant buffers, and between root buffers.
const APART: u32 = 256;

impl Things {
    fn new(stage: &Stage) -> Result<Self, Failure> {
        let device = &stage.device;
        let root = RootSignature::graphics(
            device,
            &[
                Parameter::Constants { register: 0, count: 12 },
                Parameter::Cbv(1),
                Parameter::Srv(0),
                Parameter::Table(&[Range::srv(1, 2)]),
            ],
            &[],
        )?;
        let pipeline = Pipeline::graphics(stage, &plain(stage, &root, &VERTEX, &SUM, &[FORMAT]))?;
        let words = |make: fn(u32, u32) -> u32| -> Vec<u32> {
            (0..CHOICES * APART / 4).map(|index| make(index / (APART / 4), index % (APART / 4))).collect()
        };
        let constants = Buffer::uploaded(device, &words(|choice, _| 10_000 * choice))?;
        let roots = Buffer::uploaded(device, &words(element))?;
        let typed: Vec<u32> = (0..2 * CHOICES * 8).map(|index| element(50 + index / 8, index % 8)).collect();
        let typed = Buffer::uploaded(device, &typed)?;
        let heap = Heap::visible(device, 2 * CHOICES)?;
        for index in 0..2 * CHOICES {
            heap.buffer_srv(index, &typed, Elements::typed(u64::from(8 * index), 8, DXGI_FORMAT::FORMAT_R32_UINT));
        }
        Ok(Self { root, pipeline, constants, roots, heap, _typed: typed })
    }

    /// What a bundle does not inherit, and a root signature: setting the one that is set already changes nothing.
    fn begin(&self, list: &mut List) {
        list.set_graphics_root(&self.root);
        list.set_pipeline(&self.pipeline);
        list.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP);
    }

    fn bundle(&self, stage: &Stage, steps: &[Step]) -> Result<List, Failure> {
        let mut list = List::new(&stage.device, D3D12_COMMAND_LIST_TYPE::BUNDLE)?;
        if steps.iter().any(|step| matches!(step, Step::Table(_))) {
            // A bundle that sets tables names the heap; it must be the list's.
            list.set_heap(&self.heap);
        }
        self.begin(&mut list);
        steps.iter().for_each(|step| self.record(&mut list, &[], *step));
        list.close()?;
        Ok(list)
    }

    fn record(&self, list: &mut List, bundles: &[List], step: Step) {
        match step {
            Step::Area(Area { left, top, right, bottom }) => {
                list.graphics_constants_at(0, 0, &[left, top, right, bottom]);
            }
            Step::Element(element) => list.graphics_constants_at(0, 7, &[element]),
            Step::Value(value) => list.graphics_constants_at(0, 8, &[value]),
            Step::Constants(choice) => list.graphics_cbv(1, self.constants.address + u64::from(APART * choice)),
            Step::Root(choice) => list.graphics_srv(2, self.roots.address + u64::from(APART * choice)),
            Step::Table(choice) => list.graphics_table(3, self.heap.gpu(2 * choice)),
            Step::Draw => list.draw(4, 1, 0, 0),
            Step::Execute(bundle) => {
                call!(list.com, "ID3D12GraphicsCommandList", "ExecuteBundle", &bundles[bundle].com);
            }
        }
    }
}

/// What is set at the moment.
struct Model {
    area: Area,
    element: u32,
    value: u32,
    constants: u32,
    root: u32,
    table: u32,
}

impl Default for Model {
    fn default() -> Self {
        Self { area: Area::at(0, 0, 0, 0), element: 0, value: 0, constants: 0, root: 0, table: 0 }
    }
}

impl Model {
    fn play(&mut self, picture: &mut Picture<[u32; 4]>, step: Step) {
        match step {
            Step::Area(area) => self.area = area,
            Step::Element(element) => self.element = element,
            Step::Value(value) => self.value = value,
            Step::Constants(choice) => self.constants = choice,
            Step::Root(choice) => self.root = choice,
            Step::Table(choice) => self.table = choice,
            Step::Draw => {
                let typed = |index| element(50 + 2 * self.table + index, self.element);
                let value = self.value + 10_000 * self.constants;
                picture.fill(self.area, [value, element(self.root, self.element), typed(0), typed(1)]);
            }
            Step::Execute(bundle) => BUNDLES[bundle].iter().for_each(|step| self.play(picture, *step)),
        }
    }
}
