//! Commands of lists that write bytes of buffers which the call itself names: copies, query resolves, questions about acceleration
//! structures, words that a list writes.
//!
//! What shaders write is not among them: no call names those bytes.

use std::ops::Range;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_QUERY_TYPE, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC as Question,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_TYPE as Info, D3D12_TEXTURE_COPY_LOCATION,
    D3D12_TEXTURE_COPY_TYPE, D3D12_WRITEBUFFERIMMEDIATE_PARAMETER,
};
use reprise_timeline::argument::{Argument, Damaged, Many, ObjectId, One};
use reprise_timeline::operations::answer_bytes;
use reprise_timeline::{Call, argument};

/// What a command writes.
pub(super) enum Written {
    /// Answers of queries of one kind, to bytes of a buffer.
    Queries(D3D12_QUERY_TYPE, u32, Range<u64>),
    /// Bytes of a buffer, to another one.
    Copy { to: u32, offset: u64, from: u32, range: Range<u64> },
    /// Texels of a `DXGI_FORMAT`, to bytes of a buffer.
    Texels(u32, Range<u64>, u32),
    /// Tiles, from or to a buffer: in either direction, and however many.
    Tiles(u32, Range<u64>),
    /// A texture, or a part of it.
    Texture(u32),
    /// Answers to a question about so many acceleration structures.
    Answers(Question, u32),
    /// A word, at an address.
    Word(u64),
}

/// A method that resolves queries into a buffer.
struct Resolve {
    kind: Argument<D3D12_QUERY_TYPE>,
    count: Argument<u32>,
    buffer: Argument<ObjectId>,
    offset: Argument<u64>,
}

macro_rules! resolve {
    ($interface:literal) => {
        Resolve {
            kind: argument!($interface, "ResolveQueryData", "Type"),
            count: argument!($interface, "ResolveQueryData", "NumQueries"),
            buffer: argument!($interface, "ResolveQueryData", "pDestinationBuffer"),
            offset: argument!($interface, "ResolveQueryData", "AlignedDestinationBufferOffset"),
        }
    };
}

static RESOLVES: [Resolve; 4] = [
    resolve!("ID3D12GraphicsCommandList"),
    resolve!("ID3D12VideoDecodeCommandList"),
    resolve!("ID3D12VideoEncodeCommandList"),
    resolve!("ID3D12VideoProcessCommandList"),
];

/// A method that copies bytes of a buffer to another one.
struct BufferCopy {
    to: Argument<ObjectId>,
    to_offset: Argument<u64>,
    from: Argument<ObjectId>,
    from_offset: Argument<u64>,
    bytes: Bytes,
}

/// How many bytes a copy takes.
enum Bytes {
    Stated(Argument<u64>),
    Always(u64),
}

macro_rules! copy {
    ($interface:literal $method:literal $bytes:expr) => {
        BufferCopy {
            to: argument!($interface, $method, "pDstBuffer"),
            to_offset: argument!($interface, $method, "DstOffset"),
            from: argument!($interface, $method, "pSrcBuffer"),
            from_offset: argument!($interface, $method, "SrcOffset"),
            bytes: $bytes,
        }
    };
}

static COPIES: [BufferCopy; 3] = [
    copy!("ID3D12GraphicsCommandList" "CopyBufferRegion"
        Bytes::Stated(argument!("ID3D12GraphicsCommandList", "CopyBufferRegion", "NumBytes"))),
    copy!("ID3D12GraphicsCommandList1" "AtomicCopyBufferUINT" Bytes::Always(4)),
    copy!("ID3D12GraphicsCommandList1" "AtomicCopyBufferUINT64" Bytes::Always(8)),
];

const COPY_ALL_TO: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "CopyResource", "pDstResource");
const COPY_ALL_FROM: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "CopyResource", "pSrcResource");
const COPY_TEXTURE: Argument<One<D3D12_TEXTURE_COPY_LOCATION>> =
    argument!("ID3D12GraphicsCommandList", "CopyTextureRegion", "pDst");
const COPY_TILES: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "CopyTiles", "pBuffer");
const COPY_TILES_OFFSET: Argument<u64> =
    argument!("ID3D12GraphicsCommandList", "CopyTiles", "BufferStartOffsetInBytes");

const BUILD_ASKS: Argument<Many<Question>> =
    argument!("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure", "pPostbuildInfoDescs");
const ASK: Argument<One<Question>> =
    argument!("ID3D12GraphicsCommandList4", "EmitRaytracingAccelerationStructurePostbuildInfo", "pDesc");
const ASKED: Argument<u32> = argument!(
    "ID3D12GraphicsCommandList4",
    "EmitRaytracingAccelerationStructurePostbuildInfo",
    "NumSourceAccelerationStructures"
);

const WORDS: Argument<Many<D3D12_WRITEBUFFERIMMEDIATE_PARAMETER>> =
    argument!("ID3D12GraphicsCommandList2", "WriteBufferImmediate", "pParams");

/// Bytes that are told of one structure.
pub(super) fn told_bytes(question: &Question) -> u64 {
    match question.InfoType {
        Info::SERIALIZATION => 16,
        _ => 8,
    }
}

/// So many bytes from an offset on.
pub(super) fn range(offset: u64, bytes: u64) -> Range<u64> {
    offset..offset.saturating_add(bytes)
}

/// The methods that are such commands.
pub(super) fn methods() -> Vec<MethodId> {
    let copies = COPIES.iter().map(|copy| copy.to.method());
    let resolves = RESOLVES.iter().map(|resolve| resolve.kind.method());
    let others = [
        COPY_ALL_TO.method(),
        COPY_TEXTURE.method(),
        COPY_TILES.method(),
        BUILD_ASKS.method(),
        ASK.method(),
        WORDS.method(),
    ];
    copies.chain(resolves).chain(others).collect()
}

/// What a command writes; nothing for other calls.
///
/// # Errors
/// When its arguments cannot be read.
pub(super) fn written(call: &Call<'_>) -> Result<Vec<Written>, Damaged> {
    if let Some(resolve) = RESOLVES.iter().find(|resolve| resolve.kind.method() == call.method) {
        let query = resolve.kind.of(call)?;
        let bytes = answer_bytes(query).saturating_mul(resolve.count.of(call)?.into());
        let (buffer, written) = (resolve.buffer.of(call)?.0, range(resolve.offset.of(call)?, bytes));
        return Ok(vec![Written::Queries(query, buffer, written)]);
    }
    if let Some(copy) = COPIES.iter().find(|copy| copy.to.method() == call.method) {
        let bytes = match &copy.bytes {
            Bytes::Stated(bytes) => bytes.of(call)?,
            Bytes::Always(bytes) => *bytes,
        };
        let (to, offset) = (copy.to.of(call)?.0, copy.to_offset.of(call)?);
        let (from, range) = (copy.from.of(call)?.0, range(copy.from_offset.of(call)?, bytes));
        return Ok(vec![Written::Copy { to, offset, from, range }]);
    }
    let others = [COPY_ALL_TO.method(), COPY_TILES.method(), BUILD_ASKS.method(), ASK.method(), WORDS.method()];
    Ok(match others.iter().position(|method| *method == call.method) {
        Some(0) => {
            let (to, from) = (COPY_ALL_TO.of(call)?.0, COPY_ALL_FROM.of(call)?.0);
            vec![Written::Copy { to, offset: 0, from, range: 0..u64::MAX }]
        }
        Some(1) => vec![Written::Tiles(COPY_TILES.of(call)?.0, COPY_TILES_OFFSET.of(call)?..u64::MAX)],
        Some(2) => BUILD_ASKS.of(call)?.iter().map(|question| Written::Answers(question, 1)).collect(),
        Some(3) => {
            let count = ASKED.of(call)?;
            ASK.of(call)?.map(|question| Written::Answers(question, count)).into_iter().collect()
        }
        Some(_) => WORDS.of(call)?.iter().map(|word| Written::Word(word.Dest)).collect(),
        None if call.method == COPY_TEXTURE.method() => {
            COPY_TEXTURE.of(call)?.map(|to| target(&to)).into_iter().collect()
        }
        None => Vec::new(),
    })
}

/// Where a copy of a texture's texels goes.
fn target(to: &D3D12_TEXTURE_COPY_LOCATION) -> Written {
    // Objects in structures are ids.
    let resource = to.pResource as usize as u32;
    if to.Type != D3D12_TEXTURE_COPY_TYPE::PLACED_FOOTPRINT {
        return Written::Texture(resource);
    }
    // SAFETY: every bit pattern is a value of both members, and the type says that it is this one.
    let placed = unsafe { to.Anonymous.PlacedFootprint };
    let rows = u64::from(placed.Footprint.Height).saturating_mul(placed.Footprint.Depth.into());
    let bytes = u64::from(placed.Footprint.RowPitch).saturating_mul(rows);
    Written::Texels(resource, range(placed.Offset, bytes), placed.Footprint.Format.0 as u32)
}
