//! `stream-parts`: parts of outputs, outputs in two places, rows of arrays, clip distances, and two streams whose outputs have one
//! name, streamed out.

use super::Program;
use crate::buffer::{self, Buffer};
use crate::com::call;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::graphics::{Description, plain};
use crate::list::List;
use crate::pipeline::{Pipeline, bytecode};
use crate::root::RootSignature;
use crate::shader::shader;
use crate::stage::Stage;
use crate::texel::bytes;
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "stream-parts", about: "parts of outputs, arrays and clip distances streamed out", run };

const VERTICES: u32 = 3;
/// Bytes of a buffer.
const SIZE: u64 = 256;
/// What was there before.
const BEFORE: u32 = 0x0bad_cafe;

/// What goes to a buffer: semantic and index, stream, first component and how many, and the buffer.
struct Entry(&'static core::ffi::CStr, u32, u32, core::ops::Range<u8>, u8);

/// What a buffer has after a pipeline: words of each vertex, and of how many vertices.
type Expected = (fn(u32) -> Vec<u32>, u32);

/// A vertex's component, as its shader numbers them.
fn value(vertex: u32, component: u32) -> u32 {
    ((100 * vertex + component) as f32).to_bits()
}

fn values(vertex: u32, components: &[u32]) -> Vec<u32> {
    components.iter().map(|component| value(vertex, *component)).collect()
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let parts = [
        // Three entries that are one behind the other, and the second row of an array before its first.
        Entry(c"VALUE", 0, 0, 0..1, 0),
        Entry(c"VALUE", 0, 0, 1..2, 0),
        Entry(c"VALUE", 0, 0, 2..3, 0),
        Entry(c"PAIR", 1, 0, 1..2, 0),
        Entry(c"NUMBER", 0, 0, 1..3, 0),
        Entry(c"PAIR", 0, 0, 0..2, 0),
        // Once more, from another component on; and distances.
        Entry(c"VALUE", 0, 0, 2..4, 1),
        Entry(c"SV_ClipDistance", 1, 0, 1..3, 1),
        Entry(c"SV_ClipDistance", 0, 0, 2..3, 1),
        // As a whole, and nothing else.
        Entry(c"SV_Position", 0, 0, 0..4, 2),
    ];
    let first = |vertex| {
        let numbers = [100 * vertex + 31, 100 * vertex + 32];
        [values(vertex, &[0, 1, 2, 21]), numbers.to_vec(), values(vertex, &[10, 11])].concat()
    };
    let second = |vertex| values(vertex, &[2, 3, 51, 52, 42]);
    let position = |_| [0f32, 0.0, 0.5, 1.0].map(f32::to_bits).to_vec();
    let mut digest = Digest::new();
    let expected: [Expected; 3] = [(first, VERTICES), (second, VERTICES), (position, VERTICES)];
    draw(stage, &mut digest, false, &parts, &expected)?;
    let twins = [Entry(c"VALUE", 0, 0, 1..2, 0), Entry(c"VALUE", 0, 1, 0..2, 1)];
    let one = |vertex| values(vertex, &[1]);
    let two = |vertex| values(vertex / 2, &[2 + 10 * (vertex % 2), 3 + 10 * (vertex % 2)]);
    draw(stage, &mut digest, true, &twins, &[(one, VERTICES), (two, 2 * VERTICES)])?;
    Ok(digest)
}

fn draw(
    stage: &Stage,
    digest: &mut Digest,
    twins: bool,
    entries: &[Entry],
    expected: &[Expected],
) -> Result<(), Failure> {
    let device = &stage.device;
    let root = RootSignature::new(device, &[], &[], D3D12_ROOT_SIGNATURE_FLAGS::ALLOW_STREAM_OUTPUT)?;
    let entry = |Entry(name, index, stream, components, slot): &Entry| D3D12_SO_DECLARATION_ENTRY {
        Stream: *stream,
        SemanticName: name.as_ptr().cast(),
        SemanticIndex: *index,
        StartComponent: components.start,
        ComponentCount: components.end - components.start,
        OutputSlot: *slot,
    };
    let entries: Vec<D3D12_SO_DECLARATION_ENTRY> = entries.iter().map(entry).collect();
    let strides: Vec<u32> = expected.iter().map(|(words, _)| 4 * words(0).len() as u32).collect();
    let (vertex, geometry) = (shader!("stream_parts.vertex"), shader!("stream_parts.twins"));
    let mut description = Description {
        PS: D3D12_SHADER_BYTECODE::default(),
        StreamOutput: D3D12_STREAM_OUTPUT_DESC {
            pSODeclaration: entries.as_ptr(),
            NumEntries: entries.len() as u32,
            pBufferStrides: strides.as_ptr(),
            NumStrides: strides.len() as u32,
            RasterizedStream: u32::MAX,
        },
        PrimitiveTopologyType: D3D12_PRIMITIVE_TOPOLOGY_TYPE::POINT,
        ..plain(stage, &root, &vertex, &vertex, &[])
    };
    if twins {
        description.GS = bytecode(stage.shader(&geometry));
    }
    let pipeline = Pipeline::graphics(stage, &description)?;

    let mut list = List::direct(device)?;
    let before = Buffer::uploaded(device, &vec![BEFORE; SIZE as usize / 4])?;
    let zeros = Buffer::uploaded(device, &[0; 4])?;
    let filled = |list: &mut List, from: &Buffer| -> Result<Buffer, Failure> {
        let buffer = Buffer::copied(device, from.size)?;
        list.copy_bytes(&buffer, 0, from, 0, from.size);
        list.transition(&buffer.com, D3D12_RESOURCE_STATES::COPY_DEST, D3D12_RESOURCE_STATES::STREAM_OUT);
        Ok(buffer)
    };
    let counts = filled(&mut list, &zeros)?;
    let mut buffers = Vec::new();
    for _ in expected {
        buffers.push(filled(&mut list, &before)?);
    }
    let view = |(at, buffer): (usize, &Buffer)| D3D12_STREAM_OUTPUT_BUFFER_VIEW {
        BufferLocation: buffer.address,
        SizeInBytes: SIZE,
        BufferFilledSizeLocation: counts.address + 4 * at as u64,
    };
    let views: Vec<D3D12_STREAM_OUTPUT_BUFFER_VIEW> = buffers.iter().enumerate().map(view).collect();
    list.set_graphics_root(&root);
    list.set_pipeline(&pipeline);
    list.square(64);
    list.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_POINTLIST);
    call!(list.com, "ID3D12GraphicsCommandList", "SOSetTargets", 0u32, views.len() as u32, views.as_ptr());
    list.draw(VERTICES, 1, 0, 0);
    for (buffer, (words, vertices)) in buffers.iter().zip(expected) {
        let state = D3D12_RESOURCE_STATES::STREAM_OUT;
        let got = buffer::fetch(device, &stage.queue, &mut list, buffer, state)?.read_u32()?;
        let mut expected: Vec<u32> = (0..*vertices).flat_map(words).collect();
        expected.resize(SIZE as usize / 4, BEFORE);
        Failure::unless_equal::<u32>("vertices", &got, &expected)?;
        digest.add(&bytes(&got));
    }
    Ok(())
}
