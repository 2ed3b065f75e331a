//! `vertex-formats`: what shaders see of attributes of twenty-eight formats, with numbers that every format holds exactly, and with
//! zeros and a one for the components that a format lacks. `odd-attributes`: the same of attributes that begin at any byte.
//! `indirect-attributes`: the same of a vertex buffer that a command sets.

use super::Program;
use crate::buffer::{self, Buffer};
use crate::descriptor::{Elements, Heap};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::graphics::{Description, element, layout, plain};
use crate::list::List;
use crate::picture::Area;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::signature::{CommandSignature, argument};
use crate::stage::Stage;
use crate::texel::bytes;
use reprise_d3d12::types::{
    D3D_PRIMITIVE_TOPOLOGY as Topology, D3D12_FEATURE as Feature, D3D12_FEATURE_DATA_D3D12_OPTIONS13 as Options13,
    D3D12_INDIRECT_ARGUMENT_TYPE as Argument, D3D12_PRIMITIVE_TOPOLOGY_TYPE as Type, D3D12_RESOURCE_STATES,
    D3D12_VERTEX_BUFFER_VIEW, DXGI_FORMAT as Format,
};

pub(super) const PROGRAM: Program =
    Program { name: "vertex-formats", about: "what shaders see of attributes of twenty-eight formats", run };

pub(super) const ODD: Program =
    Program { name: "odd-attributes", about: "attributes of vertices that begin at any byte", run: odd };

pub(super) const INDIRECT: Program =
    Program { name: "indirect-attributes", about: "attributes of vertex buffers that a command sets", run: indirect };

const PIXEL: Shader = shader!("formats.pixel");
/// Attributes of a vertex; each has 16 bytes to itself.
const PARTS: usize = 4;
const VERTICES: u32 = 8;

/// What the bits of a component are.
#[derive(Clone, Copy)]
enum Kind {
    Unsigned,
    Signed,
    Float,
    /// From 0 to 1, and from -1 to 1.
    Unorm,
    Snorm,
}

use Kind::{Float, Signed, Snorm, Unorm, Unsigned};

/// A format: its components' bits, from the lowest, in the order in which they lie; and where red lies, if not first.
struct Layout(Format, Kind, &'static [u32], bool);

const fn plain_order(format: Format, kind: Kind, bits: &'static [u32]) -> Layout {
    Layout(format, kind, bits, false)
}

/// Four attributes of floats a draw.
const FLOATS: [[Layout; PARTS]; 4] = [
    [
        plain_order(Format::FORMAT_R32G32B32A32_FLOAT, Float, &[32; 4]),
        plain_order(Format::FORMAT_R32G32B32_FLOAT, Float, &[32; 3]),
        plain_order(Format::FORMAT_R32G32_FLOAT, Float, &[32; 2]),
        plain_order(Format::FORMAT_R32_FLOAT, Float, &[32]),
    ],
    [
        plain_order(Format::FORMAT_R16G16B16A16_FLOAT, Float, &[16; 4]),
        plain_order(Format::FORMAT_R16G16_FLOAT, Float, &[16; 2]),
        plain_order(Format::FORMAT_R16_FLOAT, Float, &[16]),
        plain_order(Format::FORMAT_R16G16B16A16_UNORM, Unorm, &[16; 4]),
    ],
    [
        plain_order(Format::FORMAT_R16G16_SNORM, Snorm, &[16; 2]),
        plain_order(Format::FORMAT_R8G8B8A8_UNORM, Unorm, &[8; 4]),
        plain_order(Format::FORMAT_R8G8B8A8_SNORM, Snorm, &[8; 4]),
        plain_order(Format::FORMAT_R10G10B10A2_UNORM, Unorm, &[10, 10, 10, 2]),
    ],
    [
        Layout(Format::FORMAT_B8G8R8A8_UNORM, Unorm, &[8; 4], true),
        plain_order(Format::FORMAT_R8_UNORM, Unorm, &[8]),
        plain_order(Format::FORMAT_R8G8_SNORM, Snorm, &[8; 2]),
        plain_order(Format::FORMAT_R16_UNORM, Unorm, &[16]),
    ],
];

/// Unsigned and signed numbers in turn, as the shader has them.
const NUMBERS: [[Layout; PARTS]; 3] = [
    [
        plain_order(Format::FORMAT_R32G32B32A32_UINT, Unsigned, &[32; 4]),
        plain_order(Format::FORMAT_R32_SINT, Signed, &[32]),
        plain_order(Format::FORMAT_R8G8B8A8_UINT, Unsigned, &[8; 4]),
        plain_order(Format::FORMAT_R16G16_SINT, Signed, &[16; 2]),
    ],
    [
        plain_order(Format::FORMAT_R16_UINT, Unsigned, &[16]),
        plain_order(Format::FORMAT_R8G8B8A8_SINT, Signed, &[8; 4]),
        plain_order(Format::FORMAT_R10G10B10A2_UINT, Unsigned, &[10, 10, 10, 2]),
        plain_order(Format::FORMAT_R16G16B16A16_SINT, Signed, &[16; 4]),
    ],
    [
        plain_order(Format::FORMAT_R8_UINT, Unsigned, &[8]),
        plain_order(Format::FORMAT_R8_SINT, Signed, &[8]),
        plain_order(Format::FORMAT_R32G32B32_UINT, Unsigned, &[32; 3]),
        plain_order(Format::FORMAT_R32G32_SINT, Signed, &[32; 2]),
    ],
];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    all(stage, false, apart)
}

fn indirect(stage: &Stage) -> Result<Digest, Failure> {
    all(stage, true, apart)
}

fn apart(_: &[Layout; PARTS]) -> Packing {
    Packing { offsets: [0, 16, 32, 48], stride: 16 * PARTS as u32 }
}

fn odd(stage: &Stage) -> Result<Digest, Failure> {
    let what = "attributes at any byte (UnrestrictedVertexElementAlignmentSupported)";
    let has = |is: &Options13| is.UnrestrictedVertexElementAlignmentSupported != 0;
    stage.needs(Feature::D3D12_OPTIONS13, what, has)?;
    all(stage, false, |layouts| {
        // A byte before each attribute, and vertices that follow each other at once.
        let mut end = 0;
        let offsets = std::array::from_fn(|part| {
            let offset = end + 1;
            end = offset + layouts[part].2.iter().sum::<u32>() / 8;
            offset
        });
        Packing { offsets, stride: end | 1 }
    })
}

/// Where attributes lie in a vertex, and how far vertices are apart, in bytes.
struct Packing {
    offsets: [u32; PARTS],
    stride: u32,
}

/// `indirect`: a command sets the vertex buffer.
fn all(stage: &Stage, indirect: bool, packing: fn(&[Layout; PARTS]) -> Packing) -> Result<Digest, Failure> {
    let mut digest = Digest::new();
    for layouts in &FLOATS {
        draw(stage, &shader!("formats.floats"), layouts, &packing(layouts), indirect, &mut digest)?;
    }
    for layouts in &NUMBERS {
        draw(stage, &shader!("formats.numbers"), layouts, &packing(layouts), indirect, &mut digest)?;
    }
    Ok(digest)
}

impl Layout {
    /// The bits of one attribute of a vertex, and what the shader sees.
    fn vertex(&self, number: u32) -> (u128, [u32; 4]) {
        let Layout(_, kind, widths, reversed) = *self;
        // A one in the last place for what is missing.
        let one = if matches!(kind, Unsigned | Signed) { 1 } else { 1f32.to_bits() };
        let (mut bits, mut at, mut seen) = (0u128, 0, [0, 0, 0, one]);
        for (part, width) in widths.iter().enumerate() {
            let (stored, value) = kind.component(*width, number + 3 * part as u32);
            bits |= u128::from(stored) << at;
            at += width;
            seen[if reversed && part < 3 { 2 - part } else { part }] = value;
        }
        (bits, seen)
    }
}

impl Kind {
    /// The bits of a component, and what the shader sees of them.
    fn component(self, width: u32, number: u32) -> (u32, u32) {
        let all = u32::MAX >> (32 - width);
        let hash = number.wrapping_mul(0x9e37_79b1) >> (32 - width);
        // The highest bit alone.
        let sign = 1 << (width - 1);
        match self {
            Unsigned => (hash, hash),
            Signed => (hash, if hash & sign == 0 { hash } else { hash | !all }),
            Unorm => [(0, 0f32), (all, 1.0)][number as usize % 2].bits(),
            // There are two ways to say -1.
            Snorm => [(0, 0f32), (sign - 1, 1.0), (sign + 1, -1.0), (sign, -1.0)][number as usize % 4].bits(),
            Float if width == 16 => [(0x3c00, 1.0f32), (0xc500, -5.0), (0x7bff, 65504.0), (0x3555, 0.333_251_95)]
                [number as usize % 4]
                .bits(),
            Float => {
                let float = hash as i32 as f32;
                (float.to_bits(), float.to_bits())
            }
        }
    }
}

trait Bits {
    fn bits(self) -> (u32, u32);
}

impl Bits for (u32, f32) {
    fn bits(self) -> (u32, u32) {
        (self.0, self.1.to_bits())
    }
}

fn draw(
    stage: &Stage,
    vertex: &Shader,
    layouts: &[Layout; PARTS],
    packing: &Packing,
    indirect: bool,
    digest: &mut Digest,
) -> Result<(), Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Parameter::Table(&[Range::uav(0, 1)])], &[])?;
    let names = [c"A", c"B", c"C", c"D"];
    let elements: Vec<_> =
        (0..PARTS).map(|part| element(names[part], layouts[part].0, 0, packing.offsets[part], 0)).collect();
    let pipeline = Pipeline::graphics(
        stage,
        &Description {
            InputLayout: layout(&elements),
            PrimitiveTopologyType: Type::POINT,
            ..plain(stage, &root, vertex, &PIXEL, &[])
        },
    )?;
    let (mut content, mut expected) = (vec![0; (VERTICES * packing.stride) as usize], Vec::new());
    for number in 0..VERTICES {
        for (layout, offset) in layouts.iter().zip(packing.offsets) {
            let (bits, seen) = layout.vertex(number);
            let size = layout.2.iter().sum::<u32>() as usize / 8;
            let at = (number * packing.stride + offset) as usize;
            content[at..at + size].copy_from_slice(&bits.to_le_bytes()[..size]);
            expected.extend(seen);
        }
    }
    let mut vertices = Buffer::upload(device, content.len() as u64)?;
    vertices.write(0, &content);
    let output = Buffer::writable(device, expected.len() as u64 * 4)?;
    let heap = Heap::visible(device, 1)?;
    heap.buffer_uav(0, &output, Elements::raw(0, expected.len() as u32));
    let mut list = List::direct(device)?;
    list.set_heap(&heap);
    list.set_graphics_root(&root);
    list.graphics_table(0, heap.gpu(0));
    list.set_pipeline(&pipeline);
    list.target_views(&[], None);
    list.viewport(Area::at(0, 0, VERTICES, 1));
    list.scissor(Area::at(0, 0, VERTICES, 1));
    list.topology(Topology::D3D_PRIMITIVE_TOPOLOGY_POINTLIST);
    let view = D3D12_VERTEX_BUFFER_VIEW {
        BufferLocation: vertices.address,
        SizeInBytes: vertices.size as u32,
        StrideInBytes: packing.stride,
    };
    let parts = [argument(Argument::VERTEX_BUFFER_VIEW), argument(Argument::DRAW)];
    let signature = CommandSignature::new(device, None, &parts, 32)?;
    let [low, high] = [view.BufferLocation as u32, (view.BufferLocation >> 32) as u32];
    let command = [low, high, view.SizeInBytes, view.StrideInBytes, VERTICES, 1, 0, 0];
    let command = Buffer::uploaded(device, &command)?;
    if indirect {
        list.execute_indirect(&signature, 1, (&command, 0), None);
    } else {
        list.vertex_buffers(0, &[view]);
        list.draw(VERTICES, 1, 0, 0);
    }
    let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
    let got = buffer::fetch(device, &stage.queue, &mut list, &output, state)?.read_u32()?;
    Failure::unless_equal(&format!("attributes like format {}", layouts[0].0.0), &got, &expected)?;
    digest.add(&bytes(&got));
    Ok(())
}
