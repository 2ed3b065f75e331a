//! `stream-output`: vertices into two buffers, with a gap in one, over three draws of which the last does not fit; and what the GPU
//! says of how full they are.

use super::Program;
use super::queries::{Queries, read, results};
use crate::buffer::{self, Buffer};
use crate::com::call;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::graphics::{Description, plain};
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::root::RootSignature;
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::texel::bytes;
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "stream-output", about: "vertices streamed out into two buffers that become full", run };

/// How many vertices have room, and how many each draw has.
const ROOM: u64 = 15;
const DRAWS: [u32; 3] = [6, 3, 10];
/// Bytes of a vertex in both buffers.
const STRIDE: u32 = 8;
/// What was there before.
const BEFORE: u32 = 0x0bad_cafe;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let flags = D3D12_ROOT_SIGNATURE_FLAGS::ALLOW_STREAM_OUTPUT;
    let root = RootSignature::new(device, &[], &[], flags)?;
    // Numbers, each with a word behind it that nobody writes, and places in another buffer. The API lets a declaration name such
    // gaps by a null name; other libraries do not live through that.
    let entry = |name: &'static core::ffi::CStr, count, slot| D3D12_SO_DECLARATION_ENTRY {
        SemanticName: name.as_ptr().cast(),
        ComponentCount: count,
        OutputSlot: slot,
        ..Default::default()
    };
    let entries = [entry(c"NUMBER", 1, 0), entry(c"PIXEL", 2, 1)];
    let strides = [STRIDE; 2];
    let vertex: Shader = shader!("pipelines.vertex");
    let pipeline = Pipeline::graphics(
        stage,
        &Description {
            PS: D3D12_SHADER_BYTECODE::default(),
            StreamOutput: D3D12_STREAM_OUTPUT_DESC {
                pSODeclaration: entries.as_ptr(),
                NumEntries: entries.len() as u32,
                pBufferStrides: strides.as_ptr(),
                NumStrides: strides.len() as u32,
                // None: nothing is rasterised.
                RasterizedStream: u32::MAX,
            },
            PrimitiveTopologyType: D3D12_PRIMITIVE_TOPOLOGY_TYPE::POINT,
            ..plain(stage, &root, &vertex, &vertex, &[])
        },
    )?;

    let mut list = List::direct(device)?;
    let size = ROOM * u64::from(STRIDE);
    let before = Buffer::uploaded(device, &vec![BEFORE; size as usize / 4])?;
    let zeros = Buffer::uploaded(device, &[0; 4])?;
    let filled = |list: &mut List, from: &Buffer| -> Result<Buffer, Failure> {
        let buffer = Buffer::copied(device, from.size)?;
        list.copy_bytes(&buffer, 0, from, 0, from.size);
        list.transition(&buffer.com, D3D12_RESOURCE_STATES::COPY_DEST, D3D12_RESOURCE_STATES::STREAM_OUT);
        Ok(buffer)
    };
    let numbers = filled(&mut list, &before)?;
    let places = filled(&mut list, &before)?;
    let counts = filled(&mut list, &zeros)?;
    let view = |buffer: &Buffer, count| D3D12_STREAM_OUTPUT_BUFFER_VIEW {
        BufferLocation: buffer.address,
        SizeInBytes: size,
        BufferFilledSizeLocation: counts.address + count,
    };
    let views = [view(&numbers, 0), view(&places, 8)];
    let queries =
        Queries::new(stage, D3D12_QUERY_HEAP_TYPE::SO_STATISTICS, D3D12_QUERY_TYPE::SO_STATISTICS_STREAM0, 1)?;
    let (statistics, _ones) = results(stage, &mut list, 2)?;

    list.set_graphics_root(&root);
    list.set_pipeline(&pipeline);
    list.square(64);
    list.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_POINTLIST);
    call!(list.com, "ID3D12GraphicsCommandList", "SOSetTargets", 0u32, 2u32, views.as_ptr());
    queries.begin(&mut list, 0);
    for (index, vertices) in DRAWS.into_iter().enumerate() {
        if index == 1 {
            // Bound again, they go on where they were.
            let none = [D3D12_STREAM_OUTPUT_BUFFER_VIEW::default(); 2];
            call!(list.com, "ID3D12GraphicsCommandList", "SOSetTargets", 0u32, 2u32, none.as_ptr());
            call!(list.com, "ID3D12GraphicsCommandList", "SOSetTargets", 0u32, 2u32, views.as_ptr());
        }
        list.draw(vertices, 1, 0, 0);
    }
    queries.end(&mut list, 0);
    queries.resolve(&mut list, (0, 1), &statistics, 0);

    let mut drawn: Vec<u32> = DRAWS.into_iter().flat_map(|vertices| 0..vertices).collect();
    let asked = drawn.len() as u64;
    drawn.truncate(ROOM as usize);
    let expected_numbers = drawn.iter().flat_map(|number| [*number, BEFORE]).collect();
    let expected_places = drawn.iter().flat_map(|number| [8 * (number % 8), 8 * (number / 8)]).collect();
    let mut digest = Digest::new();
    for (name, buffer, expected) in [
        ("numbers", &numbers, expected_numbers),
        ("places", &places, expected_places),
        ("bytes that are full", &counts, vec![size as u32, 0, size as u32, 0]),
    ] {
        let state = D3D12_RESOURCE_STATES::STREAM_OUT;
        let got = buffer::fetch(device, &stage.queue, &mut list, buffer, state)?.read_u32()?;
        Failure::unless_equal::<u32>(name, &got, &expected)?;
        digest.add(&bytes(&got));
    }
    let got = read(stage, &mut list, &statistics)?;
    Failure::unless_equal("written, and asked for", &got, &[ROOM, asked])?;
    digest.add(&bytes(&got));
    Ok(digest)
}
