//! `undefined-calls`: calls whose arguments lead out of resources, heaps and buffers, or name what does not fit. A list with one of
//! them does not close, so that nothing of it is executed; some are left out alone.

use super::Program;
use crate::buffer::Buffer;
use crate::com::{Com, Null, Word, call, create};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::queue::Queue;
use crate::stage::Stage;
use crate::target::{Depth, Target};
use crate::texture::{Texture, flat, in_buffer};
use reprise_d3d12::types::{
    D3D12_QUERY_HEAP_TYPE as Heap, D3D12_QUERY_TYPE as Query, D3D12_RESOURCE_STATES as State, *,
};

pub(super) const PROGRAM: Program =
    Program { name: "undefined-calls", about: "calls that lead out of what they name", run };

const BYTES: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
const SIZE: u32 = 16;
/// Rows of 64 bytes, 256 apart.
const ROOM: u64 = 15 * 256 + 64;

/// What the calls name.
struct Things {
    buffer: Buffer,
    results: Buffer,
    texture: Texture,
    other: Texture,
    samples: Target,
    single: Target,
    depth: Depth,
    queries: Com,
    draws: Com,
}

/// What becomes of a list with a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It does not close.
    Refused,
    /// It closes without the call.
    LeftOut,
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let queries = D3D12_QUERY_HEAP_DESC { Type: Heap::OCCLUSION, Count: 4, NodeMask: 0 };
    let argument = D3D12_INDIRECT_ARGUMENT_DESC { Type: D3D12_INDIRECT_ARGUMENT_TYPE::DRAW, ..Default::default() };
    let signature = D3D12_COMMAND_SIGNATURE_DESC {
        ByteStride: 16,
        NumArgumentDescs: 1,
        pArgumentDescs: &raw const argument,
        ..Default::default()
    };
    let things = Things {
        buffer: Buffer::copied(device, ROOM)?,
        results: Buffer::copied(device, 64)?,
        texture: Texture::new(device, &flat(BYTES, SIZE, SIZE), State::COMMON, None)?,
        other: Texture::new(device, &flat(DXGI_FORMAT::FORMAT_R16_UINT, SIZE, SIZE), State::COMMON, None)?,
        samples: Target::sampled(device, BYTES, SIZE, SIZE, 4)?,
        single: Target::new(device, BYTES, SIZE, SIZE)?,
        depth: Depth::new(device, DXGI_FORMAT::FORMAT_D32_FLOAT, DXGI_FORMAT::FORMAT_D32_FLOAT, SIZE, SIZE)?,
        queries: create!(device.com, "ID3D12Device", "CreateQueryHeap", &raw const queries; "ID3D12QueryHeap")?,
        draws: create!(
            device.com, "ID3D12Device", "CreateCommandSignature", &raw const signature, Null; "ID3D12CommandSignature"
        )?,
    };
    let mut list = List::direct(device)?;
    for (what, fate, record) in CALLS {
        record(&things, &mut list);
        let closed = list.close();
        Failure::unless(closed.is_ok() == (*fate == Fate::LeftOut), || format!("{what}: Close answers {closed:?}"))?;
        if closed.is_ok() {
            stage.queue.execute(&[&list]);
            stage.queue.finish()?;
        }
        list.reset()?;
    }
    // Nodes that there are not.
    let other = D3D12_COMMAND_QUEUE_DESC { NodeMask: 2, ..Default::default() };
    Queue::of(device, &other)?.finish()?;
    // Of a copy that leaves its buffers, what they have is copied.
    let (from, to) = (Buffer::uploaded(device, &[7; 16])?, Buffer::readback(device, 128)?);
    list.copy_bytes(&to, 96, &from, 0, 64);
    list.copy_bytes(&to, 0, &from, 32, 64);
    call!(list.com, "ID3D12GraphicsCommandList", "CopyResource", &things.buffer.com, &from.com);
    list.copy_bytes(&to, 64, &things.buffer, 32, 32);
    stage.queue.run(&mut list)?;
    let expected: Vec<u32> = (0..32).map(|word| if (8..16).contains(&word) { 0 } else { 7 }).collect();
    Failure::unless_equal("copies that leave their buffers", &to.read_u32()?, &expected)?;
    // The device and the list are as good as before.
    let mut digest = Digest::new();
    let expected = crate::picture::Picture::new(SIZE, SIZE, [255u8; 4]);
    list.clear_target(&things.single, [1.0; 4], &[]);
    things.single.check(stage, &mut list, "after all", &expected, &mut digest)?;
    Ok(digest)
}

type Call = (&'static str, Fate, fn(&Things, &mut List));

const CALLS: &[Call] = &[
    ("a copy behind a buffer's end", Fate::LeftOut, |it, list| list.copy_bytes(&it.buffer, ROOM, &it.results, 0, 4)),
    ("a copy from behind a buffer's end", Fate::LeftOut, |it, list| list.copy_bytes(&it.buffer, 0, &it.results, 61, 4)),
    ("a copy without end", Fate::LeftOut, |it, list| list.copy_bytes(&it.buffer, 8, &it.results, 8, u64::MAX)),
    ("rows behind a buffer's end", Fate::Refused, |it, list| to_texture(list, it, &it.texture, placed(512, 256))),
    ("rows that are too far apart", Fate::Refused, |it, list| to_texture(list, it, &it.texture, placed(0, 512))),
    ("rows nowhere", Fate::Refused, |it, list| to_texture(list, it, &it.texture, placed(u64::MAX - 255, 256))),
    ("texels to behind a buffer's end", Fate::Refused, |it, list| {
        list.copy_texture(&in_buffer(&it.results, placed(0, 256)), [0; 3], &it.texture.part(0), None);
    }),
    ("samples to a buffer", Fate::LeftOut, |it, list| {
        list.copy_texture(&in_buffer(&it.buffer, placed(0, 256)), [0; 3], &it.samples.texture.part(0), None);
    }),
    ("a box that leaves its texture", Fate::Refused, |it, list| {
        let part = D3D12_BOX { left: 8, right: SIZE + 1, bottom: 4, back: 1, ..Default::default() };
        list.copy_texture(&it.single.texture.part(0), [0; 3], &it.texture.part(0), Some(&part));
    }),
    ("a place that leaves its texture", Fate::Refused, |it, list| {
        list.copy_texture(&it.single.texture.part(0), [1, 0, 0], &it.texture.part(0), None);
    }),
    ("a subresource that is not there", Fate::Refused, |it, list| {
        list.copy_texture(&it.single.texture.part(1), [0; 3], &it.texture.part(0), None);
    }),
    ("a copy of samples to texels", Fate::LeftOut, |it, list| {
        list.copy_texture(&it.single.texture.part(0), [0; 3], &it.samples.texture.part(0), None);
    }),
    ("a copy between sizes of texels", Fate::LeftOut, |it, list| {
        list.copy_texture(&it.other.part(0), [0; 3], &it.texture.part(0), None);
    }),
    ("a copy over itself", Fate::LeftOut, |it, list| {
        let part = D3D12_BOX { right: 8, bottom: 8, back: 1, ..Default::default() };
        list.copy_texture(&it.texture.part(0), [4, 4, 0], &it.texture.part(0), Some(&part));
    }),
    ("a copy of textures of different shapes", Fate::LeftOut, |it, list| {
        let (to, from) = (&it.single.texture.com, &it.samples.texture.com);
        call!(list.com, "ID3D12GraphicsCommandList", "CopyResource", to, from);
    }),
    ("a resolve of one sample", Fate::LeftOut, |it, list| resolve(list, &it.single, &it.texture, BYTES)),
    ("a resolve in another format", Fate::Refused, |it, list| {
        resolve(list, &it.samples, &it.texture, DXGI_FORMAT::FORMAT_R32_FLOAT);
    }),
    ("a resolve to another format", Fate::Refused, |it, list| resolve(list, &it.samples, &it.other, BYTES)),
    ("a depth buffer as a target of colours", Fate::LeftOut, |it, list| {
        list.clear_view(it.depth.view(), [0.0; 4], &[]);
    }),
    ("a target of colours as a depth buffer", Fate::LeftOut, |it, list| {
        list.clear_depth_view(it.single.view(), D3D12_CLEAR_FLAGS::DEPTH, (0.0, 0), &[]);
    }),
    ("a query that is not there", Fate::LeftOut, |it, list| {
        call!(list.com, "ID3D12GraphicsCommandList", "BeginQuery", &it.queries, Query::OCCLUSION.0, 4u32);
    }),
    ("a query of another type", Fate::LeftOut, |it, list| {
        call!(list.com, "ID3D12GraphicsCommandList", "EndQuery", &it.queries, Query::TIMESTAMP.0, 0u32);
    }),
    ("a query that ends before it begins", Fate::LeftOut, |it, list| {
        call!(list.com, "ID3D12GraphicsCommandList", "EndQuery", &it.queries, Query::OCCLUSION.0, 0u32);
    }),
    ("a query that begins twice", Fate::LeftOut, |it, list| {
        for _ in 0..2 {
            call!(list.com, "ID3D12GraphicsCommandList", "BeginQuery", &it.queries, Query::OCCLUSION.0, 0u32);
        }
    }),
    ("a query that never ends", Fate::LeftOut, |it, list| {
        call!(list.com, "ID3D12GraphicsCommandList", "BeginQuery", &it.queries, Query::OCCLUSION.0, 0u32);
    }),
    ("results of queries that are not there", Fate::LeftOut, |it, list| results(list, it, (3, 2), 0)),
    ("results of too many queries", Fate::LeftOut, |it, list| results(list, it, (1, u32::MAX), 0)),
    ("results behind a buffer's end", Fate::LeftOut, |it, list| results(list, it, (0, 4), 40)),
    ("results between words", Fate::LeftOut, |it, list| results(list, it, (0, 1), 4)),
    ("a predicate behind a buffer's end", Fate::LeftOut, |it, list| predicate(list, it, 64)),
    ("a predicate between words", Fate::LeftOut, |it, list| predicate(list, it, 4)),
    ("arguments behind a buffer's end", Fate::LeftOut, |it, list| indirect(list, it, 1, 64, None)),
    ("arguments between words", Fate::LeftOut, |it, list| indirect(list, it, 1, 2, None)),
    ("a count behind a buffer's end", Fate::LeftOut, |it, list| indirect(list, it, 1, 0, Some(64))),
    ("root arguments without a root signature", Fate::LeftOut, |_, list| {
        list.graphics_constants(0, &[1]);
        list.compute_cbv(0, 0);
    }),
    ("a value at no address", Fate::Refused, |_, list| immediate(list, 64)),
    ("a value between words", Fate::Refused, |it, list| immediate(list, it.results.address + 2)),
    ("stream output at no address", Fate::LeftOut, |_, list| stream(list, 64)),
    ("stream output between words", Fate::LeftOut, |it, list| stream(list, it.results.address + 2)),
];

/// Rows of a texture of [`SIZE`] in a buffer.
fn placed(offset: u64, pitch: u32) -> D3D12_PLACED_SUBRESOURCE_FOOTPRINT {
    let footprint = D3D12_SUBRESOURCE_FOOTPRINT { Format: BYTES, Width: SIZE, Height: SIZE, Depth: 1, RowPitch: pitch };
    D3D12_PLACED_SUBRESOURCE_FOOTPRINT { Offset: offset, Footprint: footprint }
}

fn to_texture(list: &mut List, it: &Things, texture: &Texture, placed: D3D12_PLACED_SUBRESOURCE_FOOTPRINT) {
    list.copy_texture(&texture.part(0), [0; 3], &in_buffer(&it.buffer, placed), None);
}

fn resolve(list: &mut List, from: &Target, to: &Texture, format: DXGI_FORMAT) {
    let (to, from) = (&to.com, &from.texture.com);
    call!(list.com, "ID3D12GraphicsCommandList", "ResolveSubresource", to, 0u32, from, 0u32, format.0);
}

fn results(list: &mut List, it: &Things, (first, count): (u32, u32), offset: u64) {
    let (kind, to) = (Query::OCCLUSION.0, &it.results.com);
    call!(list.com, "ID3D12GraphicsCommandList", "ResolveQueryData", &it.queries, kind, first, count, to, offset);
}

fn predicate(list: &mut List, it: &Things, offset: u64) {
    let operation = D3D12_PREDICATION_OP::EQUAL_ZERO.0;
    call!(list.com, "ID3D12GraphicsCommandList", "SetPredication", &it.results.com, offset, operation);
}

fn indirect(list: &mut List, it: &Things, most: u32, offset: u64, count: Option<u64>) {
    let counter = count.map(|_| &it.results.com);
    call!(
        list.com,
        "ID3D12GraphicsCommandList",
        "ExecuteIndirect",
        &it.draws,
        most,
        &it.results.com,
        offset,
        counter,
        count.unwrap_or(0)
    );
}

fn immediate(list: &mut List, address: u64) {
    let parameter = D3D12_WRITEBUFFERIMMEDIATE_PARAMETER { Dest: address, Value: 1 };
    let Some(list) = list.com.query(reprise_d3d12::interface("ID3D12GraphicsCommandList2")) else { return };
    let modes = Word::from(Null);
    call!(list, "ID3D12GraphicsCommandList2", "WriteBufferImmediate", 1u32, &raw const parameter, modes);
}

fn stream(list: &mut List, address: u64) {
    let view =
        D3D12_STREAM_OUTPUT_BUFFER_VIEW { BufferLocation: address, SizeInBytes: 16, BufferFilledSizeLocation: 0 };
    call!(list.com, "ID3D12GraphicsCommandList", "SOSetTargets", 0u32, 1u32, &raw const view);
}
